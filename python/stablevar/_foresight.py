"""What is foreseen for new rows, and for columns that shift."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np


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
    drift : dict of str to dict
        How each column differs from training, those that matter most first.
    findings : list of dict
        What to watch out for.
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
    drift: dict[str, dict[str, Any]]
    findings: list[dict[str, Any]]


def foresight_of(text: str) -> Foresight:
    """From the core's JSON."""
    told = json.loads(text)
    for key in ("interval", "interval_same_relation"):
        told[key] = None if told[key] is None else tuple(told[key])
    by_importance = sorted(
        told["drift"].items(), key=lambda item: (-item[1]["importance"], -abs(item[1]["standardised_difference"]))
    )
    told["drift"] = dict(by_importance)
    return Foresight(**told)


def grid_of(text: str) -> dict[str, Any]:
    """From the core's JSON: arrays, with NaN where there is no error."""
    told = json.loads(text)
    for key in ("shift", "mean", "error", "standard_error", "n_eff"):
        told[key] = np.array(told[key], dtype=np.float64)
    return told


def curve_of(text: str) -> dict[str, Any]:
    """From the core's JSON: the points as arrays, with NaN where there is no error."""
    told = json.loads(text)
    points = told.pop("points")
    for key in ("shift", "mean", "error", "standard_error", "n_eff"):
        told[key] = np.array([np.nan if point[key] is None else point[key] for point in points], dtype=np.float64)
    return told
