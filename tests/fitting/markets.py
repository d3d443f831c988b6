"""Markets whose customers are fitted."""

from __future__ import annotations

from kcmab_abm import make_scenario, play

MEANS = [0.7, 0.5, 0.4]


def market(customers="logit", horizon=120, policy="ucb", **more):
    """A scenario with three arms; `more` are settings of its market."""
    table = {"behaviour": customers} if isinstance(customers, str) else customers
    arms = {"law": "bernoulli", "means": MEANS}
    return make_scenario(
        {
            "horizon": horizon,
            "replications": 3,
            "seed": 11,
            "record": "paths",
            "market": {"arms": arms, "customers": table, **more},
            "policy": [{"name": policy}],
        }
    )


def played(scenario, replication=0):
    """One run in the market engine, for which nothing is compiled."""
    return play(scenario, replication=replication, engine="market")
