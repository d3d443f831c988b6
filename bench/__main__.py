"""Measure the package: `python -m bench [--quick] [--only speed,market] [--out DIR]`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from bench import compiling, fixed, growth, growth_report, jobs, market, memory, report, speed

MEASUREMENTS = {
    "speed": speed.measure,
    "market": market.measure,
    "jobs": jobs.measure,
    "fixed": fixed.measure,
    "compiling": compiling.measure,
    "memory": memory.measure,
}
GROWTH = "growth"

Result = TypeVar("Result")


def main() -> None:
    """Run what was asked for, print it, keep it."""
    wanted = options()
    console = Console(width=144)
    rows = [
        row
        for name, measure in MEASUREMENTS.items()
        if name in wanted.only
        for row in announced(console, name, measure, wanted.quick)
    ]
    if rows:
        report.show(console, rows)
    points: list[growth.Point] = []
    if GROWTH in wanted.only:
        points = announced(console, GROWTH, growth.measure, wanted.quick)
        growth_report.show(console, points)
    if wanted.out and rows:
        report.write(wanted.out / "table.csv", report.COLUMNS, (row.cells() for row in rows))
    if wanted.out and points:
        growth_report.keep(wanted.out, points)


def options() -> argparse.Namespace:
    """The command line."""
    names = [*MEASUREMENTS, GROWTH]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small and rough")
    parser.add_argument(
        "--only", type=lambda text: chosen(text, names), default=names, help=", ".join(names)
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="write tables and a figure here")
    return parser.parse_args()


def chosen(text: str, names: list[str]) -> list[str]:
    """The measurements named in a list with commas."""
    words = text.split(",")
    for word in words:
        if word not in names:
            raise argparse.ArgumentTypeError(f"no {word!r}; choose from {', '.join(names)}")
    return words


def announced(
    console: Console, name: str, measure: Callable[[bool], list[Result]], quick: bool
) -> list[Result]:
    """The result of a measurement, with a line that says how long it took and in what company."""
    before, start = report.load(), time.perf_counter()
    result = measure(quick)
    taken = time.perf_counter() - start
    console.print(f"{name}: {taken:.0f} s, load average {before:.2f} to {report.load():.2f}")
    return result


if __name__ == "__main__":
    main()
