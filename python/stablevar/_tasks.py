"""What is predicted: a number, or one of two classes."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_y, check_consistent_length, column_or_1d

from ._tables import text_column


class Regression(RegressorMixin):
    """Numbers are predicted."""

    _classifies = False

    def fit(self, X, y, sample_weight=None):
        """Find the variables and fit a model on them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The covariates; text and categorical columns of data frames are encoded.
        y : array-like of shape (n_samples,)
            The outcome.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            2 means the same as the row standing twice.

        Returns
        -------
        self : object
            Fitted.
        """
        return self._fit(X, y, sample_weight)

    def _target(self, y, rows):
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        name = str(getattr(y, "name", None) or "y")
        y = column_or_1d(y, warn=True)
        check_consistent_length(np.empty(rows), y)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", ensure_min_samples=0)
        return y, name

    def predict(self, X):
        """Predict the outcome.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._predict(X)


class Classification(ClassifierMixin):
    """One of two classes is predicted."""

    _classifies = True

    def fit(self, X, y, sample_weight=None):
        """Find the variables and fit a model on them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The covariates; text and categorical columns of data frames are encoded.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            2 means the same as the row standing twice.

        Returns
        -------
        self : object
            Fitted.
        """
        return self._fit(X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _target(self, y, rows):
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        name = str(getattr(y, "name", None) or "y")
        y = column_or_1d(y, warn=True)
        check_consistent_length(np.empty(rows), y)
        y = _check_y(y, estimator=self)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        kind = type_of_target(y, input_name="y")
        if kind == "multiclass":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        if len(self.classes_) < 2:
            raise ValueError(
                f"Classifier can't train when only one class is present: y holds 1 class, {self.classes_[0]!r}."
            )
        if y.dtype == bool:
            return y, name
        if np.issubdtype(y.dtype, np.number):
            return y.astype(np.float64), name
        return text_column(y.tolist(), "y"), name

    def _check_weighted(self, y, sample_weight):
        left = np.unique(np.asarray(y).ravel()[sample_weight > 0])
        if len(left) < 2:
            raise ValueError(
                "Classifier can't train when only one class is left: the others have a sample_weight of 0."
            )

    def _after_loading(self, summary):
        self.classes_ = np.array(summary["classes"], dtype=object)

    def predict_proba(self, X):
        """Predict the probabilities of the two classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, 2)
            In the order of ``classes_``.
        """
        second = self._predict(X)
        return np.column_stack([1 - second, second])

    def predict(self, X):
        """Predict the class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        second = self._predict(X)
        return self.classes_[(second >= 0.5).astype(int)]
