"""The phones: one small page, and a websocket that tells each what it shows.

A phone is sent its view when that changes, at most a few times per second, and never asks for it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from fastapi.responses import HTMLResponse

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.classroom.classroom import Classroom
from kcmab_abm.lab.model.classroom.roster import LONGEST_NAME, MOST_STUDENTS
from kcmab_abm.lab.model.classroom.views import view_of
from kcmab_abm.lab.server.guard import Guesses

PUBLIC = frozenset({"/", "/phone"})  # what phones may ask for without the teacher's token
LAP = 0.1  # seconds between looks at the clock
_MOST_SOCKETS = 3 * MOST_STUDENTS
_LONGEST = 2000  # characters of a message
_PATIENCE = 10.0  # seconds for a phone to say who it is, or to take a message
_CODES = 60  # wrong codes per minute from one address, behind which a whole class may be
_PAGE = Path(__file__).with_name("phone.html")


class Phone:
    """A phone that has joined."""

    def __init__(self, socket: WebSocket, who: int) -> None:
        self.socket = socket
        self.who = who
        self.shown = ""
        self.task: asyncio.Task[None] | None = None  # which sends a view
        self.is_behind = False  # whether there is a newer one than that


class Phones:
    """All phones of a class."""

    def __init__(self, classroom: Classroom, failed: Callable[[str], None] = print) -> None:
        self.classroom = classroom
        self.failed = failed
        self.phones: set[Phone] = set()
        self.guesses = Guesses(most=_CODES)
        self._sockets = 0
        self._complaint = ""
        self._is_news = asyncio.Event()

    def page(self) -> HTMLResponse:
        """The page of a phone."""
        asks = "true" if self.classroom.plan.names else "false"
        text = _PAGE.read_text(encoding="utf-8")
        return HTMLResponse(
            text.replace("{{asks}}", asks).replace("{{longest}}", str(LONGEST_NAME))
        )

    def tell(self) -> None:
        """Something has changed, and phones should hear of it soon."""
        self._is_news.set()

    async def run(self) -> None:
        """Watch the clock and tell phones what is new, until cancelled."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_news.wait(), LAP)
            try:
                if self.classroom.tick():
                    self._is_news.set()
            except MarketError as error:  # such as a full disk
                self._complain(str(error))
            if self._is_news.is_set():
                self._is_news.clear()
                self._show_all()
                await asyncio.sleep(LAP / 2)

    async def serve(self, socket: WebSocket) -> None:
        """Serve a phone for as long as it is connected."""
        await socket.accept()
        if self._sockets >= _MOST_SOCKETS:
            await socket.close(1013)
            return
        self._sockets += 1
        phone = None
        try:
            phone = await self._let_in(socket)
            while phone is not None:
                await self._hear(phone, await _message(socket))
        except (WebSocketDisconnect, TimeoutError, ValueError, RuntimeError):
            with suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
                await socket.close(1008)
        finally:
            self._sockets -= 1
            if phone is not None:
                self._leave(phone)

    async def _let_in(self, socket: WebSocket) -> Phone | None:
        """Join the phone that says the room code; refuse others with a reason."""
        told = await asyncio.wait_for(_message(socket), _PATIENCE)
        address = socket.client.host if socket.client else "unknown"
        code = str(told.get("code", "")).strip().upper()
        if self.guesses.are_too_many(address):
            await _refuse(socket, "Too many wrong codes; try again in a minute.")
            return None
        if not secrets.compare_digest(code.encode(), self.classroom.plan.code.encode()):
            self.guesses.add(address)
            await _refuse(socket, "That is not the room code on the screen.")
            return None
        key = str(told.get("key", ""))
        if not 16 <= len(key) <= 100:
            raise ValueError("no key")
        try:
            student = self.classroom.join(key, str(told.get("name", "")))
        except MarketError as error:
            await _refuse(socket, str(error))
            return None
        phone = Phone(socket, student.number)
        self.phones.add(phone)
        self.classroom.connect(phone.who, True)
        self.tell()
        return phone

    async def _hear(self, phone: Phone, told: dict[str, Any]) -> None:
        """Do what a student asks for, or tell her why not."""
        classroom, who = self.classroom, phone.who
        try:
            match told.get("do"):
                case "choose":
                    classroom.choose(who, int(told["t"]), int(told["arm"]))
                case "send":
                    classroom.send(who, int(told["t"]), int(told["arm"]))
                case "answer":
                    classroom.answer(who, int(told["option"]))
        except MarketError as error:
            await phone.socket.send_text(json.dumps({"problem": str(error)}))
            phone.shown = ""  # show again what she may have changed
        except (KeyError, TypeError, OverflowError) as error:
            raise ValueError("no such order") from error
        self.tell()

    def _show_all(self) -> None:
        """Send everybody her view if it is new; a slow phone gets the latest one when it can."""
        for phone in self.phones:
            phone.is_behind = phone.task is not None and not phone.task.done()
            if phone.is_behind:
                continue
            text = json.dumps(view_of(self.classroom, phone.who), ensure_ascii=False)
            if text != phone.shown:
                phone.shown = text
                phone.task = asyncio.create_task(self._show(phone, text))

    async def _show(self, phone: Phone, text: str) -> None:
        try:
            await asyncio.wait_for(phone.socket.send_text(text), _PATIENCE)
        except (WebSocketDisconnect, RuntimeError, OSError, TimeoutError):
            self._leave(phone)
        if phone.is_behind:
            self.tell()

    def _complain(self, words: str) -> None:
        if words != self._complaint:
            self._complaint = words
            self.failed(words)

    def _leave(self, phone: Phone) -> None:
        self.phones.discard(phone)
        if not any(each.who == phone.who for each in self.phones):
            self.classroom.connect(phone.who, False)
        self.tell()


async def _message(socket: WebSocket) -> dict[str, Any]:
    """The next message of a phone."""
    text = await socket.receive_text()
    told = json.loads(text) if len(text) <= _LONGEST else None
    if not isinstance(told, dict):
        raise ValueError("not a table")
    return told


async def _refuse(socket: WebSocket, words: str) -> None:
    await socket.send_text(json.dumps({"refused": words}))
    await socket.close(1008)
