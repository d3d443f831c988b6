"""Random limits: purses that run short, arms that change, arms that serve few at a time."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from kcmab_abm import make_scenario
from kcmab_abm.catalogue.registry import PRICING
from tests.markets import (
    BEHAVIOUR_NAMES,
    POLICY_NAMES,
    arm_count,
    between,
    experiments,
    several,
    tables,
)

PRICING_NAMES = PRICING.own_names()

# Sums that floating point gets wrong, amounts that vanish in a sum, and nothing at all.
NASTY = [0.0, 5e-324, 1e-300, 2**-53, 1e-9, 0.1, 0.1 + 0.2, 0.3, 0.5, 1 / 3, 2 / 3, 0.9, 1.0, 1.5]


def amounts(most=3.0):
    """Budgets that are soon used up."""
    return st.sampled_from(NASTY) | between(0.0, most)


def rules(name=None):
    """The table of a pricing rule, with parameters of its range."""
    names = [name] if name else PRICING_NAMES
    return st.one_of([tables(PRICING[each], "rule") for each in names])


@st.composite
def purses(draw, rule=None, plain=False):
    """A purse with at least one limit; a plain one makes one offer at a time, of the least."""
    limits = {"cap": amounts(1.0), "budget": amounts(), "period_budget": amounts(1.0)}
    chosen = draw(st.lists(st.sampled_from(sorted(limits)), min_size=1, unique=True))
    purse = {word: draw(limits[word]) for word in chosen}
    if "period_budget" in purse:
        purse["period"] = draw(st.integers(1, 12))
    purse["when_short"] = draw(st.sampled_from(["refuse", "pay-rest"]))
    if plain:
        return purse
    more = {
        "offer": draw(rules(rule)),
        "also": draw(st.sampled_from([0, 0, 1, 2, 30])),
        "misjudgement": draw(st.sampled_from([0.0, 0.0, 0.05, 1.0])),
    }
    return purse | more


def durations(longest=6.0):
    """Times that are constant, exponential or uniform, above 0."""
    return st.one_of(
        st.sampled_from([0.25, 1.0, 2.5]),
        between(0.1, longest),
        between(0.1, longest).map(lambda mean: {"law": "exponential", "mean": mean}),
        between(0.1, longest).map(lambda high: {"law": "uniform", "low": 0.05, "high": high}),
    )


@st.composite
def lines(draw, arms):
    """Arms that serve few at a time, and what customers do about it."""
    same = st.integers(1, 3)
    each = st.lists(same, min_size=arms, max_size=arms)
    settings = {
        "service_time": draw(durations()),
        "capacity": draw(same | each),
        "when_full": draw(st.sampled_from(["wait", "switch", "leave"])),
    }
    if settings["when_full"] == "wait" and draw(st.booleans()):
        settings["patience"] = draw(durations() | st.just(0.0))
    return settings


def delays():
    """Customers who take their time, and reports that are late."""
    return st.fixed_dictionaries(
        {}, optional={"service_time": durations(), "report_delay": durations()}
    )


@st.composite
def limited_experiments(draw, policy=None, behaviour=None, rule=None):
    """Any market, any frictions, and a purse with limits."""
    policy = policy or draw(st.sampled_from(POLICY_NAMES))
    behaviour = behaviour or draw(st.sampled_from(BEHAVIOUR_NAMES))
    settings = draw(experiments([policy], behaviour))
    settings["market"] |= draw(delays())
    if draw(st.booleans()):
        groups = settings["market"]["arms"]
        arms = arm_count(groups if isinstance(groups, list) else [groups])
        settings["market"] |= draw(lines(arms))
    return settings | {"purse": draw(purses(rule))}


def means(count, low=0.0, high=1.0):
    """Means of `count` arms."""
    return st.lists(between(low, high), min_size=count, max_size=count)


@st.composite
def moving_groups(draw):
    """A few arms of one law that can change; their means, and a table for them."""
    if draw(st.booleans()):
        values = draw(several(between(0.0, 1.0)))
        return {"law": "bernoulli", "means": values}, (0.0, 1.0)
    values = draw(several(between(0.01, 0.99)))
    concentration = draw(st.sampled_from([0.5, 2.0, 30.0]))
    return {"law": "beta", "means": values, "concentration": concentration}, (0.001, 0.999)


@st.composite
def moves(draw, first, within):
    """How these arms may change."""
    kind = draw(st.sampled_from(["piecewise", "random-walk", "seasonal"]))
    if kind == "random-walk":
        return {"kind": kind, "step": draw(between(1e-3, 0.25))}
    if kind == "seasonal":
        table = {"amplitude": draw(between(0.0, 1.0)), "period": draw(between(2.0, 40.0))}
        phases = {"phases": draw(means(len(first)))} if draw(st.booleans()) else {}
        return {"kind": kind, **table, **phases}
    at = draw(st.lists(st.integers(2, 40), min_size=1, max_size=4, unique=True).map(sorted))
    return {"kind": kind, "at": at, "means": [draw(means(len(first), *within)) for _ in at]}


@st.composite
def changing_experiments(draw, policy, behaviour, purse=None):
    """A market whose arms change, in which this policy meets these customers."""
    group, within = draw(moving_groups())
    settings = draw(experiments([policy], behaviour))
    settings["horizon"] = draw(st.integers(1, 60))
    settings["market"] |= {"arms": group, "change": draw(moves(group["means"], within))}
    return settings | ({} if purse is None else {"purse": draw(purse)})


def exactly(numbers):
    """The sum of some floats, without rounding."""
    return sum((Fraction(float(number)) for number in numbers), Fraction(0))


def nine_arms(policy="ucb", horizon=300, means=None, purse=None, **market):
    """The paper's instance with a purse and other settings of the market."""
    arms = {"law": "bernoulli", "means": means or [0.1 * k for k in range(9, 0, -1)]}
    return make_scenario(
        {
            "horizon": horizon,
            "replications": 5,
            "seed": 8,
            "market": {"arms": arms, **market},
            "purse": purse or {},
            "policy": [{"name": policy}],
        }
    )
