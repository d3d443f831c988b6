"""Runs that no market made: any arms, payments and rewards, for recorders to look at."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from kcmab_abm import Trajectory, make_scenario

MEANS = np.array([0.8, 0.5, 0.3])
GAPS = np.array([0.0, 0.3, 0.5, 0.8])  # the last one for a customer who leaves


def make_run(arms, payments=None, rewards=None, seeded=0):
    """A run in which customers took these arms, the first `seeded` of them directed."""
    arms = np.array(arms, np.int64)
    zeros = np.zeros(len(arms))
    return Trajectory(
        clock=np.arange(1.0, len(arms) + 1.0),
        targets=arms,
        offers=zeros,
        arms=arms,
        rewards=zeros if rewards is None else np.array(rewards, float),
        payments=zeros if payments is None else np.array(payments, float),
        regrets=GAPS[arms],
        seeded=np.arange(len(arms)) < seeded,
        waits=zeros,
        beside=np.empty((len(arms), 0), np.int64),
        beside_offers=np.empty((len(arms), 0)),
    )


@st.composite
def one_run(draw):
    """One run of up to eight customers, some of whom may leave."""
    customers = draw(st.integers(1, 8))
    several = {"min_size": customers, "max_size": customers}
    return make_run(
        draw(st.lists(st.integers(-1, 2), **several)),
        draw(st.lists(st.sampled_from([0.0, 0.25, 0.1]), **several)),
        draw(st.lists(st.sampled_from([0.0, 1.0]), **several)),
        draw(st.integers(0, customers)),
    )


many_runs = st.lists(one_run(), min_size=1, max_size=12)


def shown(run, seeding):
    """The customers of a run that a graph shows, as (arm, payment, regret)."""
    rows = zip(run.arms, run.payments, run.regrets, run.seeded, strict=True)
    return [(int(a), float(p), float(r)) for a, p, r, s in rows if seeding or not s]


def recorded(recorder, runs):
    """The graph that a recorder makes of some runs."""
    for run in runs:
        recorder.add(run)
    return recorder.graph()


def small_scenario(**changes):
    """A market that runs in no time."""
    settings = {
        "horizon": 25,
        "replications": 12,
        "seed": 5,
        "market": {"arms": {"law": "bernoulli", "means": [0.7, 0.5, 0.2]}},
        "policy": [{"name": "ucb"}, {"name": "greedy"}],
    }
    return make_scenario({**settings, **changes})
