"""What all tests share: how hypothesis searches, and a catalogue of the package's own.

Hypothesis tries the same examples every time, unless asked to explore.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from matplotlib.figure import Figure

from bench.browser import BROWSERS, find_browser
from kcmab_abm import make_scenario
from kcmab_abm.batch.run import why_not
from kcmab_abm.running import workers
from tests.extras import leave_out, missing
from tests.markets import PAIRS, default_customers
from tests.registry import own_catalogue

WHOLE_SUITE = 1000  # tests
QUIET = (  # arguments of a browser that asks nothing of other machines
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SOME_ARMS = {"law": "bernoulli", "means": [0.9, 0.1]}

_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}

settings.register_profile("steady", max_examples=25, derandomize=True, **_COMMON)
settings.register_profile("explore", max_examples=500, **_COMMON)
settings.load_profile("steady")


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk():
    """Files need not outlive a power failure: syncing a thousand folders would take minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; without one the tests are skipped, but never where CI runs them.

    There is one for all tests of a process, which cannot drive two.
    """
    path = find_browser()
    if path is None:
        leave_out(f"no browser: pages are tested in one of {', '.join(BROWSERS)}")
    if missing("playwright"):
        leave_out("no playwright to drive a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def _own_catalogue():
    """The test finds the package's own catalogue, and what it registers is forgotten after it."""
    with own_catalogue():
        yield


@pytest.fixture
def _small_chunks(monkeypatch):
    """Sixteen chunks for every policy, however little there is in them."""
    monkeypatch.setattr(workers, "LEAST", 0)
    monkeypatch.setattr(workers, "PIECES", 16)
    monkeypatch.setattr(workers, "REMEMBERED", 0)  # so that their number is known


@pytest.fixture
def _small_figure(monkeypatch):
    """A figure that is drawn in no time, for tests that look at folders only."""
    monkeypatch.setattr("kcmab_abm.figures.outcome.draw_outcome", lambda *_, **__: Figure((1, 1)))


def pytest_collection_finish(session):
    """Before a run of the whole suite, let each worker compile its share of the kernels.

    Else every worker compiles all that its tests need, at the same time as the others do.
    """
    here = getattr(session.config, "workerinput", None)
    if here is None or len(session.items) < WHOLE_SUITE:
        return
    place = int(here["workerid"].removeprefix("gw"))
    for policy, behaviour in PAIRS[place :: here["workercount"]]:
        table = {"arms": SOME_ARMS, "customers": default_customers(behaviour)}
        scenario = make_scenario({"horizon": 1, "market": table, "policy": [{"name": policy}]})
        why_not(scenario, scenario.policies[0])
