"""What is foreseen for new rows, and for columns that shift."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._frames import pandas_for
from ._summaries import MOST_ROWS, Summary, Table, aligned, number, p_value, told, wrapped

#: What the errors are called, and how far the result may be trusted, in words.
METRICS = {"rmse": "root mean squared error", "error-rate": "error rate"}
TRUST = {"yes": "yes, as far as columns can show it", "with-care": "with care"}
#: Columns that are printed; `drift` has all.
PRINTED = 12
#: What the headings mean, as on the command line.
WORDS = (
    "training, new: the column's mean, of a text the share of the level that moved most",
    "s.d. moved: how far the mean went, in standard deviations of training",
    "p-value: how often chance alone shows as much between two samples that are alike, in means, spread or shape",
    "outside: the share of the new rows with values that training did not have; above, in columns that the model uses",
    "overlap: how much of what is new lies where training has rows at all, however few",
)
#: Where the values of the facts begin.
VALUES_AT = 42


@dataclass(frozen=True)
class Foresight:
    """What is to be expected on new rows without outcomes.

    Parameters
    ----------
    expected_error : float or None
        The error to expect there, None where it can't be told.
    interval : tuple of float or None
        Where it lies with a chance of 90 %, allowing for relations that change as they do on real tables.
    interval_same_relation : tuple of float or None
        The same as long as the relation of outcome and columns is what it was.
    training_error : float
        The held-out error on the training rows.
    metric : str
        What errors are measured by: "rmse", for classes "error-rate".
    n_eff : float
        Effective number of training rows that are like the new ones.
    overlap : float
        1 where training saw all that is new, near 0 where the two have nothing in common.
    outside_share : float
        Share of the new rows that lie outside what training saw.
    rows : int
        New rows.
    trust : str
        "yes", "with-care" or "no".
    advice : str
        What to do with the answer, and why.
    drift : dict of str to dict
        How each column differs from training, those that matter most first.
    findings : list of dict
        What to watch out for.
    target : str
        The outcome that is foreseen.
    training_rows : int
        Training rows that the model remembers, of which ``n_eff`` are like the new ones.
    """

    expected_error: float | None
    interval: tuple[float, float] | None
    interval_same_relation: tuple[float, float] | None
    training_error: float
    metric: str
    n_eff: float
    overlap: float
    outside_share: float
    rows: int
    trust: str
    advice: str
    drift: dict[str, dict[str, Any]]
    findings: list[dict[str, Any]]
    target: str
    training_rows: int

    def drift_frame(self) -> Any:
        """How each column differs from training, as a data frame with a row per column, those that matter most first.

        Returns
        -------
        frame : pandas.DataFrame
            With the keys of the entries of ``drift`` as columns; NaN or None where an entry lacks one.
        """
        pandas = pandas_for("drift_frame()", "drift")
        return pandas.DataFrame(list(self.drift.values()), index=pandas.Index(list(self.drift), name="column"))

    def __str__(self) -> str:
        lines = [self._title(), "", *(f"{label:<{VALUES_AT}}{value}" for label, value in self._facts())]
        lines += ["", *wrapped(self._advice(), "", "  "), "", *aligned(self._moved(PRINTED)), ""]
        for text in WORDS:
            lines += wrapped(text, "", "  ")
        lines.append("")
        for text in told(self.findings):
            lines += wrapped(text, "- ", "  ")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        facts = [(label.strip(), value) for label, value in self._facts()]
        page = Summary(self._title(), facts, [self._moved(MOST_ROWS)], [self._advice(), *WORDS], told(self.findings))
        return page._repr_html_()

    def _title(self) -> str:
        return f"'{self.target}' on {self.rows:,} new rows, as far as their columns tell"

    def _facts(self) -> list[tuple[str, str]]:
        metric = METRICS.get(self.metric, self.metric)

        def between(ends: tuple[float, float] | None) -> str:
            return "can't be told" if ends is None else f"{number(ends[0])} to {number(ends[1])}"

        expected = "can't be told" if self.expected_error is None else number(self.expected_error)
        return [
            (f"{metric}, training", number(self.training_error)),
            (f"{metric}, expected here", expected),
            ("  its 90 % interval", between(self.interval)),
            ("  if the relation is what it was", between(self.interval_same_relation)),
            ("effective training rows like these", f"{self.n_eff:,.0f} of {self.training_rows:,}"),
            ("overlap with training", f"{100 * self.overlap:.0f} %"),
            ("new rows outside what training saw", f"{100 * self.outside_share:.1f} %"),
            ("to be trusted", TRUST.get(self.trust, self.trust)),
        ]

    def _moved(self, most: int) -> Table:
        """The columns that matter most, and where they went."""
        rows: list[tuple[str, ...]] = [
            (
                name if entry.get("level") is None else f"{name}={entry['level']}",
                "yes" if entry["used"] else "no",
                number(entry["training_mean"]),
                number(entry["new_mean"]),
                f"{entry['standardised_difference']:+.2f}",
                p_value(entry["p_value"]),
                f"{100 * entry['outside_share']:.1f} %",
            )
            for name, entry in list(self.drift.items())[:most]
        ]
        left = len(self.drift) - len(rows)
        more = f"and {left} more columns, which matter less: drift, drift_frame()" if left else ""
        heads = ("column", "used", "training", "new", "s.d. moved", "p-value", "outside")
        return Table("Columns, those that matter most first", heads, rows, more)

    def _advice(self) -> str:
        return f"What to do: {self.advice}."


def foresight_of(text: str, target: str, training_rows: int) -> Foresight:
    """From the core's JSON, and what the model is."""
    found = json.loads(text)
    for key in ("interval", "interval_same_relation"):
        found[key] = None if found[key] is None else tuple(found[key])
    by_importance = sorted(
        found["drift"].items(), key=lambda item: (-item[1]["importance"], -abs(item[1]["standardised_difference"]))
    )
    found["drift"] = dict(by_importance)
    return Foresight(**found, target=target, training_rows=training_rows)


def grid_of(text: str) -> dict[str, Any]:
    """From the core's JSON: arrays, with NaN where there is no error."""
    told = json.loads(text)
    for key in ("shift", "mean", "error", "standard_error", "without_one", "n_eff"):
        told[key] = np.array(told[key], dtype=np.float64)
    return told


def curve_of(text: str) -> dict[str, Any]:
    """From the core's JSON: the points as arrays, with NaN where there is no error."""
    told = json.loads(text)
    points = told.pop("points")
    for key in ("shift", "mean", "error", "standard_error", "without_one", "n_eff"):
        told[key] = np.array([np.nan if point[key] is None else point[key] for point in points], dtype=np.float64)
    return told
