"""The first lesson of the lab, taken in a browser by the words that the page shows."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # seconds until a server on a busy machine shows its page
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Unable(Exception):
    """Why no lesson can be taken here."""


def take_first_lesson(address: Path, log: Path) -> None:
    """Open the page that the lab asked the browser to show, and take its first lesson."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise Unable('playwright is not installed; pip install "kcmab-abm[test]"') from None
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise Unable(f"no browser on the path: {', '.join(BROWSERS)}")
    where = _await_address(address, log)
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            page = browser.new_page()
            page.goto(where)
            walk_first_lesson(page)
        finally:
            browser.close()


def walk_first_lesson(page: Any) -> None:
    """Find the lessons on the page; a label that is not there ends it with Playwright's words."""
    page.get_by_role("tab", name="Lessons").click()
    page.get_by_role("tabpanel").get_by_text("Lesson").first.wait_for()


def _await_address(address: Path, log: Path) -> str:
    """The address that was given to the browser, once it is there."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if address.exists() and address.read_text().strip():
            return address.read_text().strip()
        time.sleep(0.1)
    raise RuntimeError(f"no page was opened within {PATIENCE:.0f} s\n{log.read_text()}")
