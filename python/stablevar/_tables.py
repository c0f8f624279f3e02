"""From arrays and data frames to what the compiled core reads, without copies where the layout allows."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import validate_data

from . import _core

#: What to do about missing values.
MISSING_HINT = (
    'Hint: missing="drop" leaves such rows out; missing="mean" puts the mean of the column, '
    "for text the most frequent one."
)


def library_of(thing: Any) -> str:
    """The library that a data frame or a column is of."""
    return type(thing).__module__.partition(".")[0]


class Frame:
    """A data frame of pandas, polars or pyarrow, column by column."""

    def __init__(self, names: list[Any], columns: list[Any]) -> None:
        self.names = names
        self.columns = columns

    @classmethod
    def of(cls, X: Any) -> Frame | None:
        """The columns of a data frame, or None for anything else."""
        module = library_of(X)
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

    def dates(self) -> list[str]:
        """The names of the columns that hold dates."""
        return [str(name) for name, column in zip(self.names, self.columns) if _kind(column) == "date"]

    def input(self, missing: bool = False) -> list[_core.Column]:
        """The columns for the core; missing values are refused unless the core is to deal with them."""
        return [_column(column, name, missing) for column, name in zip(self.columns, self.names)]

    def levels(self) -> dict[str, list[Any]]:
        """The different values of every text column, in order."""
        texts = [(name, column) for name, column, text in zip(self.names, self.columns, self.is_text()) if text]
        return {
            str(name): sorted({v for v in _values(column) if not _is_missing(v)}, key=str) for name, column in texts
        }

    def unseen(self, places: NDArray[Any], levels: dict[str, list[Any]]) -> dict[str, int]:
        """In how many rows each of some columns has a text that is not among its levels, where it has any."""
        counts = {}
        for name, column in ((str(self.names[k]), self.columns[k]) for k in places):
            if name in levels and _kind(column) == "text":
                known = set(levels[name])
                counts[name] = sum(not _is_missing(value) and value not in known for value in _values(column))
        return {name: count for name, count in counts.items() if count}

    def kept(self, X: Any, places: NDArray[Any], levels: dict[str, list[Any]]) -> Any:
        """Some columns of the frame: with texts among them a frame, in which they are categories, else numbers.

        Dates are days, as the estimators read them.
        """
        chosen = [(str(self.names[k]), self.columns[k]) for k in places]
        texts = [name for name, column in chosen if _kind(column) == "text"]
        dates = {name: _days(column) for name, column in chosen if _kind(column) == "date"}
        if not texts:
            numbers = [
                dates[name] if name in dates else np.asarray(_values(column), dtype=np.float64)
                for name, column in chosen
            ]
            return np.column_stack(numbers) if numbers else np.empty((len(X), 0))
        module = library_of(X)
        if module == "polars":
            import polars

            kinds = {name: polars.Enum([str(level) for level in levels[name]]) for name in texts}
            casts = [polars.col(name).cast(polars.String).cast(kind, strict=False) for name, kind in kinds.items()]
            days = [polars.Series(name, values, nan_to_null=True) for name, values in dates.items()]
            return X.select([name for name, _ in chosen]).with_columns([*casts, *days])
        import pandas

        made = X.iloc[:, places].copy() if module == "pandas" else X.select([name for name, _ in chosen]).to_pandas()
        for k, (name, _) in enumerate(chosen):
            if name in texts:
                values = [value if not _is_missing(value) else None for value in made.iloc[:, k].tolist()]
                known = set(levels[name])
                categories = pandas.Categorical([v if v in known else None for v in values], categories=levels[name])
                made[made.columns[k]] = pandas.Series(categories, index=made.index)
            elif name in dates:
                made[made.columns[k]] = pandas.Series(dates[name], index=made.index)
        return made


def _values(column: Any) -> list[Any]:
    """The values of a column of any library."""
    module = library_of(column)
    return column.to_pylist() if module == "pyarrow" else column.to_list() if module == "polars" else column.tolist()


def _kind(column: Any) -> str:
    """number, boolean, date or text."""
    module = library_of(column)
    if module == "pyarrow":
        import pyarrow.types as types

        if types.is_boolean(column.type):
            return "boolean"
        if types.is_timestamp(column.type) or types.is_date(column.type):
            return "date"
        is_number = types.is_integer(column.type) or types.is_floating(column.type) or types.is_decimal(column.type)
        return "number" if is_number else "text"
    if module == "polars":
        name = str(column.dtype)
        if name.startswith("Date"):  # Date and Datetime, whatever its unit and zone.
            return "date"
        return "boolean" if name == "Boolean" else "number" if column.dtype.is_numeric() else "text"
    from pandas.api.types import infer_dtype, is_bool_dtype, is_numeric_dtype

    if is_bool_dtype(column.dtype):
        return "boolean"
    if is_numeric_dtype(column.dtype):
        return "number"
    # Most objects are texts, which need no longer look.
    if column.dtype == object and (len(column) == 0 or isinstance(column.iloc[0], str)):
        return "text"
    return "date" if infer_dtype(column, skipna=True) in ("datetime64", "datetime", "date") else "text"


def _days(column: Any) -> NDArray[np.float64]:
    """Dates as days since 1970-01-01 with the time of day, of Greenwich where there is a zone, as their fraction."""
    module = library_of(column)
    if module == "pandas":
        from pandas import to_datetime

        # Dates as objects become pandas' own, and zones Greenwich.
        column = to_datetime(column, utc=getattr(column.dtype, "tz", None) is not None or column.dtype == object)
        times = (column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz is not None else column).to_numpy()
    elif module == "polars":
        if getattr(column.dtype, "time_zone", None) is not None:
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        times = column.to_numpy()
    else:
        times = column.to_numpy(zero_copy_only=False)
    # Whole days and the rest apart: nanoseconds since 1970 are more than a float tells apart.
    days = times.astype("datetime64[D]")
    seconds = (times - days) / np.timedelta64(1, "s")
    return np.where(np.isnat(times), np.nan, days.astype(np.int64) + seconds / 86_400)


def _column(column: Any, name: Any, missing: bool) -> _core.Column:
    kind = _kind(column)
    module = library_of(column)
    if kind in ("number", "date"):
        if kind == "date":
            numbers = _days(column)
        elif module == "pandas":
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        elif module == "polars":
            numbers = column.cast(_polars_float(column)).fill_null(float("nan")).to_numpy()
        else:
            numbers = column.cast("float64").to_numpy(zero_copy_only=False)
        numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        with _told_of_missing():
            assert_all_finite(numbers, allow_nan=missing, input_name=f"X (column {name!r})")
        # A model of dates can read them where a file writes them.
        return (numbers, kind) if kind == "date" else numbers
    if kind == "boolean":
        flags = _values(column)
        absent = np.array([_is_missing(flag) for flag in flags], dtype=bool)
        if not absent.any():
            return np.array(flags, dtype=bool)
        if not missing:
            raise ValueError(f"Input X (column {name!r}) contains NaN. {MISSING_HINT}")
        return np.array([-1 if gone else int(flag) for gone, flag in zip(absent, flags)], dtype=np.int8)
    return text_column(_texts(column, name), f"X (column {name!r})", missing)


@contextlib.contextmanager
def _told_of_missing() -> Iterator[None]:
    """scikit-learn's word on missing values with our hint, where it would go on about other estimators."""
    try:
        yield
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise ValueError(f"{str(error).splitlines()[0]} {MISSING_HINT}") from None


