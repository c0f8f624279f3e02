"""What estimators and reweighters are told: parameters, seeds, columns, and the weights and groups of rows."""

from __future__ import annotations

import json
import math
import numbers
import os
from collections.abc import Sequence
from os import PathLike
from typing import Any, ClassVar, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state

#: What a seed may be given by.
RandomState = Union[int, np.random.RandomState, None]
#: Rows of covariates: an array, or a data frame of pandas, polars or pyarrow.
Rows = Any
#: Outcomes, weights or environments: an array, a list or a series.
Values = Any
#: Columns by their names or positions.
Columns = Union[str, int, Sequence[Union[str, int]]]
#: Where a file is.
Path = Union[str, "PathLike[str]"]
#: Rows needed at least.
MINIMUM_ROWS = 3


def seed_of(random_state: RandomState) -> int:
    """A seed for the core: the number given, or one drawn."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, and is {random_state}.")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def weights_of(sample_weight: Values, rows: int) -> NDArray[np.float64] | None:
    """Base weights, one per row."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(rows, float(sample_weight))
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight", ensure_min_samples=0
    )
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return np.ascontiguousarray(weights)


def groups_of(groups: Values, rows: int) -> NDArray[np.float64] | None:
    """The group of each row by number."""
    if groups is None:
        return None
    groups = np.asarray(groups)
    if groups.shape != (rows,):
        raise ValueError(f"groups.shape == {groups.shape}, expected {(rows,)}!")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups.tolist()], dtype=np.float64)


def check_together(X: Rows, y: Values) -> None:
    """Rows without outcomes, or outcomes without rows, are of no use where both may be left out."""
    if (X is None) != (y is None):
        raise ValueError("X and y must be given together.")


def named_columns(given: Columns, names: list[str], parameter: str) -> list[str]:
    """Columns by their names; a whole number is a position."""
    listed = [given] if isinstance(given, (str, int, np.integer)) else list(given)
    found = []
    for column in listed:
        if isinstance(column, (bool, np.bool_)) or not isinstance(column, (str, int, np.integer)):
            raise TypeError(f"{parameter} must hold names or positions of columns, not {column!r}.")
        if isinstance(column, str):
            found.append(str(column))
        elif 0 <= column < len(names):
            found.append(names[int(column)])
        else:
            raise ValueError(f"{parameter} has the position {column}, and X has {len(names)} columns.")
    return found


def plain(value: Any, parameter: str) -> Any:
    """A parameter's value as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(one, parameter) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{parameter} must be a finite number, not {value}.")
    if isinstance(value, bool) or not isinstance(value, (int, float, str, type(None))):
        raise TypeError(f"{parameter} can't be {value!r}.")
    return value


class Parametrised(BaseEstimator):
    """Something whose parameters are the core's settings."""

    #: Its name in the core.
    _core_name: ClassVar[str]
    #: What the core calls each parameter.
    _parameters: ClassVar[dict[str, str]]
    #: Settings for which None is one of the choices.
    _none_is_a_choice: ClassVar[tuple[str, ...]]
    #: Parameters that name columns.
    _columns: ClassVar[tuple[str, ...]] = ("stable", "unstable")

    #: The seed, and what to do with missing values, which every one has.
    random_state: RandomState
    missing: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags

    def _told(self, names: list[str]) -> dict[str, list[str]]:
        """The columns of which it is told what they are, by name."""
        taken = {name: () if name not in self._parameters else getattr(self, name) for name in self._columns}
        return {name: named_columns(given, names, name) for name, given in taken.items()}

    def _settings(self, names: list[str] | None = None) -> str:
        """The parameters by the core's names, which checks them; `names` are those of the columns."""
        settings: dict[str, Any] = {}
        told = self._told(names or [])
        for parameter, name in self._parameters.items():
            value = getattr(self, parameter)
            if name in told:
                if not told[name]:
                    continue
                value = told[name]
            elif name == "seed":
                value = seed_of(value)
            elif name == "threads" and isinstance(value, numbers.Integral) and value < 0:
                # As scikit-learn's users say it: -1 is all cores, -2 all but one.
                value = None if value == -1 else max(1, (os.cpu_count() or 1) + 1 + int(value))
            elif value is None and name in self._none_is_a_choice:
                value = "none"
            settings[name] = plain(value, parameter)
        return json.dumps(settings)
