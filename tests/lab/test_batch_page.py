"""The batch tab, in a browser."""

from __future__ import annotations

import io
import re
import tomllib

import pandas as pd
import pytest
from playwright.sync_api import expect

from kcmab_abm import make_scenario, simulate
from kcmab_abm.figures.colours import pens_of
from tests.lab.conftest import bring, number

FILE = """\
title = "Two controllers"
horizon = 300
replications = 40
seed = 11

[market]
arms = { law = "bernoulli", means = [0.9, 0.8, 0.3] }
customers = { behaviour = "logit", tau = 0.05 }

[[policy]]
name = "ucb"

[[policy]]
name = "modified-ts"
label = "<b>Thompson</b>"
"""
LONG = FILE.replace("horizon = 300", "horizon = 100000").replace("= 40", "= 10000")
PATIENCE = 60_000  # milliseconds: the first run compiles


@pytest.fixture
def page(visit):
    """The batch tab with a scenario of two policies."""
    page = visit("/?tab=batch")
    bring(page, FILE)
    expect(page.get_by_test_id("batch-about")).to_contain_text("Two controllers")
    return page


def _run(page):
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_test_id("batch-regret-0")).to_be_attached(timeout=PATIENCE)


def _download(page, name):
    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name=name).click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def test_the_numbers_are_those_of_simulate(page):
    """Every number in the table equals that of `simulate`, to the last bit."""
    _run(page)
    summary = simulate(make_scenario(tomllib.loads(FILE))).summary()
    for place, row in enumerate(summary.to_dict("records")):
        for word in ("regret", "compensation", "locked_in", "acceptance"):
            assert number(page, f"batch-{word}-{place}") == row[word]
        for word in ("regret", "compensation"):
            half = (row[f"{word}_high"] - row[f"{word}_low"]) / 2
            assert number(page, f"batch-{word}-half-{place}") == half
    engines = page.get_by_test_id("batch-engine").all_inner_texts()
    assert engines == [
        "ucb: batch engine (selected automatically).",
        "<b>Thompson</b>: batch engine (selected automatically).",
    ]
    expect(page.get_by_test_id("batch-status")).to_have_text(
        re.compile(r"Served 24,000 customers in \d+\.\d seconds\.")
    )


def test_the_curves_are_drawn(page):
    """Each chart has a line, a band and a text label for each controller."""
    _run(page)
    for measure in ("regret", "compensation"):
        chart = page.get_by_test_id(f"batch-chart-{measure}")
        expect(chart.locator("svg")).to_contain_text("<b>Thompson</b>")
        for colour, *_ in pens_of(["ucb", "<b>Thompson</b>"]).values():
            expect(chart.locator(f"path[stroke='{colour}' i]").first).to_be_attached()
            expect(chart.locator(f"path[fill='{colour}' i]").first).to_be_attached()
    page.get_by_test_id("batch-chart-regret").hover(position={"x": 200, "y": 120})
    expect(page.get_by_text("<b>Thompson</b>: ").first).to_be_visible()


def test_measures_of_a_scenario_are_shown(page):
    """Each has its numbers in the table, and a chart unless it is of whole runs."""
    measures = 'kept = { measure = "profit" }\nunequal = { measure = "gini" }\n'
    text = f"{FILE}\n[measures]\n{measures}"
    bring(page, text.replace("Two controllers", "What is kept"))
    expect(page.get_by_test_id("batch-about")).to_contain_text("What is kept")
    _run(page)
    summary = simulate(make_scenario(tomllib.loads(text))).summary()
    for place, row in enumerate(summary.to_dict("records")):
        for word in ("kept", "unequal"):
            assert number(page, f"batch-{word}-{place}") == row[word]
    expect(page.get_by_test_id("batch-chart-kept").locator("svg")).to_contain_text("kept so far")
    expect(page.get_by_test_id("batch-chart-unequal")).to_have_count(0)


