"""Estimators on Dask collections: the rows stay where they are, and only sums travel.

Every step of a fit is a pass over the rows that returns sums of the size of the columns. A pass over a block of rows
is one small task; the sums are added as a tree. Blocks are cut from the encoded partitions by the number of rows
alone, so that the result is the same to the last bit as in memory, however the rows were partitioned.
"""

from __future__ import annotations

import bisect
import inspect
import json
import os
import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import progress_of, seed_of
from ._tables import Frame, names_of, text_column
from .estimators import SVIClassifier, SVIRegressor
from .reweighters import Balance

try:
    import dask
    import dask.array
    import dask.dataframe
    import distributed
    from dask.sizeof import sizeof
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "stablevar.dask needs Dask with its distributed scheduler: pip install 'stablevar[dask]'"
    ) from error

__all__ = ["DaskBalance", "DaskSVIClassifier", "DaskSVIRegressor"]


@sizeof.register(_core.Part)
def _sizeof(part):
    return part.nbytes


# What workers run.


def _share_cores():
    """Lets the core use as many threads as the worker has, unless it was told otherwise; the first call decides."""
    if "RAYON_NUM_THREADS" not in os.environ:
        try:
            threads = distributed.get_worker().state.nthreads
        except ValueError:
            return
        os.environ["RAYON_NUM_THREADS"] = str(threads)


def _array(values, dtype=np.float64):
    """A contiguous array; what came over the network may also lie askew in memory."""
    return np.require(values, dtype=dtype, requirements=["C_CONTIGUOUS", "ALIGNED"])


def _covariates(X):
    """Rows of covariates as the core reads them."""
    frame = Frame.of(X)
    if frame is None:
        return _array(X)
    if frame.is_numeric():
        return _array(X.to_numpy(dtype=np.float64, na_value=np.nan))
    return frame.input()


def _outcome(y, classify):
    """Outcomes as the core reads them, and for classes those there are."""
    if y is None:
        return None, None
    y = np.asarray(y)
    y = y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y
    if not classify:
        return _array(y), None
    if y.dtype == bool:
        return _array(y, bool), np.unique(y)
    if np.issubdtype(y.dtype, np.number):
        return _array(y), np.unique(y)
    return text_column(y.tolist(), "y"), np.unique(y.astype(str))


def _raw(rows, classify):
    X, y, sample_weight = rows
    target, classes = _outcome(y, classify)
    if sample_weight is not None:
        sample_weight = _array(np.asarray(sample_weight))
    return {"input": _covariates(X), "target": target, "sample_weight": sample_weight}, classes


def _rows(X, y, sample_weight):
    return X, y, sample_weight


def _survey(rows, roles, number):
    _share_cores()
    try:
        raw, classes = _raw(rows, roles["classify"])
        return _core.survey_part(raw, roles), classes
    except ValueError as error:
        raise ValueError(f"partition {number}: {error}") from error


def _encode(rows, roles, frame, first):
    _share_cores()
    return _core.Part.encode(_raw(rows, roles["classify"])[0], roles, frame, first)


def _block(start, end, parts):
    cuts = [part.cut(start, end) for part in parts]
    return cuts[0] if len(cuts) == 1 else _core.Part.join(cuts)


def _restore(frame, first, rows):
    """A block that was sent from one worker to another."""
    return _core.restore_part(frame, first, tuple(_array(values) for values in rows))


def _run(part, what):
    _share_cores()
    return part.run(what)


def _merge(what, sums):
    return _core.merge_sums(what, [_array(part) for part in sums])


def _take(part, places):
    return part.take(places)


def _keep_columns(part, keep, frame):
    return part.keep_columns(keep, frame)


def _predict_part(X, model, names):
    _share_cores()
    return model.predict(_covariates(X), names)


def _weigh_part(X, function, names, sample_weight=None):
    _share_cores()
    weights = function.weigh(_covariates(X), names)
    if weights is None:
        weights = np.ones(len(X))
    return weights if sample_weight is None else np.where(np.asarray(sample_weight) > 0, weights, 0.0)


# What the client does.


