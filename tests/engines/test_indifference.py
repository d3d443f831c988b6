"""The indifferent customer takes the target, whatever the rounding; other ties are fair."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from kcmab_abm import behaviour, make_scenario, play, simulate
from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.model.book import empty_book, find_top
from kcmab_abm.model.offers import Board, best_deal, least_offer, misjudged
from tests.contract.arena import Scripted
from tests.markets import EACH_POLICY, NINE_ARMS
from tests.replay import asked_pages

TIED_AT_FIRST = ["epsilon-greedy", "greedy", "kl-ucb", "modified-ts", "ts", "ucb"]
REPORTS = 40  # means are fractions with denominators up to this


@behaviour("test-literal")
def take_literally(t, book, board, memory, params, rng):
    """Takes argmax_i m_i + c_i as computed, the lowest index if several."""
    return np.argmax(book.means + board.offers)


def nine_arms(policy, horizon, customers="greedy", ties="random", replications=1, means=None):
    """The paper's instance, best arm first."""
    return make_scenario(
        {
            "horizon": horizon,
            "replications": replications,
            "seed": 11,
            "market": {
                "arms": {"law": "bernoulli", "means": means or NINE_ARMS},
                "customers": {"behaviour": customers},
                "ties": ties,
            },
            "policy": [{"name": policy}],
        }
    )


def fractions():
    """All quotients of a whole total by a whole number of reports."""
    pairs = itertools.product(range(REPORTS + 1), range(1, REPORTS + 1))
    return sorted({Fraction(total, count) for total, count in pairs if total <= count})


def rounded_short():
    """Pairs (m, best) for which m + (best - m) falls short of best in floating point."""
    values = [value.numerator / value.denominator for value in fractions()]
    return [
        (mean, best)
        for mean, best in itertools.combinations(values, 2)
        if mean + (best - mean) < best
    ]


def book_of(means):
    """A book with these means."""
    book = empty_book(len(means))
    book.pulls[:] = 1
    book.means[:] = means
    find_top(book)
    return book


def answer(means, target, offer, rng=None, rivals=False):
    """What the greedy customer takes when `offer` is posted on `target`."""
    offers = np.zeros(len(means))
    offers[target] = offer
    board = Board(target, offers, rivals)
    return BEHAVIOURS["greedy"].ask(
        "act", t=1, book=book_of(means), board=board, memory=None, params=None, rng=rng
    )


def test_the_literal_sum_falls_short_in_many_cases():
    """Ordinary fractions suffice to make m + (best - m) < best, always with m < best / 2."""
    cases = rounded_short()
    assert len(cases) > 1000
    assert all(mean < best / 2 for mean, best in cases)


@pytest.mark.parametrize("rivals", [False, True])
def test_the_greedy_customer_takes_the_target_where_the_sum_falls_short(rivals):
    """No rounding makes her refuse the least offer, on whichever side the target stands."""
    for mean, best in rounded_short():
        book = book_of([best, mean])
        assert answer([best, mean], 1, least_offer(book, 1), rivals=rivals) == 1
        assert answer([mean, best], 0, least_offer(book, 1), rivals=rivals) == 0


def test_the_greedy_customer_refuses_anything_less():
    """An offer short of the least by one unit in the last place is refused."""
    for mean, best in rounded_short()[::50]:
        short = np.nextafter(least_offer(book_of([best, mean]), 1), 0.0)
        assert answer([best, mean], 1, short) == 0


def test_a_controller_who_never_errs_draws_nothing():
    """Without misjudgement the gap is known, and no random number is spent on it."""
    assert misjudged(0.25, 0.0, Scripted(), False) == 0.25


def deal(values, target, offers, draws=(), money=1.0, first_ties=False):
    """What a customer takes who values arms so; she draws these numbers, and no other."""
    rng = Scripted(draws)
    book = empty_book(len(values), first_ties)
    board = Board(target, np.array(offers, float), True)
    arm = best_deal(np.array(values), money, book, board, rng)
    assert rng.is_used_up
    return arm


