"""Batch runs in the background, without a page."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from kcmab_abm import simulate
from kcmab_abm.errors import PlayError
from kcmab_abm.lab.model import batch_job
from kcmab_abm.lab.model.batch_job import BatchJob, cancel_all
from kcmab_abm.lab.model.market_setup import starting_setup
from kcmab_abm.lab.tabs.batch_results import draw_png

PATIENCE = 60


def _setup(**changes):
    arms = {"law": "bernoulli", "means": [0.9, 0.1]}
    return starting_setup().change(**{"market": {"arms": arms}, "horizon": 50, **changes})


def _endless():
    return _setup(horizon=100_000, replications=10_000)


def test_a_job_runs_what_is_on_the_setup():
    """Its results equal those of `simulate` with the controllers shown."""
    setup = replace(_setup(replications=20), left=1, right=0)
    job = BatchJob(setup)
    job.wait(PATIENCE)
    assert (job.state, job.served) == ("done", 2 * 20 * 50)
    assert [choice.label for choice in job.scenario.policies] == ["modified-ts", "ucb"]
    assert job.outcome.results.digest() == simulate(job.scenario).digest()


def test_the_same_controller_twice_is_run_once():
    """If both markets have the same controller, the table has one row."""
    job = BatchJob(replace(_setup(replications=2), left=0, right=0))
    job.wait(PATIENCE)
    assert list(job.outcome.summary["policy"]) == ["ucb"]


def _pool_threads():
    return {each for each in threading.enumerate() if "ThreadPool" in each.name}


def test_a_cancelled_job_leaves_nothing_behind():
    """It stops at once, without results, and its threads end."""
    before = _pool_threads()
    job = BatchJob(_endless())
    while job.served == 0:
        job.wait(0.02)
    job.cancel()
    job.wait(5)
    assert (job.state, job.outcome, job.is_over) == ("cancelled", None, True)
    assert _pool_threads() <= before


def test_jobs_wait_their_turn():
    """If all lanes are busy, the next job waits and can be cancelled before it starts."""
    before = [BatchJob(_endless()) for _ in range(batch_job.AT_ONCE)]
    waiting = BatchJob(_setup())
    assert waiting.state == "waiting"
    waiting.cancel()
    assert (waiting.state, waiting.is_over) == ("cancelled", True)
    cancel_all()
    for job in before:
        job.wait(PATIENCE)
        assert job.state == "cancelled"


def test_what_the_market_engine_would_take_hours_for_is_refused():
    """A market that needs the market engine runs if it is small; otherwise it is refused."""
    market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}, "capacity": 1, "service_time": 2.0}
    job = BatchJob(_setup(market=market, horizon=10_000, replications=1000))
    job.wait(PATIENCE)
    assert job.state == "failed"
    assert job.problem.startswith("this needs the slower market engine (arms serve few customers")


@pytest.mark.parametrize(
    ("error", "words"),
    [(PlayError("chose arm 7"), "chose arm 7"), (TypeError("no len"), "TypeError: no len")],
)
def test_what_goes_wrong_in_a_run_is_a_message(error, words, monkeypatch):
    """Whatever a visitor's own policy raises ends the run with a message."""

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(batch_job, "simulate", fail)
    job = BatchJob(_setup(replications=1))
    job.wait(PATIENCE)
    assert (job.state, job.problem, job.outcome) == ("failed", words, None)


def test_a_figure_is_drawn_whatever_the_title():
    """A figure is drawn even if its labels contain characters that no font has."""
    job = BatchJob(_setup(title="多臂 \ufffe $x^2$ <b>", replications=2))
    job.wait(PATIENCE)
    assert draw_png(job.outcome.results).startswith(b"\x89PNG\r\n\x1a\n")


def test_machine_code_is_kept_for_some_combinations_only(monkeypatch):
    """If there is no room for more machine code, the market engine gives the same result."""
    monkeypatch.setattr(batch_job, "_compiled", set())
    monkeypatch.setattr(batch_job, "MOST_KERNELS", 2)
    both, other = _setup(replications=3), _setup(replications=3, policy=[{"name": "greedy"}])
    engines = []
    for setup in (replace(both, right=1), other, replace(both, right=1)):
        job = BatchJob(setup)
        job.wait(PATIENCE)
        engines.append(job.outcome.results.engine)
        assert job.outcome.results.digest() == simulate(job.scenario).digest()
    assert engines == ["batch", "market", "batch"]
    job = BatchJob(other.change(horizon=1000, replications=batch_job.MOST_INTERPRETED // 1000 + 1))
    job.wait(PATIENCE)
    assert "already compiled 2 combinations, its maximum" in job.problem
