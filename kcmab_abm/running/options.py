"""The options that `simulate`, `sweep` and `run` share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kcmab_abm.scenario.precision import Watch

if TYPE_CHECKING:
    from kcmab_abm.running.journal import Journal

Engine = Literal["auto", "market", "batch"]
Progress = Callable[[int, int], None]
Tell = Callable[[str], None]


def silent(message: str) -> None:
    """Ignore the message."""


@dataclass(frozen=True)
class RunOptions:
    """The options of `simulate`; `stage` is called with a description of the current work.

    `measures` are those that figures show, by default regret and compensation; with `report`, a run
    into a folder writes report.html.
    """

    engine: Engine = "auto"
    jobs: int | None = None
    executor: Executor | None = None
    progress: Progress | None = None
    journal: Journal | None = None
    watch: Watch | None = None
    stage: Tell = silent
    measures: tuple[str, ...] = ()
    report: bool = False

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise ValueError(f"jobs must be >= 1, got {self.jobs}")