def test_the_best_deal_by_hand():
    """The best sum wins; ties with the target are his, others are drawn, or the first's."""
    assert deal([0.5, 0.25, 0.0], 1, [0.0, 0.25, 0.5]) == 1
    assert deal([0.5, 0.25, 0.0], 1, [0.0, 0.125, 0.625]) == 2
    assert deal([0.5, 0.25, 0.0], 2, [0.0, 0.5, 0.5]) == 1
    assert deal([0.5, 0.25, 0.0], 0, [0.0, 0.0, 0.0]) == 0
    assert deal([0.5, 0.25, 0.0], 1, [0.0, 0.25, 0.0], money=0.5) == 0
    assert deal([0.5, 0.25, 0.0], 1, [0.0, 0.125, 0.0], money=2.0) == 1
    tie = ([0.5, 0.0, 0.25, 0.5], 1, [0.0, 0.25, 0.25, 0.0])
    assert [deal(*tie, [draw]) for draw in (0.0, 0.33, 0.34, 0.66, 0.67, 0.99)] == [
        0,
        0,
        2,
        2,
        3,
        3,
    ]
    assert deal(*tie, first_ties=True) == 0


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_both_engines_meet_such_cases_and_the_target_is_taken(engine):
    """In the paper's instance the literal sum falls short now and then; the offer is taken."""
    steps = asked_pages(play(nine_arms("ucb", 2000), engine=engine), 9)
    short = [page for page in steps if page.means[page.target] + page.offer < max(page.means)]
    assert len(short) >= 5
    assert all(page.arm == page.target for page in steps)


@pytest.mark.parametrize("policy", EACH_POLICY)
def test_greedy_customers_accept_every_offer(policy):
    """Acceptance is one for every policy of the catalogue in the paper's instance."""
    summary = simulate(nine_arms(policy, 500, replications=20)).summary()
    assert summary.acceptance[0] == 1.0


def test_a_literal_customer_would_refuse_almost_every_offer():
    """With the lowest index among equal sums nine offers in ten are refused: a rule is needed."""
    scenario = nine_arms("ucb", 2000, customers="test-literal")
    run = play(scenario)
    paid = run.offers > 0.0
    refused = (run.arms != run.targets)[paid].mean()
    assert paid.sum() > 50
    assert refused > 0.9
    assert simulate(scenario).summary().acceptance[0] < 0.5


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_first_ties_go_to_the_first_arm(mean):
    """Among equal arms, `ties = "first"` sends everybody to arm 1."""
    run = play(nine_arms("greedy", 300, ties="first", means=[mean] * 9))
    assert set(run.arms[9:].tolist()) == {0}


@pytest.mark.parametrize("policy", ["greedy", "epsilon-greedy", "kl-ucb"])
def test_random_ties_are_spread_evenly(policy):
    """Among arms that always pay every one gets its share; fails once in 1e6 seeds."""
    run = play(nine_arms(policy, 9009, means=[1.0] * 9))
    pulls = np.bincount(run.arms[9:], minlength=9)
    assert stats.chisquare(pulls).pvalue > 1e-6


@pytest.mark.parametrize("policy", TIED_AT_FIRST)
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_the_first_tie_is_drawn_evenly(policy, mean):
    """After one report of each of nine equal arms, any may be next; fails once in 1e6 seeds."""
    scenario = nine_arms(policy, 10, replications=9000, means=[mean] * 9)
    counts = np.round((simulate(scenario).arms().pulls - 1.0) * 9000)
    assert counts.sum() == 9000
    assert stats.chisquare(counts).pvalue > 1e-6


def test_random_ties_among_some_arms_leave_the_others_out():
    """A tie between three of nine arms is drawn among these three; fails once in 1e6 seeds."""
    means = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    pulls = np.bincount(play(nine_arms("greedy", 6009, means=means)).arms[9:], minlength=9)
    assert np.flatnonzero(pulls).tolist() == [1, 4, 8]
    assert stats.chisquare(pulls[[1, 4, 8]]).pvalue > 1e-6


def test_a_refusing_customer_breaks_her_ties_fairly():
    """Offered too little, she goes to the best arms with equal chances; fails once in 1e6 seeds."""
    rng = np.random.default_rng(5)
    taken = [answer([0.5, 0.1, 0.5, 0.3, 0.5], 1, 0.2, rng) for _ in range(6000)]
    counts = np.bincount(taken, minlength=5)
    assert np.flatnonzero(counts).tolist() == [0, 2, 4]
    assert stats.chisquare(counts[[0, 2, 4]]).pvalue > 1e-6


def test_first_ties_flatter_greedy_in_the_sorted_instance():
    """On the same tapes lowest-index ties lower greedy's regret by over five standard errors."""
    fair, first = (
        simulate(nine_arms("greedy", 1000, ties=ties, replications=10_000)).finals().regret
        for ties in ("random", "first")
    )
    saved = fair - first
    assert saved.mean() > 5 * saved.std() / math.sqrt(len(saved))
