"""Measure the package: `python -m bench [--quick] [--only speed,market] [--out DIR]`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console

from bench import (
    against,
    compiling,
    dask_sweep,
    figure,
    fixed,
    growth,
    jobs,
    long_runs,
    market,
    page,
    report,
    speed,
    stepping,
)
from bench.peers.environments import default_folder
from bench.report import Row

MEASUREMENTS: dict[str, Callable[..., list[Row]]] = {
    "speed": speed.measure,
    "market": market.measure,
    "stepping": stepping.measure,
    "against": against.measure,
    "growth": growth.measure,
    "jobs": jobs.measure,
    "dask": dask_sweep.measure,
    "fixed": fixed.measure,
    "compiling": compiling.measure,
    "long": long_runs.measure,
}


def main() -> None:
    """Run the selected measurements, print and store the results."""
    wanted = options()
    console = Console(width=200)
    measurements = MEASUREMENTS | {
        "against": partial(against.measure, environments=wanted.environments)
    }
    rows = [
        row
        for name, measure in measurements.items()
        if name in wanted.only
        for row in announced(console, name, measure, wanted.quick)
    ]
    report.show(console, rows)
    if wanted.out:
        keep(wanted.out, rows)
    if wanted.page:
        page.refresh(wanted.page, rows)


def keep(folder: Path, rows: list[Row]) -> None:
    """Write the table as CSV and Markdown, and the figure if there is data for it."""
    folder.mkdir(parents=True, exist_ok=True)
    report.write_csv(folder / "measured.csv", rows)
    report.write_markdown(folder / "measured.md", rows)
    if any(row.measurement == growth.BY_ARMS for row in rows):
        figure.draw(folder, rows)


def options() -> argparse.Namespace:
    """Parse the command line."""
    names = list(MEASUREMENTS)
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller and less accurate")
    parser.add_argument(
        "--only", type=lambda text: chosen(text, names), default=names, help=", ".join(names)
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="write table and figure here")
    parser.add_argument("--page", type=Path, metavar="FILE", help="update the tables on this page")
    parser.add_argument(
        "--environments",
        type=Path,
        metavar="DIR",
        default=default_folder(),
        help="where the other libraries are installed (%(default)s)",
    )
    return parser.parse_args()


def chosen(text: str, names: list[str]) -> list[str]:
    """The measurements named in a comma-separated list."""
    words = text.split(",")
    for word in words:
        if word not in names:
            raise argparse.ArgumentTypeError(f"no {word!r}; choose from {', '.join(names)}")
    return words


def announced(
    console: Console, name: str, measure: Callable[[bool], list[Row]], quick: bool
) -> list[Row]:
    """Run a measurement and print its duration and the load average."""
    before, start = report.load(), time.perf_counter()
    result = measure(quick)
    taken = time.perf_counter() - start
    console.print(f"{name}: {taken:.0f} s, load average {before:.2f} to {report.load():.2f}")
    return result


if __name__ == "__main__":
    main()
