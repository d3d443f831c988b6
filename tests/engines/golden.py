"""Digests of small runs of everything in the catalogue, to compare with those that are stored.

Both engines run one text, so a slip in that text changes both alike. After a change that is meant,
store the digests anew, and look at the difference: `python -m tests.engines.golden`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from kcmab_abm import make_scenario, play
from kcmab_abm.catalogue.registry import BEHAVIOURS, DISCLOSURES, LAWS, MEASURES, POLICIES, PRICING
from tests.markets import OBSERVED, default_customers

STORE = Path(__file__).with_suffix(".json")
HORIZON, REPLICATIONS = 120, 3
ARMS = {"law": "bernoulli", "means": [0.7, 0.6, 0.3]}
LAW_ARMS = {
    "bernoulli": {"means": [0.7, 0.6, 0.3]},
    "beta": {"means": [0.7, 0.6, 0.3], "concentration": 3.0},
    "uniform": {"low": [0.2, 0.1, 0.0], "high": [1.0, 0.9, 0.5]},
    "discrete": {
        "values": [0.0, 0.25, 1.0],
        "probabilities": [[0.2, 0.2, 0.6], [0.2, 0.4, 0.4], [0.5, 0.4, 0.1]],
    },
    "empirical": OBSERVED,
}
# Where the defaults would make no difference in so few customers.
PARAMETERS = {
    "discounted-ucb": {"gamma": 0.95},
    "epsilon-greedy": {"epsilon": 5.0},
    "modified-epsilon-greedy": {"epsilon": 5.0},
    "sliding-window-ucb": {"window": 30},
}
NEEDED = {"optimal": {"market": {"arms": {"law": "bernoulli", "means": [0.7, 0.6]}}}}
SHOWN = {
    "latest": {"window": 5},
    "levels": {"levels": 3, "groups": 2, "size": 10},
}
CHANGES = {
    "piecewise": {"kind": "piecewise", "at": [50], "means": [[0.1, 0.5, 0.8]]},
    "random-walk": {"kind": "random-walk", "step": 0.05},
    "seasonal": {"kind": "seasonal", "amplitude": 0.2, "period": 40},
}
MARKETS = {
    "poisson arrivals": {"arrivals": {"process": "poisson", "rate": 2.0}},
    "first of ties": {"ties": "first"},
    "lost reports": {"report_probability": 0.5},
    "late reports": {"report_delay": 3.5},
    "a line": {"capacity": 1, "service_time": 1.5, "patience": 4.0},
}
PURSES = {
    "budget": {"budget": 4.0},
    "offers beside the target": {"also": 2, "misjudgement": 0.1},
}
# Here the clock holds values of the C library's logarithm, whose last digits depend on the machine:
# it is compared to six decimals. Everywhere else amounts are the same on every machine.
ROUNDED = ("market poisson arrivals",)
CHOICES = ("targets", "arms", "seeded", "beside")
AMOUNTS = (
    *("clock", "offers", "rewards", "payments", "regrets", "waits", "beside_offers"),
    "counts",
)


def cases() -> dict[str, dict]:
    """Settings by name: every entry of the catalogue, every way to change, and more."""
    logit = {"behaviour": "logit", "tau": 0.2}
    found = {
        **{
            f"policy {name}": {
                "policy": [{"name": name, **PARAMETERS.get(name, {})}],
                **NEEDED.get(name, {}),
            }
            for name in POLICIES.own_names()
        },
        **{
            f"behaviour {name}": {"market": {"arms": ARMS, "customers": default_customers(name)}}
            for name in BEHAVIOURS.own_names()
        },
        **{
            f"pricing {name}": {
                "market": {"arms": ARMS, "customers": logit},
                "purse": {"offer": {"rule": name}},
            }
            for name in PRICING.own_names()
        },
        **{
            f"disclosure {name}": {
                "market": {"arms": ARMS, "disclosure": {"rule": name, **SHOWN.get(name, {})}}
            }
            for name in DISCLOSURES.own_names()
        },
        **{
            f"law {name}": {"market": {"arms": {"law": name, **LAW_ARMS[name]}}}
            for name in LAWS.own_names()
        },
        **{
            f"change {name}": {"market": {"arms": ARMS, "change": each}}
            for name, each in CHANGES.items()
        },
        **{f"market {name}": {"market": {"arms": ARMS, **each}} for name, each in MARKETS.items()},
        **{f"purse {name}": {"purse": each} for name, each in PURSES.items()},
        **{
            f"measure {name}": {"measures": {name: {"measure": name}}}
            for name in MEASURES.own_names()
            if MEASURES[name].kind == "measure"
        },
    }
    base = {
        "horizon": HORIZON,
        "replications": REPLICATIONS,
        "seed": 2024,
        "market": {"arms": ARMS},
        "policy": [{"name": "ucb"}],
    }
    return {name: {**base, **changes} for name, changes in found.items()}


def digests(name: str, settings: dict, engine: str = "market") -> dict[str, str]:
    """What customers chose, and what they were offered, earned and paid."""
    scenario = make_scenario(settings)
    runs = [play(scenario, replication=each, engine=engine) for each in range(REPLICATIONS)]
    return {
        "choices": _digest(runs, CHOICES, False),
        "amounts": _digest(runs, AMOUNTS, name in ROUNDED),
    }


def _digest(runs, fields, is_rounded: bool) -> str:
    summary = hashlib.sha256()
    for run in runs:
        for field in fields:
            values = np.asarray(getattr(run, field), "<f8")
            summary.update((np.round(values, 6) + 0.0 if is_rounded else values).tobytes())
    return summary.hexdigest()[:16]


def stored() -> dict[str, dict[str, str]]:
    """The digests as they are to be."""
    return json.loads(STORE.read_text())


if __name__ == "__main__":
    fresh = {name: digests(name, settings) for name, settings in cases().items()}
    known = stored() if STORE.exists() else {}
    for case in sorted({*fresh, *known}):
        if fresh.get(case) != known.get(case):
            print(f"{case}: {'changed' if case in known and case in fresh else 'new or gone'}")
    STORE.write_text(json.dumps(fresh, indent=2) + "\n")
