"""Ways of fitting side by side, with the error to expect in places unlike the training rows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.multiclass import type_of_target

from . import _core
from ._findings import raise_findings
from ._progress import progress_of
from ._settings import MINIMUM_ROWS, RandomState, Rows, Values, weights_of
from ._tables import environment_of, library_of, read, rows_of
from .estimators import SVIClassifier, SVIRegressor


def compare(
    X: Rows,
    y: Values,
    estimators: Mapping[str, Any] | None = None,
    *,
    task: str = "auto",
    methods: Iterable[str] | None = None,
    environments: Values = None,
    sample_weight: Values = None,
    stable: Any = None,
    repeat_selection: bool = True,
    random_state: RandomState = 0,
    verbose: bool = False,
) -> Any:
    """Compare ways of fitting: error in cross-validation, and error in regions of the rows that were held out whole.

    Regions are the lowest and the highest fifth of the columns and of the first principal components, and the levels of
    texts. What does well in a region that it has not seen is likelier to do well in a place that it has not seen.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The covariates.
    y : array-like of shape (n_samples,)
        The outcome: numbers, or two classes.
    estimators : dict of str to estimator or None, default=None
        Estimators of scikit-learn, or like them, to compare with. They are cloned and fitted without each part of the
        rows; classifiers need ``predict_proba``.
    task : {"auto", "regression", "classification"}, default="auto"
        What to predict. "auto": classes if y holds two values.
    methods : iterable of str or None, default=None
        Methods of the ``stablevar`` command to compare with. None: those that are quick (lasso and ridge for numbers).
    environments : array-like of shape (n_samples,) or None, default=None
        An environment for every row, to be held out instead of regions.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        How much each row counts; ``weight_kind="frequency"`` says that they are counts.
    stable : SVIRegressor, SVIClassifier or None, default=None
        The method whose selection and refits are judged. None: the default one.
    repeat_selection : bool, default=True
        Whether the selection is repeated, too, without some of the regions: slow, and honest.
    random_state : int, RandomState or None, default=0
        The seed.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    comparison : pandas.DataFrame or list of dict
        One row per way of fitting, the baseline (least squares or logistic regression on all columns) first. A list of
        dicts
        where pandas is not installed. Its columns:

        - ``name``, and ``columns``, the number of variables used;
        - ``cv_error``: root mean squared error (for classes: log loss) in five-fold cross-validation;
        - ``stress_error``: geometric mean over regions of the error divided by the baseline's; below 1 is better;
        - ``stress_worst``: the largest error in a region divided by the baseline's largest;
        - ``standard_error``: of the logarithm of ``stress_error``;
        - ``seconds``: for a fit to all rows;
        - ``chosen``: whether it is what the default method takes.

        A data frame's ``attrs`` have ``chosen``, ``why``, ``metric``, ``regions`` and ``rows``.

    Examples
    --------
    >>> from stablevar import compare
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=1000, r=2.5, random_state=0)
    >>> table = compare(X, y, repeat_selection=False)
    >>> table["name"][0]
    'ols'
    """
    if task not in ("auto", "regression", "classification"):
        raise ValueError(f'task must be "auto", "regression" or "classification", not {task!r}.')
    classifies = task == "classification" or (task == "auto" and type_of_target(y, input_name="y") == "binary")
    if stable is None:
        stable = SVIClassifier() if classifies else SVIRegressor()
    expected = SVIClassifier if classifies else SVIRegressor
    if not isinstance(stable, expected):
        raise TypeError(f"stable must be a {expected.__name__} here, not {type(stable).__name__}.")
    reader = clone(stable).set_params(random_state=random_state, verbose=verbose)
    columns, names = read(reader, X, reset=True, minimum=MINIMUM_ROWS)
    settings = reader._settings(names)
    rows = rows_of(X, columns)
    target, _ = reader._target(y, rows)
    weights = weights_of(sample_weight, rows)
    if isinstance(environments, str):
        raise ValueError("environments must be an array with a value per row.")
    environment = environment_of(environments, X)
    shared = (columns, names, target, weights, classifies, None if environment is None else environment[0])
    guests = []
    if estimators:
        taken, parts, _ = _core.held_out(settings, *shared)
        for name, estimator in estimators.items():
            guests.append(_guest(name, estimator, X, np.asarray(y).ravel(), weights, classifies, taken, parts))
    if methods is None:
        methods = [] if classifies else ["lasso", "ridge"]
    with progress_of(reader) as progress:
        found = json.loads(_core.compare(settings, list(methods), *shared, guests, bool(repeat_selection), progress))
    raise_findings(found["findings"], "compare", 3)
    table = [{**candidate, "chosen": candidate["name"] == found["chosen"]} for candidate in found["candidates"]]
    try:
        import pandas
    except ImportError:
        return table
    frame = pandas.DataFrame(table)
    frame.attrs.update({key: found[key] for key in ("chosen", "why", "metric", "regions", "rows")})
    return frame


def _guest(
    name: str,
    estimator: Any,
    X: Rows,
    y: NDArray[Any],
    weights: NDArray[np.float64] | None,
    classifies: bool,
    taken: list[int],
    parts: list[tuple[str, list[int]]],
) -> tuple[str, int, float, list[NDArray[np.float64]]]:
    """Name, variables, seconds and predictions of an estimator that is fitted without each part of the rows."""
    if classifies and not hasattr(estimator, "predict_proba"):
        raise TypeError(f"{name} needs predict_proba to be compared.")
    if not classifies and is_classifier(estimator):
        raise TypeError(f"{name} classifies, and y holds numbers.")
    second = np.unique(y)[-1] if classifies else None

    def fitted(rows: NDArray[Any]) -> Any:
        given = {} if weights is None else {"sample_weight": weights[rows]}
        return clone(estimator).fit(_rows(X, rows), y[rows], **given)

    every = np.asarray(taken)
    start = time.perf_counter()
    whole = fitted(every)
    seconds = time.perf_counter() - start
    predictions = []
    for _, held_out in parts:
        model = fitted(np.setdiff1d(every, held_out, assume_unique=True))
        new = _rows(X, np.asarray(held_out))
        if classifies:
            place = np.flatnonzero(model.classes_ == second)
            predicted = model.predict_proba(new)[:, place[0]] if len(place) else np.zeros(len(held_out))
        else:
            predicted = model.predict(new)
        predictions.append(np.ascontiguousarray(np.asarray(predicted, dtype=np.float64).ravel()))
    return str(name), _used(whole, X), seconds, predictions


def _used(model: Any, X: Rows) -> int:
    """Variables that a fitted model uses: of a pipeline those that its last selector leaves."""
    count = int(np.shape(X)[1])
    for step in [step for _, step in getattr(model, "steps", [("", model)])]:
        if hasattr(step, "get_support"):
            count = int(np.sum(step.get_support()))
    return count


def _rows(X: Rows, rows: NDArray[Any]) -> Any:
    """Some rows of an array or a data frame."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and not isinstance(X, np.ndarray):
        return X.take(rows)
    if library_of(X) == "polars":
        return X[rows]
    return np.asarray(X)[rows]
