"""Random arms of every law, and random changes of their means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.registry import LAWS
from kcmab_abm.scenario.fields import LARGEST_AMOUNT
from kcmab_abm.testing.numbers import pick
from tests.markets import OBSERVED

Table = dict[str, Any]

SMALLEST = [5e-324, 1e-310, 2.3e-308, 1e-300, 1e-17]
MEANS = [0.0, *SMALLEST, 0.1, 0.5, 0.5 + 2.0**-53, 0.9, 1.0 - 2.0**-53, 1.0]
SHAPES = [1e-3, 0.5, 1.0, 30.0, 1e6]


def arm_count(market: Table) -> int:
    """How many arms a market has."""
    groups = market["arms"]
    return sum(map(_size, groups if isinstance(groups, list) else [groups]))


def draw_groups(rng: Generator) -> list[Table]:
    """One to three groups of arms, of any law."""
    laws = rng.choice(LAWS.own_names(), int(rng.choice([1, 1, 1, 2, 3])))
    return [DRAWN[str(law)](rng, int(rng.choice([1, 2, 2, 3, 4, 9]))) for law in laws]


def draw_moving_groups(rng: Generator) -> list[Table]:
    """One or two groups of arms whose means can change, of laws that are given by their means."""
    movable = [name for name in LAWS.own_names() if LAWS[name].move]
    laws = [str(law) for law in rng.choice(movable, int(rng.choice([1, 1, 2])))]
    low, high = _within(laws)
    return [MOVING[law](rng, int(rng.choice([1, 2, 3, 5])), low, high) for law in laws]


def with_priors(rng: Generator, groups: list[Table], changing: bool) -> list[Table]:
    """The same arms, with means drawn anew in every replication where the law allows it."""
    laws = [group["law"] for group in groups]
    found = []
    for group in groups:
        low, high = _within(laws if changing else [group["law"]])
        is_free = not changing or (low, high) == (0.0, 1.0)  # no mean lies beyond a wall
        found.append(_with_prior(rng, group, low, high, is_free) if "means" in group else group)
    return found


def draw_change(rng: Generator, groups: list[Table]) -> Table:
    """A change of any kind, at the ends of what it allows."""
    low, high = _within([group["law"] for group in groups])
    arms = sum(map(_size, groups))
    kind = str(rng.choice(["piecewise", "random-walk", "seasonal"]))
    if kind == "random-walk":
        steps = pick(rng, [5e-324, 1e-9, 0.25], lambda: 0.25 - rng.random() / 4)
        return {"kind": kind, "step": steps}
    if kind == "seasonal":
        table: Table = {
            "kind": kind,
            "amplitude": pick(rng, MEANS, rng.random),
            "period": pick(rng, [2.0, 7.5, LARGEST_AMOUNT], lambda: rng.uniform(2.0, 50.0)),
        }
        return table | ({"phases": _means(rng, arms)} if rng.random() < 0.5 else {})
    at = sorted({int(customer) for customer in rng.integers(2, 40, int(rng.integers(1, 4)))})
    return {"kind": kind, "at": at, "means": [_means(rng, arms, low, high) for _ in at]}


def _within(laws: list[str]) -> tuple[float, float]:
    """The means that arms of all these laws can have."""
    ends = [LAWS[law].within for law in laws]
    return max(low for low, _ in ends), min(high for _, high in ends)


def _size(group: Table) -> int:
    """How many arms a group has."""
    if "file" in group:
        return 3
    if isinstance(group.get("means"), dict):  # a prior
        return group.get("count") or len(group["means"]["markets"][0])
    return next(
        len(group[key]) for key in ("means", "alpha", "low", "probabilities") if key in group
    )


def _with_prior(rng: Generator, group: Table, low: float, high: float, is_free: bool) -> Table:
    kind = str(rng.choice(["uniform", "beta", "list"] if is_free else ["uniform", "list"]))
    if kind == "list":
        markets = [rng.permutation(group["means"]).tolist() for _ in range(int(rng.integers(1, 4)))]
        return group | {"means": {"prior": kind, "markets": markets}}
    prior: Table = {"prior": kind}
    if kind == "beta":
        prior |= {word: pick(rng, SHAPES, lambda: 3.0 * rng.random() + 0.01) for word in "ab"}
    elif rng.random() < 0.5 or not is_free:
        prior |= dict(zip(("low", "high"), sorted(_means(rng, 2, low, high)), strict=True))
    return group | {"means": prior, "count": len(group["means"])}


def _bernoulli(rng: Generator, count: int, low: float = 0.0, high: float = 1.0) -> Table:
    return {"law": "bernoulli", "means": _means(rng, count, low, high)}


def _beta(rng: Generator, count: int) -> Table:
    if rng.random() < 0.5:
        return _beta_by_means(rng, count, 0.001, 0.999)
    shapes = {
        name: [pick(rng, SHAPES, lambda: 30.0 * rng.random() + 0.01) for _ in range(count)]
        for name in ("alpha", "beta")
    }
    return {"law": "beta", **shapes}


def _beta_by_means(rng: Generator, count: int, low: float, high: float) -> Table:
    means = [pick(rng, [low, 0.5, high], lambda: rng.uniform(0.01, 0.99)) for _ in range(count)]
    concentration = pick(rng, [0.01, 2.0, 1e6], lambda: rng.uniform(0.1, 50.0))
    return {"law": "beta", "means": means, "concentration": concentration}


def _uniform(rng: Generator, count: int) -> Table:
    ends = [sorted(_means(rng, 2)) for _ in range(count)]
    return {"law": "uniform", "low": [low for low, _ in ends], "high": [high for _, high in ends]}


def _discrete(rng: Generator, count: int) -> Table:
    values = sorted({*_means(rng, int(rng.integers(1, 5)))})
    return {"law": "discrete", "values": values, "probabilities": [_shares(rng, values)] * count}


def _empirical(rng: Generator, count: int) -> Table:
    return {"law": "empirical", **OBSERVED}


def _means(rng: Generator, count: int, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Means of which some are equal, or at the ends."""
    if rng.random() < 0.2:
        drawn = [float(pick(rng, MEANS, rng.random))] * count
    else:
        drawn = [float(pick(rng, MEANS, rng.random, 0.4)) for _ in range(count)]
    return [min(high, max(low, mean)) for mean in drawn]


def _shares(rng: Generator, values: list[float]) -> list[float]:
    weights = rng.integers(0, 4, len(values))
    weights[int(rng.integers(len(values)))] += 1
    return [float(weight) / float(weights.sum()) for weight in weights]


DRAWN: dict[str, Callable[[Generator, int], Table]] = {
    "bernoulli": _bernoulli,
    "beta": _beta,
    "discrete": _discrete,
    "empirical": _empirical,
    "uniform": _uniform,
}
MOVING: dict[str, Callable[[Generator, int, float, float], Table]] = {
    "bernoulli": _bernoulli,
    "beta": _beta_by_means,
}
