"""What a kernel is handed is given back: nothing grows with the number of calls."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

from kcmab_abm import make_scenario
from kcmab_abm.batch.ready import prepare
from kcmab_abm.batch.run import new_control, run_batch
from kcmab_abm.market.run import Replay

HORIZON = 64
CALLS = 50


@pytest.fixture(scope="module", params=[{}, {"report_delay": 2.0}], ids=["", "timed"])
def scenario(request):
    """A small market that many tests share, without a clock and with one."""
    arms = {"law": "bernoulli", "means": [0.9, 0.5]}
    return make_scenario(
        {
            "horizon": HORIZON,
            "market": {"arms": arms, **request.param},
            "policy": [{"name": "ucb"}],
        }
    )


class Watched(np.random.Generator):
    """A generator that can be watched; NumPy's own cannot."""


def leaves(value):
    """The arrays and generators in named tuples, at any depth."""
    if isinstance(value, tuple):
        return [leaf for each in value for leaf in leaves(each)]
    return [value] if isinstance(value, np.ndarray | np.random.Generator) else []


def call_once(ready, job, recorded):
    """One replication: in one go, or with a stop after a block as for customers who are kept."""
    ready.run(job, 0, 1 if recorded else HORIZON)


@pytest.mark.parametrize("recorded", [False, True])
def test_references_are_given_back(scenario, recorded):
    """After any number of calls every array and generator is held as often as before."""
    policy = scenario.policies[0]
    ready = prepare(scenario, policy, HORIZON // 2, np.array([HORIZON]), HORIZON)
    job = ready.new_job(0, 1, new_control())
    objects = leaves((ready.streams, job))
    generators = sum(isinstance(each, np.random.Generator) for each in objects)
    assert generators == (4 if ready.streams.clock is None else 6)
    call_once(ready, job, recorded)
    before = [sys.getrefcount(each) for each in objects]
    for _ in range(CALLS):
        call_once(ready, job, recorded)
    assert [sys.getrefcount(each) for each in objects] == before


def test_generators_die_with_their_run(scenario):
    """What was made for a call is gone after it."""
    policy = scenario.policies[0]
    ready = prepare(scenario, policy, HORIZON, np.array([HORIZON]), HORIZON)
    job = ready.new_job(0, 1, new_control())
    watched = Watched(ready.streams.policy.bit_generator)
    ready = ready._replace(streams=ready.streams._replace(policy=watched))
    call_once(ready, job, False)
    arrays = [each for each in leaves((job.state, job.block)) if isinstance(each, np.ndarray)]
    kept = [weakref.ref(each) for each in [watched, *arrays]]
    del ready, job, watched, arrays
    gc.collect()
    assert [each() for each in kept if each() is not None] == []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux for its memory")
def test_memory_does_not_grow_with_the_calls(scenario):
    """Thousands of small calls take no more memory than hundreds."""
    policy = scenario.policies[0]
    replay = Replay(scenario, policy)

    def call(times):
        for _ in range(times):
            run_batch(scenario, policy, 0, 1, np.array([HORIZON]), replay)
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    before = call(500)
    assert call(3000) - before < 4e6  # one leaked generator a call would be eight
