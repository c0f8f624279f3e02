"""Links that lead somewhere: no network is asked, so addresses elsewhere are taken as they are.

``python docs/check_links.py`` looks at the Markdown files as a code host shows them, for files and headings that are
not there; ``python docs/check_links.py FOLDER`` at built pages.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]


def markdown_files() -> list[Path]:
    """Pages for people; those of crates are rustdoc's, whose links it checks."""
    places = [ROOT.glob("*.md"), (ROOT / "docs").rglob("*.md"), ROOT.glob("fuzz/*.md")]
    return sorted(path for place in places for path in place)


def without_code(text: str) -> str:
    """Text without blocks of code, in which brackets and hashes mean something else."""
    text = re.sub(r"^(```+|~~~+).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^ {4}.*$", "", text, flags=re.MULTILINE)


def anchors_of_markdown(text: str) -> set[str]:
    """Headings as code hosts name them."""
    made: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", without_code(text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        unique, count = name, 0
        while unique in made:
            count += 1
            unique = f"{name}-{count}"
        made.add(unique)
    return made | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def links_of_markdown(text: str) -> list[str]:
    """Where links and pictures lead."""
    text = re.sub(r"`[^`\n]*`", "", without_code(text))
    return re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", text)


class Page(HTMLParser):
    """Links and anchors of a built page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def astray(files: dict[Path, tuple[list[str], set[str]]]) -> list[str]:
    """Links of files, given with their links and anchors, that lead nowhere."""
    found = []
    for path, (links, _) in files.items():
        for link in links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            fragment = unquote(parts.fragment)
            if not target.exists():
                found.append(f"{path}: {link} is not there")
            elif fragment and target in files and fragment not in files[target][1]:
                found.append(f"{path}: {link} has no such heading")
    return found


def main() -> int:
    """1 if a link leads nowhere."""
    if len(sys.argv) > 1:
        pages = {path.resolve(): Page(path.read_text()) for path in sorted(Path(sys.argv[1]).rglob("*.html"))}
        files = {path: (page.links, page.anchors) for path, page in pages.items()}
    else:
        texts = {path: path.read_text() for path in markdown_files()}
        files = {path: (links_of_markdown(text), anchors_of_markdown(text)) for path, text in texts.items()}
    found = astray(files)
    for link in found:
        print(link, file=sys.stderr)
    print(f"{sum(len(links) for links, _ in files.values())} links of {len(files)} files, {len(found)} lead nowhere")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
