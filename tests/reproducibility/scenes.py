"""Small scenarios of every kind, and the digests that they have on every machine."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from kcmab_abm import make_scenario, play, simulate

KNOWN = Path(__file__).with_name("digests.json")

BERNOULLI = {"law": "bernoulli", "means": [0.9, 0.8, 0.3]}
BETA = {"law": "beta", "means": [0.7, 0.5, 0.2], "concentration": 2.0}
STEEP = {"law": "beta", "alpha": [0.001, 0.05, 5e5, 1e6], "beta": [0.009, 0.05, 5e5, 3.0]}
MIXED = [
    {"law": "beta", "alpha": [45.0], "beta": [5.0]},
    {"law": "bernoulli", "means": [0.8]},
    {"law": "uniform", "low": [0.1], "high": [0.9]},
    {"law": "discrete", "values": [0.0, 0.3, 1.0], "probabilities": [[0.2, 0.3, 0.5]]},
]
MANY = {"law": "beta", "means": [k / 100 for k in range(1, 71)], "concentration": 4.0}
WALK = {"kind": "random-walk", "step": 0.02}
SEASON = {"kind": "seasonal", "amplitude": 0.2, "period": 60}
LATE = {"service_time": {"law": "uniform", "low": 0.5, "high": 4.0}, "report_delay": 3.0}
DRIFTED = {"behaviour": "drifted-feedback", "slope": 0.5, "ceiling": 0.3}

RANDOM = [
    {"law": "bernoulli", "count": 3, "means": {"prior": "uniform", "low": 0.2}},
    {"law": "beta", "count": 2, "concentration": 4.0, "means": {"prior": "beta", "a": 0.5, "b": 2}},
    {"law": "bernoulli", "means": {"prior": "list", "markets": [[0.9, 0.5], [0.4, 0.6]]}},
]

MARKETS = {
    "bernoulli": {"arms": BERNOULLI},
    "beta": {"arms": BETA},
    "beta, extreme shapes": {"arms": STEEP},
    "beta, without tables": {"arms": MANY},
    "mixed laws": {"arms": MIXED},
    "random walk": {"arms": BETA, "change": WALK},
    "seasons": {"arms": [BERNOULLI, BETA], "change": SEASON},
    "drifted feedback": {"arms": BERNOULLI, "customers": DRIFTED},
    "misjudged offers": {"arms": BERNOULLI},
    "late reports": {"arms": BETA, **LATE},
    "random means": {"arms": RANDOM},
}
PURSES = {"misjudged offers": {"misjudgement": 0.1}}


def scene(name):
    """A scenario by its name."""
    table = {"horizon": 150, "replications": 8, "market": MARKETS[name]}
    return make_scenario({**table, "purse": PURSES.get(name, {}), "policy": [{"name": "ucb"}]})


def digests(names=tuple(MARKETS), **how):
    """The digest of each scenario, run so; of its results and of every line of a replication."""
    found = {}
    for name in names:
        scenario = scene(name)
        lines = play(scenario, engine=how.get("engine", "batch")).frame()
        summary = hashlib.sha256(simulate(scenario, **{"engine": "batch", **how}).digest().encode())
        for column in ("target", "offer", "arm", "reward", "payment"):
            summary.update(lines[column].to_numpy(float).tobytes())
        found[name] = summary.hexdigest()[:16]
    return found


def known():
    """The digests as they are stored."""
    return json.loads(KNOWN.read_text())
