"""Several visitors at once, each with her own markets, freed when she leaves."""

from __future__ import annotations

import json
import time
import urllib.request

import psutil
import pytest
from playwright.sync_api import expect

from kcmab_abm import play
from kcmab_abm.lab.model.market_setup import starting_setup
from kcmab_abm.lab.model.share_links import from_link, to_link
from tests.lab.conftest import bring, number, serve
from tests.lab.market_page import revealed
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
    """Step a few times and wait until the customers are shown."""
    before = number(page, "place")
    for each in range(times):
        page.get_by_role("button", name="One customer").click()
        expect(page.get_by_test_id("place")).to_have_attribute(
            "data-value", f"{before + each + 1:.0f}"
        )


def _assert_shown(page, scenario, policy, side, customers):
    """The totals of a market equal those of `play` after this many customers."""
    run = play(scenario, policy=policy, engine="market")
    regret = sum(run.regrets[:customers].tolist())
    paid = sum(run.payments[:customers].tolist())
    with revealed(page):
        expect(page.get_by_test_id(f"regret-{side}")).to_have_attribute("data-value", f"{regret}")
        assert number(page, f"regret-{side}") == regret
    assert number(page, f"compensation-{side}") == paid


def test_two_visitors_do_not_see_each_other(visit):
    """What one visitor does changes nothing on another's page."""
    one, other = visit(), visit()
    bring(one, FILE)
    expect(one.get_by_test_id("title")).to_have_text("Two controllers")
    _step(one, 6)
    _step(other, 3)
    expect(other.get_by_test_id("title")).to_have_text("Nine arms")
    scenario = from_link(_link(one)).scenario
    _assert_shown(one, scenario, "ucb", 0, 6)
    _assert_shown(one, scenario, "<b>Thompson</b>", 1, 6)
    _assert_shown(other, starting_setup().scenario, "ucb", 0, 3)
    assert number(other, "place") == 3


def test_a_visitor_who_leaves_is_forgotten(visit, lab_server):
    """Closing the page frees the session and stops its runs."""
    _await_sessions(lab_server, [0])
    page = visit("/?tab=batch")
    assert _sessions(lab_server) == 1
    bring(page, LONG)
    expect(page.get_by_label("Replications", exact=True)).to_have_value("10000")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_test_id("batch-status")).to_contain_text("Served", timeout=60_000)
    page.close()
    _await_sessions(lab_server, [0])
    _assert_idle(lab_server)


FEW = 3
SMALL = f"from kcmab_abm.lab.server import page; page.MOST_SESSIONS, page.MOST_WAITING = {FEW}, 5"


def test_a_full_lab_says_so(visit, tmp_path):
    """If the lab is full, a visitor is told what to do and can come back later."""
    with serve(tmp_path, first=SMALL) as lab:
        pages = [visit(lab=lab) for _ in range(FEW)]
        page, other = pages[0], pages[1]
        _await_sessions(lab, [FEW])
        late = page.context.new_page()
        late.goto("/?tab=market")
        expect(late.get_by_role("heading", name="The lab is full")).to_be_visible()
        expect(late.get_by_text(f"{FEW} pages are already open. Close one")).to_be_visible()
        expect(late.get_by_role("tab")).to_have_count(0)
        _step(page, 2)
        _assert_shown(page, starting_setup().scenario, "ucb", 0, 2)
        other.close()
        _await_sessions(lab, range(FEW))
        late.reload()
        _step(late, 1)
        for each in (late, page, pages[2]):
            each.close()


def test_plain_requests_take_no_place(visit, tmp_path):
    """Requesting the page without connecting does not keep others out."""
    with serve(tmp_path, first=SMALL) as lab:
        for _ in range(5 * FEW):
            urllib.request.urlopen(lab.address).close()
        assert _sessions(lab) == 0
        page = visit(lab=lab)
        _step(page, 1)
        assert _sessions(lab) == 1
        page.close()


def _assert_idle(lab):
    """The server is idle, as it would not be during a long run."""
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
    """The setup in the link that the page offers."""
    page.get_by_role("button", name="Files and links").click()
    page.get_by_role("menuitem", name="Copy link").click()
    address = page.get_by_test_id("link").input_value()
    page.get_by_role("button", name="Close").last.click()
    expect(page.get_by_test_id("link")).to_have_count(0)
    return address.partition("setup=")[2].partition("&")[0]


def test_a_link_restores_the_whole_state(visit):
    """A link shows another visitor the same market at the same customer."""
    page = visit()
    bring(page, FILE)
    expect(page.get_by_test_id("title")).to_have_text("Two controllers")
    _step(page, 7)
    page.get_by_test_id("reveal").click()
    expect(page.get_by_test_id("arm-0-1-true")).to_have_attribute("data-value", "0.8")
    word = _link(page)
    other = visit(f"/?setup={word}")
    expect(other.get_by_test_id("place")).to_have_attribute("data-value", "7")
    expect(other.get_by_test_id("title")).to_have_text("Two controllers")
    expect(other.get_by_test_id("arm-0-1-true")).to_have_attribute("data-value", "0.8")
    for mark in ("regret-0", "regret-1", "compensation-0", "arm-0-0-mean", "arm-1-2-pulls"):
        assert number(other, mark) == number(page, mark)
    assert _link(other) == word


def test_the_link_is_in_the_clipboard(visit):
    """The link is copied, or shown if the browser does not allow copying."""
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    word = _link(page)
    assert word == to_link(starting_setup())
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"?setup={word}")


def _open_menu(page):
    page.get_by_role("button", name="Files and links").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.closest('.q-menu')")


def test_files_are_opened_and_saved_by_keyboard(visit):
    """The menu works without a mouse."""
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
    """A damaged link gets a message, and the starting market is shown."""
    page = visit(f"/?setup={word}")
    expect(page.get_by_text("the link is damaged")).to_be_visible()
    _step(page, 1)
