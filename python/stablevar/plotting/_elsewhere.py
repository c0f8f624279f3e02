"""Pictures of errors elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._measures import errors_by_environment
from .._settings import Rows, Values
from .._summaries import labels
from ._axes import LINE, Display, every, inches, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class EnvironmentErrorDisplay(Display):
    """The error of several models in several environments.

    Parameters
    ----------
    environments : list of str
        The environments.
    errors : dict of str to ndarray
        For each model its errors.
    metric : str
        What the errors are.
    """

    def __init__(self, environments: list[str], errors: Mapping[str, NDArray[np.float64]], metric: str) -> None:
        self.environments = environments
        self.errors = errors
        self.metric = metric

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: Rows,
        y: Values,
        environments: Values,
        *,
        metric: Literal["mse", "rmse", "mae", "error-rate", "log-loss", "one-minus-auc"] | None = None,
        ax: Axes | None = None,
    ) -> EnvironmentErrorDisplay:
        """Judge fitted models per environment and draw.

        Parameters
        ----------
        estimators : dict of str to object
            Fitted models by name.
        X : array-like or data frame of shape (n_samples, n_features)
            Rows of all environments.
        y : array-like of shape (n_samples,)
            Their outcomes.
        environments : array-like of shape (n_samples,)
            The environment of each row.
        metric : {"mse", "rmse", "mae", "error-rate", "log-loss", "one-minus-auc"} or None, default=None
            What errors are measured by; the first three for numbers, the others for classes. ``None``: the mean squared
            error, for classes the error rate.
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : EnvironmentErrorDisplay
        """
        return cls(*errors_by_environment(estimators, X, y, environments, metric)).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> EnvironmentErrorDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : EnvironmentErrorDisplay
        """
        ax = self._begin(ax, figsize=(6.5, 3.6))
        places = np.arange(len(self.environments))
        for name, errors in self.errors.items():
            ax.plot(places, errors, marker="o", label=name)
        # Names lie flat while they find room, then stand upright, then some are left out.
        names = labels(list(self.environments), 16)
        width, _ = inches(ax)
        flat = sum(len(name) + 2 for name in names) * 0.09 <= width
        labelled = list(every(len(names), len(names) if flat else int(width / LINE)))
        ax.set_xticks(labelled, [names[k] for k in labelled], rotation=0 if flat else 90)
        ax.set(xlabel="environment", ylabel=self.metric)
        # Room above the largest, whose marker would lie on the edge.
        largest = max((float(np.max(errors)) for errors in self.errors.values()), default=0.0)
        ax.set_ylim(0, 1.08 * largest if largest > 0 else 1.0)
        legend_above(ax)
        return self


class ShiftCurveDisplay(Display):
    """The error as a function of where a column's mean is.

    Parameters
    ----------
    curves : list of dict
        As :meth:`shift_curve` of an estimator gives them.
    """

    def __init__(self, curves: list[dict[str, Any]]) -> None:
        self.curves = curves

    @classmethod
    def from_estimator(
        cls, estimator: Any, columns: Sequence[str] | None = None, *, most: int = 8, ax: Axes | None = None
    ) -> ShiftCurveDisplay:
        """Draw the curves of a fitted estimator.

        Parameters
        ----------
        estimator : object
            Fitted.
        columns : list of str or None, default=None
            The columns; by default the most dangerous ones.
        most : int, default=8
            How many of these.
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : ShiftCurveDisplay
        """
        if columns is None:
            curves = estimator.shift_curves()[:most]
        else:
            curves = [estimator.shift_curve(column) for column in columns]
        return cls(curves).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> ShiftCurveDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : ShiftCurveDisplay
        """
        ax = self._begin(ax)
        columns = [c["column"] if c["level"] is None else f"{c['column']}={c['level']}" for c in self.curves]
        for curve, name in zip(self.curves, labels(columns)):
            (line,) = ax.plot(curve["shift"], curve["error"], label=name)
            low, high = curve["error"] - 2 * curve["standard_error"], curve["error"] + 2 * curve["standard_error"]
            ax.fill_between(curve["shift"], low, high, color=line.get_color(), alpha=0.1, linewidth=0)
        ax.set_xlabel("standard deviations that the column's mean moves")
        ax.set_ylabel("error of training rows so weighted")
        # Beside the picture: curves go everywhere in it.
        ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        return self
