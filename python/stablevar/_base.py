"""What the estimators share."""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import math
import numbers
import os
import re
from abc import ABCMeta, abstractmethod
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, TypeVar, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._findings import raise_findings
from ._foresight import Foresight, curve_of, foresight_of, grid_of
from ._frames import coefficient_frame, evidence_frame
from ._progress import progress_of
from ._summaries import Summary, summary_of_model
from ._tables import environment_of, names_of, read, without_column

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

#: What errors are measured by, the usual one first.
NUMBER_METRICS, CLASS_METRICS = ("mse", "rmse", "mae"), ("error-rate", "log-loss", "one-minus-auc")
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


def _by_numbers_within(value: Any) -> Any:
    """By what to sort so that 'place 9' comes before 'place 10'; what is no text as it is."""
    if not isinstance(value, str):
        return value
    parts = re.split(r"(\d+)", value)
    return [(int(part), "") if k % 2 else (0, part) for k, part in enumerate(parts)]


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


def groups_of(groups: Values, rows: int) -> NDArray[np.float64] | None:
    """The group of each row by number."""
    if groups is None:
        return None
    groups = np.asarray(groups)
    if groups.shape != (rows,):
        raise ValueError(f"groups.shape == {groups.shape}, expected {(rows,)}!")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups.tolist()], dtype=np.float64)


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


#: The class of an estimator, which `load` returns.
Loaded = TypeVar("Loaded", bound="StableModel")


