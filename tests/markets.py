"""Random markets: hypothesis strategies for everything that a scenario can say."""

from __future__ import annotations

import hashlib
import math
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st

from kcmab_abm import Trajectory
from kcmab_abm.catalogue.registry import BEHAVIOURS, LAWS, POLICIES
from kcmab_abm.scenario.fields import LARGEST_REPLICATIONS, LARGEST_SEED
from kcmab_abm.testing.numbers import ends_of

# By default these are compiled once, to compare their digests; `-m slow` has the other tests.
SELDOM = [
    *("besa", "explore-first", "gittins", "imed", "moss", "rb-sda", "top-two", "tsallis-inf"),
    "recorded",
]
# Policies for any market; those that need a certain one have tests of their own.
EVERY_POLICY = [name for name in POLICIES.own_names() if POLICIES[name].needs is None]
POLICY_NAMES = [name for name in EVERY_POLICY if name not in SELDOM]
BEHAVIOUR_NAMES = BEHAVIOURS.own_names()
LAW_NAMES = LAWS.own_names()
WITHOUT_FILES = [name for name in LAW_NAMES if "file" not in LAWS[name].settings.model_fields]
# These policies with the paper's customers, every behaviour with the paper's policy:
# a kernel for each of all pairs would take minutes to compile.
PAIRS = [
    *((policy, "greedy") for policy in POLICY_NAMES),
    *(("ucb", behaviour) for behaviour in BEHAVIOUR_NAMES if behaviour != "greedy"),
    ("modified-ts", "logit"),
]

EACH_POLICY = [*POLICY_NAMES, *(pytest.param(each, marks=pytest.mark.slow) for each in SELDOM)]
EVERY_PAIR = [
    *PAIRS,
    *(pytest.param(policy, "greedy", marks=pytest.mark.slow) for policy in SELDOM),
]

NINE_ARMS = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]

MOST_IN_A_GROUP = 5
MOST_GROUPS = 4

seeds = st.integers(0, 3) | st.integers(0, LARGEST_SEED)
replications = st.integers(0, 3) | st.integers(0, LARGEST_REPLICATIONS - 1)


def between(low, high, **options):
    """Floats of an interval, without those so small that a quotient of two overflows."""
    return st.floats(low, high, allow_subnormal=False, **options)


def rewards():
    """Numbers in [0, 1] that often coincide and often are the ends."""
    return st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]) | between(0.0, 1.0)


def several(each):
    """As many of something as a group has arms."""
    return st.lists(each, min_size=1, max_size=MOST_IN_A_GROUP)


def bernoulli_groups():
    """Arms that pay 0 or 1, some of them always, some never."""
    return several(rewards()).map(lambda means: {"law": "bernoulli", "means": means})


def beta_groups():
    """Beta arms, given by their means or by their shapes."""
    by_means = st.fixed_dictionaries(
        {
            "law": st.just("beta"),
            "means": several(st.sampled_from([0.2, 0.5]) | between(0.01, 0.99)),
            "concentration": st.sampled_from([0.01, 2.0, 1e6]) | between(0.1, 50.0),
        }
    )
    shapes = st.sampled_from([1e-3, 1.0, 1e6]) | between(0.05, 30.0)
    by_shapes = several(st.tuples(shapes, shapes)).map(
        lambda pairs: {
            "law": "beta",
            "alpha": [alpha for alpha, _ in pairs],
            "beta": [beta for _, beta in pairs],
        }
    )
    return by_means | by_shapes


def uniform_groups():
    """Arms spread over an interval, which may be a single point."""
    ends = st.tuples(rewards(), rewards()).map(sorted)
    points = rewards().map(lambda point: [point, point])
    return several(ends | points).map(
        lambda pairs: {
            "law": "uniform",
            "low": [low for low, _ in pairs],
            "high": [high for _, high in pairs],
        }
    )


def shares(count):
    """Probabilities of `count` values, some of them nought."""
    weights = st.lists(st.integers(0, 6), min_size=count, max_size=count).filter(any)
    return weights.map(lambda whole: [weight / sum(whole) for weight in whole])


@st.composite
def discrete_groups(draw):
    """Arms that pay one of a few values, which may be a single one."""
    values = draw(st.lists(rewards(), min_size=1, max_size=4, unique=True).map(sorted))
    return {
        "law": "discrete",
        "values": values,
        "probabilities": draw(several(shares(len(values)))),
    }


OBSERVED = {
    "file": str(Path(__file__).with_name("observed.csv")),
    "arm": "product",
    "reward": "rating",
    "range": [1.0, 5.0],
}
_FILES = TemporaryDirectory(prefix="kcmab-tests-")


