"""What workers run."""

from __future__ import annotations

import os

import distributed
import numpy as np
from dask.sizeof import sizeof

from .. import _core
from .._tables import Frame, text_column


@sizeof.register(_core.EncodedRows)
def _sizeof(rows: _core.EncodedRows) -> int:
    return rows.nbytes


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


def _encode(rows, roles, draft, first):
    _share_cores()
    return _core.EncodedRows.encode(_raw(rows, roles["classify"])[0], roles, draft, first)


def _block(start, end, parts):
    cuts = [part.cut(start, end) for part in parts]
    return cuts[0] if len(cuts) == 1 else _core.EncodedRows.join(cuts)


def _restore(frame, first, rows):
    """A block that was sent from one worker to another."""
    return _core.restore_rows(frame, first, tuple(_array(values) for values in rows))


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
    return model.predict(_covariates(X), names)[0]


def _weigh_part(X, function, names, sample_weight=None):
    _share_cores()
    weights = function.weigh(_covariates(X), names)
    if weights is None:
        weights = np.ones(len(X))
    return weights if sample_weight is None else np.where(np.asarray(sample_weight) > 0, weights, 0.0)


def _class_part(X, model, names, classes):
    return classes[(_predict_part(X, model, names) >= 0.5).astype(int)]


def _probabilities_part(X, model, names):
    second = _predict_part(X, model, names)
    return np.column_stack([1 - second, second])


def _in_frame(X, function, arguments, width):
    import pandas

    values = function(X, *arguments)
    if width is None:
        return pandas.Series(values, index=X.index)
    return pandas.DataFrame(values, index=X.index)
