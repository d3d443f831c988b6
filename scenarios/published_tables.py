"""Published regrets of policies, and what the simulator finds in the same markets.

Every market is run with the policies for which its source gives numbers. The tables show ours with
95 % intervals, their difference from the published numbers, and what the policies would pay to
greedy customers, which the sources do not consider.

    python scenarios/published_tables.py --page docs/published-tables.md
    python scenarios/published_tables.py --part sub-sampling --share 0.01
"""

import math
from functools import partial
from typing import NamedTuple

from research_note import interval, main

import kcmab_abm as kcmab
from kcmab_abm.results.statistics import standard_error

NINE_ARMS = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
THREE_GROUPS = [0.805, 0.8, 0.795, 0.6, 0.5, 0.4, 0.3, 0.02, 0.01]
RARE = [0.1, 0.05, 0.05, 0.02, 0.02, 0.02, 0.01, 0.01, 0.01]


class Market(NamedTuple):
    """A market of a source: its arms, its horizon, and the published regret of each policy."""

    name: str
    arms: dict
    horizon: int
    published: dict


def coins(means):
    """Bernoulli arms."""
    return {"law": "bernoulli", "means": means}


# Baudry, Kaufmann and Maillard 2020, Table 1. The number of runs behind the numbers is taken to be
# so large that they are exact.
SUB_SAMPLING = [
    Market("0.9, 0.8", coins([0.9, 0.8]), 20_000, {"ts": 11.2}),
    Market("0.6, 0.5", coins([0.6, 0.5]), 20_000, {"ts": 22.9}),
    Market(
        "0.1, 0.05 x 3, 0.03 x 3, 0.01 x 3",
        coins([0.1, *[0.05] * 3, *[0.03] * 3, *[0.01] * 3]),
        20_000,
        {"ts": 94.2},
    ),
    Market("0.9, 0.85 x 7", coins([0.9, *[0.85] * 7]), 20_000, {"ts": 108.1}),
]
# SMPyBandits (Besson 2018), notebook "Do we even need UCB": averages of 100 runs. Its `UCB` is
# ours, and its `EmpiricalMeans` is greedy.
SMPYBANDITS = [
    Market("0.1, 0.2, ..., 0.9", coins(NINE_ARMS), 10_000, {"ucb": 330.67, "greedy": 384.94}),
    Market("three groups", coins(THREE_GROUPS), 10_000, {"ucb": 236.885, "greedy": 129.855}),
    Market("rare rewards", coins(RARE), 10_000, {"ucb": 484.38, "greedy": 391.55}),
]
# The same, notebook "An example of a small single-player simulation": averages of 10 runs.
SMALL_EXAMPLE = [
    Market("0.1, 0.2, ..., 0.9", coins(NINE_ARMS), 10_000, {"ts": 33.2, "kl-ucb": 51.36}),
    Market("three groups", coins(THREE_GROUPS), 10_000, {"ts": 83.188, "kl-ucb": 84.505}),
    Market("rare rewards", coins(RARE), 10_000, {"ts": 69.227, "kl-ucb": 94.7}),
]
# Baudry, Kaufmann and Maillard 2020, Table 4: ten arms with uniform means.
UNIFORM = {"law": "bernoulli", "count": 10, "means": {"prior": "uniform"}}
RANDOM = [
    Market(f"T = {horizon}", UNIFORM, horizon, {"ts": regret})
    for horizon, regret in ((100, 13.8), (1_000, 27.8), (10_000, 45.8), (20_000, 52.2))
]
# The same arms and 500 customers in banditbench, a benchmark in Rust; it counts a tie for `greedy`
# in a way of its own, which is therefore left out.
RUST = [Market("T = 500", UNIFORM, 500, {"ts": 28.8956, "kl-ucb": 29.6304, "ucb": 86.8474})]


def compared(markets, theirs, ours, share):
    """One row per market and policy, beginning with the names of the columns.

    `theirs` are the runs behind the published numbers, 0 if they are not known, `ours` are ours.
    """
    rows = [("means", "policy", "published", "here", "difference", "compensation here")]
    for market in markets:
        results = kcmab.simulate(
            kcmab.make_scenario(
                {
                    "horizon": market.horizon,
                    "replications": max(2, round(share * ours)),
                    "seed": 2020,
                    "market": {"arms": market.arms},
                    "policy": [{"name": name} for name in market.published],
                }
            )
        )
        for name, published in market.published.items():
            regret, paid = (results.runs[name].final(word) for word in ("regret", "compensation"))
            row = (market.name, name, f"{published:g}", interval(regret))
            rows += [(*row, difference(published, regret, theirs), interval(paid))]
    return rows, None


def difference(published, regret, theirs):
    """The published number less ours, and in standard errors of both together."""
    error = standard_error(regret)
    if theirs:
        error = math.hypot(error, regret.std(ddof=1) / math.sqrt(theirs))
    gap = published - regret.mean()
    return f"{gap:+.1f} ({gap / error:+.1f} standard errors)"


PARTS = {
    "sub-sampling": partial(compared, SUB_SAMPLING, 0, 2_000),
    "random-markets": partial(compared, RANDOM, 0, 4_000),
    "banditbench": partial(compared, RUST, 0, 4_000),
    "smpybandits": partial(compared, SMPYBANDITS, 100, 2_000),
    "small-example": partial(compared, SMALL_EXAMPLE, 10, 1_000),
}

if __name__ == "__main__":
    main(PARTS, __doc__)
