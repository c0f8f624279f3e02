"""Stable learning: find the variables whose relation to the outcome survives a shift of the data."""

from ._core import __version__
from ._files import load
from ._findings import FindingWarning
from ._foresight import Foresight
from ._path import BalancePath, balance_path
from ._summaries import Summary
from .comparison import compare
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
    "BalancePath",
    "FindingWarning",
    "Foresight",
    "NonlinearSVIClassifier",
    "NonlinearSVIRegressor",
    "STGClassifier",
    "STGRegressor",
    "SVIClassifier",
    "SVIRegressor",
    "StableSelector",
    "Summary",
    "__version__",
    "balance_path",
    "compare",
    "load",
]
