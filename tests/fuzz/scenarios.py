"""Random scenarios, drawn from a seed: every entry of the catalogue, the ends of every range.

Hypothesis finds small examples and pays for it with milliseconds a draw; a campaign of tens of
thousands needs draws that cost nothing, and finds small examples afterwards (`shrink.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.random import Generator

from kcmab_abm.catalogue.perception import unknowable
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from kcmab_abm.scenario.fields import LARGEST_AMOUNT, LARGEST_SEED
from kcmab_abm.testing.numbers import numbers, pick
from tests.fuzz.arms import (
    MOVING,
    SMALLEST,
    arm_count,
    draw_change,
    draw_groups,
    draw_moving_groups,
    with_priors,
)
from tests.markets import OBSERVED

Table = dict[str, Any]

LONG = 1100  # customers: more than two blocks of the batch engine
TIMES = 8  # in the file with observed rewards
AMOUNTS = [0.0, *SMALLEST, 2.0**-53, 0.1, 0.1 + 0.2, 1 / 3, 0.9, 1.0, 1.5, 1e6, LARGEST_AMOUNT]
SHARES = [1.0, 1.0, 0.5, 0.05]
MOST_PEOPLE = 30


class Combo(NamedTuple):
    """What decides which kernel the batch engine needs; several kinds of customers are a mixture.

    A `varied` market has arms that change, or a purse with limits, rivals or misjudgement; a
    `timed` one has service times or delayed reports. The controller may see the kinds of a mixture,
    and what arms are worth to customers.
    """

    policy: str
    customers: tuple[str, ...]
    rule: str = "least"
    varied: bool = False
    decision: str = ""  # of the customers whom any decision can follow
    disclosure: str = "full"  # to customers who hear no reports themselves
    measures: tuple[str, ...] = ()
    visible: bool = False
    knows: str = "book"
    timed: bool = False


def draw_combo(rng: Generator) -> Combo:
    """Any policy, any customers, any pricing rule, any disclosure."""
    kinds = [name for name in BEHAVIOURS.own_names() if BEHAVIOURS[name].compose is None]
    count = int(rng.choice([1, 1, 1, 2, 3]))
    mixed = tuple(str(kind) for kind in rng.choice(kinds, count, replace=False))
    hear = any(BEHAVIOURS[kind].hears for kind in mixed)
    policy = str(rng.choice(POLICIES.own_names()))
    if POLICIES[policy].needs:
        return Combo(policy, ("greedy",), "least", False, measures=_draw_measures(rng))
    return Combo(
        policy,
        mixed,
        str(rng.choice(PRICING.own_names())),
        bool(rng.random() < 0.7),
        str(rng.choice(["", "", *DECISIONS.own_names()])),
        "full" if hear or rng.random() < 0.3 else str(rng.choice(DISCLOSURES.own_names())),
        _draw_measures(rng),
        bool(rng.random() < 0.3),
        str(rng.choice(["book", "book", "customers"])),
        bool(rng.random() < 0.3),
    )


def _draw_measures(rng: Generator) -> tuple[str, ...]:
    """Some measures that any customers allow, or none."""
    free = [name for name in MEASURES.own_names() if not MEASURES[name].asks_for("value")]
    return tuple(str(name) for name in rng.permutation(free) if rng.random() < 0.3)


def draw_scenario(rng: Generator, combo: Combo) -> Table:
    """Settings of a scenario that this kernel runs."""
    changing = combo.varied and rng.random() < 0.4
    groups = draw_moving_groups(rng) if changing else draw_groups(rng)
    needs = POLICIES[combo.policy].needs
    if needs:
        groups = [MOVING[needs.law](rng, needs.arms, *LAWS[needs.law].within)]
    if rng.random() < 0.3:
        groups = with_priors(rng, groups, changing)
    market: Table = {
        "arms": groups if len(groups) > 1 or rng.random() < 0.5 else groups[0],
        "customers": _customers(rng, combo),
        "ties": str(rng.choice(["random", "first"])),
        "report_probability": 1.0 if needs else pick(rng, SHARES, lambda: 1.0 - rng.random()),
        "seeding_cost": pick(rng, [0.0, 0.25, LARGEST_AMOUNT], rng.random),
        "arrivals": _arrivals(rng),
    }
    if changing:
        market["change"] = draw_change(rng, groups)
    if combo.disclosure != "full":
        market["disclosure"] = _disclosure(rng, combo.disclosure)
    if combo.timed:
        market |= _delays(rng)
    offer = {"rule": combo.rule, **numbers(rng, PRICING[combo.rule])}
    arms = arm_count(market)
    limits = _limits(rng, arms) if combo.varied and (not changing or rng.random() < 0.5) else {}
    policy = {"name": combo.policy, **numbers(rng, POLICIES[combo.policy])}
    found = {
        "horizon": _horizon(rng, market, arms, bool(needs)),
        "replications": 2,
        "seed": int(pick(rng, [0, 1, LARGEST_SEED], lambda: rng.integers(0, LARGEST_SEED))),
        "market": market,
        "purse": {"offer": offer, **limits, **_knowledge(combo)},
        "policy": [policy],
    }
    if combo.measures:
        found["measures"] = {
            name: {"measure": name, **numbers(rng, MEASURES[name])} for name in combo.measures
        }
    return found


def add_queues(rng: Generator, settings: Table) -> Table:
    """The same market with arms that serve few at a time, which only the market engine runs.

    Policies that need a certain market allow no queues.
    """
    if POLICIES[settings["policy"][0]["name"]].needs:
        return settings
    more: Table = {
        "report_delay": _duration(rng),
        "service_time": {"law": "exponential", "mean": pick(rng, [1e-9, 1e9], rng.random)},
        "capacity": int(rng.integers(1, 4)),
        "when_full": str(rng.choice(["wait", "switch", "leave"])),
    }
    if rng.random() < 0.5:
        more["capacity"] = [
            int(places) for places in rng.integers(1, 4, arm_count(settings["market"]))
        ]
    if more["when_full"] == "wait" and rng.random() < 0.5:
        more["patience"] = _duration(rng)
    return {**settings, "market": {**settings["market"], **more}}


def _disclosure(rng: Generator, rule: str) -> Table:
    """What customers see; groups so small that a short run has several levels."""
    table = {"rule": rule, **numbers(rng, DISCLOSURES[rule])}
    if rule == "levels":
        table |= {word: int(rng.integers(1, 5)) for word in ("levels", "groups", "size")}
    return table


def _horizon(rng: Generator, market: Table, arms: int, short: bool) -> int:
    """A few more customers than arms, or more than a block, or as many as there are times."""
    if market["arrivals"]["process"] == "trace":
        return int(rng.integers(1, TIMES + 1))
    return int(rng.integers(1, arms + 40) if short or rng.random() < 0.99 else LONG)


def _arrivals(rng: Generator) -> Table:
    drawn = rng.random()
    if drawn < 0.7:
        return {"process": "slots"}
    if drawn < 0.75:
        return {"process": "trace", "file": OBSERVED["file"], "time": "timestamp"}
    rate = pick(rng, [1 / LARGEST_AMOUNT, 1.0, LARGEST_AMOUNT], lambda: rng.uniform(0.1, 9.0))
    return {"process": "poisson", "rate": rate}


def _delays(rng: Generator) -> Table:
    """A service time and a delay of the report, of which one may be nothing."""
    amount = float(pick(rng, [1e-9, 0.25, 1.0, 2.5, 40.0, LARGEST_AMOUNT], rng.uniform))
    law = {"law": "exponential", "mean": amount}
    one, other = rng.permutation(["service_time", "report_delay"])
    return {str(one): amount if rng.random() < 0.5 else law, str(other): _duration(rng)}


def _duration(rng: Generator) -> float | Table:
    amounts = [0.0, 1e-9, 0.25, 1.0, 2.5, 40.0, LARGEST_AMOUNT]
    kind = rng.integers(3)
    if kind == 0:
        return float(pick(rng, amounts, rng.random))
    if kind == 1:
        return {"law": "exponential", "mean": float(pick(rng, amounts[1:], rng.uniform))}
    low, high = sorted(float(pick(rng, amounts, rng.random)) for _ in range(2))
    return {"law": "uniform", "low": low, "high": high}


def _limits(rng: Generator, arms: int) -> Table:
    """A purse that runs short, rivals, misjudgement: at least one of them."""

    def amount() -> float:
        return float(pick(rng, AMOUNTS, lambda: 3.0 * rng.random()))

    purse: Table = {}
    while not purse:
        if rng.random() < 0.3:
            purse["cap"] = amount()
        if rng.random() < 0.4:
            purse["budget"] = amount()
        if rng.random() < 0.3:
            purse |= {"period": int(rng.integers(1, 12)), "period_budget": amount()}
        if rng.random() < 0.4:
            purse["also"] = int(pick(rng, [1, 2, 10_000], lambda: rng.integers(1, arms + 1)))
        if rng.random() < 0.3:
            purse["misjudgement"] = pick(rng, [5e-324, 0.05, 1.0, LARGEST_AMOUNT], rng.random)
        if rng.random() < 0.3:
            purse["fees"] = True
    return purse | {"when_short": str(rng.choice(["refuse", "pay-rest"]))}


def _knowledge(combo: Combo) -> Table:
    """Where the gap comes from; the values of some customers cannot be known."""
    secret = any(unknowable(BEHAVIOURS[kind]) for kind in combo.customers)
    return {} if secret or combo.knows == "book" else {"knows": combo.knows}


def _customers(rng: Generator, combo: Combo) -> Table:
    tables: list[Table] = []
    for kind in combo.customers:
        entry = BEHAVIOURS[kind]
        tables.append({"behaviour": kind, **numbers(rng, entry), **_extras(rng, kind)})
        if combo.decision and entry.value:
            decided = DECISIONS[combo.decision]
            tables[-1]["decision"] = {"rule": combo.decision, **numbers(rng, decided)}
    if len(tables) == 1:
        return tables[0]
    weights = [float(pick(rng, [5e-324, 1e-9, 1.0, LARGEST_AMOUNT], rng.random)) for _ in tables]
    of = [{**table, "weight": weight} for table, weight in zip(tables, weights, strict=True)]
    return {"behaviour": "mixture", "of": of, **({"visible": True} if combo.visible else {})}


def _extras(rng: Generator, kind: str) -> Table:
    """Settings that must fit together: a network that is soon built."""
    if kind != "social":
        return {}
    people = int(rng.integers(5, MOST_PEOPLE))
    graph = str(rng.choice(["complete", "ring", "small-world", "scale-free", "edges"]))
    table: Table = {"people": people, "neighbours": int(rng.choice([2, 4])), "graph": graph}
    if graph == "edges":
        table["edges"] = [[int(a), int(b)] for a, b in rng.integers(0, people, (5, 2))]
    return table
