"""Weights under which columns no longer go together, for a model of your own."""

from __future__ import annotations

import json
import warnings
from abc import ABCMeta, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._base import MINIMUM_ROWS, seed_of
from ._tables import names_of, read

_POSITIVE = Interval(Real, 0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")


class _Reweighter(BaseEstimator, metaclass=ABCMeta):
    """What the reweighters share."""

    @abstractmethod
    def _settings(self):
        """The core's settings with this reweighter's parameters."""

    def fit(self, X, y=None, sample_weight=None, stable=None):
        """Find the weights.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used; here for pipelines.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            2 means the same as the row standing twice.
        stable : array-like of shape (n_features,) or None, default=None
            Probabilities of being stable: likely stable variables need not be told apart from each other.

        Returns
        -------
        self : object
            Fitted.
        """
        self._validate_params()
        given = X
        X, names = read(self, X, reset=True, minimum=MINIMUM_ROWS)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, given, dtype=np.float64, ensure_non_negative=True)
        if stable is not None:
            stable = [float(value) for value in stable]
            if len(stable) != self.n_features_in_ or not all(0 <= value <= 1 for value in stable):
                raise ValueError(f"stable needs {self.n_features_in_} probabilities, one per feature.")
        self.weights_, self._function, summary = _core.reweigh(
            json.dumps(self._settings()), X, names, sample_weight, stable, seed_of(self.random_state), self.max_levels
        )
        self._read_summary(json.loads(summary))
        return self

    def _read_summary(self, summary):
        """The fitted attributes."""
        self.summary_ = summary
        self.n_eff_ = summary["n_eff"]
        self.converged_ = summary["converged"]
        self.n_iter_ = max(1, summary["passes"])
        if not self.converged_:
            warnings.warn(f"{type(self).__name__} did not converge.", ConvergenceWarning, stacklevel=3)

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
        return self._function.weigh(X, names)

    def fit_weigh(self, X, y=None, **fit_params):
        """Find the weights and return them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        **fit_params : dict
            For :meth:`fit`.

        Returns
        -------
        weights : ndarray of shape (n_samples,)
        """
        return self.fit(X, y, **fit_params).weights_

    def _names(self):
        return names_of(self)


_ATTRIBUTES = """
    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        One per row, mean 1.
    n_eff_ : float
        Effective sample size.
    converged_ : bool
        Whether the search converged.
    n_iter_ : int
        Passes over the rows.
    summary_ : dict
        Correlations before and after, the largest one left, and more.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.
"""


class Balance(_Reweighter):
    __doc__ = (
        """The weights closest to uniform under which all columns are uncorrelated.

    Parameters
    ----------
    divergence : {"chi2", "entropy"}, default="chi2"
        The distance to uniform weights: "chi2" keeps the largest effective sample size there is, "entropy" every
        weight above 0.
    means : {"pinned", "recentred"}, default="pinned"
        Whether the columns' means stay what they are.
    ridge : float or None, default=1e-10
        How much correlation may remain; ``None`` depends on rows and columns.
    tolerance : float, default=1e-9
        Largest entry of the gradient at which to stop.
    max_iter : int, default=500
        Steps at most.
    max_levels : int, default=100
        Distinct texts a column may hold.
    random_state : int, RandomState instance or None, default=0
        Not used; here for all reweighters alike.
"""
        + _ATTRIBUTES
        + """
    Examples
    --------
    >>> import numpy as np
    >>> from stablevar import Balance
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=1000, r=2.5, random_state=0)
    >>> weights = Balance().fit(X).weights_
    >>> bool(abs(np.average(X[:, 0] * X[:, 9], weights=weights)) < 0.1)
    True
    """
    )
    _parameter_constraints: dict = {
        "divergence": [StrOptions({"chi2", "entropy"})],
        "means": [StrOptions({"pinned", "recentred"})],
        "ridge": [_POSITIVE, None],
        "tolerance": [_POSITIVE],
        "max_iter": [_COUNT],
        "max_levels": [_COUNT],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        divergence="chi2",
        means="pinned",
        ridge=1e-10,
        tolerance=1e-9,
        max_iter=500,
        max_levels=100,
        random_state=0,
    ):
        self.divergence = divergence
        self.means = means
        self.ridge = ridge
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.max_levels = max_levels
        self.random_state = random_state

    def _settings(self):
        settings = json.loads(_core.default_reweighter("balance"))
        settings["balance"].update(
            divergence=self.divergence,
            means=self.means,
            ridge=self.ridge,
            tolerance=self.tolerance,
            max_iterations=self.max_iter,
        )
        return settings


class DWR(_Reweighter):
    __doc__ = (
        """Decorrelating weights as published: gradient descent on one free weight per row.

    There is no function behind free weights: :meth:`weigh` uses the quadratic function of the columns that fits them
    best by least squares. :class:`Balance` finds better weights in a hundredth of the time; this is for comparison.

    Parameters
    ----------
    steps : int, default=20_000
        Steps of Adam at most.
    learning_rate : float, default=0.01
        Their length.
    max_levels : int, default=100
        Distinct texts a column may hold.
    random_state : int, RandomState instance or None, default=0
        Not used; here for all reweighters alike.
"""
        + _ATTRIBUTES
    )
    _parameter_constraints: dict = {
        "steps": [_COUNT],
        "learning_rate": [_POSITIVE],
        "max_levels": [_COUNT],
        "random_state": ["random_state"],
    }

    def __init__(self, *, steps=20_000, learning_rate=0.01, max_levels=100, random_state=0):
        self.steps = steps
        self.learning_rate = learning_rate
        self.max_levels = max_levels
        self.random_state = random_state

    def _settings(self):
        settings = json.loads(_core.default_reweighter("dwr"))
        settings["published"].update(steps=self.steps, learning_rate=self.learning_rate)
        return settings


class SRDO(_Reweighter):
    __doc__ = (
        """Weights under which all columns are independent: a ratio of densities.

    A classifier learns to tell the rows from rows whose columns were shuffled apart.

    Parameters
    ----------
    classifier : {"network", "quadratic"}, default="network"
        A network, or logistic regression on products of two columns.
    folds : int, default=3
        Parts for cross-fitting.
    limit : float, default=20.0
        Larger ratios are cut off there.
    max_levels : int, default=100
        Distinct texts a column may hold.
    random_state : int, RandomState instance or None, default=0
        The seed.
"""
        + _ATTRIBUTES
    )
    _parameter_constraints: dict = {
        "classifier": [StrOptions({"network", "quadratic"})],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "limit": [_POSITIVE],
        "max_levels": [_COUNT],
        "random_state": ["random_state"],
    }

    def __init__(self, *, classifier="network", folds=3, limit=20.0, max_levels=100, random_state=0):
        self.classifier = classifier
        self.folds = folds
        self.limit = limit
        self.max_levels = max_levels
        self.random_state = random_state

    def _settings(self):
        settings = json.loads(_core.default_reweighter("srdo"))
        settings["srdo"].update(folds=self.folds, limit=self.limit)
        if self.classifier == "quadratic":
            settings["srdo"]["classifier"] = "quadratic"
        return settings
