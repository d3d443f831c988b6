"""The first lesson of the lab, taken in a browser by the labels on the page."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.browser import BROWSERS, find_browser

PATIENCE = 60.0  # seconds for a server on a busy machine to show its page
SECOND_THOUGHTS = 2.0  # seconds without confirmation before trying something else


class Unable(Exception):
    """The reason why no lesson can be taken here."""


def take_first_lesson(address: Path, log: Path) -> None:
    """Open the page that the lab asked the browser to show, and take its first lesson."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise Unable('playwright is not installed; pip install "kcmab-abm[test-all]"') from None
    found = find_browser()
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
    """Take the first lesson to its end; a missing label raises Playwright's error.

    The newcomer knows no answers: she tries the choices, or two numbers, and then asks for help.
    """
    page.set_default_timeout(PATIENCE * 1000)
    page.get_by_role("tab", name="Lessons").click()
    page.get_by_role("button", name="Start lesson 1").click()
    steps = page.get_by_role("button", name=re.compile(r"^Step \d+ of \d+"))
    steps.first.wait_for()
    count = steps.count()
    for step in range(1, count + 1):
        # Until the page has gone on, the question on it is that of the step before.
        page.locator(f"[aria-current=step][aria-label^='Step {step} of {count}']").wait_for()
        _answer(page, page.get_by_role("button", name=f"Step {step} of {count}, done"))
        if step < count:
            page.get_by_role("button", name="Next step").click()
    page.get_by_text("Takeaway").wait_for()


def _answer(page: Any, done: Any) -> None:
    """Answer the question of a step, until it is `done` or the answer is shown."""
    from playwright.sync_api import TimeoutError as Hesitation

    page.get_by_role("button", name="Check").wait_for()
    choices, show_answer = (
        page.get_by_role("radio"),
        page.get_by_role("button", name="Show the answer"),
    )
    for guess in range(max(2, choices.count())):
        if choices.count():
            choices.nth(guess).click()
        else:
            page.get_by_label("Your answer (a number)").fill(str(guess))
        page.get_by_role("button", name="Check").click()
        with suppress(Hesitation):
            done.or_(show_answer).first.wait_for(timeout=SECOND_THOUGHTS * 1000)
            break
    done.or_(show_answer).first.wait_for()
    if show_answer.is_visible():
        show_answer.click()
    done.wait_for()


def _await_address(address: Path, log: Path) -> str:
    """Wait for the address that was given to the browser."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if address.exists() and address.read_text().strip():
            return address.read_text().strip()
        time.sleep(0.1)
    raise RuntimeError(f"no page was opened within {PATIENCE:.0f} s\n{log.read_text()}")
