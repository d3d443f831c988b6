"""A sweep on two Dask workers compared with one."""

from __future__ import annotations

import time
from importlib.util import find_spec

from bench.cases import HORIZON, NINE, means_of
from bench.report import Limit, Row
from kcmab_abm import Scenario, make_scenario, sweep

ASKED = Limit(">=", 1.8)
POINTS = 20
TITLE = "a sweep of 20 points, two Dask workers against one"


def measure(quick: bool) -> list[Row]:
    """Measure the time of a sweep on one worker and on two, each of one thread."""
    if find_spec("distributed") is None:
        return [_row(None, None, "needs the extra 'cluster'")]
    scenario = market(20 if quick else 300)
    rounds = 1 if quick else 3
    one, _ = best(scenario, 1, rounds)
    two, busy = best(scenario, 2, rounds)
    return [_row(two, one / two, f"both workers busy {busy:.0%} of the time")]


def market(replications: int) -> Scenario:
    """Three policies in markets of noisy customers, at twenty levels of noise."""
    return make_scenario(
        {
            "horizon": HORIZON,
            "replications": replications,
            "market": {
                "arms": {"law": "bernoulli", "means": means_of(NINE).tolist()},
                "customers": {"behaviour": "logit"},
            },
            "policy": [{"name": name} for name in ("ucb", "modified-ts", "greedy")],
            "sweep": {
                "grid": {"market.customers.tau": [0.01 * (each + 1) for each in range(POINTS)]}
            },
        }
    )


def best(scenario: Scenario, workers: int, rounds: int) -> tuple[float, float]:
    """The least seconds of several runs, after one that compiles, and how busy the workers were."""
    from distributed import LocalCluster

    from kcmab_abm.running.dask_cluster import cluster

    found = []
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as local:
        for turn in range(rounds + 1):
            with cluster(local.scheduler_address) as executor:
                start = time.perf_counter()
                sweep(
                    scenario.replace(replications=2) if turn == 0 else scenario, executor=executor
                )
                taken = time.perf_counter() - start
                if turn > 0:
                    found.append((taken, executor.use.share or 0.0))
    return min(found)


def _row(seconds: float | None, ratio: float | None, remark: str) -> Row:
    policies = "three policies, logit"
    return Row(
        TITLE, "batch", policies, seconds, "s", ratio, "one worker", ASKED, NINE, HORIZON, remark
    )
