"""Header, help, colour mode, links and network failures in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from kcmab_abm.lab.widgets.keyboard import SHORTCUTS
from tests.lab.market_page import SMALL, assert_as_played, at, press, setup_of, shown


@pytest.fixture
def page(visit):
    """A visitor with a small market."""
    return at(visit, setup_of())


def is_dark(page):
    """Whether the page is dark, once it is drawn."""
    return page.evaluate("document.body.classList.contains('body--dark')")


def test_the_light_is_hers_to_choose(page):
    """The button cycles through system, light and dark, and a reload keeps the choice."""
    for words, dark in [("light", False), ("dark", True), ("same as system", False)]:
        page.get_by_role("button", name=re.compile("Colours")).click()
        expect(page.get_by_role("button", name=f"Colours: {words}")).to_be_visible()
        assert is_dark(page) == dark
        page.reload()
        expect(page.get_by_role("button", name=f"Colours: {words}")).to_be_visible()
        assert is_dark(page) == dark


def test_a_chosen_light_is_not_the_systems(visit):
    """A visitor who has chosen light keeps it on a dark system; others do not get it."""
    page, other = visit(color_scheme="dark"), visit(color_scheme="dark")
    page.get_by_role("button", name="Colours: same as system").click()
    expect(page.get_by_role("button", name="Colours: light")).to_be_visible()
    for each, dark in ((page, False), (other, True)):
        each.reload()
        expect(each.get_by_role("tab", name="Market")).to_be_visible()
        assert is_dark(each) == dark


def test_a_light_that_does_not_exist_is_the_systems(visit, lab_server):
    """Unexpected cookies do no harm."""
    cookie = {"name": "kcmab_colours", "value": "<b>purple</b>", "url": lab_server.address}
    page = visit(color_scheme="dark")
    page.context.add_cookies([cookie])
    page.reload()
    expect(page.get_by_role("button", name="Colours: same as system")).to_be_visible()
    assert is_dark(page)


def test_tabs_are_in_the_address(visit):
    """Each tab has an address that opens it."""
    page = visit("/?tab=batch")
    expect(page.get_by_role("tab", name="Batch")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Market").click()
    page.wait_for_url(re.compile(r"/\?tab=market"))
    press(page, "One customer")
    page.get_by_role("tab", name="Batch").click()
    page.wait_for_url(re.compile(r"/\?tab=batch"))
    page.get_by_role("tab", name="Market").click()
    shown(page, 1)
    expect(page.get_by_test_id("did-0")).to_contain_text("Customer 1 ")


def test_the_help_lists_every_key(page):
    """The button opens the help; shortcuts work again once it is closed."""
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
    """The first Tab reaches a link, visible only then, that skips the header."""
    link = page.get_by_role("link", name="Skip to content")
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
    """Clicking into the link selects all of it for copying."""
    press(page, "Files and links")
    page.get_by_role("menuitem", name="Copy link").click()
    link = page.get_by_test_id("link")
    link.click()
    marked = link.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)")
    assert marked == link.input_value()
    assert "setup=" in marked


@pytest.mark.parametrize("seconds", [1, 5])
def test_a_network_that_fails_for_a_moment(page, seconds):
    """After a network failure the page continues with the same market; a long one is reported."""
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
