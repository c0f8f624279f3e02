"""Licences of the crates that are built into the program and the Python package.

``python python/third_party.py`` writes THIRD_PARTY_LICENSES.md from what cargo knows; with ``--check`` it fails if that
file is not what it would write. Of several licences that a crate offers MIT is taken, then Apache-2.0.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "THIRD_PARTY_LICENSES.md"
SHIPPED = ("stablevar-cli", "stablevar-python")
#: Where a crate leaves the choice to us, and in a file that holds several.
PREFERRED = ("MIT", "Apache-2.0", "BSD", "ZLIB", "UNLICENSE", "BOOST")
NOTICE = re.compile(r"\s*copyright (\(c\)|©|\d|the )", re.IGNORECASE)


def shipped_packages() -> list[dict]:
    """Crates of other people that end up in what users get, for all systems; not those of tests and benchmarks."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    known = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    packages = {package["id"]: package for package in known["packages"]}
    links = {node["id"]: node["deps"] for node in known["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] in SHIPPED]
    reached = set(waiting)
    while waiting:
        for link in links[waiting.pop()]:
            # Kind None is what is linked; what only builds or tests is not passed on.
            if link["pkg"] not in reached and any(kind["kind"] is None for kind in link["dep_kinds"]):
                reached.add(link["pkg"])
                waiting.append(link["pkg"])
    others = [packages[key] for key in reached if packages[key]["source"]]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def licence_files(package: dict) -> list[Path]:
    """The files of the licence that is taken."""
    folder = Path(package["manifest_path"]).parent
    named = re.compile(r"(licen[cs]e|copying|unlicense)", re.IGNORECASE)
    files = sorted(path for path in folder.iterdir() if path.is_file() and named.match(path.name))
    if re.search(r"\bAND\b", package["license"] or ""):
        return files
    for wanted in PREFERRED:
        found = [path for path in files if wanted.split("-")[0].lower() in path.name.lower()]
        if found and len(files) > 1:
            return found
    return files


def page() -> str:
    """The file."""
    packages = shipped_packages()
    holders: dict[str, list[str]] = defaultdict(list)
    without = []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        files = licence_files(package)
        if not files:
            without.append(name)
        for path in files:
            text = path.read_text(errors="replace").replace("\r\n", "\n").strip("\n")
            lines = [line.rstrip() for line in text.expandtabs().split("\n")]
            notices = [line.strip() for line in lines if NOTICE.match(line)]
            # Texts that differ in who holds the rights and in how lines are broken are one.
            rest = " ".join(" ".join(line for line in lines if line.strip() not in notices).split())
            holders[rest].append(f"{name}: {'; '.join(notices)}" if notices else name)
    table = [
        f"| {package['name']} | {package['version']} | {(package['license'] or 'see its file').replace('/', ' OR ')} |"
        for package in packages
    ]
    made = [
        "# Licences of others",
        "",
        "<!-- Made by python/third_party.py from what cargo knows: `make licences`. -->",
        "",
        f"The program and the Python package are built from these {len(packages)} crates of other people, on one or",
        "another system. Of several licences that a crate offers, MIT is taken where it is among them, then",
        "Apache-2.0. Their texts, and whose they are, stand below.",
        "",
        "| crate | version | licence |",
        "|---|---|---|",
        *table,
        "",
        "## Texts",
        "",
        "A text stands once for all crates that have it; lines are broken anew.",
    ]
    if without:
        made += ["", "Without a file of their own, so that the table's licence counts by its usual text:", ""]
        made += [f"- {name}" for name in without]
    for number, (text, crates) in enumerate(sorted(holders.items(), key=lambda item: (-len(item[1]), item[0])), 1):
        made += ["", f"### Text {number}", "", *(f"- {crate}" for crate in crates)]
        made += ["", "```text", *wrapped(text), "```"]
    return "\n".join(made) + "\n"


def wrapped(text: str, width: int = 110) -> list[str]:
    """Words in lines; textwrap takes a hundred times as long."""
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def main() -> None:
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit(f"{PAGE.name} is not what the dependencies are now: run `make licences`")


if __name__ == "__main__":
    main()
