"""Pictures with matplotlib in scikit-learn's style: ``from_estimator`` draws, ``plot`` draws again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ._base import Rows, Values, errors_by_environment

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colours that people who are colour-blind can tell apart.
BLUE, RED, GREY = "#0072b2", "#d55e00", "#56606b"


def _axes(ax: Axes | None, **size: Any) -> Axes:
    import matplotlib.pyplot as plt

    if ax is not None:
        return ax
    _, made = plt.subplots(constrained_layout=True, **size)
    return made


def _correlations(estimator: Any) -> tuple[list[str], list[NDArray[np.float64]]]:
    """Names of the encoded columns, and their correlations before weighting and in every loop."""
    check_is_fitted(estimator)
    estimator = getattr(estimator, "estimator_", estimator)
    if hasattr(estimator, "_model"):
        names, matrices = json.loads(estimator._model.correlations())
    else:
        names, matrices = estimator.summary_["columns"], estimator.summary_["correlations"]
    return names, [np.array(matrix) for matrix in matrices]


class CorrelationDisplay:
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
            _, axes = plt.subplots(1, count, figsize=(4 * count, 3.6), constrained_layout=True, squeeze=False)
        self.axes_ = np.ravel(axes)
        self.figure_: Any = self.axes_[0].figure
        image: Any = None
        for ax, matrix, title in zip(self.axes_, self.matrices, self.titles):
            image = ax.imshow(matrix, vmin=-1, vmax=1, cmap="RdBu_r")
            ax.set_xticks(range(len(self.names)), self.names, rotation=60, ha="right", fontsize="small")
            ax.set_yticks(range(len(self.names)), self.names, fontsize="small")
            ax.set_title(title)
        self.figure_.colorbar(image, ax=list(self.axes_), shrink=0.8, label="correlation")
        return self


class GatesDisplay:
    """The gates of every variable, loop by loop.

    Parameters
    ----------
    names : list of str
        The variables.
    gates : ndarray of shape (n_loops, n_variables)
        Probabilities that the gates are open.
    selected : set of str
        The variables drawn in colour.
    """

    def __init__(self, names: list[str], gates: NDArray[np.float64], selected: AbstractSet[str]) -> None:
        self.names = names
        self.gates = gates
        self.selected = selected

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> GatesDisplay:
        """Draw the gates of a fitted estimator.

        Parameters
        ----------
        estimator : object
            Fitted.
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : GatesDisplay
        """
        check_is_fitted(estimator)
        estimator = getattr(estimator, "estimator_", estimator)
        if not estimator.history_:
            raise ValueError(f"{type(estimator).__name__} has no loops to show.")
        names = list(estimator.history_[0]["open_probability"])
        gates = np.array([[step["open_probability"][name] for name in names] for step in estimator.history_])
        return cls(names, gates, set(estimator.selected_)).plot(ax=ax)

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
        ax = _axes(ax)
        self.ax_ = ax
        self.figure_: Any = ax.figure
        loops = np.arange(1, len(self.gates) + 1)
        for name, values in zip(self.names, self.gates.T):
            chosen = name in self.selected
            ax.plot(loops, values, marker="o", color=BLUE if chosen else GREY, linestyle="-" if chosen else "--")
            ax.annotate(
                name, (loops[-1], values[-1]), xytext=(6, 0), textcoords="offset points", va="center", fontsize="small"
            )
        ax.set(xlabel="loop", ylabel="probability that the gate is open", ylim=(-0.05, 1.05), xticks=loops)
        return self


class EvidenceDisplay:
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
    """

    def __init__(
        self,
        names: list[str],
        values: NDArray[np.float64],
        errors: NDArray[np.float64],
        selected: AbstractSet[str],
    ) -> None:
        self.names = names
        self.values = values
        self.errors = errors
        self.selected = selected

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> EvidenceDisplay:
        """Draw the evidence of a fitted estimator.

        Parameters
        ----------
        estimator : object
            Fitted with evidence.
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : EvidenceDisplay
        """
        check_is_fitted(estimator)
        estimator = getattr(estimator, "estimator_", estimator)
        if not estimator.evidence_:
            raise ValueError(f"This {type(estimator).__name__} was fitted without evidence.")
        evidence = estimator.evidence_
        values = np.array([entry["effect_size"] for entry in evidence.values()])
        t = np.array([entry["t"] for entry in evidence.values()])
        errors = np.divide(np.abs(values), np.abs(t), out=np.zeros_like(values), where=t != 0)
        return cls(list(evidence), values, errors, set(estimator.selected_)).plot(ax=ax)

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
        ax = _axes(ax, figsize=(5.5, 0.3 * len(self.names) + 1))
        self.ax_ = ax
        self.figure_: Any = ax.figure
        places = np.arange(len(self.names))[::-1]
        for name, value, error, place in zip(self.names, self.values, self.errors, places):
            colour = BLUE if name in self.selected else GREY
            ax.errorbar(value, place, xerr=1.96 * error, fmt="o", color=colour, capsize=2)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(places, self.names)
        ax.set_xlabel("partial correlation with the outcome given all others")
        return self


