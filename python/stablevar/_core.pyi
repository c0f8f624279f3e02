"""The compiled part. Columns are float64 arrays, bool arrays, or (codes, levels) for text."""

from os import PathLike
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

#: Booleans of which some are missing are int8: 1, 0, and -1 where they are.
Column = (
    NDArray[np.float64]
    | NDArray[np.bool_]
    | NDArray[np.int8]
    | tuple[NDArray[np.int64], list[str]]
    | tuple[NDArray[np.float64], str]
)
Input = NDArray[np.float64] | list[Column]

__version__: str

class Model:
    @staticmethod
    def from_json(text: str) -> Model: ...
    def to_json(self) -> str: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def report(
        self, path: str | PathLike[str], evaluation: tuple[str, str, list[str], list[tuple[str, list[float]]]] | None
    ) -> None: ...
    def summary(self) -> str: ...
    def correlations(self) -> str: ...
    def predict(self, input: Input, names: list[str]) -> tuple[NDArray[np.float64], str]: ...
    def weigh(self, input: Input, names: list[str]) -> tuple[NDArray[np.float64], str] | None: ...
    def foresee(self, input: Input, names: list[str]) -> str: ...
    def shift_curve(self, column: str) -> str: ...
    def shift_curves(self) -> list[str]: ...
    def shift_grid(self, first: str, second: str) -> str: ...
    def shifted(self, shifts: list[tuple[str, float]]) -> str: ...

class WeightModel:
    @staticmethod
    def from_json(text: str) -> WeightModel: ...
    def to_json(self) -> str: ...
    def weigh(self, input: Input, names: list[str]) -> tuple[NDArray[np.float64], str]: ...

#: Covariates ("input"), outcome ("target") and "sample_weight" of some rows.
RawPart = dict[str, Any]
#: "names", "target", "weighted", "classify", "max_levels", "missing", "stable", "unstable",
#: "counts".
Roles = dict[str, Any]
EncodedArrays = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

BRANCHES: int

class EncodedRows:
    @staticmethod
    def encode(part: RawPart, roles: Roles, draft: str, first: int) -> EncodedRows: ...
    @staticmethod
    def join(parts: list[EncodedRows]) -> EncodedRows: ...
    def cut(self, start: int, end: int) -> EncodedRows: ...
    def run(self, what: str) -> NDArray[np.float64]: ...
    def take(self, places: list[int]) -> EncodedArrays: ...
    def keep_columns(self, keep: list[int], frame: str) -> EncodedRows: ...
    @property
    def nbytes(self) -> int: ...

def restore_rows(frame: str, first: int, rows: EncodedArrays) -> EncodedRows: ...
def survey_part(part: RawPart, roles: Roles) -> str: ...
def draft(looks: list[str], roles: Roles) -> tuple[str, list[int]]: ...
def blocks(rows: int) -> list[tuple[int, int]]: ...
def merge_sums(what: str, parts: list[NDArray[np.float64]]) -> NDArray[np.float64]: ...
def fit_parts(
    method: str,
    settings: str,
    source: Any,
    draft: str,
    command: str,
    dates: list[str],
    progress: Callable[[str, int], Any] | None = None,
) -> Model: ...
def reweigh_parts(
    name: str,
    settings: str,
    source: Any,
    draft: str,
    names: list[str],
    stable: list[float] | None,
) -> tuple[WeightModel | None, str]: ...
def catalogue() -> str: ...
def fit(
    method: str,
    settings: str,
    input: Input,
    names: list[str],
    target: Column,
    target_name: str,
    sample_weight: NDArray[np.float64] | None,
    environment: tuple[Column, str] | None,
    classify: bool,
    command: str,
    progress: Callable[[str, int], Any] | None = None,
    groups: NDArray[np.float64] | None = None,
) -> tuple[Model, NDArray[np.float64]]: ...
def reselect(
    model: Model,
    settings: str,
    names: list[str],
    rows: tuple[Input, Column, str, NDArray[np.float64] | None] | None,
    command: str,
    progress: Callable[[str, int], Any] | None = None,
) -> tuple[Model, NDArray[np.float64] | None]: ...
def reweigh(
    name: str,
    settings: str,
    input: Input,
    names: list[str],
    sample_weight: NDArray[np.float64] | None,
    stable: list[float] | None,
) -> tuple[NDArray[np.float64], WeightModel | None, str]: ...
def balance_path(
    settings: str,
    input: Input,
    names: list[str],
    sample_weight: NDArray[np.float64] | None,
    stable: list[float] | None,
) -> tuple[list[WeightModel], str]: ...
def errors_by_environment(
    metric: str, environments: list[str], truth: NDArray[np.float64], predicted: NDArray[np.float64]
) -> tuple[str, list[tuple[str, float]]]: ...
def held_out(
    settings: str,
    input: Input,
    names: list[str],
    target: Column,
    sample_weight: NDArray[np.float64] | None,
    classify: bool,
    environment: Column | None,
) -> tuple[list[int], list[tuple[str, list[int]]], int]: ...
def compare(
    settings: str,
    methods: list[str],
    input: Input,
    names: list[str],
    target: Column,
    sample_weight: NDArray[np.float64] | None,
    classify: bool,
    environment: Column | None,
    guests: list[tuple[str, int, float, list[NDArray[np.float64]]]],
    repeat_selection: bool,
    progress: Callable[[str, int], Any] | None = None,
) -> str: ...
def labels(names: list[str], most: int) -> list[str]: ...
def simulate(
    rows: int,
    rate: float,
    seed: int,
    columns: int,
    stable: int | None,
    biased: int | None,
    noise_variance: float | None,
    network: tuple[int, int] | None = None,
) -> list[tuple[str, NDArray[np.float64]]]: ...
def real_data(
    name: str, cache: str | PathLike[str] | None = None
) -> tuple[list[tuple[str, NDArray[np.float64] | NDArray[np.bool_] | list[str | None]]], str, str]: ...
