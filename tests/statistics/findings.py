"""What the papers behind the behaviours found, measured here.

Every function runs one setting and returns samples, one number a replication, by name.
`python -m tests.statistics.findings` prints them all with 95 % intervals: the numbers of
docs/behaviours.md. The tests run the same settings with fewer replications.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from kcmab_abm import Results, make_scenario, simulate
from kcmab_abm.model.trajectory import CURVES

Sample = NDArray[Any]  # numbers, or truths of which the share counts
Samples = dict[str, Sample]

FOUR_ARMS = [0.9, 0.7, 0.5, 0.3]
SEED = 2020


def run(
    customers: dict[str, Any],
    policies: list[dict[str, Any]],
    means: list[float],
    horizon: int,
    replications: int,
    purse: dict[str, Any] | None = None,
    **market: Any,
) -> Results:
    """One market of Bernoulli arms."""
    arms = {"law": "bernoulli", "means": means}
    settings = {
        "horizon": horizon,
        "replications": replications,
        "seed": SEED,
        "market": {"arms": arms, "customers": customers, **market},
        "purse": purse or {},
        "policy": policies,
    }
    return simulate(make_scenario(settings))


def final(results: Results, label: str, measure: str) -> Sample:
    """A measure at the end of every replication."""
    return results.runs[label].final(measure)


def at(results: Results, label: str, measure: str, customer: int) -> Sample:
    """A measure after some customers, in every replication."""
    place = int(np.searchsorted(results.checkpoints, customer))
    assert results.checkpoints[place] == customer
    values: Sample = results.runs[label].curves[:, place, CURVES.index(measure)]
    return values


def locked_in(results: Results, label: str) -> Sample:
    """Which replications ended on a wrong arm."""
    return results.runs[label].locked_in(results.scenario.horizon)


DRIFTS = {
    "no drift": {"behaviour": "greedy"},
    "linear": {"behaviour": "drifted-feedback", "slope": 0.5},
    "saturating": {"behaviour": "drifted-feedback", "slope": 1.0, "ceiling": 0.2},
}


def reward_drift(replications: int = 1000, drifts: Iterable[str] = tuple(DRIFTS)) -> Samples:
    """Liu et al. 2020: regret and compensation with drifting reports, and their doublings."""
    policies = [{"name": "ucb"}, {"name": "epsilon-greedy", "epsilon": 20.0}, {"name": "ts"}]
    samples = {}
    for drift in drifts:
        results = run(DRIFTS[drift], policies, FOUR_ARMS, 20_000, replications)
        for label in results.runs:
            for measure in ("regret", "compensation"):
                name = f"{label}, {drift}, {measure}"
                early, middle, late = (at(results, label, measure, t) for t in (4000, 8000, 16_000))
                samples[name] = final(results, label, measure)
                samples[f"{name}, 4000 to 8000"] = middle - early
                samples[f"{name}, 8000 to 16000"] = late - middle
    return samples


def money(replications: int = 1000) -> Samples:
    """Han et al. 2015: what it costs not to know what money is worth to customers."""
    samples = {}
    for worth, spread, share in (
        (1.0, 0.0, 0.0),
        (1.0, 1.0, 0.0),
        (2.0, 0.0, 0.0),
        (2.0, 0.0, -0.5),
        (0.5, 0.0, 0.0),
        (0.5, 0.0, 1.0),
    ):
        customers = {"behaviour": "tastes", "spread": 0.0, "money": worth, "money_spread": spread}
        purse = {"offer": {"rule": "proportional-margin", "share": share}} if share else None
        results = run(customers, [{"name": "ucb"}], FOUR_ARMS, 10_000, replications, purse)
        runs = results.runs["ucb"]
        name = f"money {worth:g} spread {spread:g}, offers {1 + share:g} gap"
        samples[f"{name}, regret"] = final(results, "ucb", "regret")
        samples[f"{name}, compensation"] = final(results, "ucb", "compensation")
        samples[f"{name}, acceptance"] = runs.accepted / runs.targeted
        samples[f"{name}, locked in"] = locked_in(results, "ucb")
    return samples


ONE_OUTCOME_EACH = [
    [0.9, 0.1, 0.1, 0.1],
    [0.1, 0.9, 0.1, 0.1],
    [0.1, 0.1, 0.9, 0.1],
    [0.1, 0.1, 0.1, 0.9],
]


def diversity(replications: int = 500) -> Samples:
    """Chen et al. 2018: what is paid when every arm has customers who like it."""
    samples = {}
    for spread in (0.0, 0.1, 0.2, 0.3):
        customers = {
            "behaviour": "features",
            "features": 4,
            "outcomes": ONE_OUTCOME_EACH,
            "spread": spread,
        }
        policies = [{"name": "ucb"}, {"name": "greedy"}]
        results = run(customers, policies, FOUR_ARMS, 20_000, replications)
        paid = final(results, "ucb", "compensation")
        name = f"spread {spread:g}"
        samples[f"{name}, compensation"] = paid
        samples[f"{name}, compensation of the last half"] = paid - at(
            results, "ucb", "compensation", 10_000
        )
        samples[f"{name}, regret"] = final(results, "ucb", "regret")
        samples[f"{name}, locked in without offers"] = locked_in(results, "greedy")
    return samples


def optimism(replications: int = 2000, horizon: int = 20_000) -> Samples:
    """Banihashem et al. 2023: customers alone, from pessimists to optimists."""
    samples = {}
    for kappa in (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0):
        customers = {"behaviour": "optimism", "kappa": kappa}
        results = run(customers, [{"name": "greedy"}], [0.6, 0.4], horizon, replications)
        samples[f"kappa {kappa:g}, locked in"] = locked_in(results, "greedy")
        regret = final(results, "greedy", "regret")
        samples[f"kappa {kappa:g}, regret"] = regret
        samples[f"kappa {kappa:g}, regret of the last half"] = regret - at(
            results, "greedy", "regret", horizon // 2
        )
    return samples


ROUND = [[0.3, 0.9, 0.6], [0.6, 0.3, 0.9], [0.9, 0.6, 0.3]]


def growing_horizons(replications: int = 300) -> Samples:
    """Chakraborty and Chen 2024: three changes in ever longer markets, windows to match."""
    samples = {}
    for horizon in (2500, 10_000, 40_000):
        quarters = [horizon * quarter // 4 + 1 for quarter in (1, 2, 3)]
        window = int(2 * math.sqrt(horizon * math.log(horizon) / 3))
        results = run(
            {"behaviour": "greedy"},
            [{"name": "sliding-window-ucb", "window": window}],
            ROUND[2],
            horizon,
            replications,
            change={"kind": "piecewise", "at": quarters, "means": ROUND},
        )
        for measure in ("dynamic_regret", "compensation"):
            name = f"T = {horizon}, {measure} a customer"
            samples[name] = final(results, "sliding-window-ucb", measure) / horizon
    return samples


FORGETFUL = {
    "ucb": {},
    "sliding-window-ucb": {"window": 1000},
    "discounted-ucb": {"gamma": 0.999},
}


def fallen_leader(replications: int = 300, names: Iterable[str] = tuple(FORGETFUL)) -> Samples:
    """Chakraborty and Chen 2024: the best arm of three falls behind the second, half-way."""
    change = {"kind": "piecewise", "at": [10_001], "means": [[0.5, 0.6, 0.3]]}
    policies = [{"name": name, **FORGETFUL[name]} for name in names]
    samples = {}
    for customers in ({"behaviour": "greedy"}, {"behaviour": "recency", "window": 100}):
        means = [0.9, 0.6, 0.3]
        results = run(customers, policies, means, 20_000, replications, change=change)
        for label in results.runs:
            for measure in ("dynamic_regret", "compensation"):
                name = f"{label}, {customers['behaviour']} customers, {measure}"
                samples[name] = final(results, label, measure)
    return samples


def crowds(
    replications: int = 1000, alphas: Iterable[float] = (0.5, 1.5, 2.0), horizon: int = 10_000
) -> Samples:
    """Zhou et al. 2021: customers who follow success, with and without offers."""
    policies = [
        {"name": "greedy"},
        {"name": "ucb"},
        {"name": "modified-epsilon-greedy", "epsilon": 20.0},
    ]
    samples = {}
    for alpha in alphas:
        customers = {"behaviour": "self-reinforcing", "alpha": alpha}
        results = run(customers, policies, [0.7, 0.5], horizon, replications)
        for label, runs in results.runs.items():
            name = f"alpha {alpha:g}, {label}"
            wrong = runs.late_wrong / 1000
            samples[f"{name}, one arm has 90 %"] = (wrong > 0.9) | (wrong < 0.1)
            samples[f"{name}, wrong arm leads"] = wrong > 0.5
            samples[f"{name}, compensation"] = final(results, label, "compensation")
    return samples


def crowds_for_long(replications: int = 500) -> Samples:
    """Zhou et al. 2021: what ucb pays in ever longer markets of such customers."""
    samples = {}
    for horizon in (1000, 10_000, 100_000):
        customers = {"behaviour": "self-reinforcing", "alpha": 1.5}
        results = run(customers, [{"name": "ucb"}], [0.7, 0.5], horizon, replications)
        samples[f"T = {horizon}, compensation"] = final(results, "ucb", "compensation")
    return samples


def ways_to_refuse(replications: int = 500) -> Samples:
    """No one paper: customers who listen to few, to no offers, or to something elsewhere."""
    kinds = {
        "greedy": {"behaviour": "greedy"},
        "social, ring of 100": {"behaviour": "social", "graph": "ring"},
        "social, small world of 100": {"behaviour": "social", "graph": "small-world"},
        "stubborn, half of them": {"behaviour": "stubborn", "share": 0.5},
        "outside option worth 0.8": {"behaviour": "outside-option", "worth": 0.8},
    }
    samples = {}
    for name, customers in kinds.items():
        results = run(customers, [{"name": "ucb"}], FOUR_ARMS, 10_000, replications)
        runs = results.runs["ucb"]
        for measure in ("regret", "compensation"):
            samples[f"{name}, {measure}"] = final(results, "ucb", measure)
        samples[f"{name}, acceptance"] = runs.accepted / runs.targeted
        samples[f"{name}, left"] = runs.left / results.scenario.horizon
    return samples


def noise(replications: int = 1000) -> Samples:
    """McFadden 1974: what random choice costs, with offers and without."""
    samples = {}
    for tau in (0.0, 0.02, 0.05, 0.1):
        customers = {"behaviour": "logit", "tau": tau}
        policies = [{"name": "ucb"}, {"name": "greedy"}]
        results = run(customers, policies, FOUR_ARMS, 10_000, replications)
        for label in results.runs:
            for measure in ("regret", "compensation"):
                samples[f"tau {tau:g}, {label}, {measure}"] = final(results, label, measure)
            samples[f"tau {tau:g}, {label}, locked in"] = locked_in(results, label)
    return samples


GROUPS = {
    "full": {"rule": "full"},
    "levels, 20 groups of 20": {"rule": "levels", "groups": 20, "size": 20},
    "levels, 100 groups of 20": {"rule": "levels", "groups": 100, "size": 20},
    "3 levels, pools of 10 groups of 20": {
        "rule": "levels",
        "levels": 3,
        "groups": 10,
        "size": 20,
    },
}


def groups(replications: int = 2000, horizon: int = 20_000) -> Samples:
    """Immorlica et al. 2020: customers alone who see everything, or groups and then pools."""
    samples = {}
    for name, disclosure in GROUPS.items():
        customers, policies = {"behaviour": "greedy"}, [{"name": "greedy"}]
        means = [0.6, 0.4]
        results = run(customers, policies, means, horizon, replications, disclosure=disclosure)
        regret = final(results, "greedy", "regret")
        samples[f"{name}, locked in"] = locked_in(results, "greedy")
        samples[f"{name}, regret"] = regret
        samples[f"{name}, regret of the last half"] = regret - at(
            results, "greedy", "regret", horizon // 2
        )
    return samples


STEPS = (0.01, 0.05, 0.1, 0.2, 0.5)


def star_ratings(replications: int = 1000) -> Samples:
    """No one paper: what it costs to show rounded means."""
    shown = {"full": {"rule": "full"}}
    shown |= {f"steps of {step:g}": {"rule": "stars", "step": step} for step in STEPS}
    return _disclosed(shown, replications)


def hidden_records(replications: int = 1000) -> Samples:
    """Is it cheaper to hide than to pay? ucb and modified-ts, whatever customers see."""
    shown = {
        "full": {"rule": "full"},
        "latest 20": {"rule": "latest", "window": 20},
        "levels, 20 groups of 20": {"rule": "levels", "groups": 20, "size": 20},
        "target only": {"rule": "target-only"},
    }
    return _disclosed(shown, replications)


def _disclosed(shown: dict[str, dict[str, Any]], replications: int) -> Samples:
    """What every policy costs with every disclosure, and which of its runs lock in."""
    policies = [{"name": "ucb"}, {"name": "modified-ts"}, {"name": "greedy"}]
    samples = {}
    for name, disclosure in shown.items():
        customers = {"behaviour": "greedy"}
        results = run(customers, policies, FOUR_ARMS, 10_000, replications, disclosure=disclosure)
        for label in results.runs:
            for measure in ("regret", "compensation"):
                samples[f"{name}, {label}, {measure}"] = final(results, label, measure)
            samples[f"{name}, {label}, locked in"] = locked_in(results, label)
    return samples


ALL = (
    reward_drift,
    money,
    diversity,
    optimism,
    growing_horizons,
    fallen_leader,
    crowds,
    crowds_for_long,
    noise,
    ways_to_refuse,
    groups,
    star_ratings,
    hidden_records,
)


def interval(sample: Sample, errors: float = 1.96) -> tuple[float, float]:
    """So many standard errors to either side of the mean; Wilson's interval for shares."""
    if sample.dtype == np.bool_:
        confidence = 1.0 - 2.0 * stats.norm.sf(errors)
        share = stats.binomtest(int(sample.sum()), len(sample))
        limits = share.proportion_ci(confidence, method="wilson")
        return float(limits.low), float(limits.high)
    half = errors * sample.std(ddof=1) / math.sqrt(len(sample))
    return float(sample.mean() - half), float(sample.mean() + half)


def show(measures: Iterable[Callable[[], Samples]]) -> None:
    """Print every sample's mean with its 95 % interval."""
    for measure in measures:
        print(f"\n{measure.__doc__}")
        for name, sample in measure().items():
            low, high = interval(sample)
            print(f"  {name}: {sample.mean():.4g} [{low:.4g}, {high:.4g}] ({len(sample)} runs)")


if __name__ == "__main__":
    show(ALL)