def _polars_float(column: Any) -> Any:
    import polars

    return polars.Float64


def _texts(column: Any, name: Any) -> list[Any]:
    values = _values(column)
    for value in values:
        if not _is_missing(value) and not isinstance(value, (str, int, float, bool, np.generic)):
            raise TypeError(
                f"Column {name!r} holds {type(value).__name__} objects; numbers, booleans, dates or text are needed."
            )
    return values


def _is_missing(value: Any) -> bool:
    """Whether it is None, NaN or one of pandas' own marks, which equal nothing, not even themselves."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def text_column(values: list[Any], input_name: str, missing: bool = False) -> _core.Column:
    """Texts as positions in the list of distinct ones, in order of appearance; -1 where one is missing."""
    levels: dict[str, int] = {}
    codes: NDArray[np.int64] = np.empty(len(values), dtype=np.int64)
    for k, value in enumerate(values):
        if not _is_missing(value):
            codes[k] = levels.setdefault(str(value), len(levels))
        elif missing:
            codes[k] = -1
        else:
            hint = f" {MISSING_HINT}" if input_name.startswith("X") else ""
            raise ValueError(f"Input {input_name} contains NaN.{hint}")
    return (codes, list(levels))


def environment_of(env: Any, X: Any) -> tuple[_core.Column, str] | None:
    """The environment of every row as the core reads it, and its name: values, or a column of X by its name."""
    if env is None:
        return None
    name = str(getattr(env, "name", None) or "environment")
    if isinstance(env, str):
        frame = Frame.of(X)
        if frame is None:
            raise ValueError(f"env={env!r} names a column, and X is no data frame: give an array with a value per row.")
        if env not in frame.names:
            listed = ", ".join(map(str, frame.names))
            raise ValueError(f"there is no column {env!r} in X. Hint: the columns are {listed}")
        name, column = env, frame.columns[frame.names.index(env)]
        env = column.to_pylist() if hasattr(column, "to_pylist") else column.to_numpy()
    values = np.asarray(env).ravel()
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(values) != rows:
        raise ValueError(f"env has {len(values)} values for {rows} rows.")
    if values.dtype == bool:
        return values, name
    if np.issubdtype(values.dtype, np.number):
        numbers = np.ascontiguousarray(values, dtype=np.float64)
        assert_all_finite(numbers, input_name="env")
        return numbers, name
    return text_column(values.tolist(), "env"), name


def without_column(X: Any, name: str | None) -> Any:
    """A data frame without a column, if it has it."""
    if name is None:
        return X
    frame = Frame.of(X)
    if frame is None or name not in frame.names:
        return X
    module = library_of(X)
    if module == "pandas":
        return X.drop(columns=[name])
    return X.drop(name) if module == "polars" else X.drop_columns([name])


def absent_columns(estimator: Any, X: Any) -> list[str]:
    """Columns of the training rows that a data frame of new rows lacks."""
    frame = Frame.of(X)
    if frame is None or not hasattr(estimator, "feature_names_in_"):
        return []
    given = set(frame.names)
    return [name for name in names_of(estimator) if name not in given]


def columns_of_training(estimator: Any, X: Any) -> Any:
    """A data frame of new rows with the columns that training had, in training's order; anything else as it is."""
    frame = Frame.of(X)
    if frame is None or not hasattr(estimator, "feature_names_in_"):
        return X
    given = set(frame.names)
    known = [name for name in names_of(estimator) if name in given]
    if not known or known == frame.names:
        return X
    return X[known] if library_of(X) == "pandas" else X.select(known)