def test_what_is_downloaded_is_what_it_says(page):
    """The tables equal those of `simulate`, the figure is a PNG, the scenario is this one."""
    _run(page)
    results = simulate(make_scenario(tomllib.loads(FILE)))
    tables = {"Summary (csv)": results.summary(), "Curves (csv)": results.curves()}
    for button, table in tables.items():
        name, data = _download(page, button)
        assert name == f"kcmab-{button.split()[0].lower()}.csv"
        read = pd.read_csv(io.BytesIO(data), dtype=str)
        truths = table.select_dtypes("bool").columns
        read[truths] = read[truths] == "True"
        read = read.astype(table.dtypes)
        pd.testing.assert_frame_equal(read, table, check_exact=True)
    name, picture = _download(page, "Figure (png)")
    assert name == "kcmab-figure.png"
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(picture) > 50_000
    name, file = _download(page, "Scenario (toml)")
    assert name == "kcmab-scenario.toml"
    assert make_scenario(tomllib.loads(file.decode())) == results.scenario


def test_progress_is_told_and_a_run_can_be_cancelled(page):
    """A long run shows its progress and can be cancelled, after which the next one runs."""
    bring(page, LONG)
    expect(page.get_by_label("Replications", exact=True)).to_have_value("10000")
    page.get_by_role("button", name="Run").click()
    status = page.get_by_test_id("batch-status")
    expect(status).to_have_text(
        re.compile(r"Served [1-9][\d,]* of 2,000,000,000 customers …"), timeout=PATIENCE
    )
    expect(page.get_by_role("progressbar", name="Customers served")).to_be_visible()
    expect(page.get_by_role("button", name="Run")).to_be_disabled()
    page.get_by_role("button", name="Cancel").click()
    expect(status).to_contain_text("Cancelled after")
    expect(page.get_by_role("button", name="Cancel")).to_be_disabled()
    assert page.get_by_test_id("batch-regret-0").count() == 0
    bring(page, FILE)
    _run(page)


def test_results_of_other_settings_are_marked(page):
    """If the setup changes, the results stay but are marked as outdated."""
    _run(page)
    stale = page.get_by_test_id("batch-stale")
    expect(stale).to_be_hidden()
    page.get_by_label("Replications", exact=True).fill("41")
    page.get_by_label("Replications", exact=True).blur()
    expect(stale).to_be_visible()
    page.get_by_label("Replications", exact=True).fill("40")
    page.get_by_label("Replications", exact=True).blur()
    expect(stale).to_be_hidden()
    bring(page, FILE.replace("seed = 11", "seed = 12"))
    expect(stale).to_be_visible()


def test_the_number_of_replications_is_checked(page):
    """Numbers out of range are clipped; an empty field gets a message and its old value."""
    field = page.get_by_label("Replications", exact=True)
    for typed, taken in (("0", "1"), ("10001", "10000"), ("2.5", "2"), ("40", "40")):
        field.fill(typed)
        field.blur()
        expect(field).to_have_value(taken)
    field.fill("")
    field.blur()
    expect(page.get_by_text("enter a whole number from 1 to 10,000")).to_be_visible()
    expect(field).to_have_value("40")


def test_what_cannot_be_run_is_a_message(page):
    """A market that only the slow engine can run is refused if it would take hours."""
    queues = LONG.replace("[market]\n", "[market]\ncapacity = 1\nservice_time = 3.0\n")
    bring(page, queues)
    expect(page.get_by_label("Replications", exact=True)).to_have_value("10000")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_test_id("batch-status")).to_contain_text("needs the slower market engine")
    expect(page.get_by_role("button", name="Run")).to_be_enabled()


def test_a_single_run_has_no_interval(page):
    """A single replication is shown as a line without a band."""
    page.get_by_label("Replications", exact=True).fill("1")
    _run(page)
    expect(page.get_by_test_id("batch-chart-regret").locator("svg")).to_contain_text("ucb")
