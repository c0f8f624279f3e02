"""What is predicted: a number, or one of two classes."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from . import _core
from ._base import StableModel
from ._settings import Rows, Values
from ._tables import text_column

#: The class of an estimator, which `fit` returns.
Fitted = TypeVar("Fitted", bound="_Fitting")


def several_classes(count: int, estimator: str) -> str:
    """The word that there are more than two classes, in scikit-learn's words, and what does it."""
    return (
        "Only binary classification is supported. The type of the target is multiclass. "
        f"Hint: y holds {count} classes; sklearn.multiclass.OneVsRestClassifier({estimator}) tells each from all "
        "others, by variables of its own."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class _Fitting(StableModel):
    """What fitting is, whatever is predicted."""

    def fit(
        self: Fitted, X: Rows, y: Values, sample_weight: Values = None, env: Values = None, groups: Values = None
    ) -> Fitted:
        """Find the variables and fit a model on them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The covariates; text and categorical columns of data frames are encoded.
        y : array-like of shape (n_samples,)
            The outcome: numbers, or two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each row counts; ``weight_kind="frequency"`` says that they are counts.
        env : array-like of shape (n_samples,), str or None, default=None
            The environment of each row, such as a place or a period, or the column of the data frame X that names it.
            It is no covariate: environments are what the stress test holds out, and the effects of the selected
            variables are compared between them (``environments_``).
        groups : array-like of shape (n_samples,) or None, default=None
            What rows that are not independent of each other have in common, such as the person.

        Returns
        -------
        self : object
            Fitted.
        """
        self._fit(X, y, sample_weight, env, groups)
        return self

    def _named(self, y: Values, rows: int) -> tuple[Any, str]:
        """The outcome as one array, and its name."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        name = str(getattr(y, "name", None) or "y")
        y = column_or_1d(y, warn=True)
        check_consistent_length(np.empty(rows), y)
        return y, name


class Regression(RegressorMixin, _Fitting):
    """Numbers are predicted."""

    _classifies = False

    def _target(self, y: Values, rows: int) -> tuple[_core.Column, str]:
        y, name = self._named(y, rows)
        try:
            return check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", ensure_min_samples=0), name
        except ValueError as error:
            if "could not convert string" not in str(error):
                raise
            classifier = self._classes.get((self._core_name, True), self._classes["svi", True])
            text = next(value for value in y.tolist() if isinstance(value, str) and not _is_number(value))
            raise ValueError(
                f"{type(self).__name__} predicts numbers, and {name!r} holds text, such as {text!r}. If it is an "
                "amount or a share with signs, take them off first, as in "
                "y.str.replace(r'[^0-9.+-]', '', regex=True).astype(float); "
                f"for two classes use {classifier.__name__}."
            ) from error

    def predict(self, X: Rows) -> NDArray[Any]:
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


class Classification(ClassifierMixin, _Fitting):
    """One of two classes is predicted."""

    _classifies = True
    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # Evidence by networks wants some thousand rows; on a few hundred it may select nothing.
        tags.classifier_tags.poor_score = self._core_name == "nonlinear-svi"
        return tags

    def _target(self, y: Values, rows: int) -> tuple[_core.Column, str]:
        y, name = self._named(y, rows)
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y", ensure_min_samples=0)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        kind = type_of_target(y, input_name="y")
        if kind == "multiclass":
            raise ValueError(several_classes(len(self.classes_), f"{type(self).__name__}()"))
        if len(self.classes_) < 2:
            raise ValueError(
                f"Classifier can't train when only one class is present: y holds 1 class, {self.classes_[0]!r}."
            )
        if y.dtype == bool:
            return y, name
        if np.issubdtype(y.dtype, np.number):
            return y.astype(np.float64), name
        return text_column(y.tolist(), "y"), name

    def _check_weighted(self, y: Values, sample_weight: NDArray[np.float64]) -> None:
        left = np.unique(np.asarray(y).ravel()[sample_weight > 0])
        if len(left) < 2:
            raise ValueError(
                "Classifier can't train when only one class is left: the others have a sample_weight of 0."
            )

    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
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

    def predict(self, X: Rows) -> NDArray[Any]:
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
