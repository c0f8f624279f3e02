"""What the client does: it sends rows to the workers, and adds up what they found."""

from __future__ import annotations

import bisect
from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from typing import Any, Callable

import dask.array
import dask.dataframe
import distributed
import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._settings import Parametrised
from .._tables import names_of
from ._workers import (
    _array,
    _block,
    _encode,
    _in_frame,
    _keep_columns,
    _merge,
    _rows,
    _run,
    _survey,
    _take,
    _weigh_part,
)


class _Rows:
    """Encoded blocks of rows on the workers, as the core asks for them."""

    def __init__(self, client: Any, parts: list[Any], starts: list[int]) -> None:
        self._client = client
        self._parts = parts
        self._starts = starts

    def run(self, what: str) -> NDArray[np.float64]:
        """The sums of a pass over all blocks."""
        sums = self._client.map(_run, self._parts, what=what, pure=False)
        while len(sums) > 1:
            groups = [sums[k : k + _core.BRANCHES] for k in range(0, len(sums), _core.BRANCHES)]
            sums = [self._client.submit(_merge, what, group, pure=False) for group in groups]
        return _array(sums[0].result())

    def take(self, places: Sequence[int]) -> tuple[NDArray[np.float64], ...]:
        """Some rows, in the order asked for."""
        asked = np.asarray(places, dtype=np.int64)
        order = np.argsort(asked, kind="stable")
        bounds = np.array([*self._starts, np.iinfo(np.int64).max])
        cuts: NDArray[np.intp] = np.searchsorted(asked[order], bounds)
        groups = [order[cuts[k] : cuts[k + 1]] for k in range(len(self._parts))]
        found = [
            self._client.submit(_take, self._parts[k], asked[group].tolist(), pure=False)
            for k, group in enumerate(groups)
            if len(group)
        ]
        arrays = zip(*self._client.gather(found))
        back = np.argsort(np.concatenate([group for group in groups if len(group)]))
        return tuple(_array(np.concatenate(array)[back]) for array in arrays)

    def release(self) -> None:
        """Gives the blocks up."""
        self._parts = []

    def keep_columns(self, keep: list[int], frame: str) -> None:
        """Leaves the blocks with some of their columns."""
        self._parts = self._client.map(_keep_columns, self._parts, keep=keep, frame=frame, pure=False)
        distributed.wait(self._parts)


def _is_frame(X: Any) -> bool:
    return isinstance(X, dask.dataframe.DataFrame)


def _is_array(X: Any) -> bool:
    return isinstance(X, dask.array.Array)


def _check_collection(X: Any, name: str = "X") -> None:
    if not (_is_frame(X) or _is_array(X) or isinstance(X, dask.dataframe.Series)):
        raise TypeError(
            f"{name} must be a Dask array or data frame, not {type(X).__name__}. For data in memory use the estimators "
            "of stablevar itself."
        )


def _delayed_parts(X: Any, name: str) -> list[Any]:
    """The partitions of a collection, whole rows each."""
    _check_collection(X, name)
    if not _is_array(X):
        parts = list(X.to_delayed())
        # Dask may join partitions of which few columns are read, and rows would no longer go together.
        return parts if len(parts) == X.npartitions else list(X.to_delayed(optimize_graph=False))
    if X.ndim == 2:
        X = X.rechunk({1: -1})
    return list(X.to_delayed().ravel())


def _like_rows_of(X: Any, other: Any, name: str) -> list[Any] | None:
    """The partitions of a vector that goes with X."""
    if other is None:
        return None
    _check_collection(other, name)
    both_arrays = _is_array(X) and _is_array(other)
    if both_arrays and other.chunks[0] != X.chunks[0] and not np.isnan([*X.chunks[0], *other.chunks[0]]).any():
        other = other.rechunk({0: X.chunks[0]})
    return _delayed_parts(other, name)