class BalanceDisplay:
    """How strongly each variable goes with the others, before weighting and after ("love plot").

    Parameters
    ----------
    names : list of str
        The columns.
    before : ndarray
        Largest absolute correlation with another column without weights.
    after : ndarray
        The same under the weights.
    """

    def __init__(self, names: list[str], before: NDArray[np.float64], after: NDArray[np.float64]) -> None:
        self.names = names
        self.before = before
        self.after = after

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> BalanceDisplay:
        """Draw what the weights of a fitted estimator or reweighter did.

        With an estimator that selects, correlations among selected variables, kept on purpose, are left aside.

        Parameters
        ----------
        estimator : object
            Fitted.
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
        return cls(names, before, after).plot(ax=ax)

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
        ax = _axes(ax, figsize=(5.5, 0.3 * len(self.names) + 1.2))
        self.ax_ = ax
        self.figure_: Any = ax.figure
        places = np.arange(len(self.names))[::-1]
        ax.hlines(places, self.after, self.before, color=GREY, linewidth=0.8)
        ax.plot(self.before, places, "o", color=RED, label="before weighting")
        ax.plot(self.after, places, "s", color=BLUE, label="under the weights")
        ax.set_yticks(places, self.names)
        ax.set(xlabel="largest absolute correlation with another column", xlim=(0, None))
        ax.legend(loc="lower right")
        return self


class BalancePathDisplay:
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
        ax = _axes(ax, figsize=(5.5, 3.6))
        self.ax_ = ax
        self.figure_: Any = ax.figure
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


class EnvironmentErrorDisplay:
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
        cls, estimators: Mapping[str, Any], X: Rows, y: Values, environments: Values, *, ax: Axes | None = None
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
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : EnvironmentErrorDisplay
        """
        return cls(*errors_by_environment(estimators, X, y, environments)).plot(ax=ax)

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
        ax = _axes(ax, figsize=(6.5, 3.6))
        self.ax_ = ax
        self.figure_: Any = ax.figure
        places = np.arange(len(self.environments))
        for name, errors in self.errors.items():
            ax.plot(places, errors, marker="o", label=name)
        ax.set_xticks(places, self.environments, rotation=30 if len(self.environments) > 6 else 0)
        ax.set(xlabel="environment", ylabel=self.metric, ylim=(0, None))
        ax.legend()
        return self


class ShiftCurveDisplay:
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
        self.ax_ = _axes(ax)
        self.figure_: Any = self.ax_.figure
        for curve in self.curves:
            name = curve["column"] if curve["level"] is None else f"{curve['column']}={curve['level']}"
            (line,) = self.ax_.plot(curve["shift"], curve["error"], label=name)
            low, high = curve["error"] - 2 * curve["standard_error"], curve["error"] + 2 * curve["standard_error"]
            self.ax_.fill_between(curve["shift"], low, high, color=line.get_color(), alpha=0.1, linewidth=0)
        self.ax_.set_xlabel("standard deviations that the column's mean moves")
        self.ax_.set_ylabel("error of training rows so weighted")
        self.ax_.legend(fontsize="small")
        return self
