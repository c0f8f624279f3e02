"""The strength of weights as a path, from none to as much as is feasible."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._findings import raise_findings
from ._frames import pandas_for
from ._settings import MINIMUM_ROWS, Rows, Values, weights_of
from ._tables import read, rows_of
from ._weighing import stability_of
from .reweighters import Balance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .plotting import BalancePathDisplay


class BalancePath:
    """Soft balance from no weights to the strongest; :func:`balance_path` makes it.

    Parameters
    ----------
    balance : Balance
        With whose settings it was made.
    X : array-like
        The rows.
    kept : object
        Which of them were used.
    functions : list
        The weights' function at every point.
    told : dict
        What the core tells of the path.

    Attributes
    ----------
    ridge : ndarray of shape (n_points,)
        The ridges, from infinity (no weights) downwards: the smaller, the stronger the balance.
    n_eff : ndarray of shape (n_points,)
        Effective sample sizes.
    share : ndarray of shape (n_points,)
        The same as shares of the rows.
    largest_correlation : ndarray of shape (n_points,)
        The largest absolute correlation of two columns under the weights.
    rms_correlation : ndarray of shape (n_points,)
        The root mean square of all of them.
    passes : ndarray of shape (n_points,)
        Passes over the rows that each point took from the one before.
    chosen : int
        The position of the point that :class:`Balance` takes by itself.
    end : {"exact", "few-rows", "no-progress", "not-converged"}
        Why the path goes no further.
    why : str
        How far the chosen point got, in words.
    rule : dict
        The effective rows that the chosen point must leave: ``least_n_eff_exact`` under exact balance, ``least_n_eff``
        else.
    findings : list of dict
        What to watch out for in the columns.
    """

    def __init__(self, balance: Balance, X: Rows, kept: Any, functions: list[_core.WeightModel], told: Any) -> None:
        self._balance, self._rows, self._kept, self._functions = balance, X, kept, functions
        points = told["points"]

        def column(name: str) -> NDArray[np.float64]:
            return np.array([np.inf if point[name] is None else point[name] for point in points])

        self.ridge = column("ridge")
        self.n_eff = column("n_eff")
        self.share = column("share")
        self.largest_correlation = column("largest_correlation")
        self.rms_correlation = column("rms_correlation")
        self.passes = column("passes").astype(int)
        self.chosen: int = told["chosen"]
        self.end: str = told["end"]
        self.why: str = told["why"]
        self.rule: dict[str, float] = told["rule"]
        self.findings: list[dict[str, Any]] = told["findings"]

    def __len__(self) -> int:
        return len(self.ridge)

    def __repr__(self) -> str:
        return f"<BalancePath of {len(self)} points: {self.why}>"

    def weights(self, at: int | None = None) -> NDArray[np.float64]:
        """The rows' weights at a point of the path.

        Parameters
        ----------
        at : int or None, default=None
            The position of the point; ``None`` is the chosen one.

        Returns
        -------
        weights : ndarray of shape (n_samples,)
            Mean 1; 0 for rows whose sample weight is 0.
        """
        weights = self.weigh(self._rows, at)
        return weights if self._kept is None else np.where(self._kept, weights, 0.0)

    def weigh(self, X: Rows, at: int | None = None) -> NDArray[np.float64]:
        """Weights of new rows, on the scale on which the training rows have mean 1.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        at : int or None, default=None
            The position of the point; ``None`` is the chosen one.

        Returns
        -------
        weights : ndarray of shape (n_samples,)
        """
        rows, names = read(self._balance, X, reset=False)
        weights, findings = self._functions[self.chosen if at is None else at].weigh(rows, names)
        raise_findings(json.loads(findings), "BalancePath", 3)
        return weights

    def to_frame(self) -> Any:
        """The path as a pandas data frame, one row per point.

        Returns
        -------
        frame : pandas.DataFrame
        """
        pandas = pandas_for("to_frame()", "the path's attributes")
        names = ["ridge", "n_eff", "share", "largest_correlation", "rms_correlation", "passes"]
        frame = pandas.DataFrame({name: getattr(self, name) for name in names})
        frame["chosen"] = np.arange(len(self)) == self.chosen
        return frame

    def plot(self, ax: Axes | None = None) -> BalancePathDisplay:
        """Draw effective rows against the correlation that is left.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw.

        Returns
        -------
        display : BalancePathDisplay
        """
        from .plotting import BalancePathDisplay

        return BalancePathDisplay.from_path(self, ax=ax)


def balance_path(
    X: Rows,
    sample_weight: Values = None,
    *,
    stable: Values = None,
    divergence: Literal["chi2", "entropy"] = "chi2",
    means: Literal["pinned", "recentred"] = "pinned",
    tol: float = 1e-9,
    max_iter: int = 500,
    max_levels: int = 100,
    weight_kind: Literal["survey", "frequency"] = "survey",
    n_jobs: int | None = None,
) -> BalancePath:
    """Soft balance from none to as much as is feasible: what weights of every strength cost and bring.

    The ridge falls from 1000 by half powers of ten, each search from where the one before ended, until balance is
    exact, too few rows remain effective, or nothing changes any more. The point that :class:`Balance` takes by
    itself is one of the path's: exact balance if that leaves a twentieth of the rows and fifteen per coefficient of
    a linear model effective, else the strongest that leaves half of the rows.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The rows.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        How much each row counts; ``weight_kind="frequency"`` says that they are counts.
    stable : array-like of shape (n_features,) or None, default=None
        Probabilities of being stable: likely stable variables need not be told apart from each other.
    divergence : {"chi2", "entropy"}, default="chi2"
        The distance to uniform weights.
    means : {"pinned", "recentred"}, default="pinned"
        What happens to the columns' means under the weights.
    tol : float in (0, inf), default=1e-09
        Largest entry of the gradient at which the search for balance stops.
    max_iter : int in [1, inf), default=500
        Most steps of the search for balance, for every point.
    max_levels : int in [1, inf), default=100
        The most different values a text column may have.
    weight_kind : {"survey", "frequency"}, default="survey"
        What sample weights are: relative, or counts of rows.
    n_jobs : int in [1, 65535] or None, default=None
        Threads to use; the answer does not depend on it. ``None``: all cores.

    Returns
    -------
    path : BalancePath

    Examples
    --------
    >>> from stablevar import balance_path
    >>> from stablevar.datasets import make_biased_linear
    >>> X, y = make_biased_linear(n_samples=2000, r=2.5, random_state=0)
    >>> path = balance_path(X)
    >>> path.end
    'exact'
    >>> bool(path.n_eff[0] == 2000 and path.n_eff[-1] < 400)
    True
    >>> path.weights(at=3).shape
    (2000,)
    """
    balance = Balance(
        divergence=divergence,
        means=means,
        tol=tol,
        max_iter=max_iter,
        max_levels=max_levels,
        weight_kind=weight_kind,
        n_jobs=n_jobs,
    )
    settings = balance._settings()
    rows, names = read(balance, X, reset=True, minimum=MINIMUM_ROWS)
    weights = weights_of(sample_weight, rows_of(X, rows))
    known = stability_of(stable, len(names))
    with balance._own_words():
        functions, told = _core.balance_path(settings, rows, names, weights, known)
    path = BalancePath(balance, X, None if weights is None else np.asarray(weights) > 0, functions, json.loads(told))
    raise_findings(path.findings, "balance_path", 3)
    return path
