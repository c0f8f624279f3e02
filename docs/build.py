"""Builds the documentation site: `make docs`.

``python docs/build.py PROGRAM`` gathers the pages in ``target/site-source``, runs Sphinx there with warnings as errors,
and looks at every link of what comes out in ``target/site``. Pages are gathered and not built where they are, so that
those that are made (of the program's own help) and the notebooks' outputs stand nowhere else.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "target" / "site-source"
SITE = ROOT / "target" / "site"
#: What is not in docs and has a page.
OUTSIDE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "THIRD_PARTY_LICENSES.md")
LINK = re.compile(r"(?<=\]\()(\.\./)?([^):#]+)(?=[)#])")


class Gathered:
    """Writes what changed, so that Sphinx builds no more than that, and removes what is gone."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.kept: set[Path] = set()

    def write(self, name: str, content: bytes | str) -> None:
        path = self.folder / name
        content = content.encode() if isinstance(content, str) else content
        self.kept.add(path)
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def sweep(self) -> None:
        for path in self.folder.rglob("*"):
            # Pages of classes are Sphinx's own, made from the list in api.md.
            if path.is_file() and path not in self.kept and path.parent.name != "api":
                path.unlink()


def gather(gathered: Gathered) -> None:
    """Pages and what they lead to, as if docs were the root: links are changed to fit."""

    def page(path: Path) -> str:
        def moved(link: re.Match) -> str:
            target = (path.parent / link[0]).resolve()
            if not target.is_file():
                return link[0]
            inside = target.relative_to(ROOT / "docs" if (ROOT / "docs") in target.parents else ROOT)
            # Sources that pages speak of are there to be read.
            if target.suffix not in (".md", ".ipynb"):
                gathered.write(str(inside), target.read_bytes())
            return str(inside)

        def plain(link: re.Match) -> str:
            # A code host shows folders, a site does not.
            return f"`{link[1]}`" if (path.parent / link[2]).is_dir() else link[0]

        return LINK.sub(moved, re.sub(r"\[([^\]]+)\]\(([^):#]+)\)", plain, path.read_text()))

    for path in sorted((ROOT / "docs").glob("*.md")):
        gathered.write(path.name, page(path))
    for name in OUTSIDE:
        gathered.write(name, page(ROOT / name))
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        gathered.write(f"notebooks/{path.name}", path.read_bytes())
    for folder in ("_static", "_templates", "figures", "schema"):
        for path in sorted(path for path in (ROOT / "docs" / folder).rglob("*") if path.is_file()):
            gathered.write(str(path.relative_to(ROOT / "docs")), path.read_bytes())
    gathered.write("conf.py", (ROOT / "docs" / "conf.py").read_bytes())
    gathered.write("Cargo.toml", (ROOT / "Cargo.toml").read_bytes())


def help_of(program: str, *command: str) -> str:
    """What the program says of a command, in lines as long as they come."""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    asked = [program, *command, "--help"]
    return subprocess.run(asked, capture_output=True, text=True, check=True, env=environment).stdout


