"""Live parts of the page, whose states go to the browser in one message per tick.

NiceGUI would compare the whole page whenever any element changes. Live parts receive their states
directly and together, and the next message waits until the browser has drawn the last one: a slow
phone sees fewer states, but never old ones.
"""

from __future__ import annotations

import time
from typing import Any
from weakref import WeakKeyDictionary

from nicegui import Client, core, events, ui

PATIENCE = 2.0  # seconds to wait for a browser that does not respond

_HUBS: WeakKeyDictionary[Client, Hub] = WeakKeyDictionary()


class Hub(ui.element, component="live_updates.js", esm={"kcmab-live": "live"}):
    """Sends the states of one visitor's live parts; on the page once, outside all tabs."""

    def __init__(self) -> None:
        super().__init__()
        self._latest: dict[int, Any] = {}
        self._waiting: dict[int, Any] = {}
        self._scheduled = False
        self._sent = 0
        self._drawn = 0
        self._sent_at = 0.0
        self.on("drawn", self._hear)
        self.client.on_connect(self._begin_again)
        _HUBS[self.client] = self

    def put(self, part: int, state: Any) -> None:
        """Send this state soon, together with those of other parts."""
        self._latest[part] = self._waiting[part] = state
        if not self._scheduled and core.loop is not None:
            self._scheduled = True
            core.loop.call_soon(self._send)

    def forget(self, part: int) -> None:
        """A part is no longer on the page."""
        self._latest.pop(part, None)
        self._waiting.pop(part, None)

    def _send(self) -> None:
        self._scheduled = False
        is_behind = self._drawn < self._sent and time.monotonic() < self._sent_at + PATIENCE
        if is_behind or not self._waiting or not self.client.has_socket_connection:
            return
        states, self._waiting = self._waiting, {}
        self._sent += 1
        self._sent_at = time.monotonic()
        self.run_method("show", states, self._sent)

    def _hear(self, event: events.GenericEventArguments) -> None:
        self._drawn = int(event.args)
        self._send()

    def _begin_again(self) -> None:
        """Send everything to a browser that has just connected or reconnected."""
        self._waiting = dict(self._latest)
        self._drawn = self._sent
        self._send()


class LivePart(ui.element):
    """A part of the page that receives its state; its component uses the mixin `live`."""

    def __init__(self) -> None:
        super().__init__()
        self.props["part"] = self.id

    def tell(self, state: Any) -> None:
        """Show this state."""
        _HUBS[self.client].put(self.id, state)

    def _handle_delete(self) -> None:
        if hub := _HUBS.get(self.client):
            hub.forget(self.id)
        super()._handle_delete()


class LiveText(LivePart, component="live_text.js"):
    """Text that changes with every customer; `name` is how tests find it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.props["name"] = name

    def say(self, text: str, value: object = None) -> None:
        """Show a text, and the number that it is about."""
        self.tell({"text": text, "value": value})
