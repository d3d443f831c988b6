"""A served class: sixty phones, a killed server, the teacher's token."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest
from fastapi import WebSocketDisconnect

from kcmab_abm import make_scenario, play
from kcmab_abm.lab.classroom.console import Console
from kcmab_abm.lab.classroom.phones import PUBLIC, Phones
from kcmab_abm.lab.classroom.stage import stage
from kcmab_abm.lab.model.classroom.afterwards import record_of
from kcmab_abm.lab.model.classroom.classroom import Classroom, Plan
from kcmab_abm.lab.model.classroom.journal import open_class
from kcmab_abm.lab.model.classroom.views import view_of
from kcmab_abm.lab.server.guard import Guard, own_hosts
from kcmab_abm.paths.source import open_scenario
from kcmab_abm.running.verify_results import check
from tests.lab.class_phones import TOKEN, Phone, served_class
from tests.lab.test_guard import _app, ask
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


class Socket:
    """A websocket that says what it is told to, and keeps what it hears."""

    client = None

    def __init__(self, *told):
        self.told = [json.dumps(each) if isinstance(each, dict) else each for each in told]
        self.heard = []
        self.code = None

    async def accept(self):
        """Accept everybody."""

    async def receive_text(self):
        """The next thing said; then the phone hangs up."""
        if not self.told:
            raise WebSocketDisconnect
        return self.told.pop(0)

    async def send_text(self, text):
        """Hear something."""
        self.heard.append(json.loads(text))

    async def close(self, code=1000):
        """Be closed."""
        self.code = code


def hub(**plan):
    """The phones of a small class whose guests have begun."""
    market = {"arms": {"law": "bernoulli", "means": [0.7, 0.4]}}
    settings = {"horizon": 10, "market": market, "policy": [{"name": "greedy"}]}
    return Phones(Classroom(Plan(make_scenario(settings), code="ABCDE", **plan)))


def served(phones, *told):
    """A phone that says these things; what it heard."""
    socket = Socket(*told)
    asyncio.run(phones.serve(socket))
    return socket


HELLO = {"code": "abcde ", "key": "k" * 32}


def test_a_phone_needs_the_room_code():
    """Wrong codes are counted, the right one is read as people type it."""
    phones = hub()
    for _ in range(60):
        assert served(phones, {**HELLO, "code": "XXXXX"}).heard == [
            {"refused": "That is not the room code on the screen."}
        ]
    assert "Too many wrong codes" in served(phones, HELLO).heard[0]["refused"]
    phones = hub()
    assert served(phones, HELLO).heard == []
    assert len(phones.classroom.roster) == 1
    assert not phones.classroom.present


@pytest.mark.parametrize(
    "told",
    [
        "no JSON",
        "[]",
        {"do": "choose"},
        {"do": "choose", "t": "x", "arm": 0},
        {"do": "choose", "t": 3, "arm": None},
        {"do": "answer", "option": []},
        {"do": "send", "t": 1, "arm": 10**400},
        "[" * 5000,
        " " * 3000,
    ],
)
def test_nonsense_ends_a_connection_and_nothing_else(told):
    """The server goes on, and nothing has happened in the class."""
    phones = hub()
    phones.classroom.begin_guests("greedy")
    socket = served(phones, HELLO, told)
    assert socket.code == 1008 or "problem" in socket.heard[-1]
    assert phones.classroom.activity.rooms[0].answers == []
    assert served(phones, HELLO).code == 1008  # it hung up by itself


def test_what_is_not_allowed_is_explained_to_the_phone():
    """A tap out of turn, and one while the class is frozen."""
    phones = hub()
    phones.classroom.begin_guests("greedy")
    out_of_turn = {"do": "choose", "t": 3, "arm": 0}
    assert served(phones, HELLO, out_of_turn).heard == [{"problem": "It is not your turn."}]
    phones.classroom.freeze(True)
    assert "stopped all phones" in served(phones, HELLO, out_of_turn).heard[0]["problem"]


def test_screens_escape_what_students_type():
    """A name is text, on the teacher's screen as well."""
    phones = hub(names=True)
    served(phones, {**HELLO, "name": "<b>Bobby</b>"})
    console = Console(phones.classroom, phones, Path("class"), {})
    found = [stage(console, "http://x", "<svg></svg>")]
    console.begin_guests("greedy")
    phones.classroom.connect(0, True)
    phones.classroom.tick()
    found.append(stage(console, "http://x", ""))
    phones.classroom.choose(0, 3, 0)
    phones.classroom.reveal(True)
    found.append(stage(console, "http://x", ""))
    console.begin_race()
    phones.classroom.send(0, 3, 0)
    found.append(stage(console, "http://x", ""))
    console.close()
    for text in found:
        assert "&lt;b&gt;Bobby&lt;/b&gt;" in text
        assert "<b>Bobby" not in text


def test_views_hide_the_truth_until_it_is_revealed():
    """Neither true means nor what was lost reach a phone before."""
    classroom = hub().classroom
    classroom.join("k" * 32)
    for begin_it in (lambda: classroom.begin_guests("greedy"), classroom.begin_race):
        begin_it()
        hidden = view_of(classroom, 0)
        assert not {"truth", "lost"} & set(hidden)
        classroom.reveal(True)
        assert view_of(classroom, 0)["truth"] == {"0": 0.7, "1": 0.4}


def test_the_guard_lets_phones_in_and_keeps_them_from_the_teacher():
    """The page and the socket of phones are open, all other paths need the token."""
    guard = Guard(_app, own_hosts("0.0.0.0"), "correct-horse", "kcmab_class_8080", PUBLIC)
    found = {path: ask("10.0.0.2", path=path, guard=guard)[0] for path in ("/", "/teacher", "/x")}
    assert found == {"/": 200, "/teacher": 403, "/x": 403}
    assert ask("10.0.0.2", kind="websocket", path="/phone", guard=guard)[0] == "websocket.accept"
    socket = ask("10.0.0.2", kind="websocket", path="/_nicegui_ws", guard=guard)
    assert socket[0] == "websocket.close"
