"""Pictures of the variables: their evidence, and their gates."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._frames import NORMAL_95
from .._summaries import labels
from ._axes import BLUE, GREY, LINE, MOST, Display, apart, first, fitted, inches, legend_above, tell_of_more

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class GatesDisplay(Display):
    """The gates of every variable, loop by loop.

    Parameters
    ----------
    names : list of str
        The variables.
    gates : ndarray of shape (n_loops, n_variables)
        Probabilities that the gates are open.
    selected : set of str
        The variables drawn in colour.
    most : int or None, default=40
        Names written at most, those of selected variables and of the most open gates first.
    """

    def __init__(
        self, names: list[str], gates: NDArray[np.float64], selected: AbstractSet[str], most: int | None = MOST
    ) -> None:
        self.most = most
        self.names = names
        self.gates = gates
        self.selected = selected

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int | None = MOST, ax: Axes | None = None) -> GatesDisplay:
        """Draw the gates of a fitted estimator.

        Parameters
        ----------
        estimator : object
            Fitted.
        most : int or None, default=40
            Names written at most, those of selected variables and of the most open gates first. ``None``: all.
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : GatesDisplay
        """
        estimator = fitted(estimator)
        if not estimator.history_:
            raise ValueError(f"{type(estimator).__name__} has no loops to show.")
        names = list(estimator.history_[0]["open_probability"])
        gates = np.array([[step["open_probability"][name] for name in names] for step in estimator.history_])
        return cls(names, gates, set(estimator.selected_), most).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> GatesDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : GatesDisplay
        """
        last = self.gates[-1]
        if len(self.gates) == 1:
            return self._plot_one_loop(ax)
        labelled = first([(name in self.selected, value) for name, value in zip(self.names, last)], self.most)
        ax = self._begin(ax, figsize=(6.4, max(4.0, LINE * len(labelled) + 1)))
        loops = np.arange(1, len(self.gates) + 1)
        # Unchosen ones first, so that chosen lines lie on top.
        for k in sorted(range(len(self.names)), key=lambda k: self.names[k] in self.selected):
            chosen = self.names[k] in self.selected
            style: Any = {"color": BLUE, "linestyle": "-"} if chosen else {"color": GREY, "linestyle": "--"}
            ax.plot(loops, self.gates[:, k], marker="o", markersize=4, alpha=1 if chosen else 0.6, **style)
        # Names stand apart from each other, each led to the end of its line.
        heights = apart([last[k] for k in labelled], LINE / max(inches(ax)[1], LINE), -0.02, 1.02)
        for k, name, height in zip(labelled, labels([self.names[k] for k in labelled]), heights):
            ax.annotate(
                name,
                (float(loops[-1]), float(last[k])),
                xytext=(1.05, (float(height) + 0.05) / 1.1),
                textcoords="axes fraction",
                va="center",
                fontsize="small",
                color=BLUE if self.names[k] in self.selected else GREY,
                arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "alpha": 0.6, "relpos": (0, 0.5)},
            )
        ax.set(xlabel="loop", ylabel="probability that the gate is open", ylim=(-0.05, 1.05))
        ax.locator_params(axis="x", integer=True)
        tell_of_more(ax, len(self.names) - len(labelled))
        return self

    def _plot_one_loop(self, ax: Axes | None) -> GatesDisplay:
        """A row for every variable: one loop makes no lines."""
        gates = self.gates[0]
        shown = first([(name in self.selected, value) for name, value in zip(self.names, gates)], self.most)
        ax, places = self._begin_rows(
            ax, [self.names[k] for k in shown], "probability that the gate is open, after the only loop"
        )
        for chosen, colour, label in ((True, BLUE, "selected"), (False, GREY, "left out")):
            own = [n for n, k in enumerate(shown) if (self.names[k] in self.selected) == chosen]
            if own:
                values, heights = [gates[shown[n]] for n in own], [places[n] for n in own]
                ax.hlines(heights, 0, values, color=colour, linewidth=1, alpha=0.6)
                ax.plot(values, heights, "o" if chosen else "s", color=colour, markersize=5, label=label)
        ax.set_xlim(-0.03, 1.03)
        legend_above(ax)
        tell_of_more(ax, len(self.names) - len(shown))
        return self


class EvidenceDisplay(Display):
    """The partial correlation of every variable with the outcome given all others, with intervals of 95 %.

    Parameters
    ----------
    names : list of str
        The variables.
    values : ndarray
        Partial correlations.
    errors : ndarray
        Their standard errors.
    selected : set of str
        The variables drawn in colour.
    most : int or None, default=40
        Variables shown at most, the selected ones and those with the largest partial correlations first.
    """

    def __init__(
        self,
        names: list[str],
        values: NDArray[np.float64],
        errors: NDArray[np.float64],
        selected: AbstractSet[str],
        most: int | None = MOST,
    ) -> None:
        self.most = most
        self.names = names
        self.values = values
        self.errors = errors
        self.selected = selected

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int | None = MOST, ax: Axes | None = None) -> EvidenceDisplay:
        """Draw the evidence of a fitted estimator.

        Parameters
        ----------
        estimator : object
            Fitted with evidence.
        most : int or None, default=40
            Variables shown at most, the selected ones and those with the largest partial correlations first. ``None``:
            all.
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : EvidenceDisplay
        """
        estimator = fitted(estimator)
        evidence = estimator.summary_["evidence"]
        if not evidence:
            raise ValueError(f"This {type(estimator).__name__} was fitted without evidence.")
        values = np.array([entry["effect_size"] for entry in evidence.values()])
        t = np.array([entry["t"] for entry in evidence.values()])
        errors = np.divide(np.abs(values), np.abs(t), out=np.zeros_like(values), where=t != 0)
        return cls(list(evidence), values, errors, set(estimator.selected_), most).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> EvidenceDisplay:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : EvidenceDisplay
        """
        chosen = np.array([name in self.selected for name in self.names])
        shown = first([(bool(one), abs(value)) for one, value in zip(chosen, self.values)], self.most)
        shown_is = "partial correlation with the outcome given all others"
        ax, places = self._begin_rows(ax, [self.names[k] for k in shown], shown_is)
        for selected, colour, label in ((True, BLUE, "selected"), (False, GREY, "left out")):
            own = [n for n, k in enumerate(shown) if chosen[k] == selected]
            if own:
                ax.errorbar(
                    [self.values[shown[n]] for n in own],
                    [places[n] for n in own],
                    xerr=[NORMAL_95 * self.errors[shown[n]] for n in own],
                    fmt="o" if selected else "s",
                    color=colour,
                    markersize=5,
                    capsize=2,
                    label=label,
                )
        ax.axvline(0, color="black", linewidth=0.8)
        legend_above(ax)
        tell_of_more(ax, len(self.names) - len(shown))
        return self
