"""How the default does on real tables that results are not reported for, so that choices can be made by them.


`python python/benches/development.py PROGRAM [--kept-apart] [--tables NAME,NAME] [OPTION ...]`, with the path of the
program `stablevar` and options of its `fit`, fits every table in one environment and judges it in the others, beside
least squares (logistic regression) on all columns, and compares the error that `foresee` expects there with the true
one. With `--kept-apart` the tables are those by which nothing was chosen.
"""

import argparse
import json
import math
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
import pandas as pd
import tables


class Result(NamedTuple):
    """Errors beside the plain model's, and what was foreseen: expected, training and true error, and the interval."""

    mean: float
    worst: float
    columns: str
    refit: str
    foreseen: list[tuple[float, float, float, tuple[float, float]]]


def run(program: str, *arguments: str) -> Any:
    """The JSON that the program prints; None if it refuses."""
    ended = subprocess.run([program, *arguments, "--format", "json"], capture_output=True, text=True)
    return json.loads(ended.stdout) if ended.stdout else None


def judge(
    program: str, folder: Path, name: str, parts: tuple[pd.DataFrame, pd.DataFrame], options: list[str]
) -> Optional[Result]:
    """Fits a table and judges the fit elsewhere."""
    source, (training, test) = tables.source(name), parts
    at = {
        kind: str(folder / f"{name}.{kind}") for kind in ("train.csv", "test.csv", "plain.json", "fit.json", "new.csv")
    }
    training.to_csv(at["train.csv"], index=False)
    test.to_csv(at["test.csv"], index=False)
    task = "classification" if source.classes else "regression"
    common = ["fit", at["train.csv"], "--target", source.target, "--task", task, "--exclude", "environment"]
    plain = "logistic" if source.classes else "ols"
    fitted = run(program, *common, "--model", at["fit.json"], *options)
    if run(program, *common, "--model", at["plain.json"], "--method", plain) is None or fitted is None:
        return None
    metric = "error-rate" if source.classes else "rmse"
    against = [at["test.csv"], "--target", source.target, "--env", "environment", "--metric", metric]
    errors = [run(program, "evaluate", at[model], *against) for model in ("fit.json", "plain.json")]
    foreseen = []
    for environment, rows in test.groupby("environment"):
        rows.drop(columns=["environment", source.target]).to_csv(at["new.csv"], index=False)
        told = run(program, "foresee", at["fit.json"], at["new.csv"])
        if told and told["expected_error"] is not None and told["n_eff"] > 100:
            true = errors[0]["environments"][str(environment)]["error"]
            foreseen.append((told["expected_error"], told["training_error"], true, tuple(told["interval"])))
    mean, worst = (errors[0][key] / errors[1][key] for key in ("mean_error", "max_error"))
    chosen = f"{len(fitted['selected'])} of {fitted['p']}"
    return Result(mean, worst, chosen, (fitted.get("refit") or {}).get("chosen", ""), foreseen)


def main() -> None:
    """Prints a line a table, then the summary."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kept-apart", action="store_true")
    parser.add_argument("--tables")
    arguments, options = parser.parse_known_args()
    names = arguments.tables.split(",") if arguments.tables else tables.names(arguments.kept_apart)
    program = arguments.program
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cut = {name: tables.split(name, table) for name, table in tables.read_all(folder, names).items()}
        able = {name: parts for name, parts in cut.items() if parts is not None}
        with ThreadPoolExecutor(2) as pool:
            results = dict(zip(able, pool.map(lambda name: judge(program, folder, name, able[name], options), able)))
    found = {name: result for name, result in results.items() if result}
    for name, result in found.items():
        print(f"{name:15} {result.mean:.3f} {result.worst:.3f}  {result.columns:9} {result.refit}")
    means, worsts = (np.array([result[k] for result in found.values()]) for k in (0, 1))
    geometric = [np.exp(np.log(ratios).mean()) for ratios in (means, worsts)]
    print(f"{len(found)} tables: mean / plain {geometric[0]:.3f}, worst {geometric[1]:.3f}")
    print(f"worse by 2 %: {(means > 1.02).sum()}, better: {(means < 0.98).sum()}, greatest harm {means.max():.3f}")
    told = [line for result in found.values() for line in result.foreseen if line[2] > 0]
    for what, k in (("expected", 0), ("training", 1)):
        distance = np.array([abs(math.log(line[k] / line[2])) for line in told])
        print(
            f"{what} error: within 15 % in {(distance < math.log(1.15)).mean():.0%}, median {np.median(distance):.3f}"
        )
    covered = np.mean([low <= true <= high for _, _, true, (low, high) in told])
    print(f"intervals of 90 % hold in {covered:.0%} of {len(told)} environments")


if __name__ == "__main__":
    main()