class _OnDask(Parametrised, metaclass=ABCMeta):
    """What the estimators on Dask share."""

    client: Any
    max_levels: int
    weight_kind: Any
    weights_: Any

    @property
    def client_(self) -> Any:
        """The Dask client: the one given, or the current one."""
        return distributed.default_client() if self.client is None else self.client

    def __getstate__(self) -> dict[str, Any]:
        # A client is bound to its process, and what is lazy to its cluster.
        state = super().__getstate__().copy()
        state["client"] = None
        state.pop("weights_", None)
        return state

    def __sklearn_clone__(self) -> Any:
        return type(self)(**self.get_params(deep=False))

    def to_local(self) -> Any:
        """The same estimator for data in memory.

        Returns
        -------
        estimator : object
            Of the class without ``Dask`` in its name, fitted; its ``weights_`` are None.
        """
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        del parameters["client"]
        local: Any = type(self).__bases__[1]
        estimator = local(**parameters)
        for name, value in vars(self).items():
            if name.endswith("_") or name in ("_model", "_function"):
                setattr(estimator, name, value)
        estimator.weights_ = None
        return estimator

    def _names_of(self, X: Any) -> list[str]:
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

    def _check_names(self, X: Any) -> list[str]:
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

    def _on_workers(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        target: str | None,
        classify: bool,
        work: Callable[[_Rows, str], Any],
    ) -> Any:
        """Surveys and encodes the partitions, and has `work` done with them; they are given up afterwards."""
        client = self.client_
        names = self._names_of(X)
        roles = {
            "names": names,
            "target": target,
            "weighted": sample_weight is not None,
            "classify": classify,
            "max_levels": self.max_levels,
            "missing": self.missing,
            **self._told(names),
            "counts": self.weight_kind == "frequency",
        }
        covariates = _delayed_parts(X, "X")
        count = len(covariates)
        given = [covariates]
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            like_rows = _like_rows_of(X, values, name)
            if like_rows is not None and len(like_rows) != count:
                raise ValueError(
                    f"{name} has {len(like_rows)} partitions and X has {count}: repartition one of them, so that "
                    "their rows go together."
                )
            given.append([None] * count if like_rows is None else like_rows)
        rows = client.compute([delayed(_rows)(*part) for part in zip(*given)])
        surveyed = [client.submit(_survey, part, roles, number, pure=False) for number, part in enumerate(rows)]
        surveyed = client.gather(surveyed)
        surveys = [survey for survey, _ in surveyed]
        classes = [found for _, found in surveyed if found is not None and len(found)]
        if classes:
            self.classes_ = np.unique(np.concatenate(classes))
        draft, kept = _core.draft(surveys, roles)
        starts = np.concatenate([[0], np.cumsum(kept)[:-1]]).astype(int).tolist()
        parts = [client.submit(_encode, part, roles, draft, first, pure=False) for part, first in zip(rows, starts)]
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
            return work(held, draft)
        finally:
            # Also after an error, whose traceback may be kept for long.
            held.release()

    def weigh(self, X: Any) -> Any:
        """Weights of rows, on the scale on which the training rows have mean 1; lazy.

        Parameters
        ----------
        X : dask array or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        weights : dask array or series of shape (n_samples,)
        """
        self._check_names(X)
        return self._lazy_weights(X, self._weighing(), None)

    @abstractmethod
    def _weighing(self) -> _core.Model | _core.WeightModel:
        """What weighs rows."""

    def _lazy_weights(self, X: Any, weighing: _core.Model | _core.WeightModel | None, sample_weight: Any) -> Any:
        weights = self._lazy(X, _weigh_part, weighing, names_of(self), self.missing == "drop")
        return weights if sample_weight is None else weights * (sample_weight > 0)

    def _lazy(
        self, X: Any, function: Callable[..., Any], *arguments: Any, width: int | None = None, dtype: Any = np.float64
    ) -> Any:
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
