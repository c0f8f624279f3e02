"""What the reweighters share."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._findings import raise_findings
from ._settings import MINIMUM_ROWS, Parametrised, Rows, Values, weights_of
from ._summaries import Summary, summary_of_weights
from ._tables import read, rows_of


def stability_of(stable: Values, features: int) -> list[float] | None:
    """Probabilities of being stable, one per feature."""
    if stable is None:
        return None
    values = [float(value) for value in stable]
    if len(values) != features or not all(0 <= value <= 1 for value in values):
        raise ValueError(f"stable needs {features} probabilities, one per feature.")
    return values


#: The class of a reweighter, which `fit` returns.
Fitted = TypeVar("Fitted", bound="Reweighting")


class Reweighting(Parametrised):
    """Weights that the core finds for the rows of X."""

    _function: _core.WeightModel | None
    weights_: Any

    def fit(self: Fitted, X: Rows, y: Any = None, sample_weight: Values = None, stable: Values = None) -> Fitted:
        """Find the weights.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used; here for pipelines.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How much each row counts; ``weight_kind="frequency"`` says that they are counts.
        stable : array-like of shape (n_features,) or None, default=None
            Probabilities of being stable: likely stable variables need not be told apart from each other.

        Returns
        -------
        self : object
            Fitted.
        """
        settings = self._settings()
        given = X
        X, names = read(self, X, reset=True, minimum=MINIMUM_ROWS)
        weights = weights_of(sample_weight, rows_of(given, X))
        known = stability_of(stable, len(names))
        with self._own_words():
            self.weights_, self._function, summary = _core.reweigh(self._core_name, settings, X, names, weights, known)
        self._read_summary(json.loads(summary))
        return self

    @contextlib.contextmanager
    def _own_words(self) -> Iterator[None]:
        """Errors name parameters as they are called here: as part of an estimator some have longer names."""
        try:
            yield
        except ValueError as error:
            text = str(error)
            for parameter, name in self._parameters.items():
                if name.endswith(("-steps", "-tolerance")):
                    text = text.replace(name.replace("-", "_"), parameter)
            if text == str(error):
                raise
            raise ValueError(text) from error

    def _read_summary(self, summary: dict[str, Any]) -> None:
        """The fitted attributes."""
        self.summary_ = summary
        self.n_eff_: float = summary["n_eff"]
        self.converged_: bool = summary["converged"]
        self.n_iter_: int = max(1, summary["passes"])
        self.findings_: list[dict[str, Any]] = summary["findings"]
        raise_findings(self.findings_, type(self).__name__, 4)
        if not self.converged_ and all(found["code"] != "not-converged" for found in self.findings_):
            longer = ", or allow more steps (max_iter)" if "max_iter" in self._parameters else ""
            warnings.warn(
                f"{type(self).__name__} did not converge: columns may still go together under the weights. "
                f"Use more rows or fewer columns{longer}.",
                ConvergenceWarning,
                stacklevel=3,
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
        check_is_fitted(self)
        X, names = read(self, X, reset=False)
        weights, findings = self._weighing().weigh(X, names)
        raise_findings(json.loads(findings), type(self).__name__, 3)
        return weights

    def summary(self) -> Summary:
        """What the weights do, to be read: as text where it is printed, as HTML in a notebook.

        Returns
        -------
        summary : Summary
        """
        check_is_fitted(self)
        return summary_of_weights(type(self).__name__, self.summary_)

    def _weighing(self) -> _core.WeightModel:
        """The function that weighs new rows, if there is one."""
        if self._function is None:
            raise ValueError(
                f"This {type(self).__name__} has weights of the training rows only: no function of a row came near "
                f"them. Hint: use more rows or fewer columns{'' if self._core_name == 'balance' else ', or Balance'}."
            )
        return self._function

    def fit_weigh(self, X: Rows, y: Any = None, **fit_params: Any) -> Any:
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
