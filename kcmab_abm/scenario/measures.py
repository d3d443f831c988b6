"""The measures of a scenario: the columns that they become, and the values of whole runs."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np

from kcmab_abm.catalogue.composition import gives_values, is_mixture
from kcmab_abm.catalogue.entries import Entry
from kcmab_abm.catalogue.registry import MEASURES
from kcmab_abm.errors import PlayError
from kcmab_abm.model.book import sealed
from kcmab_abm.model.trajectory import CURVES, LARGEST_COUNT, Tally, Trajectory
from kcmab_abm.scenario.entry_tables import EntryTable
from kcmab_abm.scenario.fields import Problems
from kcmab_abm.scenario.world import Choice

MOST_MEASURES = 20
LONGEST_RUN = 2_000_000  # customers in a trajectory that is kept in memory for measures of runs
ENDINGS = ("", "_se", "_low", "_high", "_q05", "_q25", "_median", "_q75", "_q95")
# Columns of tables, and settings that a sweep turns into columns.
TAKEN = {
    *(measure + ending for measure in CURVES for ending in ENDINGS),
    *("policy", "policies", "seeding", "acceptance", "paid_customers", "left", "mean_wait"),
    *("locked_in", "locked_in_low", "locked_in_high", "few_locked_in"),
    *("replication", "replications", "engine", "title"),
    *("horizon", "seed", "record", "sample", "precision", "market", "purse", "sweep"),
    *("measures", "measure", "customer", "point", "other", "first"),
}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


class MeasureTable(EntryTable):
    """What is counted."""

    measure: str

    def build(self, name: str) -> Choice:
        """Return the measure for the engines; its name is the column of results."""
        return self._choice(MEASURES[self.measure], name)


@dataclass(frozen=True)
class Measures:
    """What a scenario counts beside regret and compensation.

    Attributes
    ----------
    choices : tuple of Choice
        The measures in the order of the file; their labels are the columns of results.
    """

    choices: tuple[Choice, ...] = ()

    @cached_property
    def of_customers(self) -> tuple[Choice, ...]:
        """The measures that are sums over customers."""
        return tuple(each for each in self.choices if each.entry.kind == "measure")

    @cached_property
    def of_runs(self) -> tuple[Choice, ...]:
        """The measures of whole runs."""
        return tuple(each for each in self.choices if each.entry.kind == "run measure")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of results."""
        return tuple(choice.label for choice in self.choices)

    @cached_property
    def is_noted(self) -> bool:
        """True if one asks for a customer's kind, or for what the arm taken is worth to her."""
        return self.asks_for("kind") or self.asks_for("value")

    def asks_for(self, word: str) -> bool:
        """Return True if any measure asks for this argument."""
        return any(entry.asks_for(word) for entry in self.entries)

    def check_values(self, customers: Entry, problems: Problems) -> None:
        """Report measures that ask for values which these customers do not have."""
        kinds = customers.parts if is_mixture(customers) else (customers,)
        without = [each.name for each in kinds if not gives_values(each)]
        for choice in self.choices if without else ():
            if choice.entry.asks_for("value"):
                problems.add(
                    f"measures.{choice.label}",
                    f"asks for value, what an arm is worth to a customer, and behaviour "
                    f"{without[0]!r} says none; give its belief and its decision apart, such as "
                    '{ behaviour = "greedy", decision = { rule = "logit" } }',
                )

    def in_order(self, tally: Tally) -> Tally:
        """Return the tally of an engine, which has measures of runs last, in this order."""
        counted = [*self.of_customers, *self.of_runs]
        if counted == [*self.choices]:
            return tally
        own = [len(CURVES) + counted.index(each) for each in self.choices]
        return tally._replace(curves=tally.curves[:, :, [*range(len(CURVES)), *own]])

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the catalogue."""
        return tuple(choice.entry for choice in self.choices)

    def of_run(self, run: Trajectory, horizon: int, replication: int) -> list[float]:
        """Return the measures of a whole run; raise a `PlayError` if a function fails."""
        columns = {each.name: sealed(getattr(run, each.name)) for each in fields(run)}
        given = {**columns, "horizon": horizon}
        return [_value(choice, given, replication) for choice in self.of_runs]


NO_MEASURES = Measures()


def _value(choice: Choice, given: Mapping[str, object], replication: int) -> float:
    entry = choice.entry
    try:
        # As in the market, NumPy's numbers raise errors as Python's do.
        with np.errstate(divide="raise", over="raise", invalid="raise", under="ignore"):
            value = entry.ask("act", params=choice.params, **given)
    except Exception as error:
        code = entry.act.__code__
        steps = traceback.extract_tb(error.__traceback__)
        lines = [step.lineno for step in steps if step.filename == code.co_filename]
        place = f" ({Path(code.co_filename).name}, line {lines[-1]})" if lines else ""
        words = f"{type(error).__name__}: {error}"
        raise PlayError(
            f"{entry.kind} {entry.name!r} failed for replication {replication}{place}: {words}"
        ) from error
    if not is_count(value):
        raise PlayError(
            f"{entry.kind} {entry.name!r} returned {str(value)[:60]} for replication "
            f"{replication}; {COUNTS}"
        )
    return float(value)


COUNTS = f"a count is a number from {-LARGEST_COUNT:g} to {LARGEST_COUNT:g}"


def is_count(value: object) -> bool:
    """Return True if a measure may return this."""
    number = (float, int, np.floating, np.integer, np.bool_)
    return isinstance(value, number) and bool(-LARGEST_COUNT <= value <= LARGEST_COUNT)


def build_measures(
    tables: Mapping[str, MeasureTable] | None, horizon: int, problems: Problems
) -> Measures:
    """Return the measures; report names that results cannot have."""
    if tables is None:
        return NO_MEASURES
    for place, words in _faults(tables):
        problems.add(place, words)
    found = Measures(tuple(MeasureTable.build(each, name) for name, each in tables.items()))
    if found.of_runs and horizon > LONGEST_RUN:
        problems.add(
            f"measures.{found.of_runs[0].label}",
            "a measure of whole runs keeps every customer of a run in memory, so horizon must be "
            f"at most {LONGEST_RUN:,}, got {horizon:,}",
        )
    return found


def _faults(tables: Mapping[str, MeasureTable]) -> Iterator[tuple[str, str]]:
    if len(tables) > MOST_MEASURES:
        yield "measures", f"must be at most {MOST_MEASURES} measures, got {len(tables)}"
    owners = dict.fromkeys(TAKEN, "")
    for name in tables:
        if not _NAME.fullmatch(name):
            yield (
                "measures",
                f"{name[:60]!a} cannot be the name of a column; use at most 40 letters, digits, "
                "hyphens and underscores, a letter first",
            )
            continue
        for column in (name + ending for ending in ENDINGS):
            if column in owners:
                whose = f"of measures.{owners[column]}" if owners[column] else "of the results"
                yield (
                    f"measures.{name}",
                    f"{column!r} is already a column {whose}; give this measure another name",
                )
                break
            owners[column] = name