def observed(samples):
    """Settings of arms whose rewards are those of a new file, one list for each arm."""
    lines = [f"{arm},{reward!r}" for arm, each in enumerate(samples) for reward in each]
    text = "\n".join(["arm,reward", *lines])
    path = Path(_FILES.name, f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.csv")
    path.write_text(text)
    return {"law": "empirical", "file": str(path), "arm": "arm", "reward": "reward"}


def empirical_groups():
    """Arms with a few observed rewards, or a single one."""
    return several(st.lists(rewards(), min_size=1, max_size=9)).map(observed)


GROUPS = {
    "bernoulli": bernoulli_groups(),
    "beta": beta_groups(),
    "discrete": discrete_groups(),
    "empirical": empirical_groups(),
    "uniform": uniform_groups(),
}


def arm_lists(laws=None):
    """One to twenty arms of the laws given, in any order."""
    groups = st.one_of([GROUPS[law] for law in laws or LAW_NAMES])
    return st.lists(groups, min_size=1, max_size=MOST_GROUPS)


def arm_count(groups):
    """How many arms the groups have together."""
    return sum(map(_count, groups))


def _count(group):
    if "file" in group:
        lines = Path(group["file"]).read_text().splitlines()[1:]
        return len({line.partition(",")[0] for line in lines})
    keys = ("means", "alpha", "low", "probabilities")
    return next(len(group[key]) for key in keys if key in group)


def numbers_within(parameter):
    """Values of a parameter: its default, the ends of its range, all magnitudes in between."""
    if isinstance(parameter.default, bool):
        return st.booleans()
    low, high = ends_of(parameter)
    if isinstance(parameter.default, int):
        near = st.integers(low, min(high, low + 20))
        return st.sampled_from([parameter.default, low, high]) | near | st.integers(low, high)
    spread = 5 * max(1, abs(parameter.default))
    near = st.floats(max(low, parameter.default - spread), min(high, parameter.default + spread))
    powers = [sign * 10.0**power for sign in (1, -1) for power in range(-300, 301)]
    inside = [number for number in powers if low <= number <= high]
    ends = [low, high, math.nextafter(low, high), math.nextafter(high, low), parameter.default]
    return st.sampled_from(ends) | st.sampled_from(inside or ends) | near


def tables(entry, key):
    """What a scenario file may say of this policy or behaviour."""
    if entry.compose is not None:
        return mixtures(key, entry.name)
    numbers = {word: numbers_within(each) for word, each in entry.parameters.items()}
    return st.fixed_dictionaries(
        {key: st.just(entry.name)}, optional=numbers | EXTRAS.get(entry.name, {})
    )


# Settings that must fit together, or that are not numbers.
EXTRAS = {
    "social": {
        "graph": st.sampled_from(["complete", "ring", "small-world", "scale-free"]),
        "people": st.integers(5, 20),
        "neighbours": st.sampled_from([2, 4]),
    },
    "recency": {"window": st.integers(0, 12)},
    "sliding-window-ucb": {"window": st.integers(1, 30)},
}

# The kinds that a mixture is made of here: each other choice would be a kernel of its own.
MIXED = ("logit", "drifted-feedback", "recency")


def mixtures(key, name):
    """Customers of three kinds, all of them present."""
    parts = [
        st.tuples(tables(BEHAVIOURS[each], key), between(0.01, 10.0)).map(
            lambda pair: {**pair[0], "weight": pair[1]}
        )
        for each in MIXED
    ]
    return st.tuples(*parts).map(lambda each: {key: name, "of": list(each)})


def default_customers(name):
    """The table of customers as they are unless told otherwise."""
    if BEHAVIOURS[name].compose is None:
        return {"behaviour": name}
    return {"behaviour": name, "of": [{"behaviour": each} for each in MIXED]}


def policy_tables(name):
    """The table of a policy, with parameters of its range."""
    return tables(POLICIES[name], "name")


def customer_tables(name=None):
    """The table of the customers, with parameters of their range."""
    names = [name] if name else BEHAVIOUR_NAMES
    return st.one_of([tables(BEHAVIOURS[each], "behaviour") for each in names])


def horizons(arms, longest):
    """Horizons below, at and above the number of arms, above it odd and even."""
    return st.one_of(st.integers(1, arms), st.just(arms), st.integers(arms + 1, arms + longest))


@st.composite
def experiments(draw, policies, behaviour=None, laws=None, longest=40, all_report=False):
    """Settings of a whole scenario with these policies."""
    groups = draw(arm_lists(laws))
    reported = st.just(1.0) | st.sampled_from([0.05, 0.5]) | between(0.01, 1.0)
    return {
        "horizon": draw(horizons(arm_count(groups), longest)),
        "replications": 3,
        "seed": draw(seeds),
        "market": {
            "arms": groups if len(groups) > 1 else groups[0],
            "customers": draw(customer_tables(behaviour)),
            "arrivals": draw(arrivals()),
            "ties": draw(st.sampled_from(["random", "first"])),
            "seeding_cost": draw(st.sampled_from([0.0, 0.25])),
            "report_probability": 1.0 if all_report else draw(reported),
        },
        "policy": [draw(policy_tables(name)) for name in policies],
    }


def arrivals():
    """Customers in slots or at a Poisson rate."""
    poisson = between(1e-3, 1e3).map(lambda rate: {"process": "poisson", "rate": rate})
    return st.just({"process": "slots"}) | poisson


def assert_same(one, other):
    """Two trajectories are equal to the last bit, field by field."""
    for part in fields(Trajectory):
        left, right = getattr(one, part.name), getattr(other, part.name)
        assert left.dtype == right.dtype, part.name
        assert left.tobytes() == right.tobytes(), f"{part.name}: {left} and {right}"
