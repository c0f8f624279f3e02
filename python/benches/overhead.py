"""Time and memory of a fit from Python against the command line's own, at a million rows.

Prints seconds inside the fit for both, and how much memory the fit adds in copies of X.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS, COLUMNS, REPEATS = 1_000_000, 20, 3
PROGRAM = Path(__file__).parents[2] / "target" / "release" / "stablevar"


def measure(order):
    """One fit in a process of its own: seconds, and peak memory before and after."""
    import numpy as np

    from stablevar import SVIRegressor
    from stablevar.datasets import make_biased_linear

    X, y = make_biased_linear(ROWS, 1.2, n_features=COLUMNS, random_state=0)
    X = np.asfortranarray(X) if order == "F" else np.ascontiguousarray(X)
    # What making the data took must not hide what the fit takes.
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before = peak()
    model = SVIRegressor(evidence=None)
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "copies": (peak() - before) / X.nbytes}))


def peak():
    """Peak resident bytes of this process since last reset."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except OSError:
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "t.parquet")
        simulate = ["simulate", "linear", "--n", ROWS, "--r", "1.2", "--p", COLUMNS, "--seed", "0", "--out", data]
        subprocess.run([PROGRAM, *map(str, simulate)], check=True)
        command = [PROGRAM, "fit", data, "--target", "y", "--evidence", "none"]
        for _ in range(REPEATS):
            done = subprocess.run(command, capture_output=True, text=True)
            line = next(line for line in done.stderr.splitlines() if "fitted in" in line)
            print("command line:", line)
            for order in "CF":
                run = [sys.executable, __file__, order]
                print(f"Python, {order} order:", subprocess.run(run, capture_output=True, text=True).stdout.strip())


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
