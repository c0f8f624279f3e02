"""The estimators that users see."""

from __future__ import annotations

import inspect
import json
import sys
import warnings

import dask.array
from sklearn.exceptions import ConvergenceWarning

from .. import _core
from .._base import progress_of, seed_of
from .._tables import names_of
from ..estimators import SVIClassifier, SVIRegressor
from ..reweighters import Balance
from ._client import _check_collection, _OnDask
from ._workers import _class_part, _predict_part, _probabilities_part


def _with_client(cls):
    """Gives a class the parameters of its base and `client`."""
    own = inspect.signature(cls.__bases__[1].__init__)
    client = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None)

    def __init__(self, *, client=None, **parameters):
        self.client = client
        super(cls, self).__init__(**parameters)

    __init__.__signature__ = own.replace(parameters=[*own.parameters.values(), client])
    cls.__init__ = __init__
    cls._parameter_constraints = {**cls._parameter_constraints, "client": "no_validation"}
    return cls


class _DaskSVI(_OnDask):
    """SVI on Dask collections."""

    def _fit(self, X, y, sample_weight):
        self._validate_params()
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        name = str(getattr(y, "name", None) or "y") if not isinstance(y, dask.array.Array) else "y"

        def work(rows, surveys, roles):
            return _core.fit_parts(
                json.dumps(self._settings()),
                rows,
                surveys,
                roles,
                seed_of(self.random_state),
                f"{type(self).__name__}().fit(X, y)",
                progress_of(self),
            )

        self._model = self._on_workers(X, y, sample_weight, name, self._classifies, work)
        if self.verbose:
            print(file=sys.stderr)
        names = names_of(self)
        self._read_summary(names)
        self.weights_ = self._lazy_weights(X, sample_weight)
        if not self.converged_:
            message = f"{type(self).__name__} did not converge: {self.summary_['stop_reason']}."
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        return self

    def _predict(self, X):
        return self._lazy(X, _predict_part, self._model, self._check_names(X))


_DOC = """
    Takes Dask arrays and data frames of which a partition holds whole rows. The parameters are those of
    :class:`~stablevar.{local}`, and `client`. Predictions and weights are lazy.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The cluster; ``None`` is the current client.
    **parameters
        As for :class:`~stablevar.{local}`.

    Attributes
    ----------
    client_ : distributed.Client
        The client used.
    weights_ : dask array or series of shape (n_samples,)
        One per row, mean 1; lazy.

    See Also
    --------
    stablevar.{local} : For data in memory; its other attributes are the same.
    """


@_with_client
class DaskSVIRegressor(_DaskSVI, SVIRegressor):
    __doc__ = "Stable variables and a regression on them, on a Dask cluster.\n" + _DOC.format(local="SVIRegressor")


@_with_client
class DaskSVIClassifier(_DaskSVI, SVIClassifier):
    __doc__ = "Stable variables and a classifier on them, on a Dask cluster.\n" + _DOC.format(local="SVIClassifier")

    def predict(self, X):
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

    def predict_proba(self, X):
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


@_with_client
class DaskBalance(_OnDask, Balance):
    __doc__ = "Weights under which all columns are uncorrelated, on a Dask cluster.\n" + _DOC.format(local="Balance")
    _weighs = "_function"

    def fit(self, X, y=None, sample_weight=None, stable=None):
        """Find the weights.

        Parameters
        ----------
        X : dask array or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used; here for pipelines.
        sample_weight : dask array or series of shape (n_samples,) or None, default=None
            2 means the same as the row standing twice.
        stable : array-like of shape (n_features,) or None, default=None
            Probabilities of being stable: likely stable variables need not be told apart from each other.

        Returns
        -------
        self : object
            Fitted.
        """
        self._validate_params()
        _check_collection(X)
        if stable is not None:
            stable = [float(value) for value in stable]
            if len(stable) != X.shape[1] or not all(0 <= value <= 1 for value in stable):
                raise ValueError(f"stable needs {X.shape[1]} probabilities, one per feature.")

        def work(rows, surveys, roles):
            settings, seed = json.dumps(self._settings()), seed_of(self.random_state)
            return _core.reweigh_parts(settings, rows, surveys, roles, stable, seed)

        self._function, summary = self._on_workers(X, None, sample_weight, None, False, work)
        self._read_summary(json.loads(summary))
        self.weights_ = self._lazy_weights(X, sample_weight)
        return self