class _Rows:
    """Encoded blocks of rows on the workers, as the core asks for them."""

    def __init__(self, client, parts, starts):
        self._client = client
        self._parts = parts
        self._starts = starts

    def run(self, what):
        """The sums of a pass over all blocks."""
        sums = self._client.map(_run, self._parts, what=what, pure=False)
        while len(sums) > 1:
            groups = [sums[k : k + _core.BRANCHES] for k in range(0, len(sums), _core.BRANCHES)]
            sums = [self._client.submit(_merge, what, group, pure=False) for group in groups]
        return _array(sums[0].result())

    def take(self, places):
        """Some rows, in the order asked for."""
        places = np.asarray(places)
        order = np.argsort(places, kind="stable")
        cuts = np.searchsorted(places[order], [*self._starts, np.iinfo(np.int64).max])
        groups = [order[cuts[k] : cuts[k + 1]] for k in range(len(self._parts))]
        found = [
            self._client.submit(_take, self._parts[k], places[group].tolist(), pure=False)
            for k, group in enumerate(groups)
            if len(group)
        ]
        arrays = zip(*self._client.gather(found))
        back = np.argsort(np.concatenate([group for group in groups if len(group)]))
        return tuple(_array(np.concatenate(array)[back]) for array in arrays)

    def release(self):
        """Gives the blocks up."""
        self._parts = []

    def keep_columns(self, keep, frame):
        """Leaves the blocks with some of their columns."""
        self._parts = self._client.map(_keep_columns, self._parts, keep=keep, frame=frame, pure=False)
        distributed.wait(self._parts)


def _is_frame(X):
    return isinstance(X, dask.dataframe.DataFrame)


def _check_collection(X, name="X"):
    if not (_is_frame(X) or isinstance(X, (dask.array.Array, dask.dataframe.Series))):
        raise TypeError(
            f"{name} must be a Dask array or data frame, not {type(X).__name__}. For data in memory use the estimators "
            "of stablevar itself."
        )


def _delayed_parts(X, name):
    """The partitions of a collection, whole rows each."""
    _check_collection(X, name)
    if not isinstance(X, dask.array.Array):
        return X.to_delayed()
    if X.ndim == 2:
        X = X.rechunk({1: -1})
    return X.to_delayed().ravel().tolist()


def _like_rows_of(X, other, name):
    """The partitions of a vector that goes with X."""
    if other is None:
        return None
    _check_collection(other, name)
    both_arrays = isinstance(X, dask.array.Array) and isinstance(other, dask.array.Array)
    if both_arrays and other.chunks[0] != X.chunks[0] and not np.isnan([*X.chunks[0], *other.chunks[0]]).any():
        other = other.rechunk({0: X.chunks[0]})
    return _delayed_parts(other, name)


