"""The audit of obedience: what a customer gains by following the recommendation."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kcmab_abm.errors import MarketError
from kcmab_abm.results.statistics import half_width, standard_error
from kcmab_abm.running.experiment import player
from kcmab_abm.running.options import Progress
from kcmab_abm.scenario.scenario import Scenario

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST = 30  # runs from which the gain is estimated


def obedience(
    scenario: Scenario,
    points: int = 20,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Measure what a customer gains by following the recommendation, by her number.

    Customer t knows t, the policy, and which worlds are possible: the points of the scenario's
    sweep, all equally likely, or the scenario itself if there is no sweep. She does not see the
    record. When arm i is recommended to her, taking it instead of arm j gains
    E[mu_i + c_i - mu_j | i is recommended to customer t], where c_i is the offer, estimated from
    all replications of all worlds in which that happened. The arm j considered is the one that
    makes the gain smallest. A rational customer obeys if the gain is not negative.

    The customers before her behave as in the scenario. Customers who are directed to an arm
    without reports are no recommendation's audience and are left out.

    Parameters
    ----------
    scenario
        The scenario, whose arms do not change and whose controller makes one offer at a time.
    points
        The number of customers who are audited, geometrically spaced up to the last one.
    confidence
        The confidence of each interval.
    progress
        Called with the number of replications played and their total.

    Returns
    -------
    DataFrame
        One row per policy, customer and recommended arm: `policy`, `customer`, `arm`,
        `alternative` (the best other arm), `share` of the runs in which the arm was recommended,
        their number `runs`, `gain` with `low` and `high`, and `obeyed`: "yes" if the interval is
        not below 0, "no" if it is, "inconclusive" if it contains 0 in its inside or if there are
        fewer than 30 runs.

    Raises
    ------
    MarketError
        If the scenario has arms that change, offers beside the target, or a single arm, or if the
        sweep varies anything but the arms, or their number.

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> from kcmab_abm.paths import obedience
    >>> market = {"arms": {"law": "bernoulli", "means": [0.9, 0.4]}}
    >>> market["disclosure"] = {"rule": "target-only"}
    >>> scenario = make_scenario(
    ...     {"horizon": 40, "replications": 30, "market": market, "policy": [{"name": "greedy"}]}
    ... )
    >>> table = obedience(scenario, points=2)
    >>> table[["arm", "alternative", "gain"]].round(3).drop_duplicates().to_numpy().tolist()
    [[0.0, 1.0, 0.5], [1.0, 0.0, -0.5]]
    """
    worlds = _worlds(scenario)
    customers = _audited(len(worlds[0].market.arms), min(world.horizon for world in worlds), points)
    total = sum(world.replications * len(world.policies) for world in worlds)
    rows: list[dict[str, object]] = []
    done = 0
    for choice in scenario.policies:
        targets, offers, means = [], [], []
        for world in worlds:
            play = player(world, world.policy(choice.label))
            for replication in range(world.replications):
                run = play(replication)
                here = customers - 1
                targets.append(np.where(run.seeded[here], -1, run.targets[here]))
                offers.append(run.offers[here])
                means.append(world.drawn(replication).market.means)
                done += 1
                if progress is not None:
                    progress(done, total)
        audit = np.array(targets), np.array(offers), np.array(means)
        rows += _rows(choice.label, customers, *audit, confidence)
    return pd.DataFrame(rows)


def _worlds(scenario: Scenario) -> tuple[Scenario, ...]:
    """The worlds that customers consider possible, checked."""
    for path in scenario.sweep.axes if scenario.sweep else ():
        if not path.startswith("market.arms"):
            raise MarketError(
                "sweep: the points are the worlds of the audit, which differ in market.arms; got "
                f"{path!r}"
            )
    worlds = scenario.points() or (scenario,)
    for world in worlds:
        _check(world)
    counts = sorted({len(world.market.arms) for world in worlds})
    if len(counts) > 1:
        raise MarketError(
            "sweep: the worlds of an audit must have the same number of arms, got "
            f"{' and '.join(map(str, counts))}"
        )
    return worlds


def _check(world: Scenario) -> None:
    """Refuse scenarios in which the gain would not be what it says."""
    if not world.market.is_steady:
        raise MarketError(
            "market.change: the audit compares true means, which must not change; remove the change"
        )
    if world.purse.also:
        raise MarketError(
            f"purse.also: the audit compares the target with arms that carry no offer; set it to "
            f"0, got {world.purse.also}"
        )
    if len(world.market.arms) < 2:
        raise MarketError("market.arms: must be at least 2 arms, got 1")


def _audited(arms: int, horizon: int, points: int) -> Ints:
    first = min(arms + 1, horizon)
    return np.unique(np.geomspace(first, horizon, points).round().astype(np.int64))


def _rows(
    label: str, customers: Ints, targets: Ints, offers: Floats, means: Floats, confidence: float
) -> list[dict[str, object]]:
    """The gains for one policy; `targets` and `offers` have a row per run, as `means` do."""
    rows: list[dict[str, object]] = []
    for place, customer in enumerate(customers.tolist()):
        for arm in range(means.shape[1]):
            told = targets[:, place] == arm
            count = int(told.sum())
            if count == 0:
                continue
            others = np.delete(means[told].mean(axis=0), arm)
            best = int(np.argmax(others))
            alternative = best + (best >= arm)
            gains = means[told, arm] + offers[told, place] - means[told, alternative]
            gain, width = float(gains.mean()), half_width(standard_error(gains), count, confidence)
            low, high = gain - width, gain + width
            obeyed = "yes" if low >= 0.0 else "no" if high < 0.0 else "inconclusive"
            rows.append(
                {
                    "policy": label,
                    "customer": customer,
                    "arm": arm,
                    "alternative": alternative,
                    "share": count / len(targets),
                    "runs": count,
                    "gain": gain,
                    "low": low,
                    "high": high,
                    "obeyed": obeyed if count >= FEWEST else "inconclusive",
                }
            )
    return rows
