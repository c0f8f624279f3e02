"""Speed, memory and scale, beside peers and limits, in one run: prints tables and writes docs/performance.md.

    python python/benches/performance.py            # half an hour on two cores; 12 GB of disk for a while
    python python/benches/performance.py --quick    # smaller, for a look; the page is not written

Needs the release build of the program and of the example `limits`, and the installed package (`make bench` sees to it).
"""

import argparse
import importlib
import os
import platform
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "target" / "release" / "stablevar"
LIMITS = ROOT / "target" / "release" / "examples" / "limits"
CORES = os.cpu_count()
#: What stands below this on the page is written by hand and stays.
MARK = "<!-- measured above, written below -->"


def seconds(work, tries=3):
    """The least time of some tries: what it takes when nobody disturbs."""
    best = np.inf
    for _ in range(tries):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def sample(rows, columns, seed=1, rng=None):
    """Correlated columns of which the first half act on the outcome, two of them together."""
    fixed = np.random.default_rng(seed)
    mixing = np.eye(columns) + 0.3 * fixed.normal(size=(columns, columns)) / np.sqrt(columns)
    effects = np.zeros(columns)
    half = columns // 2
    effects[:half] = fixed.choice([-1, 1], half) * fixed.uniform(0.2, 1, half)
    rng = rng or fixed
    X = rng.normal(size=(rows, columns)) @ mixing.T
    return X, X @ effects + 0.3 * X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=rows)


def write_parquet(path, rows, columns):
    """A table of `sample` rows, piece by piece."""
    import pyarrow
    import pyarrow.parquet

    rng = np.random.default_rng(2)
    writer = None
    for start in range(0, rows, 250_000):
        X, y = sample(min(250_000, rows - start), columns, rng=rng)
        table = pyarrow.table({**{f"x{k + 1}": X[:, k] for k in range(columns)}, "y": y})
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=125_000)
    writer.close()


class Page:
    """Tables on standard output, kept for the page."""

    def __init__(self):
        self.lines = []

    def text(self, *lines):
        for line in lines:
            print(line, flush=True)
            self.lines.append(line)

    def paragraph(self, text):
        self.text("", *textwrap.wrap(" ".join(text.split()), 118), "")

    def table(self, header, rows):
        self.text("", "| " + " | ".join(header) + " |", "|" + "---|" * len(header))
        for row in rows:
            self.text("| " + " | ".join(str(cell) for cell in row) + " |")
        self.text("")


def limits(page, quick):
    page.text("## The moment pass against the machine")
    page.paragraph(
        """
        Every step of the search for weights is one pass: a quadratic form per row and weighted second moments,
        counted as 4 n p^2 operations (fewer are done where a triangle is enough). Beside it, on one thread: one
        product of the same size by the linear-algebra crate, whose rate is 100 %, and reading the matrix once.
        The last column is the gain from all cores.
        """
    )
    columns = ["10", "64"] if quick else ["10", "20", "50", "64", "128", "256"]
    done = subprocess.run([LIMITS, *columns], capture_output=True, text=True, check=True).stdout
    page.text("", *done.strip().splitlines(), "")