def read(
    estimator: Any, X: Any, *, reset: bool, minimum: int = 1, needed: Collection[str] | None = None
) -> tuple[_core.Input, list[str]]:
    """What the core reads of X, and the columns' names.

    Checks of shape, names and values, and their messages, are scikit-learn's. Missing values are left to the core where
    the estimator's ``missing`` says what to do with them. New rows may lack columns that are not among the ``needed``,
    if these are given.
    """
    frame = Frame.of(X)
    absent = set(absent_columns(estimator, X)) if needed is not None and not reset else set()
    if absent and not absent & set(needed or ()):
        # The checks are those of an estimator that never had them.
        estimator = copy.copy(estimator)
        estimator.feature_names_in_ = np.array([n for n in names_of(estimator) if n not in absent], dtype=object)
        estimator.n_features_in_ = len(estimator.feature_names_in_)
    missing = getattr(estimator, "missing", "refuse") != "refuse"
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
        return frame.input(missing), names
    if frame is not None and library_of(X) == "pyarrow":
        # scikit-learn knows no pyarrow tables.
        import pandas

        X = pandas.DataFrame(
            dict(zip(frame.names, (column.to_numpy(zero_copy_only=False) for column in frame.columns)))
        )
    finite: Any = "allow-nan" if missing else True
    with _told_of_missing():
        X = validate_data(
            estimator, X, reset=reset, dtype=np.float64, ensure_min_samples=minimum, ensure_all_finite=finite
        )
    # An array may lie askew in its buffer, which compiled code can't read.
    return np.require(X, requirements=["ALIGNED"]), names_of(estimator)


def rows_of(X: Any, read_of_it: _core.Input) -> int:
    """The number of rows of X, of which something was read."""
    return read_of_it.shape[0] if isinstance(read_of_it, np.ndarray) else len(X)


def names_of(estimator: Any) -> list[str]:
    """The columns' names, made up as scikit-learn does where there are none."""
    if hasattr(estimator, "feature_names_in_"):
        return [str(name) for name in estimator.feature_names_in_]
    return [f"x{k}" for k in range(estimator.n_features_in_)]
