"""A running lab, a real browser, and visitors.

A test asks for `visit` and calls it: every call is a visitor of her own, with a fresh browser
profile. When the test is over, her console must be clean, and nothing may have been asked of any
other machine.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from kcmab_abm.lab.widgets.keyboard import SHORTCUTS
from tests.lab.controls import RECORD, last_look, shortcuts
from tests.processes import PATIENCE, free_ports, wait_until

expect.set_options(timeout=20_000)  # milliseconds, for a busy machine
CUT = ("net::ERR_INTERNET_DISCONNECTED",)  # heard only where a test cuts the network
RESTARTED = ("net::ERR_CONNECTION_REFUSED", "403 (Forbidden)", "WebSocket connection to")
INSIDE = ("data:", "blob:", "about:")  # addresses that leave no machine


@dataclass(frozen=True)
class Lab:
    """A lab that is being served."""

    address: str
    process: subprocess.Popen
    errors: Path

    def assert_healthy(self):
        """It is still running and has not reported any error."""
        assert self.process.poll() is None, self.errors.read_text()
        assert "Traceback" not in self.errors.read_text(), self.errors.read_text()


@contextmanager
def serve(folder, *options, first="pass", port=None):
    """A lab on a free port, from when it answers until it has stopped without complaint.

    `first` is Python that runs before it.
    """
    port = port or free_ports(1)[0]
    errors = folder / f"lab-{port}.err"
    program = f"from kcmab_abm.cli.main import main; {first}; main()"
    command = [sys.executable, "-c", program, "lab", "--port", str(port), "--no-browser"]
    # The framework behaves differently when it believes that it is part of a test.
    environment = {key: text for key, text in os.environ.items() if "PYTEST" not in key}
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            [*command, *options], stdout=subprocess.DEVNULL, stderr=stderr, env=environment
        ) as process,
    ):
        lab = Lab(f"http://127.0.0.1:{port}", process, errors)
        try:
            _await(lab)
            yield lab
            lab.assert_healthy()
        finally:
            _end(process)
    assert "Traceback" not in errors.read_text(), errors.read_text()


def _end(process):
    process.send_signal(signal.SIGINT)  # as Ctrl-C does
    try:
        process.wait(PATIENCE)
    finally:
        process.kill()


def _await(lab):
    def answers():
        lab.assert_healthy()
        return _answers(lab.address)

    wait_until(answers, "no lab")


def _answers(address):
    try:
        # Not the page itself: whoever asks for that is a visitor.
        with urllib.request.urlopen(f"{address}/sessions", timeout=5):
            return True
    except urllib.error.HTTPError:
        return True  # it wants a token, and says so
    except OSError:
        return False


def pytest_collection_modifyitems(items):
    """Tests in a browser are slow, except the one that opens the page."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()) and item.path.name != "test_page.py":
            item.add_marker("slow")


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory):
    """One lab for all tests of a worker."""
    with serve(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@pytest.fixture
def visit(browser, lab_server, pytestconfig):
    """Call it for a visitor's page: `visit("/?setup=...", viewport=..., color_scheme="dark")`.

    The page that comes back is ready: it is drawn, and what is clicked reaches the server.
    """
    visitors = []
    record = pytestconfig.stash[RECORD]
    record.seen.update(shortcuts(SHORTCUTS))

    def _visit(path="/", *, lab=lab_server, expected=CUT, **profile):
        visitor = Visitor(browser, lab.address, profile, record, expected)
        visitors.append(visitor)
        return visitor.open(path)

    yield _visit
    for visitor in visitors:
        visitor.leave()
    lab_server.assert_healthy()


def number(page, mark):
    """A number on the page, with all its digits, once it is there."""
    place = page.get_by_test_id(mark)
    expect(place).to_have_attribute("data-value", re.compile("."))
    return float(place.get_attribute("data-value"))


def bring(page, content, name="mine.toml"):
    """Choose a file as the browser's file dialog does."""
    data = content if isinstance(content, bytes) else content.encode()
    file = {"name": name, "mimeType": "application/toml", "buffer": data}
    page.locator("input[type=file]").set_input_files(file)


def drop(page, content, name="mine.toml"):
    """Drop a file onto the middle of the page."""
    transfer = page.evaluate_handle(
        """([text, name]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], name, { type: "application/toml" }));
            return transfer;
        }""",
        [content, name],
    )
    page.dispatch_event("main", "dragover", {"dataTransfer": transfer})
    page.dispatch_event("main", "drop", {"dataTransfer": transfer})


class Visitor:
    """A browser profile with one page, its console messages and its requests.

    Console messages with one of the words in `expected` are not held against the page.
    """

    def __init__(self, browser, origin, profile, record, expected):
        self.origin = origin
        self.expected = expected
        self.heard = []
        self.asked = set()
        self.context = browser.new_context(base_url=origin, **profile)
        self.context.on("request", lambda request: self.asked.add(request.url))
        self.page = record.follow(self.context)
        self.page.on("websocket", lambda channel: self.asked.add(channel.url))
        self.page.on("pageerror", lambda error: self.heard.append(str(error)))
        self.page.on("console", self._listen)

    def open(self, path):
        """Go to the page, to its full view if the path names no tab, and wait until it is ready."""
        self.page.goto(path if "?" in path else f"{path}?tab=market")
        self.page.wait_for_function("window.did_handshake === true")
        self.page.get_by_role("tab", name="Market").wait_for()
        return self.page

    def leave(self):
        """Close the browser profile and check its console messages and requests."""
        last_look(self.page)
        self.context.close()
        here = (self.origin, self.origin.replace("http:", "ws:"), *INSIDE)
        assert [url for url in self.asked if not url.startswith(here)] == [], "asked of others"
        assert self.heard == [], "the console is not clean"

    def _listen(self, message):
        if message.type not in ("error", "warning"):
            return
        if not any(word in message.text for word in self.expected):
            self.heard.append(f"{message.type}: {message.text} ({message.location.get('url')})")
