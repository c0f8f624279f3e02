"""What the tests share."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def command():
    """The command line's program: where STABLEVAR says, or as built for the Rust tests."""
    built = [ROOT / "target" / profile / "stablevar" for profile in ("testing", "release")]
    found = (
        os.environ.get("STABLEVAR")
        or next((path for path in built if path.exists()), None)
        or shutil.which("stablevar")
    )
    if found is None:
        pytest.skip("the stablevar program is not built")

    def run(*arguments):
        done = subprocess.run([str(found), *map(str, arguments)], capture_output=True, text=True)
        # 3 is done, but not converged.
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def linear():
    """A biased sample of the linear world: five stable columns, then five others."""
    from stablevar.datasets import make_biased_linear

    return make_biased_linear(n_samples=1500, r=2.5, random_state=0, as_frame=True)
