"""Several visitors at once: nobody sees another's market, and who leaves is forgotten."""

from __future__ import annotations

import json
import time
import urllib.request

import psutil
import pytest
from playwright.sync_api import expect

from kcmab_abm import play
from kcmab_abm.lab.desk import from_link, starting_desk, to_link
from kcmab_abm.lab.page import MOST_SESSIONS
from tests.lab.conftest import bring, number, serve
from tests.lab.test_batch_page import FILE, LONG

PATIENCE = 60  # seconds


def _sessions(lab):
    with urllib.request.urlopen(f"{lab.address}/sessions") as answer:
        return json.load(answer)["sessions"]


def _await_sessions(lab, wanted):
    end = time.monotonic() + PATIENCE
    while (open_now := _sessions(lab)) not in wanted:
        assert time.monotonic() < end, f"{open_now} sessions, not {wanted}"
        time.sleep(0.2)


def _step(page, times):
    """Let some customers come, and wait until they are shown."""
    before = number(page, "place")
    for each in range(times):
        page.get_by_role("button", name="One customer").click()
        expect(page.get_by_test_id("place")).to_have_attribute(
            "data-value", f"{before + each + 1:.0f}"
        )


def _assert_shown(page, scenario, policy, side, customers):
    """The accounts of a market are those of `play` after so many customers."""
    run = play(scenario, policy=policy, engine="market")
    regret = sum(run.regrets[:customers].tolist())
    paid = sum(run.payments[:customers].tolist())
    expect(page.get_by_test_id(f"regret-{side}")).to_have_attribute("data-value", f"{regret}")
    assert number(page, f"regret-{side}") == regret
    assert number(page, f"compensation-{side}") == paid


def test_two_visitors_do_not_see_each_other(visit):
    """What one opens, steps and reveals changes nothing on the other's page."""
    one, other = visit(), visit()
    bring(one, FILE)
    expect(one.get_by_test_id("title")).to_have_text("Two controllers")
    _step(one, 6)
    _step(other, 3)
    expect(other.get_by_test_id("title")).to_have_text("Nine arms")
    scenario = from_link(_link(one)).scenario
    _assert_shown(one, scenario, "ucb", 0, 6)
    _assert_shown(one, scenario, "<b>Thompson</b>", 1, 6)
    _assert_shown(other, starting_desk().scenario, "ucb", 0, 3)
    assert number(other, "place") == 3


def test_a_visitor_who_leaves_is_forgotten(visit, lab_server):
    """Closing the tab frees the session and whatever it was running."""
    _await_sessions(lab_server, [0])
    page = visit("/?tab=batch")
    assert _sessions(lab_server) == 1
    bring(page, LONG)
    expect(page.get_by_label("Replications")).to_have_value("10000")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_test_id("batch-status")).to_contain_text("Served", timeout=60_000)
    page.close()
    _await_sessions(lab_server, [0])
    _assert_idle(lab_server)


def test_a_full_lab_says_so(visit, tmp_path):
    """Who comes when 200 pages are open is told what to do, the others go on, and she may come."""
    with serve(tmp_path) as lab:
        page = visit(lab=lab)
        while _sessions(lab) < MOST_SESSIONS:  # those who never say a word are forgotten in time
            urllib.request.urlopen(lab.address).close()
        late = page.context.new_page()
        late.goto("/")
        expect(late.get_by_role("heading", name="The lab is full")).to_be_visible()
        expect(late.get_by_text("200 pages are open; close one")).to_be_visible()
        expect(late.get_by_role("tab")).to_have_count(0)
        _step(page, 2)
        _assert_shown(page, starting_desk().scenario, "ucb", 0, 2)
        page.close()
        _await_sessions(lab, range(MOST_SESSIONS))
        late.reload()
        _step(late, 1)
        late.close()


def _assert_idle(lab):
    """The server has stopped computing: a run of hours would keep it busy."""
    end = time.monotonic() + PATIENCE
    while True:
        used = _cpu_seconds(lab)
        time.sleep(1.0)
        if _cpu_seconds(lab) - used < 0.5:
            return
        assert time.monotonic() < end, "the run of a visitor who has left goes on"


def _cpu_seconds(lab):
    used = psutil.Process(lab.process.pid).cpu_times()
    return used.user + used.system


def _link(page):
    """The word in the link that the page hands out."""
    page.get_by_role("button", name="Files and links").click()
    page.get_by_role("menuitem", name="Copy link").click()
    address = page.get_by_test_id("link").input_value()
    page.get_by_role("button", name="Close").last.click()
    expect(page.get_by_test_id("link")).to_have_count(0)
    return address.partition("desk=")[2].partition("&")[0]


def test_a_link_restores_the_whole_state(visit):
    """Another visitor who follows a link sees the same market at the same customer."""
    page = visit()
    bring(page, FILE)
    expect(page.get_by_test_id("title")).to_have_text("Two controllers")
    _step(page, 7)
    page.get_by_test_id("reveal").click()
    expect(page.get_by_test_id("arm-0-1-true")).to_have_attribute("data-value", "0.8")
    word = _link(page)
    other = visit(f"/?desk={word}")
    expect(other.get_by_test_id("place")).to_have_attribute("data-value", "7")
    expect(other.get_by_test_id("title")).to_have_text("Two controllers")
    expect(other.get_by_test_id("arm-0-1-true")).to_have_attribute("data-value", "0.8")
    for mark in ("regret-0", "regret-1", "compensation-0", "arm-0-0-mean", "arm-1-2-pulls"):
        assert number(other, mark) == number(page, mark)
    assert _link(other) == word


def test_the_link_is_in_the_clipboard(visit):
    """The address is copied, and shown to those whose browser does not allow that."""
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    word = _link(page)
    assert word == to_link(starting_desk())
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"?desk={word}")


def _open_menu(page):
    page.get_by_role("button", name="Files and links").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.closest('.q-menu')")


def test_files_are_opened_and_saved_by_keyboard(visit):
    """The menu and its entries work without a mouse."""
    page = visit()
    dialogs = []
    page.on("filechooser", lambda dialog: dialogs.append(dialog))
    _open_menu(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("menuitem", name="Open a scenario file")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem")).to_have_count(0)
    assert len(dialogs) == 1
    _open_menu(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("menuitem", name="Download scenario")).to_be_focused()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert b'title = "Nine arms"' in download.value.path().read_bytes()


@pytest.mark.parametrize("word", ["x", "%00", "eNo=", "../../etc/passwd"])
def test_a_damaged_link_opens_the_page_all_the_same(visit, word):
    """A link that restores nothing gets a message, above the market one begins with."""
    page = visit(f"/?desk={word}")
    expect(page.get_by_text("the link is damaged")).to_be_visible()
    _step(page, 1)
