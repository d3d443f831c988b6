"""The batch tab, in a browser."""

from __future__ import annotations

import io
import re
import tomllib

import pandas as pd
import pytest
from playwright.sync_api import expect

from kcmab_abm import make_scenario, simulate
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
    """Every number of the table is the one that `simulate` gives, to the last bit."""
    _run(page)
    summary = simulate(make_scenario(tomllib.loads(FILE))).summary()
    for place, row in enumerate(summary.to_dict("records")):
        for word in ("regret", "compensation", "locked_in", "acceptance"):
            assert number(page, f"batch-{word}-{place}") == row[word]
        for word in ("regret", "compensation"):
            assert number(page, f"batch-{word}-se-{place}") == row[f"{word}_se"]
    engines = page.get_by_test_id("batch-engine").all_inner_texts()
    assert engines == [
        "ucb: batch engine (the fastest that can run this).",
        "<b>Thompson</b>: batch engine (the fastest that can run this).",
    ]
    expect(page.get_by_test_id("batch-status")).to_have_text(
        re.compile(r"Served 24,000 customers in \d+\.\d seconds\.")
    )


def test_the_curves_are_drawn(page):
    """Each chart has a line and a band for each controller, and names them as text."""
    _run(page)
    for measure in ("regret", "compensation"):
        chart = page.get_by_test_id(f"batch-chart-{measure}")
        expect(chart.locator("svg")).to_contain_text("<b>Thompson</b>")
        for colour in ("#0072B2", "#D55E00"):
            expect(chart.locator(f"path[stroke='{colour}' i]").first).to_be_attached()
            expect(chart.locator(f"path[fill='{colour}' i]").first).to_be_attached()
    page.get_by_test_id("batch-chart-regret").hover(position={"x": 200, "y": 120})
    expect(page.get_by_text("<b>Thompson</b>: ").first).to_be_visible()


def test_what_is_downloaded_is_what_it_says(page):
    """Tables hold the numbers of `simulate`, the picture is one, the scenario is this one."""
    _run(page)
    results = simulate(make_scenario(tomllib.loads(FILE)))
    tables = {"Summary (csv)": results.summary(), "Curves (csv)": results.curves()}
    for button, table in tables.items():
        name, data = _download(page, button)
        assert name == f"kcmab-{button.split()[0].lower()}.csv"
        read = pd.read_csv(io.BytesIO(data), dtype=str).astype(table.dtypes)
        pd.testing.assert_frame_equal(read, table, check_exact=True)
    name, picture = _download(page, "Figure (png)")
    assert name == "kcmab-figure.png"
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(picture) > 50_000
    name, file = _download(page, "Scenario (toml)")
    assert name == "kcmab-scenario.toml"
    assert make_scenario(tomllib.loads(file.decode())) == results.scenario


def test_progress_is_told_and_a_run_can_be_cancelled(page):
    """A long run says how far it is, stops when told, and the next one runs."""
    bring(page, LONG)
    expect(page.get_by_label("Replications")).to_have_value("10000")
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
    """When the desk changes the results stay, and say that they are no longer those of it."""
    _run(page)
    stale = page.get_by_test_id("batch-stale")
    expect(stale).to_be_hidden()
    page.get_by_label("Replications").fill("41")
    page.get_by_label("Replications").blur()
    expect(stale).to_be_visible()
    page.get_by_label("Replications").fill("40")
    page.get_by_label("Replications").blur()
    expect(stale).to_be_hidden()
    bring(page, FILE.replace("seed = 11", "seed = 12"))
    expect(stale).to_be_visible()


def test_the_number_of_replications_is_checked(page):
    """What is out of range goes to its end; nothing at all gets a message and the old number."""
    field = page.get_by_label("Replications")
    for typed, taken in (("0", "1"), ("10001", "10000"), ("2.5", "2"), ("40", "40")):
        field.fill(typed)
        field.blur()
        expect(field).to_have_value(taken)
    field.fill("")
    field.blur()
    expect(page.get_by_text("a whole number from 1 to 10,000")).to_be_visible()
    expect(field).to_have_value("40")


def test_what_cannot_be_run_is_a_message(page):
    """A market that only the slow engine runs is refused where it would take hours."""
    delayed = LONG.replace("[market]\n", "[market]\nreport_delay = 3.0\n")
    bring(page, delayed)
    expect(page.get_by_label("Replications")).to_have_value("10000")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_test_id("batch-status")).to_contain_text("needs the market engine")
    expect(page.get_by_role("button", name="Run")).to_be_enabled()


def test_a_single_run_has_no_interval(page):
    """One replication is shown as a line, without bands that nobody could compute."""
    page.get_by_label("Replications").fill("1")
    _run(page)
    expect(page.get_by_test_id("batch-chart-regret").locator("svg")).to_contain_text("ucb")
