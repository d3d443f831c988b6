"""Values that the browser remembers from one visit to the next; never secrets.

Cookies arrive with the request, so the page is right as soon as it is drawn.
"""

from __future__ import annotations

import json

from nicegui import ui
from nicegui.awaitable_response import AwaitableResponse

_YEAR = 365 * 24 * 60 * 60  # seconds


def read_cookie(name: str) -> str:
    """The value that this visitor's browser remembers under a name; '' if none."""
    request = ui.context.client.request
    return request.cookies.get(f"kcmab_{name}", "")


def write_cookie(name: str, word: str) -> AwaitableResponse:
    """Let the browser remember a word of letters, digits and dots; await it to be sure."""
    cookie = f"kcmab_{name}={word}; Path=/; Max-Age={_YEAR}; SameSite=Lax"
    return ui.run_javascript(f"document.cookie = {json.dumps(cookie)}", timeout=10.0)
