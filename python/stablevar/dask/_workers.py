"""What workers run."""

from __future__ import annotations

import os
from typing import Any, Callable

import distributed
import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray

from .. import _core
from .._tables import Frame, text_column


@sizeof.register(_core.EncodedRows)
def _sizeof(rows: _core.EncodedRows) -> int:
    return rows.nbytes


def _share_cores() -> None:
    """Lets the core use as many threads as the worker has, unless it was told otherwise; the first call decides."""
    if "RAYON_NUM_THREADS" not in os.environ:
        try:
            threads = distributed.get_worker().state.nthreads
        except ValueError:
            return
        os.environ["RAYON_NUM_THREADS"] = str(threads)


def _array(values: Any, dtype: Any = np.float64) -> NDArray[Any]:
    """A contiguous array; what came over the network may also lie askew in memory."""
    return np.require(values, dtype=dtype, requirements=["C_CONTIGUOUS", "ALIGNED"])


def _covariates(X: Any) -> _core.Input:
    """Rows of covariates as the core reads them."""
    frame = Frame.of(X)
    if frame is None:
        return _array(X)
    if frame.is_numeric():
        return _array(X.to_numpy(dtype=np.float64, na_value=np.nan))
    # What to do with missing values the core knows, and says where they are if they are refused.
    return frame.input(missing=True)


def _outcome(y: Any, classify: bool) -> tuple[_core.Column | None, NDArray[Any] | None]:
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


def _raw(rows: tuple[Any, Any, Any], classify: bool) -> tuple[_core.RawPart, NDArray[Any] | None]:
    X, y, sample_weight = rows
    target, classes = _outcome(y, classify)
    if sample_weight is not None:
        sample_weight = _array(np.asarray(sample_weight))
    return {"input": _covariates(X), "target": target, "sample_weight": sample_weight}, classes


def _rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    return X, y, sample_weight


def _survey(rows: tuple[Any, Any, Any], roles: _core.Roles, number: int) -> tuple[str, NDArray[Any] | None]:
    _share_cores()
    try:
        raw, classes = _raw(rows, roles["classify"])
        return _core.survey_part(raw, roles), classes
    except ValueError as error:
        raise ValueError(f"partition {number}: {error}") from error


def _encode(rows: tuple[Any, Any, Any], roles: _core.Roles, draft: str, first: int) -> _core.EncodedRows:
    _share_cores()
    return _core.EncodedRows.encode(_raw(rows, roles["classify"])[0], roles, draft, first)


def _block(start: int, end: int, parts: list[_core.EncodedRows]) -> _core.EncodedRows:
    cuts = [part.cut(start, end) for part in parts]
    return cuts[0] if len(cuts) == 1 else _core.EncodedRows.join(cuts)


def _restore(frame: str, first: int, rows: _core.EncodedArrays) -> _core.EncodedRows:
    """A block that was sent from one worker to another."""
    X, y, sample_weight = rows
    return _core.restore_rows(frame, first, (_array(X), _array(y), _array(sample_weight)))


def _run(part: _core.EncodedRows, what: str) -> NDArray[np.float64]:
    _share_cores()
    return part.run(what)


def _merge(what: str, sums: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return _core.merge_sums(what, [_array(part) for part in sums])


def _take(part: _core.EncodedRows, places: list[int]) -> _core.EncodedArrays:
    return part.take(places)


def _keep_columns(part: _core.EncodedRows, keep: list[int], frame: str) -> _core.EncodedRows:
    return part.keep_columns(keep, frame)


def _predict_part(X: Any, model: _core.Model, names: list[str]) -> NDArray[np.float64]:
    _share_cores()
    return model.predict(_covariates(X), names)[0]


def _weigh_part(
    X: Any, function: _core.Model | _core.WeightModel | None, names: list[str], without_gaps: bool = False
) -> NDArray[np.float64]:
    """Weights of some rows; those with missing values have none if rows without them were fitted to."""
    _share_cores()
    if without_gaps:
        whole = ~np.asarray(X.isna() if hasattr(X, "isna") else np.isnan(X)).any(axis=1)
        if not whole.all():
            weights = np.zeros(len(X))
            weights[whole] = _weigh_part(X[whole], function, names) if whole.any() else 0.0
            return weights
    found = None if function is None else function.weigh(_covariates(X), names)
    return np.ones(len(X)) if found is None else found[0]


def _class_part(X: Any, model: _core.Model, names: list[str], classes: NDArray[Any]) -> NDArray[Any]:
    return classes[(_predict_part(X, model, names) >= 0.5).astype(int)]


def _probabilities_part(X: Any, model: _core.Model, names: list[str]) -> NDArray[np.float64]:
    second = _predict_part(X, model, names)
    return np.column_stack([1 - second, second])


def _in_frame(X: Any, function: Callable[..., Any], arguments: tuple[Any, ...], width: int | None) -> Any:
    import pandas

    values = function(X, *arguments)
    if width is None:
        return pandas.Series(values, index=X.index)
    return pandas.DataFrame(values, index=X.index)
