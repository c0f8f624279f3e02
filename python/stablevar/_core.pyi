"""The compiled part. Columns are float64 arrays, bool arrays, or (codes, levels) for text."""

from os import PathLike
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64] | NDArray[np.bool_] | tuple[NDArray[np.int64], list[str]]
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
    def predict(self, input: Input, names: list[str]) -> NDArray[np.float64]: ...
    def weigh(self, input: Input, names: list[str]) -> NDArray[np.float64] | None: ...

class WeightModel:
    @staticmethod
    def from_json(text: str) -> WeightModel: ...
    def to_json(self) -> str: ...
    def weigh(self, input: Input, names: list[str]) -> NDArray[np.float64]: ...

#: Covariates ("input"), outcome ("target") and "sample_weight" of some rows.
RawPart = dict[str, Any]
#: "names", "target", "weighted", "classify", "max_levels".
Roles = dict[str, Any]
#: What was found as JSON, rows, and positions of those that are not used.
Surveyed = tuple[str, int, list[int]]
Rows = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

BRANCHES: int

class Part:
    @staticmethod
    def encode(part: RawPart, roles: Roles, frame: str, first: int) -> Part: ...
    @staticmethod
    def join(parts: list[Part]) -> Part: ...
    def cut(self, start: int, end: int) -> Part: ...
    def run(self, what: str) -> NDArray[np.float64]: ...
    def take(self, places: list[int]) -> Rows: ...
    def keep_columns(self, keep: list[int], frame: str) -> Part: ...
    @property
    def nbytes(self) -> int: ...

def restore_part(frame: str, first: int, rows: Rows) -> Part: ...
def survey_part(part: RawPart, roles: Roles) -> Surveyed: ...
def draft_frame(surveys: list[Surveyed], roles: Roles) -> tuple[str, list[int]]: ...
def blocks(rows: int) -> list[tuple[int, int]]: ...
def merge_sums(what: str, parts: list[NDArray[np.float64]]) -> NDArray[np.float64]: ...
def fit_parts(
    method: str,
    source: Any,
    surveys: list[Surveyed],
    roles: Roles,
    seed: int,
    command: str,
    progress: Callable[[str, int], Any] | None = None,
) -> Model: ...
def reweigh_parts(
    reweighter: str,
    source: Any,
    surveys: list[Surveyed],
    roles: Roles,
    stable: list[float] | None,
    seed: int,
) -> tuple[WeightModel | None, str]: ...
def default_method(name: str) -> str: ...
def default_reweighter(name: str) -> str: ...
def fit(
    method: str,
    input: Input,
    names: list[str],
    target: Column,
    target_name: str,
    sample_weight: NDArray[np.float64] | None,
    classify: bool,
    seed: int,
    max_levels: int,
    command: str,
    progress: Callable[[str, int], Any] | None = None,
) -> tuple[Model, NDArray[np.float64]]: ...
def reweigh(
    reweighter: str,
    input: Input,
    names: list[str],
    sample_weight: NDArray[np.float64] | None,
    stable: list[float] | None,
    seed: int,
    max_levels: int,
) -> tuple[NDArray[np.float64], WeightModel | None, str]: ...
def errors_by_environment(
    metric: str, environments: list[str], truth: NDArray[np.float64], predicted: NDArray[np.float64]
) -> tuple[str, list[tuple[str, float]]]: ...
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
) -> tuple[list[tuple[str, NDArray[np.float64] | list[str | None]]], str, str]: ...
