"""Stable learning: find the variables whose relation to the outcome survives a shift of the data."""

from ._core import __version__
from .estimators import (
    NonlinearSVIClassifier,
    NonlinearSVIRegressor,
    STGClassifier,
    STGRegressor,
    SVIClassifier,
    SVIRegressor,
)
from .reweighters import DWR, SRDO, Balance
from .selector import StableSelector

__all__ = [
    "DWR",
    "SRDO",
    "Balance",
    "NonlinearSVIClassifier",
    "NonlinearSVIRegressor",
    "STGClassifier",
    "STGRegressor",
    "SVIClassifier",
    "SVIRegressor",
    "StableSelector",
    "__version__",
]
