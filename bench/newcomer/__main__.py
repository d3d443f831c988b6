"""Time the newcomer's path: `python -m bench.newcomer [PAGE ...]`.

Every page is followed in a new clone of the last commit, from the top and exactly as printed: files
are saved and commands typed into one terminal. The program fails if a step fails, because then the
page has left something out, and if none of the pages reaches some milestone.
"""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.newcomer.terminal import ROOT
from bench.newcomer.walk import LESSON, MILESTONES, Journey, walk

PAGES = ("README.md", "docs/tutorial.md")


def main() -> int:
    """Follow the pages; return 0 if every milestone is reached and no step fails."""
    parser = argparse.ArgumentParser(prog="python -m bench.newcomer", description=__doc__)
    there = [page for page in PAGES if (ROOT / page).exists()]
    parser.add_argument("pages", nargs="*", default=there, metavar="PAGE")
    console = Console(width=140, highlight=False)
    journeys = [
        walk(page, lambda line: console.print(line, markup=False))
        for page in parser.parse_args().pages
    ]
    for journey in journeys:
        console.print(steps_table(journey))
    console.print(milestones_table(journeys))
    complaints = complaints_of(journeys)
    for complaint in complaints:
        console.print(complaint, markup=False, soft_wrap=True)
    return 1 if complaints else 0


def complaints_of(journeys: list[Journey]) -> list[str]:
    """The failures of the pages, not counting lessons that cannot be taken here."""
    failures = [journey.failure for journey in journeys if journey.failure]
    reached = {milestone for journey in journeys for milestone in journey.reached}
    if any(journey.unable for journey in journeys):
        reached.add(LESSON)
    missing = [milestone for milestone in MILESTONES if milestone not in reached]
    return failures + [f"no page led to the {milestone}" for milestone in missing]


def steps_table(journey: Journey) -> Table:
    """A table of every step with its time in seconds."""
    table = Table("section", "step", title=Text(f"Steps of {journey.page}"))
    table.add_column("seconds", justify="right")
    for step, seconds in journey.steps:
        table.add_row(Text(step.section), Text(str(step)), f"{seconds:.1f}")
    return table


def milestones_table(journeys: list[Journey]) -> Table:
    """A table of the times to each milestone, counted from the clone on."""
    table = Table("milestone", title="Time until the")
    for journey in journeys:
        table.add_column(journey.page, justify="right")
    for milestone in MILESTONES:
        table.add_row(milestone, *(when(journey, milestone) for journey in journeys))
    return table


def when(journey: Journey, milestone: str) -> str:
    """Seconds and steps to a milestone, or the reason why it was not reached."""
    if milestone in journey.reached:
        seconds, steps = journey.reached[milestone]
        return f"{seconds:.0f} s, {steps} steps"
    if milestone == LESSON and journey.unable:
        return f"skipped: {journey.unable}"
    return "-"


if __name__ == "__main__":
    sys.exit(main())
