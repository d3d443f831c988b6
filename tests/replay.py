"""A market's book rebuilt from a trajectory, by the definitions and nothing else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kcmab_abm.model import streams


class Page(NamedTuple):
    """What a customer found in the book, and what she then did."""

    customer: int
    pulls: list[int]
    means: list[float]
    target: int
    offer: float
    arm: int
    payment: float
    seeded: bool


def pages(run, arms):
    """The book as every customer found it, where everybody reports at once."""
    pulls, totals = [0] * arms, [0.0] * arms
    for line in range(len(run)):
        means = [total / max(1, count) for total, count in zip(totals, pulls, strict=True)]
        arm = int(run.arms[line])
        yield Page(
            customer=line + 1,
            pulls=list(pulls),
            means=means,
            target=int(run.targets[line]),
            offer=float(run.offers[line]),
            arm=arm,
            payment=float(run.payments[line]),
            seeded=bool(run.seeded[line]),
        )
        if arm >= 0:
            pulls[arm] += 1
            totals[arm] += float(run.rewards[line])


def asked_pages(run, arms):
    """The pages of the customers who were made an offer."""
    return [page for page in pages(run, arms) if not page.seeded]


def tape(scenario, replication, arm, count):
    """The first rewards of an arm, from its key and its law alone."""
    key = streams.replication_key(scenario.seed, replication, streams.ARMS + arm)
    entry = scenario.market.arms[arm]
    uniforms = streams.keyed_uniforms(key, 0, count)
    return [entry.law.reward(float(uniform), np.array(entry.numbers)) for uniform in uniforms]
