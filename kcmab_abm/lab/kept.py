"""What the browser keeps from one visit to the next: a word under a name, and no secrets.

Cookies, because they come with the request: the page is right as soon as it is drawn.
"""

from __future__ import annotations

import json

from nicegui import ui

_YEAR = 365 * 24 * 60 * 60  # seconds


def kept(name: str) -> str:
    """The word that this visitor's browser keeps under a name; '' if there is none."""
    request = ui.context.client.request
    return request.cookies.get(f"kcmab_{name}", "")


def keep(name: str, word: str) -> None:
    """Let the browser keep a word of letters, digits and dots."""
    cookie = f"kcmab_{name}={word}; Path=/; Max-Age={_YEAR}; SameSite=Lax"
    ui.run_javascript(f"document.cookie = {json.dumps(cookie)}")
