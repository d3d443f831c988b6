"""Every tab is accessible: axe-core finds nothing, and the keyboard can be followed."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from kcmab_abm.lab.model.share_links import to_link
from tests.lab.market_page import SMALL, setup_of, shown

DESKTOP, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}


def _story(visit, **profile):
    page = visit("/?tab=story", **profile)
    for guests in (11, 21):
        page.get_by_role("button", name="10 guests").click()
        expect(page.get_by_test_id("story")).to_have_attribute("data-guest", str(guests))
    return page


def _gallery(visit, **profile):
    page = visit("/?tab=gallery", **profile)
    expect(page.get_by_test_id("open-figure1")).to_be_visible()
    return page


def _market(visit, **profile):
    setup = setup_of(SMALL, right=1, shown=30, revealed=True)
    page = visit(f"/?setup={to_link(setup)}", **profile)
    shown(page, 30)
    page.get_by_role("switch", name="Guess the means").click()
    page.mouse.move(0, 0)
    expect(page.locator(".q-tooltip")).to_have_count(0)
    return page


def _lessons(visit, **profile):
    page = visit("/?tab=lessons", **profile)
    expect(page.get_by_role("button", name="lesson 1")).to_be_visible()
    return page


def _lesson(visit, **profile):
    page = visit("/?lesson=3&step=2", **profile)
    expect(page.get_by_role("button", name="Check")).to_be_visible()
    return page


def _batch(visit, **profile):
    page = visit("/?tab=batch", **profile)
    expect(page.get_by_role("button", name="Run")).to_be_visible()
    return page


def _reading(visit, **profile):
    page = _lessons(visit, **profile)
    page.goto("/reading/docs/theory/greedy.md")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


VIEWS = [_story, _gallery, _market, _lessons, _lesson, _batch, _reading]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__.strip("_"))
def test_axe_finds_nothing(visit, view, screen, colours):
    """No violation of axe-core's rules, and nothing is wider than the screen."""
    page = view(visit, viewport=screen, color_scheme=colours)
    found = Axe().run(page).response["violations"]
    told = [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]
    assert told == []
    assert page.evaluate("document.documentElement.scrollWidth") <= screen["width"]


# The outline of what has the focus, or of the field or slider around it.
_OUTLINE = """() => {
  const here = document.activeElement;
  const places = [here, here.closest(".q-field")?.querySelector(".q-field__control"),
    here.closest(".q-slider")?.querySelector(".q-slider__thumb")];
  const drawn = places.filter(Boolean).some((place) => {
    const style = getComputedStyle(place);
    return style.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2;
  });
  return here === document.body || drawn ? "" : here.outerHTML.slice(0, 200);
}"""


@pytest.mark.parametrize("view", VIEWS[:-1], ids=lambda view: view.__name__.strip("_"))
def test_the_keyboard_can_be_followed(visit, view):
    """Whatever Tab leads to has a visible outline."""
    page = view(visit, viewport=DESKTOP)
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate(_OUTLINE) == ""


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_bars_can_be_read_when_two_markets_are_compared(visit, screen):
    """With all columns, the bars of both markets are at least 100 pixels wide."""
    page = _market(visit, viewport=screen)
    widths = page.locator(".lab-bar").evaluate_all("all => all.map((one) => one.clientWidth)")
    assert len(widths) == 6
    assert min(widths) >= 100
