"""Progress bars: on a terminal, in a notebook, and as lines in a log."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

from kcmab_abm.running.options import Progress, RunOptions
from kcmab_abm.scenario.precision import Standing

Show = Callable[..., None]  # called with the work done and the total, or with a new description

_OFTEN = 0.2  # seconds between two updates in a notebook
_SELDOM = 10.0  # seconds between two lines in a log


@contextmanager
def progress_bar(description: str, wanted: bool = False) -> Iterator[Show]:
    """Show a progress bar on the terminal.

    If there is no terminal, nothing is shown, unless a bar is `wanted`: then a notebook gets one,
    and a log a line every ten seconds.
    """
    if sys.stderr.isatty():
        with _on_terminal(description) as show:
            yield show
    elif wanted:
        pace = _Notebook() if _is_notebook() else _Log()
        yield _Paced(description, pace)
        pace.end()
    else:
        yield lambda *_, **__: None


@contextmanager
def with_progress(options: RunOptions, progress: bool | Progress | None) -> Iterator[RunOptions]:
    """Add what `progress` asks for: a bar, a function that is called, or nothing."""
    if progress is True:
        with progress_bar("preparing", wanted=True) as show:
            yield reporting(options, show)
    else:
        yield replace(options, progress=progress or None)


def reporting(options: RunOptions, show: Show) -> RunOptions:
    """Options that report to a bar: progress, the current work, and the precision so far."""

    def stage(doing: str) -> None:
        show(doing=doing)

    def watch(standings: Sequence[Standing]) -> None:
        show(doing=_widest(standings))
        if options.watch is not None:
            options.watch(list(standings))

    return replace(options, progress=show, watch=watch, stage=stage)


def _widest(standings: Sequence[Standing]) -> str:
    """Describe the interval that is farthest from the precision asked for."""
    worst = max(standings, key=lambda each: each.lacking)
    measure = worst.measure.replace("_", " ")
    return f"{worst.name}: {measure} ± {worst.half_width:.3g}, wanted {worst.wanted:.3g}"


@contextmanager
def _on_terminal(description: str) -> Iterator[Show]:
    # Late, because most runs from Python show nothing.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(description, total=None, speed="")

        def show(
            done: int | None = None, total: int | None = None, doing: str | None = None
        ) -> None:
            pace = bar.tasks[task].speed
            speed = f"{pace:,.0f} a second" if pace and done else ""
            bar.update(task, completed=done, total=total, speed=speed, description=doing)

        yield show


def _is_notebook() -> bool:
    """Return True if this is a kernel of Jupyter's, which shows HTML."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class _Log:
    """A line every ten seconds, and one at the end."""

    every = _SELDOM

    def __init__(self) -> None:
        self._last = ""

    def tell(self, doing: str, done: int, total: int) -> None:
        """Print a line."""
        share = f"{done / total:.0%} of " if total else ""
        line = f"{doing}: {share}{total:,}" if total else doing
        if line != self._last:
            print(line, file=sys.stderr, flush=True)
        self._last = line

    def end(self) -> None:
        """Nothing is left to do."""


class _Notebook:
    """A bar in the output of a cell, which disappears at the end."""

    every = _OFTEN

    def __init__(self) -> None:
        self._display: Any = import_module("IPython.display")
        self._handle = self._display.display(self._display.HTML(""), display_id=True)

    def tell(self, doing: str, done: int, total: int) -> None:
        """Draw the bar anew."""
        bar = f'<progress value="{done}" max="{total or 1}"></progress>'
        self._handle.update(self._display.HTML(f"{bar} {html.escape(doing)}"))

    def end(self) -> None:
        """Remove the bar."""
        self._handle.update(self._display.HTML(""))


class _Paced:
    """Passes progress on, but not too often."""

    def __init__(self, doing: str, to: _Log | _Notebook) -> None:
        self._doing, self._done, self._total = doing, 0, 0
        self._to, self._next = to, 0.0

    def __call__(
        self, done: int | None = None, total: int | None = None, doing: str | None = None
    ) -> None:
        """Note the work done and the total, or a new description."""
        self._doing = self._doing if doing is None else doing
        if done is not None and total is not None:
            self._done, self._total = done, total
        now = time.monotonic()
        if now >= self._next or (self._total and self._done == self._total):
            self._next = now + self._to.every
            self._to.tell(self._doing, self._done, self._total)
