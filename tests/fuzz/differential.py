"""One scenario through both engines: the same trajectory, the same sums, the same error."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kcmab_abm import Scenario, Trajectory, make_scenario, play, simulate
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.results import Results

Settings = dict[str, Any]


class Outcome(NamedTuple):
    """What an engine made of a scenario: results, or the error that it ended with."""

    error: str
    run: Trajectory | None = None
    results: Results | None = None


def fault(settings: Settings, replication: int = 1, folder: Path = Path()) -> str:
    """What is wrong with how the engines run these settings, '' if nothing.

    Files that they name are in `folder`. Where only the market engine can run them it has to get
    through by itself.
    """
    scenario = make_scenario(settings, folder=folder)
    market = _outcome(scenario, "market", replication)
    if scenario.market.needs_market:
        return market.error or _broken(scenario, market, replication)
    batch = _outcome(scenario, "batch", replication)
    if market.error != batch.error:
        return (
            f"errors: {market.error or 'none'} in the market, {batch.error or 'none'} in the batch"
        )
    if market.run is None or batch.run is None:
        return f"errors: both engines: {market.error}"
    for part in fields(Trajectory):
        one, other = getattr(market.run, part.name), getattr(batch.run, part.name)
        if one.dtype != other.dtype or one.tobytes() != other.tobytes():
            return f"trajectories: {part.name} differ"
    return _other_sums(market.results, batch.results) or _broken(scenario, market, replication)


def _outcome(scenario: Scenario, engine: Any, replication: int) -> Outcome:
    try:
        run = play(scenario, replication=replication, engine=engine)
        return Outcome("", run, simulate(scenario, engine=engine, jobs=1))
    except Exception as error:  # whatever it is, the other engine has to say the same
        return Outcome(f"{type(error).__name__}: {error}")


def _other_sums(one: Any, other: Any) -> str:
    for (label, left), right in zip(one.runs.items(), other.runs.values(), strict=True):
        if left.digest() != right.digest():
            return f"sums: those of {label!r} differ"
    return ""


def _broken(scenario: Scenario, outcome: Outcome, replication: int) -> str:
    """The first promise of the model that a market did not keep."""
    run, results = outcome.run, outcome.results
    assert run is not None
    assert results is not None
    arms, purse = len(scenario.market.arms), scenario.purse
    counted = results.runs[scenario.policies[0].label]
    best = scenario.drawn(replication).market.means.max()
    promises = {
        "all numbers are finite": all(
            np.isfinite(getattr(run, part.name)).all() for part in fields(Trajectory)
        ),
        "all sums are finite": all(np.isfinite(counted.final(each)).all() for each in CURVES),
        "what is counted is finite": all(
            np.isfinite(counted.final(each)).all() for each in scenario.measures.names
        ),
        "profit is what was earned and not paid": "profit" not in scenario.measures.names
        or counted.final("profit")[replication] == np.cumsum(run.rewards - run.payments)[-1],
        "compensation is what was paid": (
            counted.final("compensation")[replication] == np.cumsum(run.payments)[-1]
        ),
        "realised regret is what was missed": not scenario.market.is_steady
        or counted.final("realised_regret")[replication] == np.cumsum(best - run.rewards)[-1],
        "rewards are in [0, 1]": ((run.rewards >= 0.0) & (run.rewards <= 1.0)).all(),
        "arms are those of the market": ((run.arms >= -1) & (run.arms < arms)).all(),
        "regrets are >= 0": (run.regrets >= 0.0).all(),
        "time does not run backwards": (np.diff(run.clock) >= 0.0).all(),
        "who leaves gets nothing": not run.rewards[run.arms < 0].any(),
        "what is paid was offered": (run.payments == _posted(run)).all(),
        "no payment exceeds the cap": (run.payments <= purse.cap).all(),
        "the budget is kept": _exact(run.payments) <= _limit(purse.budget),
    }
    if purse.period:
        promises["the period's budget is kept"] = all(
            _exact(run.payments[start : start + purse.period]) <= _limit(purse.period_budget)
            for start in range(0, len(run), purse.period)
        )
    return next((f"promises: {each}: not so" for each, kept in promises.items() if not kept), "")


def _posted(run: Trajectory) -> Any:
    """What was offered for the arm that each customer took."""
    posted = np.where((run.arms == run.targets) & ~run.seeded, run.offers, 0.0)
    beside = (run.beside == run.arms[:, None]) & (run.arms[:, None] >= 0)
    return np.where(beside.any(axis=1), (run.beside_offers * beside).sum(axis=1), posted)


def _exact(amounts: Any) -> Fraction:
    return sum((Fraction(float(amount)) for amount in amounts), Fraction(0))


def _limit(amount: float) -> Fraction | float:
    return Fraction(amount) if np.isfinite(amount) else amount
