"""Functions that save work decide what the plain rule decides, wherever they save it."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kcmab_abm.catalogue.registry import DECISIONS
from kcmab_abm.entries.decisions.logit import weigh
from kcmab_abm.entries.policies.kl_ucb import SLACK, near_bound, upper_bound
from kcmab_abm.model.book import arm_at, next_unreported, record
from kcmab_abm.model.divergence import divergence, excess, lower_limit, root_above
from kcmab_abm.model.offers import Board
from tests.contract.arena import Scripted, book_of, new_book, new_memory

VALUES = st.floats(-1.0, 2.0) | st.sampled_from([0.0, 0.5, 1.0])
UNIFORMS = st.floats(0.0, 1.0, exclude_max=True)


@settings(max_examples=4 * settings.default.max_examples)
@given(st.data(), st.integers(1, 4), st.sampled_from([1e-3, 0.02, 0.1, 1.0, 1e3]))
def test_logit_customers_who_keep_weights_take_what_the_rule_says(data, arms, tau):
    """One value or all change between customers; uniforms fall between arms, or on edges."""
    entry, book = DECISIONS["logit"], book_of([0.0] * arms)
    memory, params = new_memory(entry, arms, (tau,)), entry.params((tau,))
    relative, weights = np.zeros(arms), np.zeros(arms)
    for _ in range(data.draw(st.integers(1, 12))):
        if data.draw(st.booleans()):
            relative[data.draw(st.integers(0, arms - 1))] = data.draw(VALUES)
        else:
            relative[:] = data.draw(st.lists(VALUES, min_size=arms, max_size=arms))
        offers = np.zeros(arms)
        target = data.draw(st.integers(0, arms - 1))
        offers[target] = data.draw(st.floats(0.0, 1.0) | st.just(0.0))
        board = Board(target, offers, False)
        total = weigh(board, relative, weights, tau)
        edges = np.cumsum(weights)[:-1] / total
        drawn = data.draw(UNIFORMS | st.sampled_from([*edges[edges < 1.0], 0.0]))
        told = {"book": book, "board": board, "values": relative, "relative": relative}
        arm = entry.ask("act", t=9, **told, memory=memory, params=params, rng=Scripted([drawn]))
        assert arm == arm_at(weights, drawn * total, target)


P = st.floats(0.0, 1.0) | st.sampled_from([0.0, 0.5, 1.0, 1e-9, 1.0 - 1e-9])
BUDGETS = st.floats(1e-9, 60.0) | st.floats(1e-6, 0.1)


@given(P, st.floats(1e-6, 1.0 - 1e-6), BUDGETS)
def test_a_divergence_is_compared_as_if_it_were_computed(p, q, budget):
    """Except where rounding would decide anyway."""
    assume(p < q)
    exact = divergence(p, q)
    assume(abs(exact - budget) > 1e-12 * (1.0 + budget))
    assert (excess(p, q, budget) > 0.0) == (exact > budget)
    assert lower_limit(p, q) <= exact + 1e-12 * (1.0 + exact)


@given(P | st.floats(-2.0, 3.0), BUDGETS)
def test_bounds_by_newton_are_those_of_the_bisection(mean, budget):
    """From above for limits, from below for indices, and close."""
    bound = upper_bound(mean, budget)
    assert bound - SLACK / 2.0 <= near_bound(mean, budget) <= bound + SLACK / 2.0
    above = root_above(mean, budget)
    assert bound - SLACK / 2.0 <= above
    assert above <= max(1.0, mean)


@given(st.data(), st.integers(1, 5))
def test_the_next_arm_without_a_report_is_the_first_of_those_least_directed_to(data, arms):
    """Reports come at any time, or never, and on arms to which nobody was directed."""
    book, directed, search = new_book(arms), np.zeros(arms, np.int64), np.zeros(2, np.int64)
    for reported in data.draw(st.lists(st.none() | st.integers(0, arms - 1), max_size=30)):
        if reported is not None:
            record(book, reported, 1.0)
        open_arms = [arm for arm in range(arms) if book.pulls[arm] == 0]
        wanted = min(open_arms, key=lambda arm: (directed[arm], arm), default=-1)
        assert next_unreported(book, directed, search) == wanted
        if wanted >= 0:
            directed[wanted] += 1


def test_weights_are_computed_anew_where_they_would_overflow():
    """All values rise by many times tau: the weights are kept relative to another shift."""
    entry, book, tau = DECISIONS["logit"], book_of([0.0, 0.0]), 1e-3
    memory, params = new_memory(entry, 2, (tau,)), entry.params((tau,))
    for level in (0.0, 5.0, -5.0, 100.0):
        relative = np.array([level, level + tau * math.log(3.0)])
        told = {"book": book, "board": Board(0, np.zeros(2), False), "values": relative}
        for drawn, wanted in ((0.24, 0), (0.26, 1)):
            rng = Scripted([drawn])
            asked = {**told, "relative": relative, "memory": memory, "params": params, "rng": rng}
            assert entry.ask("act", t=9, **asked) == wanted
