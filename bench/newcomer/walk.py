"""Follow a page and record when the milestones are reached."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.newcomer.lesson import Unable, take_first_lesson
from bench.newcomer.steps import Step, Type, Write, steps_of
from bench.newcomer.terminal import Terminal, fresh_terminal

FIGURE, POLICY, LESSON = "first figure", "first own policy", "first lesson"
MILESTONES = (FIGURE, POLICY, LESSON)


@dataclass
class Journey:
    """The milestones that a page reached, and the time it took."""

    page: str
    steps: list[tuple[Step, float]] = field(default_factory=list)
    reached: dict[str, tuple[float, int]] = field(default_factory=dict)  # seconds, steps
    unable: str = ""
    failure: str = ""

    def note(self, milestone: str, seconds: float) -> None:
        """Record a milestone when it is first reached."""
        self.reached.setdefault(milestone, (seconds, len(self.steps)))


def walk(page: str, say: Callable[[str], None]) -> Journey:
    """Follow a page in a new clone, to the last milestone or the first failing step."""
    journey = Journey(page)
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as home, fresh_terminal(Path(home)) as terminal:
        traveller = Traveller(terminal, Path(home))
        for step in steps_of((terminal.folder / page).read_text(encoding="utf-8")):
            say(f"{page}: {step}")
            start = time.perf_counter()
            try:
                milestones = traveller.take(step)
            except Unable as reason:
                journey.unable = str(reason)
                say(f"  skipped: {reason}")
                continue
            except Exception as error:  # whatever it is, it is what the newcomer runs into
                journey.failure = f"{page}, {step.section}: {step}\n{error}"
                say(f"  failed: {error}")
                break
            end = time.perf_counter()
            journey.steps.append((step, end - start))
            say(f"  {end - start:.1f} s{''.join(f', {each}' for each in milestones)}")
            for milestone in milestones:
                journey.note(milestone, end - begin)
            if len(journey.reached) == len(MILESTONES):
                break
    return journey


class Traveller:
    """Carries out the steps of a page and checks their results."""

    def __init__(self, terminal: Terminal, home: Path) -> None:
        self._terminal, self._home = terminal, home
        self._policies: list[str] = []
        self._figures, self._results = self._find("*.png"), self._find("manifest.json")

    def take(self, step: Step) -> list[str]:
        """Take one step and return the milestones that it reaches."""
        if isinstance(step, Write):
            (self._terminal.folder / step.name).write_text(step.text, encoding="utf-8")
            if step.is_policy:
                self._policies.append(step.name)
            return []
        if step.is_lab:
            log = self._home / "lab.log"
            self._terminal.leave_running(step.command, log)
            take_first_lesson(self._home / "address", log)
            return [LESSON]
        return self._type(step)

    def _type(self, step: Type) -> list[str]:
        code, printed = self._terminal.type(step.command)
        if code:
            raise RuntimeError(f"exit code {code}\n{printed[-2000:].strip()}")
        figures, results = self._find("*.png"), self._find("manifest.json")
        milestones = [FIGURE] if figures - self._figures else []
        if results - self._results and any(name in step.command for name in self._policies):
            milestones.append(POLICY)
        self._figures, self._results = figures, results
        return milestones

    def _find(self, pattern: str) -> set[Path]:
        """Files in the clone, except those of virtual environments."""
        folder = self._terminal.folder
        environments = {path.parent for path in folder.glob("*/pyvenv.cfg")}
        found = set(folder.glob(pattern))
        for place in folder.iterdir():
            if place.is_dir() and place not in environments:
                found |= set(place.rglob(pattern))
        return found