def peers(page, quick):
    from sklearn.linear_model import LassoCV, LinearRegression

    from stablevar import DWR, Balance, SVIRegressor
    from stablevar.datasets import make_biased_linear

    rows = 20_000 if quick else 100_000
    X, y = sample(rows, 50)
    page.text("## Beside peers")
    page.paragraph(
        f"""
        {rows:,} rows of 50 columns, {CORES} cores for all, the fastest of five tries in turn. `evidence=None` is
        the algorithm of the paper; the default also judges every variable by regressions of its own.
        """
    )
    models = {
        "LinearRegression": lambda: LinearRegression(),
        "LassoCV": lambda: LassoCV(n_jobs=CORES),
        "SVIRegressor(evidence=None)": lambda: SVIRegressor(evidence=None),
    }
    best = dict.fromkeys(models, np.inf)
    for _ in range(5):
        for name, make in models.items():
            best[name] = min(best[name], seconds(lambda make=make: make().fit(X, y), 1))
    best["SVIRegressor()"] = seconds(lambda: SVIRegressor().fit(X, y), 1)
    lasso = best["LassoCV"]
    page.table(
        ["model", "seconds", "as a share of LassoCV"], [(k, f"{v:.3f}", f"{v / lasso:.2f}") for k, v in best.items()]
    )

    page.paragraph(
        """
        The descent on free weights that the paper uses (20,000 steps, as in the authors' code) beside the dual
        problem, 2,000 rows of 10 columns, the paper's data:
        """
    )
    X, _ = make_biased_linear(n_samples=2000, r=2.5, random_state=0)
    # To the last step, as in the authors' code, whatever the loss.
    slow = DWR(max_iter=2000 if quick else 20_000, tol=1e-300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        descent = seconds(lambda: slow.fit(X), 1)
    dual, exact = Balance(ridge=1e-10, tol=1e-4), Balance(ridge=1e-10)
    fast, exactly = seconds(lambda: dual.fit(X), 50), seconds(lambda: exact.fit(X), 50)
    row = lambda name, model, time: (  # noqa: E731
        name,
        f"{1e3 * time:.2f}",
        f"{descent / time:,.0f}",
        f"{model.n_eff_:.0f}",
        f"{model.summary_['remaining_correlation']:.1e}",
    )
    page.table(
        ["", "milliseconds", "times as fast", "n_eff", "largest correlation left"],
        [
            row("descent on free weights", slow, descent),
            row("dual problem, to 1e-9", exact, exactly),
            row("dual problem, to 1e-4", dual, fast),
        ],
    )


def growth(page, quick):
    from sklearn.linear_model import LassoCV

    from stablevar import SVIRegressor

    page.text("## Growth", "", "Seconds of a fit in memory, `evidence=None`, beside LassoCV.")
    by_rows = [3000, 10_000, 30_000] if quick else [3000, 10_000, 30_000, 100_000, 300_000]
    by_columns = [10, 20, 40] if quick else [10, 20, 40, 80, 160]
    curves = {}
    for what, sizes in {
        "rows": [(rows, 20) for rows in by_rows],
        "columns": [(20_000, columns) for columns in by_columns],
    }.items():
        found = []
        for rows, columns in sizes:
            X, y = sample(rows, columns)
            model = SVIRegressor(evidence=None)
            ours = seconds(lambda model=model, X=X, y=y: model.fit(X, y), 2)
            theirs = seconds(lambda X=X, y=y: LassoCV(n_jobs=CORES).fit(X, y), 2)
            passes = sum(step["passes"] for step in model.history_)
            found.append((rows, columns, ours, theirs, passes))
        curves[what] = found
        page.table(
            ["rows", "columns", "SVI, s", "LassoCV, s", "passes", "SVI, ns per row, pair of columns and pass"],
            [
                (f"{n:,}", p, f"{a:.3f}", f"{b:.3f}", k, f"{1e9 * a / (n * (p + 1) ** 2 / 2 * k):.2f}")
                for n, p, a, b, k in found
            ],
        )
    return curves


def run_program(arguments):
    """Seconds and peak resident bytes of the program."""
    start, most = time.perf_counter(), 0
    with tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=messages)
        while process.poll() is None:
            # Not from the process' own accounts, which begin with the memory of who started it.
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
                most = max([most, *(1024 * int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)])
            except OSError:
                pass
            time.sleep(0.01)
        messages.seek(0)
        if process.returncode not in (0, 3):
            raise RuntimeError(messages.read())
    return time.perf_counter() - start, most


def size(page, quick):
    page.text("## Tables larger than memory")
    page.paragraph(
        """
        `stablevar fit rows.parquet --target y --evidence none`, 50 columns: in memory, and with `--memory
        256MiB`, which keeps the encoded rows in a temporary file. Whole command, reading included.
        """
    )
    sizes = [100_000, 300_000] if quick else [100_000, 1_000_000, 10_000_000]
    rows, found = [], []
    with tempfile.TemporaryDirectory(dir="/var/tmp" if os.path.isdir("/var/tmp") else None) as folder:
        first = None
        for count in sizes:
            data = os.path.join(folder, "rows.parquet")
            write_parquet(data, count, 50)
            fit = ["fit", data, "--target", "y", "--evidence", "none", "--quiet"]
            for how, more in {"in memory": [], "in chunks": ["--memory", "256MiB"]}.items():
                if how == "in memory" and count > 3_000_000 or how == "in chunks" and count < 300_000:
                    continue
                took, memory = run_program([*fit, *more])
                each = took / count
                first = first or each
                rows.append(
                    (
                        f"{count:,}",
                        how,
                        f"{took:.1f}",
                        f"{1e6 * each:.1f}",
                        f"{each / first:.2f}",
                        f"{memory / 2**20:.0f}",
                    )
                )
                found.append((count, how, took, memory))
    page.table(["rows", "how", "seconds", "microseconds a row", "beside the first line", "peak memory, MiB"], rows)
    return found


