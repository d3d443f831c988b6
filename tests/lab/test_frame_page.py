"""What stands around the tabs, in a real browser: help, light, links, and a network that fails."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from kcmab_abm.lab.keyboard import SHORTCUTS
from tests.lab.test_market_page import SMALL, assert_as_played, at, desk_of, press, shown


@pytest.fixture
def page(visit):
    """A visitor before a small market."""
    return at(visit, desk_of())


def is_dark(page):
    """Whether the page is dark, once it is drawn."""
    return page.evaluate("document.body.classList.contains('body--dark')")


def test_the_light_is_hers_to_choose(page):
    """The button goes from the system's light to light to dark, and a reload keeps it."""
    for words, dark in [("light", False), ("dark", True), ("as the system says", False)]:
        page.get_by_role("button", name=re.compile("Colours")).click()
        expect(page.get_by_role("button", name=f"Colours: {words}")).to_be_visible()
        assert is_dark(page) == dark
        page.reload()
        expect(page.get_by_role("button", name=f"Colours: {words}")).to_be_visible()
        assert is_dark(page) == dark


def test_a_chosen_light_is_not_the_systems(visit):
    """Who has chosen light stays light in a dark system, and nobody else does."""
    page, other = visit(color_scheme="dark"), visit(color_scheme="dark")
    page.get_by_role("button", name="Colours: as the system says").click()
    expect(page.get_by_role("button", name="Colours: light")).to_be_visible()
    for each, dark in ((page, False), (other, True)):
        each.reload()
        expect(each.get_by_role("tab", name="Market")).to_be_visible()
        assert is_dark(each) == dark


def test_a_light_that_does_not_exist_is_the_systems(visit, lab_server):
    """What another program has put into the browser's memory breaks nothing."""
    cookie = {"name": "kcmab_colours", "value": "<b>purple</b>", "url": lab_server.address}
    page = visit(color_scheme="dark")
    page.context.add_cookies([cookie])
    page.reload()
    expect(page.get_by_role("button", name="Colours: as the system says")).to_be_visible()
    assert is_dark(page)


def test_tabs_are_in_the_address(visit):
    """A tab has an address of its own, and is opened by it."""
    page = visit("/?tab=batch")
    expect(page.get_by_role("tab", name="Batch")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Market").click()
    page.wait_for_url("**/?tab=market")
    press(page, "One customer")
    page.get_by_role("tab", name="Batch").click()
    page.wait_for_url("**/?tab=batch")
    page.get_by_role("tab", name="Market").click()
    shown(page, 1)
    expect(page.get_by_test_id("did-0")).to_contain_text("Customer 1 ")


def test_the_help_lists_every_key(page):
    """The button opens the help, during which keys do nothing; when it is closed they do again."""
    press(page, "Keyboard and help")
    help_dialog = page.get_by_role("dialog")
    for keys, about in SHORTCUTS.items():
        expect(help_dialog.get_by_text(about, exact=True)).to_be_visible()
        for key in keys.split():
            expect(help_dialog.get_by_text(key, exact=True)).to_be_visible()
    page.keyboard.press("n")
    help_dialog.get_by_role("button", name="Close").click()
    expect(help_dialog).to_have_count(0)
    page.keyboard.press("n")
    shown(page, 1)


def test_the_header_can_be_skipped(page):
    """The first stop by keyboard is a link, seen only then, that leads past the header."""
    link = page.get_by_role("link", name="Skip to the market")
    expect(link).not_to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.matches('main .q-tab-panels')")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    expect(page.get_by_role("main")).to_have_count(1)


def test_the_link_is_selected_by_a_click(page):
    """A click into the link marks all of it, to be copied by hand."""
    press(page, "Files and links")
    page.get_by_role("menuitem", name="Copy link").click()
    link = page.get_by_test_id("link")
    link.click()
    marked = link.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)")
    assert marked == link.input_value()
    assert "desk=" in marked


@pytest.mark.parametrize("seconds", [1, 5])
def test_a_network_that_fails_for_a_moment(page, seconds):
    """The page goes on with the same market, and has said if it was alone for long."""
    for customers in range(1, 4):
        press(page, "One customer")
        shown(page, customers)
    page.evaluate("window.same = true")
    page.context.set_offline(True)
    page.wait_for_timeout(1000 * seconds)
    expect(page.get_by_text("Connection lost.")).to_be_visible(visible=seconds > 2)
    press(page, "One customer")  # it is heard as soon as there is somebody to hear it
    page.context.set_offline(False)
    shown(page, 4)
    expect(page.get_by_text("Connection lost.")).to_be_hidden()
    press(page, "One customer")
    shown(page, 5)
    assert_as_played(page, SMALL, 5)
    assert page.evaluate("window.same")
