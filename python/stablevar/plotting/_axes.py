"""What the pictures share: colours, axes, and names that do not stand on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colours that people who are colour-blind can tell apart.
BLUE, RED, GREY = "#0072b2", "#d55e00", "#56606b"
#: Variables that a picture shows unless it is told otherwise.
MOST = 40
#: Inches that a line of text takes.
LINE = 0.2


def axes_of(ax: Axes | None, **size: Any) -> Axes:
    """The axes given, or new ones."""
    import matplotlib.pyplot as plt

    if ax is not None:
        return ax
    _, made = plt.subplots(constrained_layout=True, **size)
    return made


def inches(ax: Axes) -> tuple[float, float]:
    """Width and height of the picture."""
    figure: Any = cast(Any, ax.figure)
    box = ax.get_position()
    return box.width * figure.get_figwidth(), box.height * figure.get_figheight()


def short(name: str, most: int = 22) -> str:
    """A name that is too long without its middle: names often differ at their ends."""
    if len(name) <= most:
        return name
    front = (most - 1) // 2
    return f"{name[:front]}…{name[len(name) - (most - 1 - front) :]}"


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