def sections(text: str) -> list[tuple[str, list[str]]]:
    """Parts of a help text by their headings, lines at the margin that end with a colon; the first part has none."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        heading = re.fullmatch(r"([A-Z][^:]*):", line)
        if heading:
            parts.append((heading[1], []))
        else:
            parts[-1][1].append(line)
    return parts


def prose(lines: list[str]) -> str:
    """Wrapped lines as Markdown: paragraphs, lists, and blocks that are indented."""
    made: list[str] = []
    for line in lines:
        text = re.sub(r"([<>*_\[\]$])", r"\\\1", line.strip())
        if not text:
            made.append("")
        elif text.startswith("- ") or not made or not made[-1]:
            name = re.match(r"- ([^\s:]+):", text)
            made.append(f"- `{name[1]}`: {text[name.end() :].strip()}" if name else text)
        else:
            made[-1] += " " + text
    return "\n".join(made).strip()


def options(lines: list[str]) -> str:
    """Options and arguments with what is said of them, as a list of definitions."""
    entries: list[tuple[str, list[str]]] = []
    for line in lines:
        # What is said of them stands further in.
        if re.match(r" {2,6}[-<\[]", line):
            # Short help has the words in the same line.
            name, _, words = line.strip().partition("  ")
            entries.append((name, [words.strip()] if words.strip() else []))
        elif entries:
            entries[-1][1].append(line)
    made = []
    for name, words in entries:
        said = "\n".join("  " + line if line else "" for line in prose(words).split("\n"))
        made.append(f"`{name}`\n: {said.strip()}")
    return "\n\n".join(made)


def command_page(name: str, text: str) -> str:
    """The page of a command."""
    made = [f"# stablevar {name}", ""]
    for heading, lines in sections(text):
        body = "\n".join(lines).strip("\n")
        if not heading:
            before, _, usage = body.partition("Usage: ")
            made += [prose(before.splitlines()), ""]
            if usage:
                first, _, rest = usage.partition("\n\n")
                made += ["```text", " ".join(first.split()), "```", ""]
                made += [prose(rest.splitlines()), ""] if rest.strip() else []
        elif heading == "Examples":
            # Long ones were broken; each begins with the program's name.
            examples = "\n".join(line.strip() for line in lines if line.strip())
            examples = re.sub(r"\n(?!stablevar |\S+ \| )", " ", examples)
            made += [f"## {heading}", "", "```text", examples, "```", ""]
        else:
            made += [f"## {heading}", "", options(lines) or f"```text\n{body}\n```", ""]
    return "\n".join(made) + "\n"


def commands(gathered: Gathered, program: str) -> None:
    """A page for every command, of its own words, and the list of them."""
    overview = dict(sections(help_of(program)))
    names = [line.split()[0] for line in overview["Commands"] if re.match(r"  [a-z]", line)]
    names = [name for name in names if name != "help"]
    for name in names:
        gathered.write(f"commands/{name}.md", command_page(name, help_of(program, name)))
    summaries = re.findall(r"^  ([a-z]\S*) +(.*(?:\n {6,}.*)*)", "\n".join(overview["Commands"]), re.MULTILINE)
    listed = [f"[`{name}`]({name}.md)\n: {' '.join(words.split())}" for name, words in summaries if name in names]
    tree = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    intro = "Every option of every command, as `--help` and the manual pages have them."
    intro += " All settings in one table: [settings](../settings.md)."
    gathered.write("commands/index.md", "\n\n".join(["# Commands", intro, *listed, tree]) + "\n")


def is_other_package(kept: Path) -> bool:
    """Whether the Python package is another one than when this was last asked."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "python" / "stablevar").rglob("*")):
        if path.suffix in (".py", ".so"):
            digest.update(path.read_bytes())
    known = kept.read_text() if kept.exists() else ""
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(digest.hexdigest())
    return known != digest.hexdigest()


def main() -> int:
    """The exit code: 0 if there is nothing to mend."""
    program = os.path.abspath(sys.argv[1])
    gathered = Gathered(SOURCE)
    gather(gathered)
    commands(gathered, program)
    gathered.sweep()
    # Of a page that is gone nothing may stay to be linked to.
    shutil.rmtree(SITE, ignore_errors=True)
    read = SITE.with_name("site-read")
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-d", str(read)]
    if is_other_package(read / "package"):
        # Notebooks that did not change print something else, too.
        sphinx.append("-E")
    # Threads of several libraries that wait for each other on few cores take minutes.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "python")}
    environment["PATH"] = os.pathsep.join([os.path.dirname(program), environment["PATH"]])
    built = subprocess.run([*sphinx, str(SOURCE), str(SITE)], env=environment).returncode
    linked = subprocess.run([sys.executable, str(ROOT / "docs" / "check_links.py"), str(SITE)]).returncode
    return built or linked


if __name__ == "__main__":
    sys.exit(main())
