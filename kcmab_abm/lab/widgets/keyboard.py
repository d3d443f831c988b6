"""Keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import events, ui

from kcmab_abm.lab.model.session import SPEEDS, Session

SHORTCUTS = {
    "Space": "play or pause",
    "→ n": "one customer",
    "← u": "undo a step",
    "p": "play to the next payment",
    "r": "back to the first customer",
    "t": "show or hide the true means",
    f"1 … {len(SPEEDS)}": "speed, from slow to as fast as possible",
    "?": "help: keys and terms",
}


class _Keys(ui.element, component="keyboard.js"):
    """Listens for keys anywhere on the page."""


def listen(session: Session, tabs: ui.tabs, help_dialog: ui.dialog) -> None:
    """Let keys do what the buttons do; on other tabs only the key for help works."""
    actions: dict[str, Callable[[], None]] = {
        " ": session.play_or_pause,
        "ArrowRight": session.one_customer,
        "n": session.one_customer,
        "ArrowLeft": session.undo,
        "u": session.undo,
        "p": session.next_payment,
        "r": session.reset,
        "t": lambda: session.reveal(not session.setup.revealed),
    }
    for place, speed in enumerate(SPEEDS):
        actions[str(place + 1)] = lambda speed=speed: session.set_speed(speed)  # type: ignore[misc]

    def act(event: events.GenericEventArguments) -> None:
        if event.args == "?":
            help_dialog.open()
        elif event.args in actions and tabs.value == "market":
            actions[event.args]()

    keys = _Keys()
    keys.props["keys"] = ["?", *actions]
    keys.on("key", act)
