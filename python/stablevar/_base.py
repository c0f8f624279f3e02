"""What the estimators share: fitting, predicting, weighing, and the choice of variables."""

from __future__ import annotations

import copy
import inspect
import json
from abc import ABCMeta, abstractmethod
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._elsewhere import Foreseeing
from ._files import Stored
from ._findings import raise_findings
from ._frames import coefficient_frame, evidence_frame
from ._progress import progress_of
from ._settings import (
    MINIMUM_ROWS,
    Columns,
    Parametrised,
    RandomState,
    Rows,
    Values,
    check_together,
    groups_of,
    weights_of,
)
from ._summaries import Summary, summary_of_model
from ._tables import absent_columns, environment_of, names_of, read, rows_of, without_column

# The generated classes take these from here.
__all__ = ["Columns", "RandomState", "StableModel"]

#: The class of an estimator, which `reselect` returns.
Model = TypeVar("Model", bound="StableModel")


class StableModel(Foreseeing, Stored, Parametrised, metaclass=ABCMeta):
    """A model that the core fits; what every one has once fitted."""

    _classifies: ClassVar[bool] = False

    verbose: bool
    weights_: Any

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "_core_name" in vars(cls):
            Stored._classes[cls._core_name, cls._classifies] = cls

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
        rows = rows_of(given, X)
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

    if not TYPE_CHECKING:  # Else checkers would take any attribute for one that is there.

        def __getattr__(self, name: str) -> Any:
            """Says why there is none, where a fitted model that is no line is asked for its coefficients."""
            own = getattr(type(self), name, None)
            if isinstance(own, property) and own.fget:
                # It is here since the property says that nothing is fitted, which scikit-learn's error for it is, too.
                return own.fget(self)
            told = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name in ("coef_", "coef_names_", "intercept_") and "summary_" in self.__dict__:
                chosen = self.summary_["refit"]["chosen"]
                told += f": its model ({chosen}) is no straight line. coefficients_ has mean slopes"
                told += ", and refit='robust' keeps to a line." if "refit" in self.get_params() else "."
            raise AttributeError(told)

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
        """Coefficients of the model, a data frame with a row per encoded column that the model uses.

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

    def _new_rows(self, X: Rows, needed: Collection[str] | None = None) -> tuple[_core.Input, list[str]]:
        """What the core reads of new rows, and the columns' names; a data frame may lack those that are not needed."""
        check_is_fitted(self)
        return read(self, without_column(X, getattr(self, "_env_column", None)), reset=False, needed=needed)

    def _predict(self, X: Rows) -> Any:
        check_is_fitted(self)
        try:
            X, names = self._new_rows(X)
        except ValueError as error:
            hint = self._hint_on_absent(X)
            if not hint:
                raise
            raise ValueError(f"{error}{hint}") from None
        predicted, findings = self._model.predict(X, names)
        raise_findings(json.loads(findings), type(self).__name__, 4)
        return predicted

    def _hint_on_absent(self, X: Rows) -> str:
        """A word on columns that new rows lack, where the model does not use them.

        scikit-learn wants all columns of the training rows, and its checks hold estimators to that.
        """
        absent = absent_columns(self, X)
        if not absent or set(absent) & set(self.summary_["uses"]):
            return ""
        return (
            f"Hint: predictions use none of the {len(absent)} that are missing, and any values do: "
            "X.reindex(columns=model.feature_names_in_, fill_value=0)."
        )

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
        self: Model,
        X: Rows = None,
        y: Values = None,
        sample_weight: Values = None,
        *,
        threshold: float | None = None,
        n_features_to_select: int | None = None,
        fdr: float | None = None,
    ) -> Model:
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
        check_together(X, y)
        other = copy.copy(self)
        for name in rules.keys() & self._parameters.keys():
            usual = inspect.signature(type(self)).parameters[name].default
            setattr(other, name, given.get(name, usual))
        rows = None
        if X is not None:
            X = without_column(X, getattr(self, "_env_column", None))
            read_rows, _ = read(other, X, reset=False, minimum=MINIMUM_ROWS)
            count = rows_of(X, read_rows)
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
