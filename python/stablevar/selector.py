"""The stable variables as a step of a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ._findings import raise_findings
from ._selector_parameters import SelectorParameters
from ._settings import Rows, Values
from ._summaries import Summary
from ._tables import Frame
from ._tasks import several_classes
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
    evidence_ : DataFrame or None
        What the data say about each variable, as of the estimator.
    findings_ : list of dict
        What to watch out for.
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
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags

    def fit(
        self, X: Rows, y: Values, sample_weight: Values = None, env: Values = None, groups: Values = None
    ) -> StableSelector:
        """Find the stable variables.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The covariates.
        y : array-like of shape (n_samples,)
            The outcome.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each row counts; ``weight_kind="frequency"`` says that they are counts.
        env : array-like of shape (n_samples,) or None, default=None
            The environment of each row; the effects of the selected variables are compared between them.
        groups : array-like of shape (n_samples,) or None, default=None
            What rows that are not independent of each other have in common, such as the person.

        Returns
        -------
        self : object
            Fitted.
        """
        if y is None:
            raise ValueError("StableSelector requires y to be passed, but the target y is None.")
        if self.task not in ("auto", "regression", "classification"):
            raise ValueError(f'task must be "auto", "regression" or "classification", not {self.task!r}.')
        kind = type_of_target(y, input_name="y")
        classes = np.unique(np.asarray(y)) if kind == "multiclass" else np.empty(0)
        if len(classes) and (self.task == "classification" or classes.dtype.kind not in "biuf"):
            raise ValueError(several_classes(len(classes), "make_pipeline(StableSelector(), ...)"))
        classifies = self.task == "classification" or (self.task == "auto" and kind == "binary")
        kinds: dict[tuple[bool, bool], Any] = {
            (False, False): SVIRegressor,
            (False, True): SVIClassifier,
            (True, False): NonlinearSVIRegressor,
            (True, True): NonlinearSVIClassifier,
        }
        parameters = {name: getattr(self, name) for name in self._passed_on}
        self.estimator_ = kinds[bool(self.nonlinear), classifies](**parameters)
        if isinstance(env, str):
            raise ValueError("env must be an array with a value per row: a column of X would be selected from, too.")
        self.estimator_.fit(X, y, sample_weight=sample_weight, env=env, groups=groups)
        self.n_features_in_: int = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._read_estimator(X)
        return self

    def _read_estimator(self, X: Rows) -> None:
        """The fitted attributes."""
        self.selected_ = self.estimator_.selected_
        self.probability_ = self.open_probability_ = self.estimator_.probability_
        self.findings_: list[dict[str, Any]] = self.estimator_.findings_
        self.weights_ = self.estimator_.weights_
        frame = Frame.of(X)
        if frame is not None:
            # Of every text column, whether it is selected now or after another choice.
            self._levels: dict[str, list[Any]] = frame.levels()

    @property
    def evidence_(self) -> Any:
        """What the data say about each variable: the estimator's data frame."""
        check_is_fitted(self)
        return self.estimator_.evidence_

    def summary(self) -> Summary:
        """What was found, to be read: as text where it is printed, as HTML in a notebook.

        Returns
        -------
        summary : Summary
        """
        check_is_fitted(self)
        return self.estimator_.summary()

    def transform(self, X: Rows) -> Any:
        """Keep the selected variables.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        X : ndarray or data frame of shape (n_samples, n_selected_features)
            Of a data frame with text among the selected columns a data frame, in which these are categories with the
            levels of the training rows, as boosted trees take them: an array could hold them as objects only, which
            no model takes. Texts that the training rows did not have are missing there.
        """
        check_is_fitted(self)
        frame = Frame.of(X)
        if frame is None or frame.is_numeric():
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        chosen = self.get_support(indices=True)
        unseen = [
            {
                "code": "unseen-levels",
                "variables": [name],
                "figures": {"rows": rows},
                "what": f"'{name}' has values that the training data did not have (rows: {rows})",
                "meaning": "they are missing in what is handed on",
                "remedy": "",
            }
            for name, rows in frame.unseen(chosen, self._levels).items()
        ]
        # One level up is what scikit-learn wraps this in for set_output.
        raise_findings(unseen, type(self).__name__, 4)
        return frame.kept(X, chosen, self._levels)

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return np.asarray(self.estimator_.get_support())
