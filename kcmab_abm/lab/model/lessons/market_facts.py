"""Facts about a market: customers, outcomes of runs, costs."""

from __future__ import annotations

from typing import Any

from kcmab_abm.lab.model.lessons.lesson import Facts
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.lab.model.rewindable_market import RewindableMarket
from kcmab_abm.market.snapshot import Snapshot
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.running.experiment import play, simulate
from kcmab_abm.scenario.scenario import Scenario, make_scenario

RUNS = 400  # markets in a survey


def bernoulli_market(
    title: str, means: list[float], policies: list[str], seed: int, horizon: int, **more: Any
) -> Scenario:
    """A market of Bernoulli arms; `more` are further settings of the market."""
    market = {"arms": {"law": "bernoulli", "means": means}, **more}
    policy = [{"name": name} for name in policies]
    return make_scenario(
        {"title": title, "horizon": horizon, "seed": seed, "market": market, "policy": policy}
    )


def run_of(setup: Setup, side: int = 0) -> Trajectory:
    """The whole run of one of the controllers shown."""
    return play(setup.scenario, setup.policies[side].label, engine="market")


def snapshot_at(setup: Setup, later: int = 0) -> Snapshot:
    """The information of the next customer, or of one who comes `later`."""
    market = RewindableMarket(setup.scenario, setup.policies[0])
    for _ in range(setup.shown + later):
        market.forward()
    return market.snapshot


def next_customer(setup: Setup) -> Facts:
    """What the next customer sees, is offered, takes, earns, loses and is paid."""
    snapshot, run, place = snapshot_at(setup), run_of(setup), setup.shown
    return {
        "before": place,
        "customer": place + 1,
        "next": place + 2,
        "record0": float(snapshot.means[0]),
        "record1": float(snapshot.means[1]),
        "target": snapshot.target,
        "offer": float(snapshot.offers[snapshot.target]),
        "lead": float(snapshot.means.max() - snapshot.means[0]),
        "arm": int(run.arms[place]),
        "earned": int(run.rewards[place]),
        "regret": float(run.regrets[place]),
        "payment": float(run.payments[place]),
        "none": 0.0,
        **true_means(setup),
    }


def best_and_worse(means: list[float]) -> dict[str, float]:
    """The highest and lowest true mean, which no customer knows, and the difference."""
    return {"best": max(means), "worse": min(means), "gap": max(means) - min(means)}


def true_means(setup: Setup) -> dict[str, float]:
    """The highest and lowest true mean at the start."""
    return best_and_worse([float(mean) for mean in setup.scenario.market.means])


def totals(setup: Setup) -> dict[str, Any]:
    """Regret, compensation and number of payments of the runs on the left and on the right."""
    facts: dict[str, Any] = {"customers": setup.scenario.horizon}
    for side, word in enumerate(("left", "right")):
        run = run_of(setup, side)
        facts[f"{word}_regret"] = float(run.regrets.sum())
        facts[f"{word}_paid"] = float(run.payments.sum())
        facts[f"{word}_count"] = int((run.payments > 0.0).sum())
    return facts


def averages(setup: Setup) -> dict[str, Any]:
    """Regret and compensation on the left and on the right, averaged over many markets."""
    table = simulate(setup.scenario.replace(replications=RUNS)).summary().set_index("policy")
    facts: dict[str, Any] = {"runs": RUNS}
    for word, policy in zip(("left", "right"), setup.policies, strict=True):
        facts[f"{word}_mean_regret"] = float(table["regret"][policy.label])
        facts[f"{word}_mean_paid"] = float(table["compensation"][policy.label])
    return facts
