"""Pictures of what weights do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._summaries import labels
from ._axes import BLUE, GREY, LINE, MOST, RED, Display, every, first, fitted, inches, legend_above, tell_of_more

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _correlations(estimator: Any) -> tuple[list[str], list[NDArray[np.float64]]]:
    """Names of the encoded columns, and their correlations before weighting and in every loop."""
    estimator = fitted(estimator)
    if hasattr(estimator, "_model"):
        names, matrices = json.loads(estimator._model.correlations())
    else:
        names, matrices = estimator.summary_["columns"], estimator.summary_["correlations"]
    return names, [np.array(matrix) for matrix in matrices]


class CorrelationDisplay(Display):
    """Correlations of the columns before weighting and under the weights.

    Parameters
    ----------
    names : list of str
        The columns.
    matrices : list of ndarray
        Correlations, before weighting first.
    titles : list of str
        What each is.
    """

    def __init__(self, names: list[str], matrices: list[NDArray[np.float64]], titles: list[str]) -> None:
        self.names = names
        self.matrices = matrices
        self.titles = titles

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, loops: Sequence[int] | None = None, axes: Any = None
    ) -> CorrelationDisplay:
        """Draw the correlations of a fitted estimator or reweighter.

        Parameters
        ----------
        estimator : object
            Fitted.
        loops : list of int or None, default=None
            The loops to show, 0 being before weighting; the first and the last by default.
        axes : array of Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : CorrelationDisplay
        """
        names, matrices = _correlations(estimator)
        loops = [0, len(matrices) - 1] if loops is None else list(loops)
        titles = ["before weighting" if step == 0 else f"under the weights of loop {step}" for step in loops]
        return cls(names, [matrices[step] for step in loops], titles).plot(axes=axes)

    def plot(self, axes: Any = None) -> CorrelationDisplay:
        """Draw.

        Parameters
        ----------
        axes : array of Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : CorrelationDisplay
        """
        import matplotlib.pyplot as plt

        if axes is None:
            count = len(self.matrices)
            side = float(np.clip(0.8 * LINE * len(self.names) + 1.2, 3.6, 9))
            size = (side * count + 0.6, side)
            _, axes = plt.subplots(1, count, figsize=size, constrained_layout=True, squeeze=False)
        self.axes_ = np.ravel(axes)
        self.figure_ = self.axes_[0].figure
        image: Any = None
        for ax, matrix, title in zip(self.axes_, self.matrices, self.titles):
            image = ax.imshow(matrix, vmin=-1, vmax=1, cmap="RdBu_r")
            # As many names as find room along the side.
            room = int(inches(ax)[1] / (0.75 * LINE))
            labelled = list(every(len(self.names), room))
            names = labels([self.names[k] for k in labelled], 14)
            ax.set_xticks(labelled, names, rotation=90, fontsize="small")
            ax.set_yticks(labelled, names, fontsize="small")
            ax.set_title(title, fontsize="medium")
        self.figure_.colorbar(image, ax=list(self.axes_), shrink=0.8, label="correlation")
        return self


class BalanceDisplay(Display):
    """How strongly each variable goes with the others, before weighting and after ("love plot").

    Parameters
    ----------
    names : list of str
        The columns.
    before : ndarray
        Largest absolute correlation with another column without weights.
    after : ndarray
        The same under the weights.
    most : int or None, default=40
        Columns shown at most, those with the largest correlations first.
    """

    def __init__(
        self, names: list[str], before: NDArray[np.float64], after: NDArray[np.float64], most: int | None = MOST
    ) -> None:
        self.most = most
        self.names = names
        self.before = before
        self.after = after

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int | None = MOST, ax: Axes | None = None) -> BalanceDisplay:
        """Draw what the weights of a fitted estimator or reweighter did.

        With an estimator that selects, correlations among selected variables, kept on purpose, are left aside.

        Parameters
        ----------
        estimator : object
            Fitted.
        most : int or None, default=40
            Columns shown at most, those with the largest correlations first. ``None``: all.
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : BalanceDisplay
        """
        names, matrices = _correlations(estimator)
        kept = set(getattr(estimator, "selected_", ()))
        # Of a text variable's columns the name of the variable stands before the equals sign.
        inside = np.array([name in kept or name.partition("=")[0] in kept for name in names])
        counted = ~(inside[:, None] & inside[None, :]) & ~np.eye(len(names), dtype=bool)
        before, after = (np.where(counted, np.abs(matrix), 0).max(axis=1) for matrix in (matrices[0], matrices[-1]))
        return cls(names, before, after, most).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> BalanceDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : BalanceDisplay
        """
        shown = first(np.maximum(self.before, self.after).tolist(), self.most)
        shown_is = "largest absolute correlation with another column"
        ax, places = self._begin_rows(ax, [self.names[k] for k in shown], shown_is)
        before, after = self.before[shown], self.after[shown]
        ax.hlines(places, after, before, color=GREY, linewidth=0.8)
        ax.plot(before, places, "o", color=RED, markersize=5, label="before weighting")
        ax.plot(after, places, "s", color=BLUE, markersize=5, label="under the weights")
        ax.axvline(0.1, color=GREY, linestyle=":", linewidth=0.8)
        ax.set_xlim(left=-0.01)
        legend_above(ax)
        tell_of_more(ax, len(self.names) - len(shown))
        return self


class BalancePathDisplay(Display):
    """What balance costs: effective rows against the correlation that is left, from no weights to the strongest.

    Parameters
    ----------
    n_eff : ndarray of shape (n_points,)
        Effective sample sizes.
    largest_correlation : ndarray of shape (n_points,)
        The largest absolute correlation left.
    rms_correlation : ndarray of shape (n_points,)
        The root mean square of all.
    chosen : int or None
        The position of the point that is marked.
    """

    def __init__(
        self,
        n_eff: NDArray[np.float64],
        largest_correlation: NDArray[np.float64],
        rms_correlation: NDArray[np.float64],
        chosen: int | None,
    ) -> None:
        self.n_eff = n_eff
        self.largest_correlation = largest_correlation
        self.rms_correlation = rms_correlation
        self.chosen = chosen

    @classmethod
    def from_path(cls, path: Any, *, ax: Axes | None = None) -> BalancePathDisplay:
        """Draw a path.

        Parameters
        ----------
        path : BalancePath
            What :func:`~stablevar.balance_path` returned.
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : BalancePathDisplay
        """
        return cls(path.n_eff, path.largest_correlation, path.rms_correlation, path.chosen).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> BalancePathDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : BalancePathDisplay
        """
        ax = self._begin(ax, figsize=(5.5, 3.6))
        for left, colour, marker, name in (
            (self.largest_correlation, BLUE, "o", "largest"),
            (self.rms_correlation, RED, "s", "root mean square"),
        ):
            ax.plot(left, self.n_eff, color=colour, marker=marker, markersize=4, label=name)
            if self.chosen is not None:
                label = "the default" if marker == "s" else None
                at = (left[self.chosen], self.n_eff[self.chosen])
                ax.plot(*at, marker, color="black", markersize=9, fillstyle="none", linestyle="none", label=label)
        ax.set(xlabel="correlation left under the weights", ylabel="effective rows", xlim=(0, None), ylim=(0, None))
        ax.legend()
        return self
