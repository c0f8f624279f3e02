"""How far a long fit has come: a line in terminals, a bar in notebooks."""

from __future__ import annotations

import contextlib
import html
import sys
import time
from collections.abc import Iterator
from typing import Any, Callable

#: Seconds between two drawings, and the bar's width in characters.
PAUSE, WIDTH = 0.1, 24


@contextlib.contextmanager
def progress_of(estimator: Any) -> Iterator[Callable[[str, int], None] | None]:
    """What to call with every step's kind and how many of these there will be; None if the estimator is not verbose."""
    if not estimator.verbose:
        yield None
        return
    progress = _Progress(type(estimator).__name__)
    try:
        yield progress.tick
    finally:
        progress.close()


class _Stage:
    """Steps of one kind."""

    def __init__(self, kind: str) -> None:
        self.kind, self.done, self.total = kind, 0, 0
        self.start = self.last = time.monotonic()

    def tick(self, total: int) -> None:
        self.done, self.total, self.last = self.done + 1, total, time.monotonic()

    def text(self) -> str:
        """As 'evidence 4/10, 1 s, 2 s left'."""
        spent = self.last - self.start
        parts = [f"{self.kind} {self.done}" + (f"/{self.total}" if self.total else ""), _seconds(spent)]
        if self.total > self.done > 1:
            # The first step's own time is not in what was spent since it ended.
            parts.append(f"{_seconds(spent / (self.done - 1) * (self.total - self.done))} left")
        return ", ".join(parts)

    def bar(self) -> str:
        if not self.total:
            return ""
        filled = min(WIDTH, WIDTH * self.done // self.total)
        return "[" + "#" * filled + "." * (WIDTH - filled) + "] "


class _Progress:
    """All kinds of steps, drawn where the user looks. It also is what a notebook shows."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stages: list[_Stage] = []
        self._drawn = 0.0
        self._handle: Any = None
        self._notebook = _display() is not None
        self._terminal = not self._notebook and bool(getattr(sys.stderr, "isatty", bool)())

    def tick(self, kind: str, total: int) -> None:
        """A step of this kind has ended."""
        if not self.stages or self.stages[-1].kind != kind:
            self._end_line()
            self.stages.append(_Stage(kind))
        self.stages[-1].tick(total)
        if time.monotonic() - self._drawn >= PAUSE:
            self._draw()

    def close(self) -> None:
        """No more is to come."""
        if self.stages:
            self._draw()
            self._end_line()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        if self._notebook:
            if self._handle is None:
                self._handle = _display()(self, display_id=True)
            else:
                self._handle.update(self)
        elif self._terminal:
            stage = self.stages[-1]
            print(f"\r{self.name}: {stage.bar()}{stage.text()}\033[K", end="", file=sys.stderr, flush=True)

    def _end_line(self) -> None:
        """In terminals the next kind gets a line of its own; elsewhere a line says that one is done."""
        if self._notebook or not self.stages:
            return
        if self._terminal:
            self._draw()
            print(file=sys.stderr, flush=True)
        else:
            print(f"{self.name}: {self.stages[-1].text()}", file=sys.stderr, flush=True)

    def __repr__(self) -> str:
        return "\n".join(f"{self.name}: {stage.bar()}{stage.text()}" for stage in self.stages)

    def _repr_html_(self) -> str:
        def row(stage: _Stage) -> str:
            bar = f'<progress value="{stage.done}" max="{stage.total}"></progress>' if stage.total else ""
            return f"<div>{bar} {html.escape(f'{self.name}: {stage.text()}')}</div>"

        return "".join(map(row, self.stages))


def _display() -> Any:
    """IPython's display where there is a notebook to show it, else None."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    shell: Any = get_ipython()
    return display if type(shell).__name__ == "ZMQInteractiveShell" else None


def _seconds(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
