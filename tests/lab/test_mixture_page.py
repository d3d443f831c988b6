"""Mixtures of customers on the page."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.lab.market_page import (
    SMALL,
    assert_as_played,
    at,
    choose,
    press,
    set_number,
    setup_of,
    shown,
)


def mixed(*kinds):
    """The settings of the small market with customers of these kinds."""
    customers = {"behaviour": "mixture", "of": list(kinds)}
    return SMALL | {"market": SMALL["market"] | {"customers": customers}}


def play_to_the_end(page):
    """Let all 120 customers come."""
    choose(page, "Speed", "top speed")
    press(page, "Play")
    shown(page, 120)


def test_a_mixture_is_made_on_the_page(visit):
    """Kinds, settings and weights chosen on the page give the market of the same file."""
    page = at(visit, setup_of())
    choose(page, "behaviour", "mixture")
    set_number(page, "tau", 0.3)
    set_number(page, "weight of kind 2", 2.5)
    press(page, "Add a kind")
    choose(page, "kind 3", "stubborn")
    set_number(page, "share", 0.9)
    play_to_the_end(page)
    logit = {"behaviour": "logit", "tau": 0.3, "weight": 2.5}
    stubborn = {"behaviour": "stubborn", "share": 0.9}
    assert_as_played(page, mixed({"behaviour": "greedy"}, logit, stubborn), 120)


def test_a_kind_goes_and_another_takes_its_place(visit):
    """A removed kind is gone, a changed kind keeps its weight, the rest stays."""
    logit = {"behaviour": "logit", "tau": 0.2, "weight": 3.0}
    page = at(visit, setup_of(mixed({"behaviour": "stubborn"}, {"behaviour": "greedy"}, logit)))
    press(page, "Remove kind 1")
    expect(page.get_by_role("group", name="kind 3")).to_have_count(0)
    choose(page, "kind 2", "optimism")
    expect(page.get_by_label("weight of kind 2")).to_have_value("3")
    play_to_the_end(page)
    assert_as_played(
        page, mixed({"behaviour": "greedy"}, {"behaviour": "optimism", "weight": 3.0}), 120
    )


def test_a_mixture_of_nobody_is_refused(visit):
    """The last kind cannot be removed, nor can all weights be 0; the market stays as it was."""
    settings = mixed({"behaviour": "logit", "tau": 0.2})
    page = at(visit, setup_of(settings))
    press(page, "Remove kind 1")
    expect(page.get_by_role("alert").last).to_contain_text("market.customers.of")
    set_number(page, "weight of kind 1", 0)
    expect(page.get_by_role("alert").last).to_contain_text("must have a weight > 0")
    expect(page.get_by_label("weight of kind 1")).to_have_value("1")
    play_to_the_end(page)
    assert_as_played(page, settings, 120)


def test_leaving_the_mixture_leaves_its_kinds(visit):
    """A single behaviour shows no kinds; choosing the mixture again makes it one half."""
    page = at(visit, setup_of(mixed({"behaviour": "stubborn"}, {"behaviour": "logit"})))
    choose(page, "behaviour", "optimism")
    expect(page.get_by_role("button", name="Add a kind")).to_be_hidden()
    choose(page, "behaviour", "mixture")
    play_to_the_end(page)
    assert_as_played(page, mixed({"behaviour": "optimism"}, {"behaviour": "greedy"}), 120)
