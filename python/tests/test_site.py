"""What makes the documentation site: links that lead nowhere are found, help texts become pages."""

import json
import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_links_of_markdown_lead_somewhere(tmp_path):
    links = runpy.run_path(str(DOCS / "check_links.py"))
    one, two = tmp_path / "one.md", tmp_path / "two.md"
    one.write_text("# One\n\n[no](two.md#a-b--c-d), [up](#one), [code](x.rs)\n\n    [not](a.md)\n\n`[nor](this.md)`\n")
    two.write_text("## A b: (c) `d`\n\n## A b\n\n## A b\n\n[gone](three.md) [no](one.md#two) [twice](#a-b-1)\n")
    (tmp_path / "x.rs").write_text("")
    found, named = links["links_of_markdown"], links["anchors_of_markdown"]
    files = {path: (found(path.read_text()), named(path.read_text())) for path in (one, two)}
    assert files[two][1] == {"a-b-c-d", "a-b", "a-b-1"}
    assert links["astray"](files) == [
        f"{one}: two.md#a-b--c-d has no such heading",
        f"{two}: three.md is not there",
        f"{two}: one.md#two has no such heading",
    ]


def test_links_of_pages_lead_somewhere(tmp_path):
    links = runpy.run_path(str(DOCS / "check_links.py"))
    page = links["Page"]('<h1 id="top"></h1><a href="#top"></a><a href="#end"></a><img src="no%20one.png">')
    place = tmp_path / "index.html"
    place.write_text("")
    told = links["astray"]({place: (page.links, page.anchors)})
    assert told == [f"{place}: #end has no such heading", f"{place}: no%20one.png is not there"]


def test_help_becomes_a_page():
    build = runpy.run_path(str(DOCS / "build.py"))
    text = """\
What it does

Usage: stablevar do [OPTIONS] --target <COL>
           <DATA>

Arguments:
  <DATA>
          The table; - is
          standard input

Options:
  -q, --quiet
          Say less

The table:
      --mark <MARK>
          Which mark [default: point]

          Possible values:
          - point: 1,234.5 in
            English
          - comma: 1.234,5

Examples:
  stablevar do table.csv --target y
      --quiet
  stablevar do other.csv --target y
"""
    assert (
        build["command_page"]("do", text)
        == """\
# stablevar do

What it does

```text
stablevar do [OPTIONS] --target <COL> <DATA>
```

## Arguments

`<DATA>`
: The table; - is standard input

## Options

`-q, --quiet`
: Say less

## The table

`--mark <MARK>`
: Which mark \\[default: point\\]

  Possible values:
  - `point`: 1,234.5 in English
  - `comma`: 1.234,5

## Examples

```text
stablevar do table.csv --target y --quiet
stablevar do other.csv --target y
```

"""
    )


def test_every_command_says_what_it_is_for(command):
    """The site's list of commands is the program's."""
    build = runpy.run_path(str(DOCS / "build.py"))
    listed = dict(build["sections"](command("--help")))["Commands"]
    names = [line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "]
    assert {"fit", "predict", "foresee", "man"} <= set(names)
    for name in set(names) - {"help"}:
        page = build["command_page"](name, command(name, "--help"))
        assert page.count("```text") >= 1 and "## Options" in page, name


def test_one_version_is_spoken_of():
    """Of the program in what is released with it, and of the model file in what describes it."""
    root = DOCS.parent
    version = re.search(r'^version = "(.+)"', (root / "Cargo.toml").read_text(), re.MULTILINE)[1]
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text()
    assert f"\n## {version}" in (root / "CHANGELOG.md").read_text()
    source = (root / "crates" / "stablevar-io" / "src" / "model_file.rs").read_text()
    number = int(re.search(r"const VERSION: u64 = (\d+);", source)[1])
    page = (DOCS / "model-format.md").read_text()
    listed = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)
    assert f'"version": {number},' in page and listed == [str(k + 1) for k in range(number)]
    schema = json.loads((DOCS / "schema" / "model.schema.json").read_text())
    assert schema["properties"]["version"]["const"] == number
