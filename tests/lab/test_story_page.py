"""The first screen and the gallery in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from kcmab_abm.lab.model.story import GUESTS, RESTAURANTS, SOON, Story
from tests.lab.conftest import bring, number


def _next(page, times=1):
    for _ in range(times):
        before = page.get_by_test_id("story-happened").inner_text()
        page.get_by_role("button", name="Next guest").click()
        expect(page.get_by_test_id("story-happened")).not_to_have_text(before)


def _open(visit, **profile):
    return visit("/?tab=story", **profile)


@pytest.mark.parametrize("address", ["/", "/?tab=story", "/?tab=nonsense"])
def test_the_first_screen_needs_no_scrolling(visit, lab_server, address):
    """Who chooses, what is offered and the button are visible at once, on a phone and a desktop."""
    for wide, high in ((1280, 720), (390, 844)):
        page = visit("/?tab=market", viewport={"width": wide, "height": high})
        page.goto(address)
        button = page.get_by_role("button", name="Next guest")
        button.wait_for()
        box = button.bounding_box()
        assert box["y"] + box["height"] <= high
        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        expect(page.get_by_text("no guests yet")).to_have_count(3)


def test_accounts_appear_with_the_first_payment(visit):
    """Until somebody is paid there are no accounts; then they show what was paid."""
    page, story = _open(visit), Story()
    accounts = page.get_by_role("region", name="Accounts")
    while story.market.totals.paid == 0:
        expect(accounts).to_be_hidden()
        expect(page.get_by_test_id("story-reason")).to_have_text(story.reason())
        _next(page)
        story.session.one_customer()
        expect(page.get_by_test_id("story-happened")).to_have_text(story.happened())
    expect(accounts).to_be_visible()
    paid = f"€{story.market.totals.compensation:.2f} to 1 guest"
    expect(page.get_by_test_id("story-paid")).to_contain_text(paid)
    expect(page.get_by_test_id("story-lost")).to_be_hidden()
    expect(page.get_by_text("✓ done: See a guest being paid.")).to_be_visible()
    page.get_by_role("button", name="One guest back").click()
    expect(accounts).to_be_hidden()


@pytest.mark.parametrize("place", range(len(RESTAURANTS)))
def test_the_best_restaurant_is_named_after_some_guests(visit, place):
    """A name ends the guessing: the truth appears, and the goal is reached if it is right."""
    page, best = _open(visit), Story().town.best
    name = page.get_by_role("button", name=RESTAURANTS[place])
    for guests in (10, SOON):
        expect(name).to_be_disabled()
        page.get_by_role("button", name="10 guests").click()
        expect(page.get_by_test_id("story")).to_have_attribute("data-guest", str(guests + 1))
    expect(page.get_by_text("in truth")).to_have_count(0)
    name.click()
    expect(page.get_by_text("in truth")).to_have_count(3)
    verdict = "Right, " if place == best else "No, "
    expect(page.get_by_test_id("story-verdict")).to_contain_text(verdict)
    reached = page.get_by_text("✓ done: Name the best restaurant")
    expect(reached).to_have_count(int(place == best))
    expect(page.get_by_test_id("story-lost")).to_contain_text("Good meals lost")


def test_another_guide_another_town_and_the_full_view(visit):
    """The guide and the town can be changed, and the market opened with all its numbers."""
    page = _open(visit)
    _next(page, 3)
    for name in ("Gallery", "Lessons", "Start"):
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    page.get_by_role("combobox", name="Who pays?").click()
    page.get_by_role("option", name="nobody").click()
    expect(page.get_by_test_id("story-happened")).to_have_text("No guest has come yet.")
    page.get_by_role("button", name="Another town").click()
    _next(page, 4)
    page.get_by_role("button", name="Full view").click()
    expect(page.get_by_role("tab", name="Market")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_test_id("title")).to_have_text(f"Three restaurants, town {49}")
    assert number(page, "place") == 4
    expect(page.get_by_text(f"of {GUESTS} customers")).to_be_visible()


def test_a_sweep_from_the_gallery_has_a_slider(visit):
    """A shipped sweep opens under its question; the slider leads to its other points."""
    page = visit("/?tab=gallery")
    page.get_by_test_id("open-price-of-noise").click()
    expect(page.get_by_test_id("question")).to_contain_text("choose at random")
    expect(page.get_by_test_id("point")).to_have_text("1 of 9: market.customers.tau = 0.0")
    page.get_by_role("button", name="One customer").click()
    expect(page.get_by_test_id("place")).to_have_attribute("data-value", "1")
    slider = page.get_by_role("slider", name="point of the sweep").locator("[tabindex='0']")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    expect(page.get_by_test_id("point")).to_have_text(re.compile(r"3 of 9: .*tau = 0\.02"))
    expect(page.get_by_test_id("place")).to_have_attribute("data-value", "0")


def test_a_precise_file_from_the_gallery_says_what_is_left_out(visit):
    """A file with a precision opens with a note; a file without a question has no card."""
    page = visit("/?tab=gallery")
    page.get_by_test_id("open-precise").click()
    expect(page.get_by_test_id("notes")).to_contain_text("Batch runs in the lab")
    expect(page.get_by_role("slider", name="point of the sweep")).to_be_hidden()
    bring(
        page,
        'horizon = 9\n[market]\narms = {law="bernoulli", means=[0.1]}\n[[policy]]\nname = "ucb"\n',
    )
    expect(page.get_by_text("of 9 customers")).to_be_visible()
    expect(page.get_by_test_id("question")).to_be_hidden()


def test_a_reload_leads_back_to_the_same_guest(visit):
    """The address brings the first screen back, and so does coming back from elsewhere."""
    page = _open(visit)
    _next(page, 5)
    happened = page.get_by_test_id("story-happened").inner_text()
    page.wait_for_url(re.compile("story=48.modified-ts.5"))
    page.reload()
    expect(page.get_by_test_id("story-happened")).to_have_text(happened)
    page.goto("about:blank")
    page.go_back()
    expect(page.get_by_test_id("story-happened")).to_have_text(happened)
    expect(page.get_by_test_id("story")).to_have_attribute("data-guest", "6")
