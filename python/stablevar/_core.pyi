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
