"""The market tab as a visitor uses it, and its numbers compared with `kcmab.play`."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from playwright.sync_api import expect

import kcmab_abm as kcmab
from kcmab_abm.lab.model.market_setup import Setup, make_lab_scenario
from kcmab_abm.lab.model.share_links import to_link
from tests.lab.conftest import number

SMALL = {
    "title": "Three arms",
    "horizon": 120,
    "seed": 11,
    "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.6, 0.3]}},
    "policy": [{"name": "ucb"}, {"name": "modified-ts"}],
}
SPEEDS = (
    "1 per second",
    "3 per second",
    "10 per second",
    "30 per second",
    "100 per second",
    "1,000 per second",
    "top speed",
)


def setup_of(settings=SMALL, **more):
    """A setup for a link."""
    return Setup(make_lab_scenario(settings), **more)


def at(visit, setup, **profile):
    """A visitor who has followed a link to a market."""
    page = visit(f"/?setup={to_link(setup)}", **profile)
    expect(page.get_by_test_id("place")).to_have_attribute("data-value", str(setup.shown))
    return page


def press(page, name):
    """Press a button on the page."""
    page.get_by_role("button", name=name, exact=True).click()


def shown(page, customers):
    """Wait until this many customers have come and gone."""
    expect(page.get_by_test_id("place")).to_have_attribute("data-value", str(customers))


def set_number(page, label, value):
    """Type a number and leave the field."""
    field = page.get_by_label(label, exact=True).locator("visible=true").first
    field.fill(str(value))
    field.press("Enter")


def choose(page, label, option):
    """Choose from a list."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def switch(page, name):
    """Turn a switch."""
    page.get_by_role("switch", name=name).click()


@contextmanager
def revealed(page):
    """The page with the true means shown, and regret with them."""
    switch = page.get_by_test_id("reveal")
    hidden = switch.get_attribute("aria-checked") == "false"
    if hidden:
        switch.click()
    yield
    if hidden:
        switch.click()
        expect(page.get_by_test_id("regret-0")).to_have_text("hidden")


def assert_accounts(page, run, customers, side=0):
    """The totals equal those of the run, to the last bit."""
    sums = {"regret": run.regrets, "compensation": run.payments}
    for word, values in sums.items():
        total = 0.0
        for value in values[:customers]:
            total += float(value)
        with revealed(page):
            assert number(page, f"{word}-{side}") == total
    assert number(page, f"paid-{side}") == np.count_nonzero(run.payments[:customers] > 0)


def assert_as_played(page, settings, customers, side=0, place=0):
    """All numbers on the page equal those of `play`, to the last bit."""
    scenario = kcmab.make_scenario(settings)
    label = scenario.policies[place].label
    run = kcmab.play(scenario, policy=label, engine="market")
    assert_accounts(page, run, customers, side)
    for arm in range(len(scenario.market.arms)):
        rewards = run.rewards[:customers][run.arms[:customers] == arm]
        assert number(page, f"arm-{side}-{arm}-pulls") == len(rewards)
        if len(rewards):
            mean = float(np.cumsum(rewards)[-1]) / len(rewards)
            assert number(page, f"arm-{side}-{arm}-mean") == pytest.approx(mean, rel=1e-15)
        offer = number(page, f"arm-{side}-{arm}-offer")
        on_target = customers < len(run) and run.targets[customers] == arm
        assert offer == (run.offers[customers] if on_target else 0.0)
        row = page.get_by_test_id(f"arm-{side}-{arm}-row")
        taken = customers > 0 and run.arms[customers - 1] == arm
        assert row.get_attribute("data-taken") == str(taken).lower()
    did = page.get_by_test_id(f"did-{side}").inner_text()
    if customers:
        assert f"Customer {customers} " in did
        assert ("is paid nothing" in did) == (run.payments[customers - 1] == 0)
