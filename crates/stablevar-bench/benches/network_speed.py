"""Training time and loss of one network, ours beside scikit-learn's MLPRegressor, on one core.

    cargo build --release --bins && cargo build --release -p stablevar-bench --example network_speed
    python crates/stablevar-bench/benches/network_speed.py

Same data (the paper's nonlinear data, 25,000 rows), architecture, optimiser, batches and epochs; the runs alternate, so
that a busy machine is busy for both, and the median ratio of five pairs is printed.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import pathlib  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402

import numpy as np  # noqa: E402
from sklearn.neural_network import MLPRegressor  # noqa: E402

RELEASE = pathlib.Path(__file__).parents[3] / "target" / "release"
CASES = [(10, 20, 200, "adam"), (100, 20, 200, "adam"), (100, 20, 32, "adam"), (10, 10, 200, "lbfgs")]


def theirs(x, y, units, epochs, batch, solver):
    model = MLPRegressor(
        hidden_layer_sizes=(units,),
        max_iter=epochs if solver == "adam" else 10 * epochs,
        batch_size=batch,
        solver=solver,
        tol=0,
        n_iter_no_change=10**6,
        max_fun=10**6,
        random_state=0,
    )
    start = time.perf_counter()
    model.fit(x, y)
    return time.perf_counter() - start, 0.5 * np.mean((model.predict(x) - y) ** 2)


def main():
    warnings.filterwarnings("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.csv")
        subprocess.run([RELEASE / "stablevar", "simulate", "nonlinear", "--out", path], check=True)
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        x, y = table[:, :-1], table[:, -1]
        print("| units | batch | solver | scikit-learn s | ours s | times faster | their loss | our loss |")
        print("|---|---|---|---|---|---|---|---|")
        for units, epochs, batch, solver in CASES:
            pairs = []
            for _ in range(5):
                other = theirs(x, y, units, epochs, batch, solver)
                command = [RELEASE / "examples" / "network_speed", path, units, epochs, batch, solver]
                answer = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
                pairs.append((other, [float(value) for value in answer.stdout.split()]))
            ratio = statistics.median(other[0] / own[0] for other, own in pairs)
            seconds = [statistics.median(pair[k][0] for pair in pairs) for k in (0, 1)]
            print(
                f"| {units} | {batch} | {solver} | {seconds[0]:.2f} | {seconds[1]:.3f} | {ratio:.1f} "
                f"| {pairs[0][0][1]:.4f} | {pairs[0][1][1]:.4f} |"
            )


if __name__ == "__main__":
    main()
