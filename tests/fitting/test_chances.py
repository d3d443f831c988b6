"""The chances of choices: against a calculation by hand, and compiled against interpreted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.catalogue.registry import DECISIONS
from kcmab_abm.fitting.customers import Customers
from kcmab_abm.fitting.observed import observe
from kcmab_abm.model.book import empty_book
from kcmab_abm.model.offers import Board, best_deal
from kcmab_abm.model.streams import Stream

from .markets import market, played

QUARTERS = st.integers(0, 4).map(lambda each: each / 4)


def by_hand(run, tau):
    """The chance of every choice by multinomial logit, from the columns of a trajectory."""
    found = []
    for line in np.flatnonzero(~run.seeded):
        arms, rewards = run.arms[:line], run.rewards[:line]
        utilities = [rewards[arms == arm].mean() for arm in range(3)]
        utilities[run.targets[line]] += run.offers[line]
        weights = [math.exp(each / tau) for each in utilities]
        found.append(weights[run.arms[line]] / sum(weights))
    return found


def test_chances_are_those_of_the_logit_formula():
    """Computed anew from what stands in the trajectory."""
    run = played(market())
    own, likeliest = Customers("logit", observe(run)).chances({"tau": 0.2})
    assert own == pytest.approx(by_hand(run, 0.2), rel=1e-12)
    assert set(likeliest) <= {0.0, 1.0, 0.5, 1 / 3}


def test_interpreted_chances_are_the_same():
    """So it makes no difference whether a behaviour can be compiled."""
    customers = Customers("logit", observe(played(market())))
    before = customers.chances({"tau": 0.1})
    customers._chances._fill = customers._chances._interpreted
    after = customers.chances({"tau": 0.1})
    assert all(
        np.allclose(one, other, rtol=1e-13) for one, other in zip(before, after, strict=True)
    )


@given(
    st.lists(st.tuples(QUARTERS, QUARTERS), min_size=1, max_size=4),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 2**20),
)
def test_greedy_chances_are_those_of_the_best_deal(pairs, target, first_ties, replication):
    """Whatever she takes has a chance, and chances are equal, as draws between ties are."""
    values, offers = map(np.array, zip(*pairs, strict=True))
    board = Board(target % len(pairs), offers, True)
    book = empty_book(len(pairs), first_ties)
    chances = np.empty(len(pairs))
    DECISIONS["greedy"].ask("chances", book=book, board=board, relative=values, chances=chances)
    rng = Stream().open(0, replication, 1)
    taken = best_deal(values, 1.0, book, board, rng)
    assert chances[taken] == chances.max()
    assert chances.sum() == pytest.approx(1.0)
    assert set(chances) <= {0.0, chances.max()}
    if first_ties:
        assert chances[taken] == 1.0
    logit = np.empty(len(pairs))
    tau = DECISIONS["logit"].params((0.0,))
    given = {"book": book, "board": board, "relative": values, "chances": logit, "params": tau}
    DECISIONS["logit"].ask("chances", **given)
    assert logit.tolist() == chances.tolist()
