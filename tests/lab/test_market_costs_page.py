"""The cards on the right of the market tab in a real browser: bounds, and the history of an arm."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

import kcmab_abm as kcmab
from tests.lab.market_page import (
    SMALL,
    at,
    choose,
    setup_of,
    switch,
)


@pytest.fixture
def page(visit):
    """A visitor with a small market."""
    return at(visit, setup_of())


def test_the_history_of_an_arm(visit):
    """String and counts are those of the run; the boundary is shown with the true means."""
    page = at(visit, setup_of(shown=90))
    run = kcmab.play(kcmab.make_scenario(SMALL), engine="market")
    for arm in (0, 2):
        choose(page, "arm", f"arm {arm}")
        rewards = run.rewards[:90][run.arms[:90] == arm].astype(int).tolist()
        ones = sum(rewards)
        expect(page.get_by_test_id("lattice")).to_have_attribute(
            "data-value", f"{ones} {len(rewards) - ones}"
        )
        letters = page.get_by_test_id("string").inner_text().removeprefix("… ")
        assert letters == "".join(map(str, rewards[-60:]))
    expect(page.get_by_test_id("boundary")).to_contain_text("Show the true means")
    expect(page.get_by_text("stopping boundary")).to_have_count(0)
    switch(page, "True means")
    expect(page.get_by_test_id("boundary")).to_contain_text("probability 0.3")
    expect(page.get_by_text("stopping boundary")).to_be_visible()


def test_the_history_of_the_second_market(visit):
    """The same arm has a different history under another controller."""
    page = at(visit, setup_of(right=1, shown=60))
    for label in ("modified-ts", "ucb"):
        choose(page, "market", label)
        run = kcmab.play(kcmab.make_scenario(SMALL), policy=label, engine="market")
        rewards = run.rewards[:60][run.arms[:60] == 0]
        ones = int(rewards.sum())
        expect(page.get_by_test_id("lattice")).to_have_attribute(
            "data-value", f"{ones} {len(rewards) - ones}"
        )


def test_bounds_are_called_what_they_are(page):
    """The bounds come with their kind and their value at the horizon."""
    switch(page, "True means")
    switch(page, "Show the paper's bounds")
    bound = kcmab.theory.ucb_compensation_bound([0.9, 0.6, 0.3], 120)
    expect(
        page.get_by_text(f"Theorem 2, compensation of ucb: upper bound, {bound:,.1f}")
    ).to_be_visible()
    expect(
        page.get_by_text(re.compile("regret: asymptotic slope, not a lower limit, "))
    ).to_be_visible()


def test_bounds_that_do_not_apply_are_not_shown(visit):
    """The page names the premise that fails instead."""
    market = SMALL["market"] | {"report_probability": 0.5}
    page = at(visit, setup_of(SMALL | {"market": market}, revealed=True))
    switch(page, "Show the paper's bounds")
    expect(
        page.get_by_text(re.compile("Not shown: .*Theorem 2.* that every customer reports"))
    ).to_be_visible()
    expect(page.get_by_text("Theorem 2, compensation of ucb")).to_have_count(0)


def test_other_laws_have_no_string(visit):
    """For rewards other than 0 and 1 the page says that there is no such history."""
    arms = [
        {"law": "uniform", "low": [0.1], "high": [0.6]},
        {"law": "beta", "means": [0.5], "concentration": 3.0},
    ]
    page = at(visit, setup_of(SMALL | {"market": {"arms": arms}}, shown=20, revealed=True))
    expect(page.get_by_test_id("lattice")).to_contain_text("only for arms with rewards of 0 or 1")
    expect(page.get_by_text("set in the scenario file")).to_be_visible()
    expect(page.get_by_role("slider")).to_have_count(1)
