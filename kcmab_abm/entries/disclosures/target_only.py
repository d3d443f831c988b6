"""A recommendation and nothing else.

Customers see which arm is promoted, and no report on any arm. One who reads means finds all arms
equally good, at `prior`, and a Bayesian one keeps her prior; both are indifferent and follow the
recommendation for nothing. What a rational customer would infer from being recommended an arm is
not part of her belief here. Whether she would do better to follow is what the audit of obedience
measures (`kcmab obedience`).
"""

from __future__ import annotations

from typing import Any

from kcmab_abm.catalogue.disclosure_decorator import disclosure
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book


@disclosure(
    "target-only",
    cites="Mansour, Slivkins and Syrgkanis 2015",
    prior=Parameter(0.5, "value of an arm of which she sees no report", ge=0.0, le=1.0),
)
def show(view: Book, params: Any) -> None:
    """Shows no report at all, only which arm is promoted."""
    for arm in range(len(view.means)):
        view.means[arm] = params.prior
