"""Pictures with matplotlib in scikit-learn's style: ``from_estimator`` draws, ``plot`` draws again."""

from ._elsewhere import EnvironmentErrorDisplay, ShiftCurveDisplay
from ._variables import EvidenceDisplay, GatesDisplay
from ._weights import BalanceDisplay, BalancePathDisplay, CorrelationDisplay

__all__ = [
    "BalanceDisplay",
    "BalancePathDisplay",
    "CorrelationDisplay",
    "EnvironmentErrorDisplay",
    "EvidenceDisplay",
    "GatesDisplay",
    "ShiftCurveDisplay",
]
