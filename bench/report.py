"""The rows of measurements, and their output as tables."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.table import Table

COLUMNS = (
    "measurement",
    "what",
    "policy",
    "arms",
    "customers",
    "value",
    "unit",
    "ratio",
    "to",
    "asked",
    "met",
    "remark",
    "load",
)
NUMBERS = {"arms", "customers", "value", "ratio", "load"}
COST = "ns/customer"


@dataclass(frozen=True)
class Limit:
    """An upper or lower limit on a number."""

    sign: str
    bound: float

    def holds(self, number: float) -> bool:
        """True if the number is within the limit."""
        return number <= self.bound if self.sign == "<=" else number >= self.bound

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"


def load() -> float:
    """The load average of the last minute, if the system reports it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")


@dataclass(frozen=True)
class Row:
    """One measured number with its unit, its ratio to a reference, and its limit.

    `customers` are those of one replication. The limit is on the ratio where there is one, else on
    the value. There is no value where something could not be measured; the remark says why.
    """

    measurement: str
    what: str
    policy: str
    value: float | None
    unit: str
    ratio: float | None = None
    to: str = ""
    limit: Limit | None = None
    arms: int | None = None
    customers: int | None = None
    remark: str = ""
    load: float = field(default_factory=load)

    @property
    def met(self) -> str:
        """'yes', 'no', 'unknown', or an empty string if there is no limit."""
        if self.limit is None:
            return ""
        judged = self.value if self.ratio is None else self.ratio
        if judged is None:
            return "unknown"
        return "yes" if self.limit.holds(judged) else "no"

    def cells(self) -> dict[str, str]:
        """The row as text."""
        return {
            "measurement": self.measurement,
            "what": self.what,
            "policy": self.policy,
            "arms": whole(self.arms),
            "customers": whole(self.customers),
            "value": written(self.value),
            "unit": "" if self.value is None else self.unit,
            "ratio": written(self.ratio),
            "to": self.to,
            "asked": "" if self.limit is None else str(self.limit),
            "met": self.met,
            "remark": self.remark,
            "load": f"{self.load:.2f}",
        }


def whole(number: int | None) -> str:
    """A number with commas, or nothing."""
    return "" if number is None else f"{number:,}"


def written(number: float | None) -> str:
    """A number with a suitable number of decimals.

    >>> written(18234.5), written(465.27), written(7.614), written(0.0123)
    ('18,234', '465.3', '7.61', '0.0123')
    """
    if number is None:
        return ""
    decimals = 0 if number >= 1000 else 1 if number >= 10 else 2 if number >= 0.1 else 4
    return f"{number:,.{decimals}f}"


def sections(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each measurement."""
    return {name: list(group) for name, group in groupby(rows, lambda row: row.measurement)}


def show(console: Console, rows: Iterable[Row]) -> None:
    """Print all rows as one table, with one section per measurement."""
    table = Table(title="Measured side by side, the best of several rounds")
    for column in COLUMNS:
        table.add_column(column, justify="right" if column in NUMBERS else "left")
    for name, group in sections(rows).items():
        table.add_section()
        for place, row in enumerate(group):
            cells = row.cells() | {"measurement": "" if place else name}
            table.add_row(*cells.values(), style="red" if row.met == "no" else "")
    console.print(table)


def write_csv(path: Path, rows: Iterable[Row]) -> None:
    """Write the table as CSV, with numbers without commas."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            cells = row.cells()
            writer.writerow(cells | {name: cells[name].replace(",", "") for name in NUMBERS})


def write_markdown(path: Path, rows: Iterable[Row]) -> None:
    """Write the table as Markdown, with one heading per measurement."""
    parts = [f"## {name}\n\n{markdown(group)}" for name, group in sections(rows).items()]
    path.write_text("\n".join(["# Measured side by side\n", *parts]), encoding="utf-8")


def markdown(rows: Iterable[Row]) -> str:
    """Rows of one measurement as a Markdown table, without empty columns."""
    lines = [row.cells() for row in rows]
    used = [name for name in COLUMNS[1:-1] if any(cells[name] for cells in lines)]
    rules = ["---:" if name in NUMBERS else "---" for name in used]
    table = [used, rules, *([cells[name] for name in used] for cells in lines)]
    return "".join(f"| {' | '.join(line)} |\n" for line in table)
