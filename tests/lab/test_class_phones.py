"""Sixty phones play a market on a server that is killed in the middle."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

from kcmab_abm import play
from kcmab_abm.lab.model.classroom.afterwards import record_of
from kcmab_abm.lab.model.classroom.journal import open_class
from kcmab_abm.running.source import open_scenario
from kcmab_abm.running.verify_results import check
from tests.lab.class_phones import TOKEN, Phone, served_class
from tests.markets import assert_same
from tests.processes import wait_until

PHONES, GUESTS = 60, 300
BROWSERS = 3  # of these phones
# What a student does who always takes the first restaurant.
TAPPING = """() => setInterval(() => {
    const first = document.querySelector("body[data-screen=choose] main button:enabled");
    if (first) first.click();
}, 50)"""
LATE = 2  # guests in a hundred who do nothing


def tap(phones, upto, rng):
    """Let phones choose until so many guests have come; some let their time run out."""
    end = time.monotonic() + 200
    while time.monotonic() < end:
        for phone in phones:
            view = phone.look()
            if view.get("over") or view.get("t", 0) > upto:
                return
            if view.get("screen") == "choose":
                if rng.random() >= LATE / 100:
                    arm = int(rng.integers(3))
                    phone.send(do="choose", t=view["t"], arm=arm)
                phone.view = {}
        time.sleep(0.005)
    raise TimeoutError("the class did not get there")


def begin(browser, served):
    """The teacher opens her screen and lets the guests come."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto(f"{served.address}/teacher?token={TOKEN}")
    page.get_by_role("button", name="You are the customers").click()
    page.get_by_text("is choosing").wait_for()
    context.close()


@contextmanager
def in_browsers(browser, served):
    """Three phones in a browser, which tap the first restaurant whenever it is their turn."""
    pages = []
    for _ in range(BROWSERS):
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        page.goto(f"{served.address}/?code={served.code}")
        page.get_by_text("You are in.").wait_for()
        page.evaluate(TAPPING)
        pages.append(page)
    yield pages
    for page in pages:
        page.context.close()


@pytest.mark.slow
def test_sixty_phones_play_three_hundred_guests_and_outlive_a_killed_server(tmp_path, browser):
    """The ledger is that of `play` with the recorded choices, and nobody has to join again."""
    options = ("--horizon", str(GUESTS), "--seconds", "3")
    rng = np.random.default_rng(0)
    with ExitStack() as stack:
        with served_class(tmp_path, *options) as served:
            phones = [Phone(served, number) for number in range(PHONES - BROWSERS)]
            wait_until(lambda: all(phone.look(0.05).get("screen") == "lobby" for phone in phones))
            names = [phone.view["name"] for phone in phones]
            pages = stack.enter_context(in_browsers(browser, served))
            own = [page.locator("#who").inner_text() for page in pages]
            begin(browser, served)
            tap(phones, 150, rng)
            served.kill()
        with served_class(tmp_path, *options, port=served.port) as served:
            for phone in phones:
                phone.view = {}
                phone.reconnect(served)
            tap(phones, GUESTS, rng)
            assert [phone.look(1.0)["name"] for phone in phones] == names
            for page in pages:
                page.get_by_text("The market is closed.").wait_for()
            assert [page.locator("#who").inner_text() for page in pages] == own
            [room] = wait_until(lambda: [*served.folder.glob("*-guests/room-1/manifest.json")])
            wait_until(lambda: [*served.folder.glob("*-guests/simulated/manifest.json")])
            for phone in phones:
                phone.close()
    classroom, journal = open_class(served.folder, pytest.fail)
    journal.close()
    [live] = classroom.activity.rooms
    assert classroom.ended
    assert live.is_over
    assert len({each.who for each in live.answers}) == PHONES
    assert_same(live.run(), play(record_of(live), engine="market"))
    assert check(room.parent).problems == []
    repeated = open_scenario(room.parent)  # as `kcmab paths` does
    choices = repeated.settings["market"]["customers"]["choices"]
    assert choices == live.run().arms.tolist()
    assert_same(live.run(), play(repeated, engine="market"))
