"""Hostile input gets a message, and the page keeps working."""

from __future__ import annotations

import socket

import psutil
import pytest
from playwright.sync_api import expect

from kcmab_abm.lab.server.guard import LARGEST_BODY
from tests.lab.conftest import bring, drop, number
from tests.lab.hostile import FILES, data
from tests.lab.test_batch_page import FILE

SCRIPT = "<img src=x onerror=document.title='broken'><script>document.title='broken'</script>"
# All of them are tried without a page in `test_setup`; these are of all kinds.
ON_THE_PAGE = (
    "a billion people",
    "twenty networks",
    "sixty thousand arms",
    "a key of 120 000 parts",
    "lists in lists",
    "a number of 250 000 digits",
    "thousands of faults",
    "not TOML",
    "a picture",
    "another's file",
    "a script for a name",
)


def _memory(lab):
    """The server's memory in megabytes."""
    return psutil.Process(lab.process.pid).memory_info().rss / 2**20


def _assert_alive(page):
    """The market can still be stepped."""
    before = number(page, "place")
    page.get_by_role("button", name="One customer").click()
    expect(page.get_by_test_id("place")).to_have_attribute("data-value", f"{before + 1:.0f}")


def _dismiss(page):
    page.locator(".q-notification").get_by_role("button", name="Close").click()
    expect(page.locator(".q-notification")).to_have_count(0)


def test_hostile_files_get_messages(visit, lab_server):
    """One after another: each gets a message, the market goes on, and memory does not grow."""
    page = visit()
    before = _memory(lab_server)
    for name in ON_THE_PAGE:
        content, words = FILES[name]
        bring(page, data(content))
        expect(page.locator(".q-notification")).to_contain_text(words, timeout=60_000)
        _dismiss(page)
        _assert_alive(page)
    expect(page.get_by_test_id("title")).to_have_text("Nine arms")
    assert _memory(lab_server) - before < 200


def test_scripts_in_titles_are_text(visit):
    """Titles and labels from a file are shown literally on every tab and never executed."""
    page = visit()
    title, label = f"{SCRIPT} title", f"{SCRIPT[:60]} label"
    hostile = FILE.replace("Two controllers", title).replace("<b>Thompson</b>", label)
    bring(page, hostile)
    expect(page.get_by_test_id("title")).to_have_text(title)
    expect(page.get_by_text(f"Opened: {title}")).to_be_visible()
    _assert_alive(page)
    page.get_by_role("tab", name="Batch").click()
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("rowheader", name=label)).to_be_visible(timeout=60_000)
    page.get_by_test_id("batch-chart-regret").hover(position={"x": 200, "y": 120})
    expect(page.get_by_text(f"{label}: ").first).to_be_visible()
    assert page.title() == "kcmab lab"
    assert page.locator("img[src=x]").count() == 0


def test_a_file_may_be_dropped_anywhere(visit):
    """A dropped scenario file is opened; other files are refused."""
    page = visit()
    drop(page, FILE)
    expect(page.get_by_test_id("title")).to_have_text("Two controllers")
    drop(page, FILE, name="holiday.jpg")
    expect(page.locator(".q-notification")).to_contain_text(["must end in .toml"])
    _assert_alive(page)


@pytest.mark.parametrize("way", ["chosen", "dropped"])
def test_ten_megabytes_are_not_even_sent(visit, way, tmp_path):
    """The browser refuses a large file with a message and sends nothing."""
    page = visit()
    sent = []
    page.on("request", lambda request: sent.append(request.method))
    if way == "dropped":
        drop(page, "#" * 10_000_000)
    else:
        file = tmp_path / "large.toml"
        file.write_bytes(b"#" * 10_000_000)
        page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".q-notification")).to_contain_text("the file has 10,000,000 bytes")
    assert "POST" not in sent
    _assert_alive(page)


def _answer(lab, *headers):
    """The response to a request of which only the beginning was sent."""
    port = int(lab.address.rpartition(":")[2])
    lines = ["POST / HTTP/1.1", f"Host: 127.0.0.1:{port}", *headers]
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall("\r\n".join([*lines, "", "1", ""]).encode())
        return b"".join(iter(lambda: line.recv(4096), b"")).decode()


@pytest.mark.parametrize(
    "header", ["Content-Length: 10000000", f"Content-Length: {LARGEST_BODY + 1}"]
)
def test_the_server_refuses_large_bodies_by_itself(lab_server, header):
    """A request beyond the limit is refused before its body is read."""
    answer = _answer(lab_server, header)
    assert answer.startswith("HTTP/1.1 413")
    assert f"at most {LARGEST_BODY:,} bytes" in answer


def test_the_server_refuses_bodies_of_unknown_length(lab_server):
    """A chunked body is refused because it could be endless."""
    answer = _answer(lab_server, "Transfer-Encoding: chunked")
    assert answer.startswith("HTTP/1.1 413")
