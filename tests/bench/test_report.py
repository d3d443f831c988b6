"""Limits, tables, pages and the figure of the measurements."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bench import figure, growth, report
from bench.against import TITLE
from bench.page import renewed
from bench.report import COST, Limit, Row, written
from kcmab_abm.catalogue.registry import POLICIES

AT_MOST, AT_LEAST = Limit("<=", 10.0), Limit(">=", 500.0)


def row(value: float | None = 20.0, **settings: object) -> Row:
    """A row of the measurement 'speed'."""
    return Row("speed", "batch", "ucb", value, COST, load=0.0, **settings)


@pytest.mark.parametrize(
    ("measured", "met"),
    [
        (row(), ""),
        (row(10.0, limit=AT_MOST), "yes"),
        (row(10.1, limit=AT_MOST), "no"),
        (row(20.0, ratio=9.0, limit=AT_MOST), "yes"),
        (row(5.0, ratio=11.0, limit=AT_MOST), "no"),
        (row(1.0, ratio=500.0, limit=AT_LEAST), "yes"),
        (row(1000.0, ratio=499.0, limit=AT_LEAST), "no"),
        (row(None, limit=AT_LEAST), "unknown"),
    ],
)
def test_limits_are_marked(measured: Row, met: str) -> None:
    """The limit is on the ratio if there is one; what was not measured is not judged."""
    assert measured.met == met


@pytest.mark.parametrize(
    ("number", "text"),
    [(18234.5, "18,234"), (465.27, "465.3"), (7.614, "7.61"), (0.0123, "0.0123"), (None, "")],
)
def test_numbers_have_as_many_decimals_as_they_are_worth(number: float, text: str) -> None:
    """About three digits, commas between thousands."""
    assert written(number) == text


def test_the_table_is_kept_for_machines_and_for_readers(tmp_path: Path) -> None:
    """Numbers in the CSV have no commas; the Markdown has no empty columns."""
    rows = [row(12345.0, customers=10_000), row(None, remark="not measured: no network")]
    report.write_csv(tmp_path / "table.csv", rows)
    report.write_markdown(tmp_path / "table.md", rows)
    with (tmp_path / "table.csv").open(encoding="utf-8") as file:
        first, second = csv.DictReader(file)
    assert (first["value"], first["customers"], second["value"]) == ("12345", "10000", "")
    text = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert "| what | policy | customers | value | unit | remark |" in text
    assert "| batch | ucb | 10,000 | 12,345 | ns/customer |  |" in text


def test_a_page_gets_new_tables_for_what_was_measured() -> None:
    """Only the marked block of that measurement changes."""
    block = "<!-- measured: {} -->\nold\n<!-- measured: end -->\n"
    before = "Words.\n" + block.format("speed") + "More.\n" + block.format("memory")
    after = renewed(before, [row()])
    assert "| batch | ucb | 20.0 | ns/customer |" in after
    assert after.count("old") == 1
    assert after.endswith("More.\n" + block.format("memory"))
    assert renewed(after, [row()]) == after


@pytest.mark.parametrize("peers", [[], ["river 0.26.1", "mabby 0.1.2"]])
def test_the_figure_is_drawn_with_or_without_peers(tmp_path: Path, peers: list[str]) -> None:
    """Whoever could not be measured is left out."""
    size = {"arms": 9, "customers": 10_000}
    rows = [Row(growth.BY_ARMS, "floor", "one uniform", 5.0, COST)]
    for title in (growth.BY_ARMS, growth.BY_HORIZON):
        rows += [Row(title, who, "ucb", 40.0, COST, **size) for who in ("batch", "market")]
    rows += [Row(TITLE, who, "ts", 9000.0, COST, **size) for who in ("NumPy", *peers)]
    rows += [Row(TITLE, "SMPyBandits", "ts", None, COST, **size)]
    figure.draw(tmp_path, rows)
    assert (tmp_path / "cost.png").stat().st_size > 0


def test_growth_covers_every_policy_in_both_engines() -> None:
    """No policy that plays any market is left out, from the fewest arms to the most."""
    for cases in (growth.cases_by_arms(1000), growth.cases_by_horizon(10**7)):
        found = {(case.engine, case.policy) for case in cases}
        assert found == {
            (engine, policy)
            for engine in ("batch", "market")
            for policy in POLICIES.own_names()
            if not POLICIES[policy].needs
        }
