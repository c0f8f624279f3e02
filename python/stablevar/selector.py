"""The stable variables as a step of a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from ._base import Rows, Values
from ._selector_parameters import SelectorParameters
from .estimators import NonlinearSVIClassifier, NonlinearSVIRegressor, SVIClassifier, SVIRegressor


class StableSelector(SelectorMixin, SelectorParameters):
    __doc__ = (
        (SelectorParameters.__doc__ or "").replace(
            "The parameters of StableSelector.", "Select the stable variables, for any model that follows."
        )
        + """
    Attributes
    ----------
    estimator_ : object
        The fitted estimator that selected.
    probability_ : ndarray of shape (n_features_in_,)
        Probability of being stable. Also as ``open_probability_``.
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
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Rows, y: Values, sample_weight: Values = None) -> StableSelector:
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
        if y is None:
            raise ValueError("StableSelector requires y to be passed, but the target y is None.")
        if self.task not in ("auto", "regression", "classification"):
            raise ValueError(f'task must be "auto", "regression" or "classification", not {self.task!r}.')
        classifies = self.task == "classification" or (
            self.task == "auto" and type_of_target(y, input_name="y") == "binary"
        )
        kinds: dict[tuple[bool, bool], Any] = {
            (False, False): SVIRegressor,
            (False, True): SVIClassifier,
            (True, False): NonlinearSVIRegressor,
            (True, True): NonlinearSVIClassifier,
        }
        parameters = {name: getattr(self, name) for name in self._passed_on}
        self.estimator_ = kinds[bool(self.nonlinear), classifies](**parameters)
        self.estimator_.fit(X, y, sample_weight=sample_weight)
        self.n_features_in_: int = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.selected_ = self.estimator_.selected_
        self.probability_ = self.open_probability_ = self.estimator_.probability_
        self.weights_ = self.estimator_.weights_
        return self

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return np.asarray(self.estimator_.get_support())
