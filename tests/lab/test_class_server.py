"""What the server of a class takes from phones, and what its screens show."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi import WebSocketDisconnect

from kcmab_abm import make_scenario
from kcmab_abm.lab.classroom.console import Console
from kcmab_abm.lab.classroom.phones import Phones
from kcmab_abm.lab.classroom.stage import stage
from kcmab_abm.lab.model.classroom.classroom import Classroom
from kcmab_abm.lab.model.classroom.plan import Plan
from kcmab_abm.lab.model.classroom.views import view_of


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
    with ThreadPoolExecutor(1) as pool:  # a browser of another test may have a loop in this one
        pool.submit(asyncio.run, phones.serve(socket)).result()
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
        '{"do": "send", "t": Infinity, "arm": 0}',
        "[" * 1900,
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
    phones.classroom.begin_race()  # not through the console, which would write the results
    phones.classroom.send(0, 3, 0)
    found.append(stage(console, "http://x", ""))
    for text in found:
        assert "&lt;b&gt;Bobby&lt;/b&gt;" in text
        assert "<b>Bobby" not in text


def test_results_that_were_not_written_are_written_after_a_restart(tmp_path):
    """A folder without a manifest is planned again, one with a manifest is left alone."""
    classroom = hub().classroom
    classroom.connect(classroom.join("k" * 32).number, True)
    classroom.begin_guests("greedy")
    classroom.tick()
    classroom.choose(0, 3, 0)
    classroom.end()
    (tmp_path / "01-guests" / "simulated").mkdir(parents=True)
    (tmp_path / "01-guests" / "simulated" / "manifest.json").touch()
    console = Console(classroom, Phones(classroom), tmp_path, {})
    assert [job.folder for job in console.unwritten] == [tmp_path / "01-guests" / "room-1"]


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
