"""For every behaviour the limit in which it is greedy, bit for bit, on either engine.

The markets of the event-driven engine have purses with limits and offers that miss the gap, so that
customers refuse, ties are drawn and rivals compete. The compiled engine runs markets whose kernels
the other tests need anyway; that both engines agree on the rest is shown elsewhere.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario, play
from tests.markets import (
    BEHAVIOUR_NAMES,
    MIXED,
    arm_count,
    assert_same,
    between,
    customer_tables,
    experiments,
    replications,
)

GREEDY = {"behaviour": "greedy"}
LONGER = 1000  # than any horizon here

# What has to be said of each kind of customers, whatever else is said, to make her greedy.
LIMITS = {
    "drifted-feedback": [{"slope": 0.0}],
    "features": [{"spread": 0.0}],
    "greedy": [{}],
    "logit": [{"tau": 0.0}],
    "mixture": [{"of": [GREEDY, {"behaviour": "stubborn", "weight": 0.0}]}],
    "optimism": [{"kappa": 0.0}],
    "outside-option": [{"worth": 0.0}],
    "recency": [{"window": 0, "discount": 1.0}, {"window": LONGER, "discount": 1.0}],
    "recorded": [{"choices": []}],
    "risk-averse": [{"aversion": 0.0}],
    "self-reinforcing": [{"share": 0.0}],
    "social": [{"graph": "complete"}],
    "stubborn": [{"share": 0.0}],
    "tastes": [{"spread": 0.0, "money": 1.0, "money_spread": 0.0}],
}
CASES = [(name, limit) for name, limits in LIMITS.items() for limit in limits]
# The mixture of greedy customers alone would be a kernel of its own.
# No setting makes these greedy: a prior's weight is above 0, and the others do not read the means.
UNLIKE_GREEDY = ["bayesian", "informed", "reinforcement", "win-stay-lose-shift"]
COMPILED = [(name, limit) for name, limit in CASES if name not in ("greedy", "mixture")]

every_limit = pytest.mark.parametrize(("name", "limit"), CASES)
purses = st.fixed_dictionaries(
    {},
    optional={
        "offer": st.just({"rule": "least"})
        | between(-1.0, 1.0).map(lambda share: {"rule": "proportional-margin", "share": share}),
        "misjudgement": st.sampled_from([0.0, 0.1]),
        "also": st.integers(0, 3),
        "cap": between(0.0, 1.0),
    },
)


def both(data, name, limit, policy="ucb", **more):
    """A random market with customers in their limit, and the same with greedy ones.

    It goes on after the seeding, often with arms that tie.
    """
    laws = data.draw(st.sampled_from([None, ["bernoulli"], ["discrete"]]))
    table = data.draw(experiments([policy], "greedy", laws))
    groups = table["market"]["arms"]
    seeded = arm_count(groups if isinstance(groups, list) else [groups])
    table["horizon"] = seeded + data.draw(st.integers(20, 80))
    customers = {**data.draw(customer_tables(name)), **limit}
    for each in (customers, GREEDY):
        yield make_scenario({**table, **more, "market": {**table["market"], "customers": each}})


def test_every_behaviour_has_a_limit():
    """A behaviour that is added needs a limit, if it has one, or these tests would miss it."""
    assert sorted([*LIMITS, *UNLIKE_GREEDY]) == BEHAVIOUR_NAMES


@every_limit
@given(data=st.data())
def test_the_limit_is_greedy_in_the_market(name, limit, data):
    """Event-driven: customers who refuse, draw and compare do so as greedy ones."""
    policy = data.draw(st.sampled_from(["ucb", "modified-epsilon-greedy", "round-robin"]))
    here, there = both(data, name, limit, policy, purse=data.draw(purses))
    replication = data.draw(replications)
    assert_same(
        play(here, replication=replication, engine="market"),
        play(there, replication=replication, engine="market"),
    )


@pytest.mark.parametrize(("name", "limit"), COMPILED)
@given(data=st.data())
def test_the_limit_is_greedy_in_the_batch(name, limit, data):
    """Compiled: ucb meets customers in their limit as it meets greedy ones."""
    here, there = both(data, name, limit)
    replication = data.draw(replications)
    assert_same(
        play(here, replication=replication, engine="batch"),
        play(there, replication=replication, engine="batch"),
    )


ALL_IN_THEIR_LIMIT = [{"behaviour": name, **LIMITS[name][0], "weight": 1.0} for name in MIXED]


@pytest.mark.parametrize("engine", ["market", "batch"])
@settings(max_examples=10)
@given(data=st.data())
def test_a_mixture_of_limits_is_greedy(engine, data):
    """Customers of three kinds, each in its limit, are greedy: who is who costs a draw, no more.

    Under least offers nobody refuses, so that greedy customers draw nothing.
    """
    here, there = both(data, "greedy", {"behaviour": "mixture", "of": ALL_IN_THEIR_LIMIT})
    assert_same(play(here, engine=engine), play(there, engine=engine))
