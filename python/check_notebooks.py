"""Checks the types of the notebooks' code, and the user script's: of what this package returns none may be unknown.

``python python/check_notebooks.py`` takes the code out of every notebook and runs pyright on it. Packages without types
of their own count as ``Any``, so that what is unknown is so because of us.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Packages that have no types, or many that are not known.
UNTYPED = ("dask", "distributed", "pandas", "sklearn")
UNKNOWN = ("Argument", "Lambda", "Member", "Parameter", "Variable")


def code_of(path: Path) -> str:
    """The code of a notebook as one script."""
    cells = json.loads(path.read_text())["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code") + "\n"


def stub(folder: Path, module: str) -> None:
    """A module of which everything is Any."""
    place = folder
    for part in module.split("."):
        place = place / part
        place.mkdir(parents=True, exist_ok=True)
        (place / "__init__.pyi").write_text("from typing import Any\ndef __getattr__(name: str) -> Any: ...\n")


def main() -> int:
    """Pyright's exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scripts = {path.stem: code_of(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
        scripts["user_script"] = (ROOT / "python" / "tests" / "user_script.py").read_text()
        for stem, code in scripts.items():
            # A name that no module of the standard library has, nor an import could mean.
            (folder / f"code_of_{stem}.py").write_text(code)
        sources = [*scripts.values(), *(path.read_text() for path in (ROOT / "python" / "stablevar").rglob("*.py"))]
        for module in re.findall(r"^\s*(?:from|import) ([\w.]+)", "\n".join(sources), re.MULTILINE):
            if module.partition(".")[0] in UNTYPED:
                stub(folder / "typings", module)
        # A copy: what is not part of the project is checked as a library would be, by its declared types.
        shutil.copytree(
            ROOT / "python" / "stablevar", folder / "typed" / "stablevar", ignore=shutil.ignore_patterns("*.so")
        )
        settings = {
            "include": ["code_of_*.py"],
            "extraPaths": ["typed"],
            "stubPath": "typings",
            "typeCheckingMode": "basic",
            "reportMissingModuleSource": False,
            **{f"reportUnknown{kind}Type": "error" for kind in UNKNOWN},
        }
        (folder / "pyrightconfig.json").write_text(json.dumps(settings))
        command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(folder)]
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
