"""A crowd in the lab: python -m bench.lab --visitors 60.

A few visitors have real browsers; the others speak the page's own websocket protocol, and answer
every update as a browser does. All of them play, while a quiet student takes one step at a time.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import numpy as np
import psutil
import socketio
from playwright.async_api import async_playwright

BROWSERS = 3
SECONDS = 15.0  # per speed
SPEEDS = {"3 a second": "2", "100 a second": "5", "top speed": "7"}  # and their keys
LEAVING = 40.0  # seconds after which the markets of those who have left are freed
_SHOW = re.compile(r'return runMethod\(\d+, "show", (\[.*\])\)', re.DOTALL)
_QUERY = re.compile(r"query: (\{.*?\}),?\s*\n")


@dataclass
class Visitor:
    """A visitor without a browser."""

    address: str
    socket: socketio.AsyncClient = field(
        default_factory=lambda: socketio.AsyncClient(reconnection=False)
    )
    client: str = ""
    listeners: dict[str, tuple[int, str]] = field(default_factory=dict)
    updates: int = 0
    place: int = -1
    acknowledged: int = 0
    dropped: bool = False
    leaving: bool = False
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    async def enter(self) -> None:
        """Request the page, connect as its script does, and wait until it is there."""
        async with aiohttp.ClientSession() as session, session.get(self.address) as answer:
            query = ast.literal_eval(_QUERY.search(await answer.text())[1])  # type: ignore[index]
        self.client = query["client_id"]
        query |= {"document_id": self.client, "tab_id": self.client}
        self.socket.on("update", self._update)
        self.socket.on("run_javascript", self._run)
        self.socket.on("disconnect", self._leave)
        words = "&".join(f"{word}={_as_script(value)}" for word, value in query.items())
        await self.socket.connect(
            f"{self.address.partition('/?')[0].rstrip('/')}?{words}",
            socketio_path="/_nicegui_ws/socket.io",
            transports=["websocket"],
            wait_timeout=60,
        )
        end = time.monotonic() + 60
        while not {"key", "drawn"} <= set(self.listeners):
            if time.monotonic() > end:
                raise TimeoutError(f"the page has not arrived: {sorted(self.listeners)}")
            await asyncio.sleep(0.05)

    async def press(self, key: str) -> None:
        """Press a key on the page."""
        await self._emit("key", key)

    async def step(self) -> float:
        """Let one customer come; return the seconds until she is shown."""
        wanted, begun = self.place + 1, time.perf_counter()
        await self.press("n")
        while self.place < wanted:
            self.moved.clear()
            await asyncio.wait_for(self.moved.wait(), 60)
        return time.perf_counter() - begun

    async def leave(self) -> None:
        """Close the page."""
        self.leaving = True
        await self.socket.disconnect()

    async def _acknowledge(self, number: int) -> None:
        """Tell the server what has arrived, so that it keeps no copies."""
        if number - self.acknowledged >= 20:
            self.acknowledged = number
            told = {"client_id": self.client, "next_message_id": number + 1}
            await self.socket.emit("ack", told)

    def _update(self, elements: dict[str, Any]) -> None:
        for number, element in elements.items():
            for listener in (element or {}).get("events", []) if number.isdigit() else []:
                if listener["type"] in ("key", "drawn"):
                    self.listeners[listener["type"]] = int(number), listener["listener_id"]

    async def _run(self, call: dict[str, Any]) -> None:
        await self._acknowledge(call["_id"])
        shown = _SHOW.match(call["code"])
        if shown is None:
            return
        states, number = json.loads(shown[1])
        self.updates += 1
        for state in states.values():
            told = state if isinstance(state, dict) else {}
            if "customers" in str(told.get("text")) and isinstance(told.get("value"), int):
                self.place = told["value"]
        self.moved.set()
        await self._emit("drawn", number)

    async def _emit(self, kind: str, word: object) -> None:
        number, listener = self.listeners[kind]
        told = {"id": number, "client_id": self.client, "listener_id": listener}
        await self.socket.emit("event", told | {"args": [json.dumps(word)]})

    def _leave(self, *_: object) -> None:
        self.dropped |= not self.leaving


async def crowd(address: str, program: str, server: int, visitors: int) -> None:
    """Let everybody in, play at every speed, and report."""
    await _until_open(address)
    process, idle = psutil.Process(server), _memory(server)
    begun = time.perf_counter()
    others = [Visitor(address) for _ in range(visitors - BROWSERS)]
    quiet = Visitor(address)
    for some in range(0, len(others), 10):
        await asyncio.gather(*(each.enter() for each in others[some : some + 10]))
    await quiet.enter()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        pages = [await browser.new_page() for _ in range(BROWSERS)]
        lost: list[str] = []
        for page in pages:
            page.on("websocket", lambda line: line.on("close", lambda _: lost.append(line.url)))
            await page.goto(address)
            await page.get_by_test_id("did-0").wait_for()
        print(f"visitors                    {visitors} and a quiet one, {BROWSERS} with browsers")
        print(f"all of them are in after    {time.perf_counter() - begun:.1f} s")
        print(f"memory, nobody / everybody  {idle:.0f} / {_memory(server):.0f} MB")
        most = 0.0
        for name, key in SPEEDS.items():
            for each in others:
                await each.press(key)
                await each.press(" ")
            for page in pages:
                for word in (key, " "):
                    await page.keyboard.press(word)
            used, begun = sum(process.cpu_times()[:2]), time.perf_counter()
            updates, steps = sum(each.updates for each in others), []
            while time.perf_counter() - begun < SECONDS:
                steps.append(await quiet.step())
                most = max(most, _memory(server))
                await asyncio.sleep(0.2)
            took = time.perf_counter() - begun
            busy = (sum(process.cpu_times()[:2]) - used) / took
            rate = (sum(each.updates for each in others) - updates) / took / len(others)
            for each in others:
                await each.press(" ")
            for page in pages:
                await page.keyboard.press(" ")
            half, late = np.quantile(steps, [0.5, 0.95])
            print(
                f"{name:12}  a quiet step {half:.3f} s, 95th percentile {late:.3f} s "
                f"({len(steps)} steps); {rate:.1f} updates/s each; server {busy:.0%} of a core"
            )
        dropped = sum(each.dropped for each in [*others, quiet]) + len(lost)
        print(f"sockets dropped             {dropped}")
        print(f"most memory                 {most:.0f} MB")
        await asyncio.gather(*(each.leave() for each in [*others, quiet]))
        await browser.close()
    await asyncio.sleep(LEAVING)
    print(f"memory after they have left {_memory(server):.0f} MB")


def _as_script(value: object) -> str:
    """A value as the page's script puts it into an address."""
    return str(value).lower() if isinstance(value, bool) else str(value)


async def _until_open(address: str) -> None:
    """Wait until the server answers; whoever asks for the page itself is a visitor."""
    async with aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(f"{address.rstrip('/')}/sessions"):
                    return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.1)


def _memory(server: int) -> float:
    """The memory of the server in megabytes."""
    return psutil.Process(server).memory_info().rss / 1e6