class _OnDask:
    """What the estimators on Dask share."""

    #: The attribute that weighs rows.
    _weighs = "_model"

    @property
    def client_(self):
        """The Dask client: the one given, or the current one."""
        return distributed.default_client() if self.client is None else self.client

    def __getstate__(self):
        # A client is bound to its process, and what is lazy to its cluster.
        state = super().__getstate__().copy()
        state["client"] = None
        state.pop("weights_", None)
        return state

    def __sklearn_clone__(self):
        return type(self)(**self.get_params(deep=False))

    def to_local(self):
        """The same estimator for data in memory.

        Returns
        -------
        estimator : object
            Of the class without ``Dask`` in its name, fitted; its ``weights_`` are None.
        """
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        del parameters["client"]
        estimator = type(self).__bases__[1](**parameters)
        for name, value in vars(self).items():
            if name.endswith("_") or name in ("_model", "_function"):
                setattr(estimator, name, value)
        estimator.weights_ = None
        return estimator

    def _names_of(self, X):
        """Sets the number and the names of the features."""
        if getattr(X, "ndim", 0) != 2:
            raise ValueError("Expected 2D array, got 1D array instead: X needs a column per feature.")
        for attribute in ("feature_names_in_", "n_features_in_"):
            if hasattr(self, attribute):
                delattr(self, attribute)
        self.n_features_in_ = int(X.shape[1])
        if _is_frame(X):
            self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        return names_of(self)

    def _check_names(self, X):
        _check_collection(X)
        check_is_fitted(self)
        columns = list(map(str, X.columns)) if _is_frame(X) else None
        known = getattr(self, "feature_names_in_", None)
        if columns is not None and known is not None and columns != list(known):
            raise ValueError(
                "The feature names should match those that were passed during fit: "
                f"fitted with {list(known)}, given {columns}."
            )
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input."
            )
        return names_of(self)

    def _on_workers(self, X, y, sample_weight, target, classify, work):
        """Surveys and encodes the partitions, and has `work` done with them; they are given up afterwards."""
        client = self.client_
        names = self._names_of(X)
        roles = {
            "names": names,
            "target": target,
            "weighted": sample_weight is not None,
            "classify": classify,
            "max_levels": self.max_levels,
        }
        columns = [_delayed_parts(X, "X"), _like_rows_of(X, y, "y"), _like_rows_of(X, sample_weight, "sample_weight")]
        for name, parts in zip(("y", "sample_weight"), columns[1:]):
            if parts is not None and len(parts) != len(columns[0]):
                raise ValueError(
                    f"{name} has {len(parts)} partitions and X has {len(columns[0])}: repartition one of them, so that "
                    "their rows go together."
                )
        count = len(columns[0])
        given = [parts if parts is not None else [None] * count for parts in columns]
        rows = client.compute([dask.delayed(_rows)(*part) for part in zip(*given)])
        surveyed = [client.submit(_survey, part, roles, number, pure=False) for number, part in enumerate(rows)]
        surveyed = client.gather(surveyed)
        surveys = [survey for survey, _ in surveyed]
        classes = [found for _, found in surveyed if found is not None and len(found)]
        if classes:
            self.classes_ = np.unique(np.concatenate(classes))
        frame, kept = _core.draft_frame(surveys, roles)
        starts = np.concatenate([[0], np.cumsum(kept)[:-1]]).astype(int).tolist()
        parts = [client.submit(_encode, part, roles, frame, first, pure=False) for part, first in zip(rows, starts)]
        bounds = _core.blocks(sum(kept))
        blocks = []
        for start, end in bounds:
            first, last = bisect.bisect_right(starts, start) - 1, bisect.bisect_left(starts, end)
            blocks.append(client.submit(_block, start, end, parts[first:last], pure=False))
        # Until they are cut into blocks the rows are needed as they came, and no longer.
        distributed.wait(blocks)
        del rows, parts
        held = _Rows(client, blocks, [start for start, _ in bounds])
        del blocks
        try:
            return work(held, surveys, roles)
        finally:
            # Also after an error, whose traceback may be kept for long.
            held.release()

    def weigh(self, X):
        """Weights of rows, on the scale on which the training rows have mean 1; lazy.

        Parameters
        ----------
        X : dask array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        weights : dask array or series of shape (n_samples,)
        """
        names = self._check_names(X)
        return self._lazy(X, _weigh_part, getattr(self, self._weighs), names)

    def _lazy_weights(self, X, sample_weight):
        weights = self.weigh(X)
        return weights if sample_weight is None else weights * (sample_weight > 0)

    def _lazy(self, X, function, *arguments, width=None, dtype=np.float64):
        """A function of every partition, as a collection of the same kind."""
        if _is_frame(X):
            shape = (0,) if width is None else (0, width)
            made = X.map_partitions(
                _in_frame,
                function,
                arguments,
                width,
                meta=_in_frame(X._meta, lambda _X, *_: np.empty(shape, dtype=dtype), arguments, width),
            )
            return made
        X = X.rechunk({1: -1})
        if width is None:
            return X.map_blocks(function, *arguments, drop_axis=1, dtype=dtype, meta=np.empty(0, dtype=dtype))
        return X.map_blocks(
            function, *arguments, chunks=(X.chunks[0], (width,)), dtype=dtype, meta=np.empty((0, 0), dtype=dtype)
        )


def _in_frame(X, function, arguments, width):
    import pandas

    values = function(X, *arguments)
    if width is None:
        return pandas.Series(values, index=X.index)
    return pandas.DataFrame(values, index=X.index)


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


def _class_part(X, model, names, classes):
    return classes[(_predict_part(X, model, names) >= 0.5).astype(int)]


def _probabilities_part(X, model, names):
    second = _predict_part(X, model, names)
    return np.column_stack([1 - second, second])


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