def on_dask(page, quick):
    import dask.array
    import distributed

    from stablevar import SVIRegressor
    from stablevar.dask import DaskSVIRegressor

    rows, columns = (50_000, 20) if quick else (1_000_000, 20)
    X, y = sample(rows, columns)
    page.text("## Dask")
    page.paragraph(
        f"""
        {rows:,} rows of {columns} columns, `evidence=None`: in memory, and on a `LocalCluster` of three worker
        processes on the same {CORES} cores, which also run the scheduler.
        """
    )
    here = SVIRegressor(evidence=None)
    table = [("in memory", "", f"{seconds(lambda: here.fit(X, y), 2):.1f}", "", "")]
    settings = {"n_workers": 3, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    for count in (1, 3, 17):
        cluster = distributed.LocalCluster(**settings)
        with cluster, distributed.Client(cluster) as client:
            chunk = -(-rows // count)
            columns_there = dask.array.from_array(X, chunks=(chunk, columns))
            outcome_there = dask.array.from_array(y, chunks=chunk)
            # What the packages take is no part of the fit.
            client.run(importlib.import_module, "stablevar.dask")
            time.sleep(1.5)
            before = max(memory_of_workers(client))
            most, stop = [0], threading.Event()

            def watch(client=client, most=most, stop=stop):
                while not stop.wait(0.2):
                    most[0] = max(most[0], *memory_of_workers(client))

            watcher = threading.Thread(target=watch)
            watcher.start()
            model = DaskSVIRegressor(evidence=None)
            took = seconds(lambda: model.fit(columns_there, outcome_there), 1)  # noqa: B023
            stop.set()
            watcher.join()
            difference = np.abs(model.coef_ - here.coef_).max()
            table.append(("Dask", count, f"{took:.1f}", f"{difference:.0e}", f"{(most[0] - before) / 2**20:.0f}"))
    page.table(
        ["", "partitions", "seconds", "largest difference of a coefficient", "MiB more on the fullest worker"], table
    )
    page.text(f"The table itself has {X.nbytes / 2**20:.0f} MiB.", "")


def memory_of_workers(client):
    """Resident bytes of every worker."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return [worker["metrics"].get("memory", 0) for worker in workers]


def pictures(folder, curves, sizes):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter

    plt.rcParams.update({"svg.hashsalt": "stablevar", "font.size": 10})
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for axis, (what, found) in zip(axes, curves.items()):
        place = 0 if what == "rows" else 1
        axis.plot([row[place] for row in found], [row[2] for row in found], "o-", label="SVI")
        axis.plot([row[place] for row in found], [row[3] for row in found], "s--", label="LassoCV")
        fixed = f"{found[0][1]} columns" if what == "rows" else f"{found[0][0]:,} rows"
        axis.set(xlabel=f"{what} (log scale)", ylabel="seconds (log scale)", title=f"Time and {what} ({fixed})")
    for how, mark in (("in memory", "o-"), ("in chunks", "s--")):
        found = [row for row in sizes if row[1] == how]
        axes[2].plot([row[0] for row in found], [row[3] / 2**20 for row in found], mark, label=how)
    axes[2].set(xlabel="rows (log scale)", ylabel="MiB (log scale)", title="Peak memory (50 columns)")
    for axis in axes:
        axis.set(xscale="log", yscale="log")
        axis.legend(frameon=False)
        for one in (axis.xaxis, axis.yaxis):
            low, high = one.get_view_interval()
            # Over less than two powers of ten these alone would be one label or none.
            one.set_major_locator(LogLocator(subs=(1.0,) if high / low > 100 else (1.0, 2.0, 5.0)))
            one.set_major_formatter("{x:,.10g}")
            one.set_minor_formatter(NullFormatter())
    figure.savefig(folder / "performance.svg", metadata={"Date": None})


def redraw():
    """The picture again, from the tables of the page."""
    tables, rows = [], []
    for line in [*(ROOT / "docs" / "performance.md").read_text().splitlines(), ""]:
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells and rows:
            tables.append(rows)
            rows = []
        elif cells:
            rows.append(cells)
    number = [int, int, float, float]
    found = [
        [[kind(cell.replace(",", "")) for kind, cell in zip(number, row)] for row in table[2:]]
        for table in tables
        if table[0][:2] == ["rows", "columns"]
    ]
    curves = dict(zip(("rows", "columns"), found))
    memory = next(table[2:] for table in tables if "peak memory, MiB" in table[0])
    sizes = [(int(row[0].replace(",", "")), row[1], None, float(row[5]) * 2**20) for row in memory]
    pictures(ROOT / "docs" / "figures", curves, sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--redraw", action="store_true", help="only draw the picture again, from the page's tables")
    arguments = parser.parse_args()
    if arguments.redraw:
        redraw()
        return 0
    quick = arguments.quick
    page = Page()
    page.text(
        "# Performance",
        "",
        f"Made by `make bench`; every figure is from one run of it, on a machine with {CORES} cores that others share",
        f"({platform.machine()}, {platform.system()}), so that ratios within the run say more than seconds.",
        "",
        "![Growth of time and memory](figures/performance.svg)",
        "",
    )
    limits(page, quick)
    peers(page, quick)
    curves = growth(page, quick)
    sizes = size(page, quick)
    on_dask(page, quick)
    if not quick:
        path = ROOT / "docs" / "performance.md"
        by_hand = path.read_text().partition(MARK)[2] if path.exists() else "\n"
        path.write_text("\n".join(page.lines).rstrip() + f"\n\n{MARK}{by_hand}")
        pictures(ROOT / "docs" / "figures", curves, sizes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
