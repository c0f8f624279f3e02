"""What the pictures share: colours, axes, and names that do not stand on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._summaries import labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colours that people who are colour-blind can tell apart.
BLUE, RED, GREY = "#0072b2", "#d55e00", "#56606b"
#: Variables that a picture shows unless it is told otherwise.
MOST = 40
#: Inches that a line of text takes.
LINE = 0.2


class Display:
    """A picture: what was drawn last is ``ax_``, in ``figure_``."""

    ax_: Axes
    figure_: Any

    def _begin(self, ax: Axes | None, **size: Any) -> Axes:
        """The axes given, or new ones, to be drawn on."""
        import matplotlib.pyplot as plt

        self.ax_ = ax if ax is not None else plt.subplots(constrained_layout=True, **size)[1]
        self.figure_ = self.ax_.figure
        return self.ax_

    def _begin_rows(self, ax: Axes | None, names: Sequence[str], xlabel: str) -> tuple[Axes, NDArray[np.int64]]:
        """The same with a row for every name, the first on top, and the rows' heights."""
        ax = self._begin(ax, figsize=(6, 1.3 * LINE * len(names) + 1.2))
        places = np.arange(len(names))[::-1]
        ax.set_yticks(places, labels(names))
        ax.set(xlabel=xlabel, ylim=(-0.7, len(names) - 0.3))
        return ax, places


def fitted(estimator: Any) -> Any:
    """A fitted estimator; of a selector the one that selected."""
    check_is_fitted(estimator)
    return getattr(estimator, "estimator_", estimator)


def inches(ax: Axes) -> tuple[float, float]:
    """Width and height of the picture."""
    figure: Any = cast(Any, ax.figure)
    box = ax.get_position()
    return box.width * figure.get_figwidth(), box.height * figure.get_figheight()


def every(count: int, room: int) -> range:
    """Places of so many that there is room for their labels, evenly spaced."""
    return range(0, count, max(1, -(-count // max(1, room))))


def apart(places: Sequence[float], gap: float, low: float, high: float) -> NDArray[np.float64]:
    """The places moved so that neighbours are a gap apart and all lie between two bounds, in the order they had."""
    order = np.argsort(np.asarray(places, dtype=np.float64), kind="stable")
    gap = min(gap, (high - low) / max(1, len(order) - 1))
    moved = np.asarray(places, dtype=np.float64)[order]
    for k in range(len(moved)):
        moved[k] = max(moved[k], low if k == 0 else moved[k - 1] + gap)
    for k in reversed(range(len(moved))):
        moved[k] = min(moved[k], high if k == len(moved) - 1 else moved[k + 1] - gap)
    back = np.empty_like(moved)
    back[order] = moved
    return back


def first(worth: Sequence[Any], most: int | None) -> list[int]:
    """Positions of the most worthy, in their order; all of them if there is room."""
    if most is None or len(worth) <= most:
        return list(range(len(worth)))
    ranked = sorted(range(len(worth)), key=lambda k: worth[k], reverse=True)
    return sorted(ranked[:most])


def legend_above(ax: Axes) -> None:
    """What the colours mean, where it covers nothing."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize="small", borderaxespad=0.2)


def tell_of_more(ax: Axes, left: int) -> None:
    """A word below the picture on variables that are not in it."""
    if left:
        ax.annotate(
            f"{left} more not shown (most=None shows all)",
            (1, 0),
            xycoords="axes fraction",
            xytext=(0, -42),
            textcoords="offset points",
            ha="right",
            fontsize="small",
            color=GREY,
        )
