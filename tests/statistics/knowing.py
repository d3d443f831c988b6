"""What it is worth to know customers, to search for what they need, and to charge fees.

Every function runs one setting and returns samples, one number a replication, by name.
`python -m tests.statistics.knowing` prints them with 95 % intervals: the numbers of the docs.
"""

from __future__ import annotations

from typing import Any

from kcmab_abm import make_scenario, simulate
from tests.statistics.findings import FOUR_ARMS, Samples, final, run, show

# The instance of Scheid et al. 2024: what arms pay the principal, and what they are worth to the
# agent; published with the paper's additional experiments.
PAYS = [
    *(0.44, 0.48, 0.59, 0.00, 0.28, 0.27, 0.63, 0.45, 0.17, 0.50),
    *(0.14, 0.24, 0.03, 0.34, 0.33, 0.78, 0.69, 0.69, 0.88, 0.37),
    *(0.52, 0.08, 0.22, 0.76, 0.48, 0.99, 0.16, 0.86, 0.08, 0.27),
    *(0.47, 0.37, 0.11, 0.18, 0.50, 0.43, 0.52, 0.72, 0.30, 0.24),
    *(0.81, 0.23, 0.74, 0.87, 0.34, 0.48, 0.68, 0.73, 0.38, 0.63),
]
LIKED = [
    *(0.39, 0.30, 0.02, 0.89, 0.78, 0.46, 0.72, 0.80, 0.33, 0.20),
    *(0.85, 0.79, 0.08, 0.15, 0.85, 0.63, 0.38, 0.11, 0.23, 0.42),
    *(0.05, 0.08, 0.31, 0.18, 0.38, 0.58, 0.31, 0.24, 0.98, 0.19),
    *(0.29, 0.60, 0.00, 0.32, 0.81, 0.00, 0.72, 0.40, 0.50, 0.95),
    *(0.98, 0.17, 0.02, 0.46, 0.81, 0.36, 0.59, 0.99, 0.18, 0.44),
]


def controllers() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Policies with their pricing rules, by name."""
    search: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "ipa": ({"name": "ipa"}, {"offer": {"rule": "bisection"}}),
        "ipa, who knows": ({"name": "ipa", "trials": 1}, {"knows": "customers"}),
    }
    for epsilon in (100.0, 300.0, 2000.0):
        search[f"eps = {epsilon:g}"] = (
            {"name": "principal-epsilon-greedy", "epsilon": epsilon},
            {"offer": {"rule": "consistent-utilities", "epsilon": epsilon}},
        )
    return search


def fifty_arms(replications: int = 100, names: tuple[str, ...] = tuple(controllers())) -> Samples:
    """Scheid et al. 2024: net regret after 10 000, 20 000 and 40 000 customers, 50 arms."""
    customers = {"behaviour": "informed", "utilities": LIKED}
    samples = {}
    for name in names:
        policy, purse = controllers()[name]
        market = {"arms": {"law": "bernoulli", "means": PAYS}, "customers": customers}
        settings = {"horizon": 40_000, "replications": replications, "seed": 2024}
        results = simulate(
            make_scenario({**settings, "market": market, "purse": purse, "policy": [policy]})
        )
        places = list(results.checkpoints)
        lost = results.net_regret(policy["name"])
        for customer in (8000, 16_000, 20_000, 40_000):
            samples[f"{name}, T = {customer}"] = lost[:, places.index(customer)]
    return samples


BELIEFS = {
    "greedy": {"behaviour": "greedy"},
    "recency": {"behaviour": "recency", "window": 50},
    "risk-averse": {"behaviour": "risk-averse", "aversion": 1.0},
    "tastes": {"behaviour": "tastes", "spread": 0.1},
}
PURSES = {
    "gap of the book": {},
    "fixed margin": {"offer": {"rule": "fixed-margin", "margin": 0.1}},
    "learned margin": {"offer": {"rule": "learned-margin"}},
    "gap of her values": {"knows": "customers"},
}


def knowledge(replications: int = 500, beliefs: tuple[str, ...] = tuple(BELIEFS)) -> Samples:
    """No one paper: what offers in customers' own values save, and what they cost."""
    samples = {}
    for belief in beliefs:
        for name, purse in PURSES.items():
            results = run(
                BELIEFS[belief], [{"name": "ucb"}], FOUR_ARMS, 10_000, replications, purse
            )
            runs = results.runs["ucb"]
            for measure in ("regret", "compensation"):
                samples[f"{belief}, {name}, {measure}"] = final(results, "ucb", measure)
            samples[f"{belief}, {name}, acceptance"] = runs.accepted / runs.targeted
    return samples


def fees(replications: int = 500, worths: tuple[float, ...] = (0.0, 0.3, 0.6)) -> Samples:
    """No one paper: fees for customers who can leave."""
    samples = {}
    for worth in worths:
        customers = {
            "behaviour": "greedy",
            "decision": {"rule": "outside-option", "worth": worth},
        }
        for charges in (False, True):
            name = f"worth {worth:g}, {'fees' if charges else 'no fees'}"
            purse = {"fees": charges}
            results = run(customers, [{"name": "ucb"}], FOUR_ARMS, 5000, replications, purse)
            regret, paid = (final(results, "ucb", word) for word in ("regret", "compensation"))
            samples |= {f"{name}, regret": regret, f"{name}, compensation": paid}
            samples[f"{name}, cost"] = regret + paid
            samples[f"{name}, left"] = results.runs["ucb"].left / 5000
    return samples


if __name__ == "__main__":
    show((fifty_arms, knowledge, fees))
