"""A lab with a token, and a lab that is stopped."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.lab.conftest import RESTARTED, bring, serve
from tests.lab.test_batch_page import LONG


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """A lab that requires a token."""
    with serve(tmp_path_factory.mktemp("locked"), "--token", "open-sesame") as lab:
        yield lab


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=%E5%A4%9A"])
def test_nobody_comes_in_without_the_token(locked, query):
    """Without the right token, only instructions are shown."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{locked.address}/{query}")
    assert refused.value.code == 403
    assert "requires a token" in refused.value.read().decode()
    refused.value.close()


def test_the_token_is_asked_for_once(visit, locked):
    """With the token the page opens, its address no longer has the token, and reload works."""
    page = visit("/?token=open-sesame&tab=batch", lab=locked)
    assert "open-sesame" not in page.url
    page.reload()
    expect(page.get_by_test_id("batch-about")).to_contain_text("Nine arms")


def test_a_server_ends_although_a_run_goes_on(visit, tmp_path):
    """A long run is stopped with the server, without an error."""
    with serve(tmp_path) as lab:
        page = visit("/?tab=batch", lab=lab)
        bring(page, LONG)
        expect(page.get_by_label("Replications", exact=True)).to_have_value("10000")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_test_id("batch-status")).to_contain_text("Served", timeout=60_000)
        page.close()
        begun = time.monotonic()
    assert time.monotonic() - begun < 20


def test_a_restart_leads_back(visit, tmp_path):
    """After a restart the page comes back by itself; with another token it says what to do."""
    options = ["--token", "open-sesame"]
    with serve(tmp_path, *options) as lab:
        port = lab.address.rpartition(":")[2]
        page = visit("/?token=open-sesame&tab=market", lab=lab, expected=RESTARTED)
        for _ in range(3):
            page.get_by_role("button", name="One customer").click()
        page.wait_for_url(re.compile("at=3"))
        before = page.url
    with serve(tmp_path, *options, port=port) as lab:
        page.wait_for_function("before => location.href !== before", arg=before)
        expect(page.get_by_text("3 of 10,000 customers")).to_be_visible()
        page.get_by_role("button", name="One customer").click()
        page.wait_for_url(re.compile("at=4"))
    with serve(tmp_path, "--token", "another-word", port=port) as lab:
        expect(page.get_by_role("heading", name="Which token?")).to_be_visible()
        page.get_by_label("Token").fill("another-word")
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_text("4 of 10,000 customers")).to_be_visible()
        page.close()
