"""From arrays and data frames to what the compiled core reads, without copies where the layout allows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import validate_data

from . import _core


class Frame:
    """A data frame of pandas, polars or pyarrow, column by column."""

    def __init__(self, names: list[Any], columns: list[Any]) -> None:
        self.names = names
        self.columns = columns

    @classmethod
    def of(cls, X: Any) -> Frame | None:
        """The columns of a data frame, or None for anything else."""
        module = type(X).__module__.partition(".")[0]
        if module == "pandas" and hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
            return cls(list(X.columns), [X.iloc[:, k] for k in range(X.shape[1])])
        if module == "polars" and hasattr(X, "get_columns"):
            return cls(list(X.columns), X.get_columns())
        if module == "pyarrow" and hasattr(X, "column_names"):
            return cls(list(X.column_names), [column.combine_chunks() for column in X.columns])
        return None

    def is_numeric(self) -> bool:
        """Whether every column holds numbers."""
        return all(_kind(column) == "number" for column in self.columns)

    def is_text(self) -> list[bool]:
        """For every column whether it holds text or categories."""
        return [_kind(column) == "text" for column in self.columns]

    def input(self) -> list[_core.Column]:
        """The columns for the core."""
        return [_column(column, name) for column, name in zip(self.columns, self.names)]


def _kind(column: Any) -> str:
    """number, boolean or text."""
    module = type(column).__module__.partition(".")[0]
    if module == "pyarrow":
        import pyarrow.types as types

        if types.is_boolean(column.type):
            return "boolean"
        is_number = types.is_integer(column.type) or types.is_floating(column.type) or types.is_decimal(column.type)
        return "number" if is_number else "text"
    if module == "polars":
        name = str(column.dtype)
        return "boolean" if name == "Boolean" else "number" if column.dtype.is_numeric() else "text"
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_bool_dtype(column.dtype):
        return "boolean"
    return "number" if is_numeric_dtype(column.dtype) else "text"


def _column(column: Any, name: Any) -> _core.Column:
    kind = _kind(column)
    module = type(column).__module__.partition(".")[0]
    if kind == "number":
        if module == "pandas":
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        elif module == "polars":
            numbers = column.cast(_polars_float(column)).fill_null(float("nan")).to_numpy()
        else:
            numbers = column.cast("float64").to_numpy(zero_copy_only=False)
        numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        assert_all_finite(numbers, input_name=f"X (column {name!r})")
        return numbers
    if kind == "boolean":
        flags = np.asarray(column.to_numpy() if module != "pyarrow" else column.to_pylist(), dtype=object)
        if any(flag is None or flag != flag for flag in flags):
            raise ValueError(f"Input X (column {name!r}) contains NaN.")
        return flags.astype(bool)
    return text_column(_texts(column, module, name), f"X (column {name!r})")


def _polars_float(column: Any) -> Any:
    import polars

    return polars.Float64


def _texts(column: Any, module: str, name: Any) -> list[Any]:
    if module == "pyarrow":
        values = column.to_pylist()
    elif module == "polars":
        values = column.to_list()
    else:
        values = column.tolist()
    for value in values:
        if value is not None and not isinstance(value, (str, int, float, bool, np.generic)):
            raise TypeError(
                f"Column {name!r} holds {type(value).__name__} objects; numbers, booleans or text are needed."
            )
    return values


def text_column(values: list[Any], input_name: str) -> _core.Column:
    """Texts as positions in the list of distinct ones, in order of appearance."""
    levels: dict[str, int] = {}
    codes: NDArray[np.int64] = np.empty(len(values), dtype=np.int64)
    for k, value in enumerate(values):
        if value is None or value != value:
            raise ValueError(f"Input {input_name} contains NaN.")
        codes[k] = levels.setdefault(str(value), len(levels))
    return (codes, list(levels))


def read(estimator: Any, X: Any, *, reset: bool, minimum: int = 1) -> tuple[_core.Input, list[str]]:
    """What the core reads of X, and the columns' names.

    Checks of shape, names and values, and their messages, are scikit-learn's.
    """
    frame = Frame.of(X)
    if frame is not None and not frame.is_numeric():
        names = [str(name) for name in frame.names]
        if reset:
            estimator.n_features_in_ = len(names)
            if all(isinstance(name, str) for name in frame.names):
                estimator.feature_names_in_ = np.array(frame.names, dtype=object)
            elif hasattr(estimator, "feature_names_in_"):
                del estimator.feature_names_in_
        else:
            validate_data(estimator, X, reset=False, skip_check_array=True)
        if len(X) < minimum:
            raise ValueError(f"Found array with {len(X)} sample(s) while a minimum of {minimum} is required.")
        return frame.input(), names
    if frame is not None and type(X).__module__.partition(".")[0] == "pyarrow":
        # scikit-learn knows no pyarrow tables.
        import pandas

        X = pandas.DataFrame(
            dict(zip(frame.names, (column.to_numpy(zero_copy_only=False) for column in frame.columns)))
        )
    X = validate_data(estimator, X, reset=reset, dtype=np.float64, ensure_min_samples=minimum)
    # An array may lie askew in its buffer, which compiled code can't read.
    return np.require(X, requirements=["ALIGNED"]), names_of(estimator)


def names_of(estimator: Any) -> list[str]:
    """The columns' names, made up as scikit-learn does where there are none."""
    if hasattr(estimator, "feature_names_in_"):
        return [str(name) for name in estimator.feature_names_in_]
    return [f"x{k}" for k in range(estimator.n_features_in_)]
