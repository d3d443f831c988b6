"""What a measurement hands over, and how it is shown and kept."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

COLUMNS = ("measurement", "case", "value", "unit", "ratio", "to", "asked", "met", "load")


@dataclass(frozen=True)
class Limit:
    """What was asked of a number: at most, or at least."""

    sign: str
    bound: float

    def holds(self, number: float) -> bool:
        """Whether the number keeps the limit."""
        return number <= self.bound if self.sign == "<=" else number >= self.bound

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"


@dataclass(frozen=True)
class Row:
    """One number: what it is of, its unit, its ratio to something, and what was asked of it.

    The limit is on the ratio where there is one, else on the value.
    """

    measurement: str
    case: str
    value: float
    unit: str
    ratio: float | None = None
    to: str = ""
    limit: Limit | None = None
    load: float = 0.0

    @property
    def met(self) -> str:
        """'yes', 'no', or nothing if nothing was asked."""
        if self.limit is None:
            return ""
        return "yes" if self.limit.holds(self.value if self.ratio is None else self.ratio) else "no"

    def cells(self) -> list[str]:
        """The row as text, in the order of the columns."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        asked = "" if self.limit is None else str(self.limit)
        value = f"{self.value:,.{decimals(self.value)}f}"
        load = f"{self.load:.2f}"
        return [
            self.measurement,
            self.case,
            value,
            self.unit,
            ratio,
            self.to,
            asked,
            self.met,
            load,
        ]


def decimals(number: float) -> int:
    """How many decimals a number of this size is worth."""
    return 0 if number >= 1000 else 1 if number >= 10 else 2 if number >= 0.1 else 4


def load() -> float:
    """The load average of the last minute, where the system tells."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


def show(console: Console, rows: Iterable[Row]) -> None:
    """Print all rows as one table, a section a measurement."""
    table = Table(*COLUMNS, title="Measured side by side, the best of several rounds")
    for column in (2, 4, 8):
        table.columns[column].justify = "right"
    before = ""
    for row in rows:
        name, *rest = row.cells()
        if name != before:
            table.add_section()
        table.add_row("" if name == before else name, *rest, style="red" if row.met == "no" else "")
        before = name
    console.print(table)


def write(path: Path, columns: Iterable[str], lines: Iterable[Iterable[object]]) -> None:
    """Keep a table as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(lines)