class StableModel(Parametrised, metaclass=ABCMeta):
    """A model that the core fits; what every one has once fitted."""

    _classifies: ClassVar[bool] = False
    #: The classes of the methods, by their name in the core and whether they classify.
    _classes: ClassVar[dict[tuple[str, bool], type[StableModel]]] = {}

    verbose: bool
    _model: _core.Model
    weights_: Any

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "_core_name" in vars(cls):
            StableModel._classes[cls._core_name, cls._classifies] = cls

    @abstractmethod
    def _target(self, y: Values, rows: int) -> tuple[_core.Column, str]:
        """The outcome as the core reads it, and its name."""

    def _fit(self, X: Rows, y: Values, sample_weight: Values, env: Values = None, groups: Values = None) -> Any:
        """Fits the core's model to X as given and to y as checked."""
        # A column that names environments may stand in new rows, too, and is left out there.
        self._env_column = env if isinstance(env, str) else None
        environment = environment_of(env, X)
        given = X = without_column(X, self._env_column)
        X, names = read(self, X, reset=True, minimum=MINIMUM_ROWS)
        settings = self._settings(names)
        rows = len(given) if not isinstance(X, np.ndarray) else X.shape[0]
        target, target_name = self._target(y, rows)
        weights = weights_of(sample_weight, rows)
        extra = ["sample_weight" for _ in [weights] if weights is not None]
        extra += ["env" for _ in [environment] if environment is not None]
        extra += ["groups" for _ in [groups] if groups is not None]
        if weights is not None:
            self._check_weighted(y, weights)
        with progress_of(self) as progress:
            self._model, self.weights_ = _core.fit(
                self._core_name,
                settings,
                X,
                names,
                target,
                target_name,
                weights,
                environment,
                self._classifies,
                f"{' '.join(repr(self).split())}.fit({', '.join(['X', 'y', *extra])})",
                progress,
                groups_of(groups, rows),
            )
        self._read_summary(names)
        return self

    def _check_weighted(self, y: Values, sample_weight: NDArray[np.float64]) -> None:
        """Whether the rows of weight above 0 are enough."""

    def _read_summary(self, names: list[str], stacklevel: int | None = 5) -> None:
        """The fitted attributes; findings are raised as if by a caller that many levels up, if they are to be told."""
        summary = json.loads(self._model.summary())
        self.summary_: dict[str, Any] = summary
        self.selected_: NDArray[Any] = np.array(summary["selected"], dtype=object)
        probability = summary["probability"]
        self.probability_: NDArray[np.float64] = np.array([probability.get(name, 0.0) for name in names])
        self.open_probability_ = self.probability_
        self.n_eff_: float = summary["n_eff"]
        self.history_: list[dict[str, Any]] = summary["history"]
        self.sufficiency_: dict[str, Any] | None = summary["sufficiency"]
        self.told_: dict[str, str] = summary["told"]
        self.environments_: dict[str, Any] | None = summary["environments"]
        self.converged_: bool = summary["converged"]
        self.n_iter_: int = max(1, summary["loops"])
        self.findings_: list[dict[str, Any]] = summary["findings"]
        self.influence_: dict[str, float] | None = summary["influence"]
        if summary["model"] == "linear":
            encoded: dict[str, list[str]] = {name: [] for name in names}
            for column in summary["columns"]:
                encoded[column["feature"]].append(column["name"])
            # A column that carries nothing has no encoded ones, and counts for itself.
            self.coef_names_: list[str] = [column for name in names for column in encoded[name] or [name]]
            coef = np.array([summary["coefficients"].get(column, 0.0) for column in self.coef_names_])
            self.coef_: NDArray[np.float64] = coef.reshape(1, -1) if self._classifies else coef
            self.intercept_: Any = np.array([summary["intercept"]]) if self._classifies else summary["intercept"]
        if stacklevel is not None:
            raise_findings(self.findings_, type(self).__name__, stacklevel)

    @property
    def evidence_(self) -> Any:
        """What the data say about each variable alone: a data frame with a row per variable, or None without evidence.

        ``effect`` is the slope given all others with its ``standard_error`` and an interval of 95 % (``low``, ``high``;
        NaN for text, which has no one slope), ``p_value`` that of an effect of any shape. As a dict, also without
        pandas: ``summary_["evidence"]``.
        """
        check_is_fitted(self)
        return evidence_frame(self.summary_)

    @property
    def coefficients_(self) -> Any:
        """Coefficients of the model, a data frame with a row per encoded column of the selected variables.

        ``standard_error`` and the interval of 95 % (``low``, ``high``) are for these variables as they were selected,
        whatever the residuals' variances; NaN where the refit has none (networks, shrunk coefficients). Of a network
        mean slopes. As a dict, also without pandas: ``summary_["coefficients"]``.
        """
        check_is_fitted(self)
        return coefficient_frame(self.summary_)

    def summary(self) -> Summary:
        """What was found, to be read: as text where it is printed, as HTML in a notebook.

        Returns
        -------
        summary : Summary
        """
        check_is_fitted(self)
        return summary_of_model(type(self).__name__, self.summary_)

    def _new_rows(self, X: Rows) -> tuple[_core.Input, list[str]]:
        """What the core reads of new rows, and the columns' names."""
        check_is_fitted(self)
        return read(self, without_column(X, getattr(self, "_env_column", None)), reset=False)

    def _predict(self, X: Rows) -> Any:
        X, names = self._new_rows(X)
        predicted, findings = self._model.predict(X, names)
        raise_findings(json.loads(findings), type(self).__name__, 4)
        return predicted

    def weigh(self, X: Rows) -> NDArray[np.float64]:
        """Weights of new rows, on the scale on which the training rows have mean 1.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        weights : ndarray of shape (n_samples,)
        """
        X, names = self._new_rows(X)
        found = self._model.weigh(X, names)
        if found is None:
            weighs = "reweighter" in self._parameters.values()
            reason = "no function of a row came near its weights" if weighs else "its method has no weights"
            raise ValueError(f"This {type(self).__name__} can't weigh rows: {reason}.")
        weights, findings = found
        raise_findings(json.loads(findings), type(self).__name__, 3)
        return weights

    def reselect(
        self: Loaded,
        X: Rows = None,
        y: Values = None,
        sample_weight: Values = None,
        *,
        threshold: float | None = None,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
    ) -> Loaded:
        """Choose variables by another rule, from the evidence that was gathered already.

        This one stays as it is. Weights and the model on the new choice are found again, which takes a fraction of a
        fit's time.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features) or None, default=None
            The rows that it was fitted to. ``None``: those that it remembers, all up to 4,000, else as many of them;
            then a finding says so, and ``weights_`` are None.
        y : array-like of shape (n_samples,) or None, default=None
            Their outcomes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Their weights, if there were any.
        threshold : float in [0, 1] or None, default=None
            Probability from which a variable is selected.
        n_features_to_select : int or None, default=None
            Select this many, the most probable.
        fdr : float in [0, 1] or None, default=None
            Select so that at most this share of the selected is wrong on average.

        Returns
        -------
        estimator : object
            Another one, fitted, with this parameter.
        """
        check_is_fitted(self)
        rules = {"threshold": threshold, "n_features_to_select": n_features_to_select, "fdr": fdr}
        given = {name: value for name, value in rules.items() if value is not None}
        if len(given) != 1:
            raise ValueError(f"reselect needs one rule: {', '.join(rules)}.")
        if not set(given) <= set(self._parameters):
            raise ValueError(f"{type(self).__name__} chooses no variables by {next(iter(given))}.")
        if (X is None) != (y is None):
            raise ValueError("X and y must be given together.")
        other = copy.copy(self)
        for name in rules.keys() & self._parameters.keys():
            usual = inspect.signature(type(self)).parameters[name].default
            setattr(other, name, given.get(name, usual))
        rows = None
        if X is not None:
            X = without_column(X, getattr(self, "_env_column", None))
            read_rows, _ = read(other, X, reset=False, minimum=MINIMUM_ROWS)
            count = len(X) if not isinstance(read_rows, np.ndarray) else read_rows.shape[0]
            rows = (read_rows, *other._target(y, count), weights_of(sample_weight, count))
        names = names_of(self)
        with progress_of(self) as progress:
            command = f"{' '.join(repr(other).split())}, reselected"
            other._model, other.weights_ = _core.reselect(
                self._model, other._settings(names), names, rows, command, progress
            )
        other._read_summary(names, stacklevel=4)
        return other

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Which features were selected.

        Parameters
        ----------
        indices : bool, default=False
            Positions instead of a mask.

        Returns
        -------
        support : ndarray
        """
        check_is_fitted(self)
        selected = set(self.selected_)
        support = np.array([name in selected for name in names_of(self)])
        return np.flatnonzero(support) if indices else support

    def get_feature_names_out(self, input_features: Values = None) -> NDArray[Any]:
        """Names of the selected features.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names to use instead, where the training data had none.

        Returns
        -------
        names : ndarray of str objects
        """
        check_is_fitted(self)
        names = names_of(self)
        if input_features is not None:
            given = [str(name) for name in input_features]
            if hasattr(self, "feature_names_in_") and given != names:
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != len(names):
                raise ValueError(f"input_features should have length equal to number of features ({len(names)})")
            names = given
        return np.array(names, dtype=object)[self.get_support()]

    def foresee(self, X: Rows) -> Foresight:
        """Which columns of new rows drifted, and the error to expect there.

        The error is that of training rows like the new ones. A relation of outcome and columns that has changed can't
        be seen without outcomes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            New rows, without outcomes.

        Returns
        -------
        foresight : Foresight
            With ``expected_error``, ``interval``, ``training_error``, ``n_eff``, ``outside_share``, ``drift`` and
            ``trust``.
        """
        X, names = self._new_rows(X)
        return foresight_of(self._model.foresee(X, names))

    def shift_curve(self, column: str) -> dict[str, Any]:
        """The error as a function of where a column's mean is, by tilts of the training rows.

        Parameters
        ----------
        column : str
            The column.

        Returns
        -------
        curve : dict
            Arrays ``shift`` (in standard deviations), ``mean``, ``error`` (NaN where too few rows are left),
            ``standard_error`` and ``n_eff``; and ``column``, ``level`` (of text, the one whose share moves), ``used``,
            ``danger`` (the largest rise within one standard deviation, as a share).
        """
        check_is_fitted(self)
        return curve_of(self._model.shift_curve(column))

    def shift_curves(self) -> list[dict[str, Any]]:
        """The same for all columns, the most dangerous first.

        Returns
        -------
        curves : list of dict
        """
        check_is_fitted(self)
        return [curve_of(text) for text in self._model.shift_curves()]

    def shift_grid(self, first: str, second: str) -> dict[str, Any]:
        """The error when the means of two columns move at once.

        Parameters
        ----------
        first, second : str
            The columns.

        Returns
        -------
        grid : dict
            ``shift`` (in standard deviations, for both), ``error``, ``standard_error`` and ``n_eff``: arrays with a row
            for every shift of the first column and a column for every one of the second, NaN where too few rows are
            left; and ``columns``, ``levels`` (of texts, those whose shares move), ``mean``.
        """
        check_is_fitted(self)
        return grid_of(self._model.shift_grid(first, second))

    def shifted_error(self, shifts: Mapping[str, float]) -> dict[str, Any]:
        """The error when the means of several columns move at once.

        Parameters
        ----------
        shifts : dict of str to float
            By how many standard deviations each of them moves.

        Returns
        -------
        point : dict
            ``error`` and ``standard_error``, None where too few rows are left, and ``n_eff``.
        """
        check_is_fitted(self)
        point: dict[str, Any] = json.loads(self._model.shifted([(name, float(by)) for name, by in shifts.items()]))
        return {key: point[key] for key in ("error", "standard_error", "n_eff")}

    def save(self, path: Path) -> None:
        """Write a model file, which the ``stablevar`` command reads too.

        It keeps some training rows with their outcomes, from which errors elsewhere are foreseen: ``remember=0`` keeps
        none.

        Parameters
        ----------
        path : str or path-like
            Where to.
        """
        check_is_fitted(self)
        self._model.save(path)

    @classmethod
    def load(cls: type[Loaded], path: Path) -> Loaded:
        """Read a model file, of :meth:`save` or of the ``stablevar`` command.

        Parameters
        ----------
        path : str or path-like
            Where from.

        Returns
        -------
        estimator : object
            Fitted, of the class and with the parameters of the model's method. Its ``weights_`` are None: model files
            do not hold them.
        """
        model = _core.Model.load(path)
        summary = json.loads(model.summary())
        classifies = summary["task"] == "classification"
        known = StableModel._classes[summary["method"], classifies]
        if not issubclass(known, cls):
            raise ValueError(
                f"{path} holds a model for {summary['task']} of {known.__name__}, which is no {cls.__name__}. "
                "Hint: stablevar.load reads any."
            )
        settings = {**summary["settings"], "seed": summary["seed"]}
        given = {parameter: settings[name] for parameter, name in known._parameters.items() if name in settings}
        none = {parameter for parameter, name in known._parameters.items() if name in known._none_is_a_choice}
        given = {name: None if name in none and value == "none" else value for name, value in given.items()}
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        estimator: Any = known(**given)
        estimator._model = model
        names = summary["inputs"]
        estimator.n_features_in_ = len(names)
        if names != [f"x{k}" for k in range(len(names))]:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator.weights_ = None
        estimator._read_summary(names, stacklevel=None)
        if classifies:
            estimator.classes_ = np.array(summary["classes"], dtype=object)
        return estimator

    def report(
        self,
        path: Path,
        X: Rows = None,
        y: Values = None,
        environments: Values = None,
        compare: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the report page: one self-contained HTML file.

        Parameters
        ----------
        path : str or path-like
            Where to.
        X : array-like or data frame of shape (n_samples, n_features) or None, default=None
            Rows to show the model's error on, from elsewhere if possible.
        y : array-like of shape (n_samples,) or None, default=None
            Their outcomes.
        environments : array-like of shape (n_samples,) or None, default=None
            The environment of each row; without it all rows are one.
        compare : dict of str to object or None, default=None
            Other fitted models by name, whose errors are shown beside.
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("X and y must be given together.")
        if X is None:
            if environments is not None or compare is not None:
                raise ValueError("environments and compare have a meaning only with X and y.")
            self._model.report(path, None)
            return
        if environments is None:
            environments = np.full(len(y), "all")
        models = {type(self).__name__: self, **(compare or {})}
        levels, errors, metric = errors_by_environment(models, X, y, environments)
        axis = str(getattr(environments, "name", None) or "environment")
        listed = [(name, [float(value) for value in values]) for name, values in errors.items()]
        self._model.report(path, (metric, axis, levels, listed))


def load(path: Path) -> Any:
    """Read a model file: the fitted estimator of its method, with its parameters.

    Parameters
    ----------
    path : str or path-like
        Where from: what ``save`` or the ``stablevar`` command wrote.

    Returns
    -------
    estimator : object
        Fitted.
    """
    return StableModel.load(path)
