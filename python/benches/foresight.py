"""How good is the foreseen error on real tables? Every environment that was not trained on, first without its outcomes.

`python python/benches/foresight.py PROGRAM` with the path of the program `stablevar` prints, over the tables of
docs/shifts.md, King County and Adult, how near the expected error and the training error come to the true one.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

TARGETS = {
    "king-county": "price",
    "adult": "income",
    "arrests": "released",
    "happiness": "vhappy",
    "pensions": "e401k",
    "orange-juice": "Purchase",
    "contraception": "usemeth",
    "wages": "wage",
    "bikes": "bikers",
    "colleges": "Grad.Rate",
    "diamonds": "price",
    "abalone": "rings",
    "county-murders": "murdrate",
    "injuries": "ldurat",
    "charging": "kwh_total",
    "avocados": "average_price",
    "hiv": "cd420",
    "road-deaths": "totfatrte",
}
LEAST_ROWS = 100


def environments(program, folder, table, target):
    """What was foreseen and what came for every environment of a table."""

    def run(*arguments):
        done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise SystemExit(f"{table}: {done.stderr}")
        return done.stdout

    for part in ("train", "test"):
        run("data", table, "--part", part, "--out", f"{part}.parquet")
    run("fit", "train.parquet", "--target", target, "--exclude", "environment", "--model", "model.json", "--quiet")
    for name, rows in pd.read_parquet(folder / "test.parquet").groupby("environment"):
        rows.to_parquet(folder / "with.parquet")
        rows.drop(columns=[target]).to_parquet(folder / "without.parquet")
        foreseen = json.loads(run("foresee", "model.json", "without.parquet", "--format", "json", "--quiet"))
        known = ("evaluate", "model.json", "with.parquet", "--target", target, "--env", "environment")
        came = json.loads(run(*known, "--format", "json"))
        (error,) = (environment["error"] for environment in came["environments"].values())
        true = error**0.5 if came["metric"] == "mse" else error
        yield {"table": table, "environment": name, "true": true} | foreseen


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for name in TARGETS.items() for row in environments(program, Path(folder), *name)]
    told = [row for row in rows if row["n_eff"] > LEAST_ROWS and row["expected_error"] is not None]
    print(f"{len(rows)} environments, {len(told)} of them with more than {LEAST_ROWS} effective rows and a number\n")
    print("| | within 15 % of the true error | median absolute log ratio |\n|---|---|---|")
    for name, key in (("expected error", "expected_error"), ("training error", "training_error")):
        ratio = np.array([row[key] / row["true"] for row in told])
        near, distance = np.mean(np.abs(ratio - 1) < 0.15), np.median(np.abs(np.log(ratio)))
        print(f"| {name} | {100 * near:.0f} % | {distance:.3f} |")
    covered = np.mean([row["interval"][0] <= row["true"] <= row["interval"][1] for row in told])
    print(f"\nThe interval of 90 % holds the true error in {100 * covered:.0f} % of them.")


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
