"""Errors of models in environments."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from . import _core
from ._settings import Rows, Values

#: What errors are measured by, the usual one first.
NUMBER_METRICS, CLASS_METRICS = ("mse", "rmse", "mae"), ("error-rate", "log-loss", "one-minus-auc")


def _by_numbers_within(value: Any) -> Any:
    """By what to sort so that 'place 9' comes before 'place 10'; what is no text as it is."""
    if not isinstance(value, str):
        return value
    parts = re.split(r"(\d+)", value)
    return [(int(part), "") if k % 2 else (0, part) for k, part in enumerate(parts)]


def errors_by_environment(
    estimators: Mapping[str, Any], X: Rows, y: Values, environments: Values, metric: str | None = None
) -> tuple[list[str], dict[str, NDArray[np.float64]], str]:
    """Environments in order, every model's errors in them, and what the errors are."""
    y, environments = np.asarray(y), np.asarray(environments)
    levels = list(dict.fromkeys(environments.tolist()))
    with contextlib.suppress(TypeError):  # Mixed kinds have no order: as they came.
        levels.sort(key=_by_numbers_within)
    classifies = is_classifier(next(iter(estimators.values())))
    known = CLASS_METRICS if classifies else NUMBER_METRICS
    if metric is not None and metric not in known:
        raise ValueError(f"metric must be one of {', '.join(known)} here, not {metric!r}.")
    levels = list(dict.fromkeys(map(str, levels)))
    names = [str(environment) for environment in environments.tolist()]
    errors, label = {}, ""
    for name, estimator in estimators.items():
        if not classifies:
            rows = y.astype(np.float64), np.asarray(estimator.predict(X)).astype(np.float64)
        elif metric in (None, "error-rate"):
            # Classes may have any names: here a row is of class 0, and taken for 1 if it was taken for another.
            rows = np.zeros(len(y)), (np.asarray(estimator.predict(X)) != y).astype(np.float64)
        else:
            second = np.asarray(estimator.predict_proba(X), dtype=np.float64)[:, 1]
            rows = (y == estimator.classes_[1]).astype(np.float64), np.ascontiguousarray(second)
        label, found = _core.errors_by_environment(metric or known[0], names, *rows)
        by_name = dict(found)
        errors[name] = np.array([by_name[level] for level in levels])
    return levels, errors, label
