"""What the estimators share."""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from abc import ABCMeta, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._tables import read

#: Rows needed at least.
MINIMUM_ROWS = 3


def seed_of(random_state):
    """A seed for the core: the number given, or one drawn."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, and is {random_state}.")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def progress_of(estimator):
    """A line on standard error that counts steps, if the estimator is verbose."""
    if not estimator.verbose:
        return None
    counts: dict[str, int] = {}

    def tick(kind, total):
        counts[kind] = counts.get(kind, 0) + 1
        of = f"/{total}" if total else ""
        print(f"\r{type(estimator).__name__}: {kind} {counts[kind]}{of}   ", end="", file=sys.stderr, flush=True)

    return tick


def errors_by_environment(estimators, X, y, environments):
    """Environments in order, every model's errors in them, and what the errors are."""
    y, environments = np.asarray(y), np.asarray(environments)
    levels = list(dict.fromkeys(environments.tolist()))
    with contextlib.suppress(TypeError):  # Mixed kinds have no order: as they came.
        levels.sort()
    classifies = is_classifier(next(iter(estimators.values())))
    levels = list(dict.fromkeys(map(str, levels)))
    names = [str(environment) for environment in environments.tolist()]
    metric = "error-rate" if classifies else "mse"
    errors, label = {}, ""
    for name, estimator in estimators.items():
        predicted = np.asarray(estimator.predict(X))
        if classifies:
            # Classes may have any names: here a row is of class 0, and taken for 1 if it was taken for another.
            rows = np.zeros(len(y)), (predicted != y).astype(np.float64)
        else:
            rows = y.astype(np.float64), predicted.astype(np.float64)
        label, found = _core.errors_by_environment(metric, names, *rows)
        by_name = dict(found)
        errors[name] = np.array([by_name[level] for level in levels])
    return levels, errors, label


class StableModel(BaseEstimator, metaclass=ABCMeta):
    """A model that the core fits; what every one has once fitted."""

    #: Name of the method in the core.
    _method_name: str
    _classifies = False

    @abstractmethod
    def _settings(self):
        """The core's settings with this estimator's parameters."""

    def _fit(self, X, y, sample_weight):
        """Fits the core's model to X as given and to y as checked."""
        self._validate_params()
        given = X
        X, names = read(self, X, reset=True, minimum=MINIMUM_ROWS)
        rows = len(given) if not isinstance(X, np.ndarray) else X.shape[0]
        target, target_name = self._target(y, rows)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, given, dtype=np.float64, ensure_non_negative=True)
            self._check_weighted(y, sample_weight)
        self._model, self.weights_ = _core.fit(
            json.dumps(self._settings()),
            X,
            names,
            target,
            target_name,
            sample_weight,
            self._classifies,
            seed_of(self.random_state),
            self.max_levels,
            f"{' '.join(repr(self).split())}.fit(X, y{'' if sample_weight is None else ', sample_weight'})",
            progress_of(self),
        )
        if self.verbose:
            print(file=sys.stderr)
        self._read_summary(names)
        if not self.converged_:
            message = f"{type(self).__name__} did not converge: {self.summary_['stop_reason']}."
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        return self

    def _check_weighted(self, y, sample_weight):
        """Whether the rows of weight above 0 are enough."""

    def _read_summary(self, names):
        """The fitted attributes."""
        summary = json.loads(self._model.summary())
        self.summary_ = summary
        self.selected_ = np.array(summary["selected"], dtype=object)
        probability = summary["open_probability"]
        self.open_probability_ = np.array([probability.get(name, 0.0) for name in names])
        self.n_eff_ = summary["n_eff"]
        self.history_ = summary["history"]
        self.evidence_ = summary["evidence"]
        self.converged_ = summary["converged"]
        self.n_iter_ = max(1, summary["loops"])
        coefficients = summary["coefficients"]
        if summary["model"] == "linear":
            # Text columns have one coefficient per level: then all of the encoded columns' are listed.
            if set(coefficients) <= set(names):
                coef = np.array([coefficients.get(name, 0.0) for name in names])
            else:
                coef = np.array(list(coefficients.values()))
            self.coef_ = coef.reshape(1, -1) if self._classifies else coef
            self.intercept_ = np.array([summary["intercept"]]) if self._classifies else summary["intercept"]
        self.coefficients_ = coefficients

    def _predict(self, X):
        check_is_fitted(self)
        X, names = read(self, X, reset=False)
        return self._model.predict(X, names)

    def weigh(self, X):
        """Weights of new rows, on the scale on which the training rows have mean 1.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        weights : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X, names = read(self, X, reset=False)
        weights = self._model.weigh(X, names)
        if weights is None:
            raise AttributeError(f"This {type(self).__name__} has no weights: its method does not weigh rows.")
        return weights

    def get_support(self, indices=False):
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
        names = self._names()
        support = np.array([name in set(self.selected_) for name in names])
        return np.flatnonzero(support) if indices else support

    def get_feature_names_out(self, input_features=None):
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
        from sklearn.utils.validation import _check_feature_names_in

        return _check_feature_names_in(self, input_features)[self.get_support()]

    def _names(self):
        from ._tables import names_of

        return names_of(self)

    def save(self, path):
        """Write a model file, which the ``stablevar`` command reads too.

        Parameters
        ----------
        path : str or path-like
            Where to.
        """
        check_is_fitted(self)
        self._model.save(path)

    @classmethod
    def load(cls, path):
        """Read a model file, of :meth:`save` or of the ``stablevar`` command.

        Parameters
        ----------
        path : str or path-like
            Where from.

        Returns
        -------
        estimator : object
            Fitted. Its parameters are the defaults: the settings of the fit are in ``summary_["settings"]``.
        """
        estimator = cls()
        estimator._model = _core.Model.load(path)
        summary = json.loads(estimator._model.summary())
        if (summary["task"] == "classification") != cls._classifies:
            raise ValueError(f"{path} holds a model for {summary['task']}, which {cls.__name__} is not for.")
        names = summary["features"]
        estimator.n_features_in_ = len(names)
        estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator.weights_ = None
        estimator._read_summary(names)
        estimator._after_loading(summary)
        return estimator

    def _after_loading(self, summary):
        """What subclasses add."""

    def report(self, path, X=None, y=None, environments=None, compare=None):
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
            return self._model.report(path, None)
        if environments is None:
            environments = np.full(len(y), "all")
        models = {type(self).__name__: self, **(compare or {})}
        levels, errors, metric = errors_by_environment(models, X, y, environments)
        axis = str(getattr(environments, "name", None) or "environment")
        errors = [(name, [float(value) for value in values]) for name, values in errors.items()]
        return self._model.report(path, (metric, axis, levels, errors))
