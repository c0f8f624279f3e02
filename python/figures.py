"""Whether the figures of README and docs are those of the code beside them.

    python python/figures.py                # names the tables that an older version of their code made
    python python/figures.py record NAME    # after its command was run and its figures were put in place
    python python/figures.py record NAME --revision REV    # if that was done with the code of another commit

A table is marked by `<!-- figures: NAME -->` above it. `docs/figures.json` says by NAME which command makes it, which
code its numbers depend on, and the hash of that code when it was made: of the Rust sources without comments, blanks
and tests, so that a better comment does not ask for an hour of computing.
"""

import argparse
import fnmatch
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Callable, Optional

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "docs" / "figures.json"
MARK = re.compile(r"<!-- figures: ([\w-]+) -->")

#: Patterns of files (`*` is any text, also with slashes) by what numbers depend on; those after `-` are left out.
_WORDS = ("finding", "fit/findings", "error", "wording")
_CORE = ["crates/stablevar/src/*.rs", *(f"-crates/stablevar/src/{name}.rs" for name in _WORDS)]
#: What users write, another choice from a saved model, methods side by side, new rows: a fit needs none of them.
_AROUND = ("estimator/*", "fit/reselection", "foresight/*", "comparison")
_FIT = [*_CORE, *(f"-crates/stablevar/src/{name}.rs" for name in _AROUND)]
CODE = {
    "fit": _FIT,
    "simulated": [*_FIT, "crates/stablevar-data/src/simulate.rs", "crates/stablevar/examples/*.rs"],
    "paper": [*_FIT, "crates/stablevar-data/src/*.rs", "crates/stablevar-paper/src/*.rs"],
    "foresight": [*_CORE, "-crates/stablevar/src/comparison.rs", "python/benches/foresight.py"],
    "comparison": [*_CORE, "-crates/stablevar/src/foresight/*"],
    "speed": [*_CORE, "crates/stablevar-io/src/*.rs", "Cargo.toml"],
}


def files(code: str, listed: Iterable[str]) -> list[str]:
    """The files, of those there are, that such numbers depend on."""
    wanted = [pattern for pattern in CODE[code] if not pattern.startswith("-")]
    left_out = [pattern[1:] for pattern in CODE[code] if pattern.startswith("-")]

    def fits(path: str, patterns: list[str]) -> bool:
        return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)

    return sorted(path for path in listed if fits(path, wanted) and not fits(path, left_out))


def essence(path: str, text: str) -> str:
    """What a compiler makes something of: no comments, blanks or tests."""
    if path.endswith(".rs"):
        text = text.split("#[cfg(test)]\nmod tests", 1)[0]
        text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def fingerprint(code: str, listed: Iterable[str], read: Callable[[str], str]) -> str:
    """The hash of the code that such numbers depend on."""
    total = hashlib.sha256()
    for path in files(code, listed):
        total.update(f"{path}\n{essence(path, read(path))}\n".encode())
    return total.hexdigest()[:16]


def git(*arguments: str) -> str:
    """What git answers."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def here(code: str) -> str:
    """The hash in this folder."""
    listed = [str(path.relative_to(ROOT)) for folder in ("crates", "python") for path in (ROOT / folder).rglob("*.*")]
    return fingerprint(code, [*listed, "Cargo.toml"], lambda path: (ROOT / path).read_text())


def at(revision: str, code: str) -> str:
    """The hash in a commit."""
    listed = git("ls-tree", "-r", "--name-only", revision).splitlines()
    return fingerprint(code, listed, lambda path: git("show", f"{revision}:{path}"))


def marked() -> dict[str, list[str]]:
    """Names of the tables in README and docs with the files that have them."""
    found: dict[str, list[str]] = {}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for name in MARK.findall(page.read_text()):
            found.setdefault(name, []).append(str(page.relative_to(ROOT)))
    return found


def faults() -> list[str]:
    """What is wrong, a line each."""
    record, pages = json.loads(RECORD.read_text()), marked()
    lines = [f"{pages[name][0]}: '{name}' is not in docs/figures.json" for name in pages if name not in record]
    lines += [f"docs/figures.json: no page has a table '{name}'" for name in record if name not in pages]
    now = {code: here(code) for code in CODE}
    for name, entry in record.items():
        if name in pages and entry["made_with"] != now[entry["code"]]:
            lines.append(f"{', '.join(pages[name])}: '{name}' is older than its code; run `{entry['command']}`")
    return lines


def remember(names: list[str], revision: Optional[str]) -> None:
    """Notes that tables were made with the code that is here, or with that of a commit."""
    record = json.loads(RECORD.read_text())
    for name in names:
        if name not in record:
            raise SystemExit(f"docs/figures.json has no '{name}'; it has {', '.join(record)}")
        code = record[name]["code"]
        record[name]["made_with"] = at(revision, code) if revision else here(code)
    RECORD.write_text(json.dumps(record, indent=2) + "\n")


def main() -> None:
    """Checks, or remembers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    record = commands.add_parser("record", help="after a table was made anew")
    record.add_argument("name", nargs="+")
    record.add_argument("--revision")
    arguments = parser.parse_args()
    if arguments.command == "record":
        remember(arguments.name, arguments.revision)
        return
    found = faults()
    print("\n".join(found) if found else "all figures are those of this code")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
