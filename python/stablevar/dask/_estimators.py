"""What the estimators on Dask do."""

from __future__ import annotations

import json
from typing import Any

import dask.array

from .. import _core
from .._base import StableModel
from .._progress import progress_of
from .._tables import Frame, names_of
from .._weighing import Reweighting, stability_of
from ._client import _check_collection, _OnDask, _Rows
from ._workers import _class_part, _predict_part, _probabilities_part


class OnDaskSVI(_OnDask, StableModel):
    """SVI on Dask collections."""

    def _fit(self, X: Any, y: Any, sample_weight: Any, env: Any = None, groups: Any = None) -> Any:
        if env is not None:
            raise ValueError(
                f"{type(self).__name__} takes no env: environments are compared in memory. Hint: fit a sample with "
                f"{type(self).__bases__[1].__name__}().fit(X, y, env=...), or a file with the command line (--env)."
            )
        if groups is not None:
            raise ValueError("groups need rows in memory: fit a sample of them with the estimator without Dask.")
        settings = self._settings(self._names_of(X))
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        name = str(getattr(y, "name", None) or "y") if not isinstance(y, dask.array.Array) else "y"

        frame = Frame.of(getattr(X, "_meta", None))
        dates = frame.dates() if frame is not None else []

        def work(rows: _Rows, draft: str) -> _core.Model:
            command = f"{type(self).__name__}().fit(X, y)"
            with progress_of(self) as progress:
                return _core.fit_parts(self._core_name, settings, rows, draft, command, dates, progress)

        self._model = self._on_workers(X, y, sample_weight, name, self._classifies, work)
        self._read_summary(names_of(self))
        self.weights_ = self._lazy_weights(X, self._model, sample_weight)
        return self

    def _weighing(self) -> _core.Model:
        return self._model

    def _predict(self, X: Any) -> Any:
        return self._lazy(X, _predict_part, self._model, self._check_names(X))


class OnDaskClassifier(OnDaskSVI):
    """The same for two classes."""

    classes_: Any

    def predict(self, X: Any) -> Any:
        """Predict the class; lazy.

        Parameters
        ----------
        X : dask array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y : dask array or series of shape (n_samples,)
        """
        names = self._check_names(X)
        return self._lazy(X, _class_part, self._model, names, self.classes_, dtype=self.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """Predict the probabilities of the two classes; lazy.

        Parameters
        ----------
        X : dask array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : dask array or data frame of shape (n_samples, 2)
            In the order of ``classes_``.
        """
        return self._lazy(X, _probabilities_part, self._model, self._check_names(X), width=2)


class OnDaskBalance(_OnDask, Reweighting):
    """Balance on Dask collections."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, stable: Any = None) -> Any:
        """Find the weights.

        Parameters
        ----------
        X : dask array or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used; here for pipelines.
        sample_weight : dask array or series of shape (n_samples,) or None, default=None
            How much each row counts; ``weight_kind="frequency"`` says that they are counts.
        stable : array-like of shape (n_features,) or None, default=None
            Probabilities of being stable: likely stable variables need not be told apart from each other.

        Returns
        -------
        self : object
            Fitted.
        """
        settings = self._settings()
        _check_collection(X)
        known = stability_of(stable, X.shape[1])

        def work(rows: _Rows, draft: str) -> tuple[_core.WeightModel | None, str]:
            return _core.reweigh_parts(self._core_name, settings, rows, draft, names_of(self), known)

        with self._own_words():
            self._function, summary = self._on_workers(X, None, sample_weight, None, False, work)
        self._read_summary(json.loads(summary))
        # Without a function the weights are uniform.
        self.weights_ = self._lazy_weights(X, self._function, sample_weight)
        return self

    def _weighing(self) -> _core.WeightModel:
        return Reweighting._weighing(self)
