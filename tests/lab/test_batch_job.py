"""Batch runs in the background, without a page."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from kcmab_abm import simulate
from kcmab_abm.errors import PlayError
from kcmab_abm.lab import batch_job
from kcmab_abm.lab.batch_job import BatchJob, cancel_all
from kcmab_abm.lab.batch_outcome import draw_png
from kcmab_abm.lab.desk import starting_desk

PATIENCE = 60


def _desk(**changes):
    arms = {"law": "bernoulli", "means": [0.9, 0.1]}
    return starting_desk().change(**{"market": {"arms": arms}, "horizon": 50, **changes})


def _endless():
    return _desk(horizon=100_000, replications=10_000)


def test_a_job_runs_what_is_on_the_desk():
    """Its results are those of `simulate` on the scenario with the controllers that are shown."""
    desk = replace(_desk(replications=20), left=1, right=0)
    job = BatchJob(desk)
    job.wait(PATIENCE)
    assert (job.state, job.served) == ("done", 2 * 20 * 50)
    assert [choice.label for choice in job.scenario.policies] == ["modified-ts", "ucb"]
    assert job.outcome.results.digest() == simulate(job.scenario).digest()


def test_the_same_controller_twice_is_run_once():
    """Both markets under one controller are one row of the table."""
    job = BatchJob(replace(_desk(replications=2), left=0, right=0))
    job.wait(PATIENCE)
    assert list(job.outcome.summary["policy"]) == ["ucb"]


def test_a_cancelled_job_leaves_nothing_behind():
    """It stops within a moment, without results, and its threads end."""
    job = BatchJob(_endless())
    while job.served == 0:
        job.wait(0.02)
    job.cancel()
    job.wait(5)
    assert (job.state, job.outcome, job.is_over) == ("cancelled", None, True)
    assert not [each for each in threading.enumerate() if "ThreadPool" in each.name]


def test_jobs_wait_their_turn():
    """With all places taken the next one waits, and may be cancelled before it begins."""
    before = [BatchJob(_endless()) for _ in range(batch_job.AT_ONCE)]
    waiting = BatchJob(_desk())
    assert waiting.state == "waiting"
    waiting.cancel()
    assert (waiting.state, waiting.is_over) == ("cancelled", True)
    cancel_all()
    for job in before:
        job.wait(PATIENCE)
        assert job.state == "cancelled"


def test_what_the_market_engine_would_take_hours_for_is_refused():
    """A market that needs the clock is run if it is small, and else refused with a reason."""
    market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}, "report_delay": 2.0}
    job = BatchJob(_desk(market=market, horizon=10_000, replications=1000))
    job.wait(PATIENCE)
    assert job.state == "failed"
    assert job.problem.startswith("this needs the market engine (reports are delayed")


@pytest.mark.parametrize(
    ("error", "words"),
    [(PlayError("chose arm 7"), "chose arm 7"), (TypeError("no len"), "TypeError: no len")],
)
def test_what_goes_wrong_in_a_run_is_a_message(error, words, monkeypatch):
    """Whatever somebody's own policy raises ends the run and is told."""

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(batch_job, "simulate", fail)
    job = BatchJob(_desk(replications=1))
    job.wait(PATIENCE)
    assert (job.state, job.problem, job.outcome) == ("failed", words, None)


def test_a_figure_is_drawn_whatever_the_title():
    """Signs that no font has are no reason for a picture not to be made."""
    job = BatchJob(_desk(title="多臂 \x00 $x^2$ <b>", replications=2))
    job.wait(PATIENCE)
    assert draw_png(job.outcome.results).startswith(b"\x89PNG\r\n\x1a\n")
