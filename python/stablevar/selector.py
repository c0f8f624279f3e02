"""The stable variables as a step of a pipeline."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from .estimators import _COUNT, _SHARE, NonlinearSVIClassifier, NonlinearSVIRegressor, SVIClassifier, SVIRegressor


class StableSelector(SelectorMixin, BaseEstimator):
    """Select the stable variables, for any model that follows.

    Parameters
    ----------
    task : {"auto", "regression", "classification"}, default="auto"
        What y is; "auto" takes two distinct values for classes.
    nonlinear : bool, default=False
        Judge by networks, which see effects of any shape and want some thousand rows.
    evidence : {"auto", "residual", "focused", "network"} or None, default="auto"
        How each variable is judged on its own. ``None`` is the paper's algorithm.
    threshold : float, default=0.5
        Probability of being stable from which a variable is selected.
    fdr : float or None, default=None
        Select by a false discovery rate instead.
    n_features_to_select : int or None, default=None
        Select this many instead.
    resamples : int or None, default=None
        Select what this many random halves of the rows agree on.
    random_state : int, RandomState instance or None, default=0
        The seed.
    verbose : bool, default=False
        Count steps on standard error.

    Attributes
    ----------
    estimator_ : object
        The fitted estimator that selected.
    open_probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable.
    selected_ : ndarray of str
        Names of the selected variables.
    weights_ : ndarray of shape (n_samples,)
        The rows' weights.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had any.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from stablevar import StableSelector
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=1000, r=2.5, random_state=0)
    >>> pipeline = make_pipeline(StableSelector(), LinearRegression()).fit(X, y)
    >>> pipeline[-1].n_features_in_
    5
    """

    _parameter_constraints: dict = {
        "task": [StrOptions({"auto", "regression", "classification"})],
        "nonlinear": ["boolean"],
        "evidence": [StrOptions({"auto", "residual", "focused", "network"}), None],
        "threshold": [_SHARE],
        "fdr": [_SHARE, None],
        "n_features_to_select": [_COUNT, None],
        "resamples": [_COUNT, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        task="auto",
        nonlinear=False,
        evidence="auto",
        threshold=0.5,
        fdr=None,
        n_features_to_select=None,
        resamples=None,
        random_state=0,
        verbose=False,
    ):
        self.task = task
        self.nonlinear = nonlinear
        self.evidence = evidence
        self.threshold = threshold
        self.fdr = fdr
        self.n_features_to_select = n_features_to_select
        self.resamples = resamples
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Find the stable variables.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The covariates.
        y : array-like of shape (n_samples,)
            The outcome.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            2 means the same as the row standing twice.

        Returns
        -------
        self : object
            Fitted.
        """
        self._validate_params()
        if y is None:
            raise ValueError("StableSelector requires y to be passed, but the target y is None.")
        classifies = self.task == "classification" or (
            self.task == "auto" and type_of_target(y, input_name="y") == "binary"
        )
        kinds = {
            (False, False): SVIRegressor,
            (False, True): SVIClassifier,
            (True, False): NonlinearSVIRegressor,
            (True, True): NonlinearSVIClassifier,
        }
        evidence = "network" if self.nonlinear and self.evidence == "auto" else self.evidence
        self.estimator_ = kinds[(self.nonlinear, classifies)](
            evidence=evidence,
            threshold=self.threshold,
            fdr=self.fdr,
            n_features_to_select=self.n_features_to_select,
            resamples=self.resamples,
            random_state=self.random_state,
            verbose=self.verbose,
        ).fit(X, y, sample_weight=sample_weight)
        self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.selected_ = self.estimator_.selected_
        self.open_probability_ = self.estimator_.open_probability_
        self.weights_ = self.estimator_.weights_
        return self

    def _get_support_mask(self):
        check_is_fitted(self)
        return np.asarray(self.estimator_.get_support())
