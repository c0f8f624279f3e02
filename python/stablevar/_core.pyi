"""The compiled part. Columns are float64 arrays, bool arrays, or (codes, levels) for text."""

from os import PathLike
from typing import Any, Callable, Optional, Union

import numpy as np
from numpy.typing import NDArray

Column = Union[NDArray[np.float64], NDArray[np.bool_], tuple[NDArray[np.int64], list[str]]]
Input = Union[NDArray[np.float64], list[Column]]

__version__: str

class Model:
    @staticmethod
    def from_json(text: str) -> Model: ...
    def to_json(self) -> str: ...
    @staticmethod
    def load(path: Union[str, PathLike[str]]) -> Model: ...
    def save(self, path: Union[str, PathLike[str]]) -> None: ...
    def report(self, path: Union[str, PathLike[str]]) -> None: ...
    def summary(self) -> str: ...
    def correlations(self) -> str: ...
    def predict(self, input: Input, names: list[str]) -> NDArray[np.float64]: ...
    def weigh(self, input: Input, names: list[str]) -> Optional[NDArray[np.float64]]: ...

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
    sample_weight: Optional[NDArray[np.float64]],
    classify: bool,
    seed: int,
    max_levels: int,
    progress: Optional[Callable[[str, int], Any]] = None,
) -> tuple[Model, NDArray[np.float64]]: ...
def reweigh(
    reweighter: str,
    input: Input,
    names: list[str],
    sample_weight: Optional[NDArray[np.float64]],
    stable: Optional[list[float]],
    seed: int,
    max_levels: int,
) -> tuple[NDArray[np.float64], Optional[WeightModel], str]: ...
def simulate(
    rows: int,
    rate: float,
    seed: int,
    columns: int,
    stable: Optional[int],
    biased: Optional[int],
    noise_variance: Optional[float],
    network: Optional[tuple[int, int]] = None,
) -> list[tuple[str, NDArray[np.float64]]]: ...
def real_data(
    name: str, cache: Optional[Union[str, PathLike[str]]] = None
) -> tuple[list[tuple[str, Union[NDArray[np.float64], list[Optional[str]]]]], str, str]: ...
