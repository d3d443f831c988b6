"""The rule of every behaviour against a definition of its own, on random reports.

What a customer thinks of the arms shows in the offers that she takes: a little more than what an
arm lacks by her values, and not a little less.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.entries.behaviours.drifted_feedback import drift
from tests.contract.arena import Crowd, Scripted
from tests.markets import between, rewards

ARMS = 3
NEAR = 1e-6

arms_taken = st.integers(0, ARMS - 1)
histories = st.tuples(
    st.tuples(*[rewards()] * ARMS), st.lists(st.tuples(arms_taken, rewards()), max_size=25)
).map(lambda parts: [*enumerate(parts[0]), *parts[1]])
normals = between(-3.0, 3.0)


def crowd_of(history, **table):
    """Customers who have heard the history; equal arms cost no draw."""
    return Crowd(ARMS, first_ties=True, **table).hear_all(history)


def told_of(history, arm):
    """All reports of one arm, the oldest first."""
    return [told for each, told in history if each == arm]


def averages(history):
    """The average report of every arm."""
    return [math.fsum(told_of(history, arm)) / len(told_of(history, arm)) for arm in range(ARMS)]


def assert_values(crowd, values, money=1.0, uniforms=(), normals=()):
    """She takes an arm for a little more than it lacks by these values, and not for less."""
    for arm, value in enumerate(values):
        gap = max(values) - value
        assert crowd.takes(arm, (gap + NEAR) / money, uniforms, normals) == arm
        if gap > 2 * NEAR:
            assert crowd.takes(arm, (gap - NEAR) / money, uniforms, normals) != arm


def assert_shares(crowd, target, offer, shares, before=()):
    """After the draws `before`, arm i has share i of the draw that decides."""
    assert math.fsum(shares) == pytest.approx(1.0)
    edges = np.cumsum([0.0, *shares])
    for arm, (low, high) in enumerate(itertools.pairwise(edges)):
        if high - low > 2 * NEAR:
            draws = [low + NEAR, high - NEAR]
            assert [crowd.takes(target, offer, [*before, u]) for u in draws] == [arm, arm]


@given(histories)
def test_greedy_goes_by_the_averages(history):
    """Greedy: the average of all reports."""
    assert_values(crowd_of(history, behaviour="greedy"), averages(history))


@given(histories, arms_taken, between(0.0, 1.0), between(0.02, 5.0))
def test_logit_shares_are_exponential(history, target, offer, tau):
    """Logit: shares proportional to exp((m + c) / tau)."""
    worth = np.array(averages(history))
    worth[target] += offer
    weights = np.exp((worth - worth.max()) / tau)
    crowd = crowd_of(history, behaviour="logit", tau=tau)
    assert_shares(crowd, target, offer, weights / weights.sum())


payments = between(0.0, 2.0)


@given(st.data(), between(0.0, 3.0), st.just(0.0) | between(0.01, 2.0))
def test_drift_is_what_the_theorems_ask_for(data, slope, ceiling):
    """Drifted feedback: f(0) = 0, f never falls, is Lipschitz, and stays below its ceiling."""
    table = {"behaviour": "drifted-feedback", "slope": slope, "ceiling": ceiling}
    crowd, cut = Crowd(2, **table), Crowd(2, **table, clip=True)
    reward, *paid = data.draw(st.tuples(rewards(), payments, payments))
    low, high = sorted(paid)
    drifts = [crowd.tell(reward, payment) - reward for payment in (low, high)]
    assert crowd.tell(reward, 0.0) == reward
    assert -1e-12 <= drifts[1] - drifts[0] <= slope * (high - low) + 1e-12
    assert ceiling == 0.0 or drifts[1] <= ceiling + 1e-12
    assert ceiling > 0.0 or drifts[1] == pytest.approx(slope * high)
    assert cut.tell(reward, high) == min(1.0, crowd.tell(reward, high))


def test_a_linear_drift_ends_at_a_hundred():
    """Drifted feedback: without a ceiling f is linear up to 100, however much is paid."""
    crowd = Crowd(2, behaviour="drifted-feedback", slope=100.0)
    assert [crowd.tell(0.5, payment) for payment in (0.25, 1.0, 1.5, 1e300)] == [
        25.5,
        100.5,
        100.5,
        100.5,
    ]


@given(st.floats(0.0, 1e300), st.floats(0.0, 100.0), st.floats(0.0, 100.0))
def test_a_drift_is_never_more_than_a_hundred(payment, slope, ceiling):
    """Drifted feedback: no payment makes a report infinite, nor is any quotient on the way."""
    assert 0.0 <= drift(payment, slope, ceiling) <= (ceiling or 100.0)


sixteenths = st.integers(0, 16).map(lambda k: k / 16)


@given(st.tuples(*[sixteenths] * ARMS), arms_taken, sixteenths, sixteenths)
def test_outside_option_compares_the_best_deal(means, target, offer, worth):
    """Outside option: she leaves if and only if max(m + c) < u_0; sixteenths do not round."""
    crowd = crowd_of(list(enumerate(means)), behaviour="outside-option", worth=worth)
    deals = [Fraction(m) + Fraction(offer) * (arm == target) for arm, m in enumerate(means)]
    assert (crowd.takes(target, offer) == -1) == (max(deals) < Fraction(worth))


@given(histories, arms_taken)
def test_outside_option_worth_the_leader_is_no_reason_to_leave(history, target):
    """Outside option: with u_0 = max m and the least offer she stays, whatever the rounding."""
    worth = max(crowd_of(history, behaviour="greedy").book.means)
    crowd = crowd_of(history, behaviour="outside-option", worth=float(worth))
    assert crowd.takes(target) == target


@given(
    histories,
    st.lists(normals, min_size=ARMS + 1, max_size=ARMS + 1),
    between(0.01, 1.0),
    between(0.1, 3.0),
    between(0.01, 2.0),
)
def test_tastes_are_biases_and_a_value_of_money(history, draws, spread, money, sigma):
    """Tastes: m + spread z, and money times exp(sigma z - sigma^2 / 2)."""
    crowd = crowd_of(history, behaviour="tastes", spread=spread, money=money, money_spread=sigma)
    values = np.array(averages(history)) + spread * np.array(draws[:ARMS])
    worth = money * math.exp(sigma * draws[-1]) / math.exp(sigma**2 / 2)
    assert_values(crowd, values.tolist(), worth, normals=draws)


@given(histories, st.data(), between(0.01, 3.0))
def test_features_weigh_average_outcomes(history, data, spread):
    """Features: m + w . z, z the share of reports in which an outcome came."""
    chances = np.array(data.draw(st.tuples(*[st.tuples(between(0, 1), between(0, 1))] * ARMS)))
    coins = [data.draw(st.tuples(between(0.0, 0.999), between(0.0, 0.999))) for _ in history]
    weights = data.draw(st.tuples(normals, normals))
    table = {"features": 2, "spread": spread, "outcomes": chances.tolist()}
    crowd = Crowd(ARMS, first_ties=True, behaviour="features", **table)
    seen = {arm: [] for arm in range(ARMS)}
    for (arm, told), coin in zip(history, coins, strict=True):
        crowd.hear(arm, told, Scripted(coin))
        seen[arm].append(np.array(coin) < chances[arm])
    outcomes = np.array([np.mean(seen[arm], axis=0) for arm in range(ARMS)])
    values = averages(history) + outcomes @ (spread * np.array(weights))
    assert_values(crowd, values.tolist(), normals=weights)


@given(histories, st.integers(0, 8), st.just(1.0) | between(0.2, 1.0))
def test_recency_is_a_weighted_mean_of_the_last_reports(history, window, discount):
    """Recency: the last `window` reports (all for 0), each weighing discount^age."""
    crowd = crowd_of(history, behaviour="recency", window=window, discount=discount)
    lasting = [told_of(history, arm)[-window:] for arm in range(ARMS)]
    values = [
        np.average(told, weights=discount ** np.arange(len(told))[::-1].astype(float))
        for told in lasting
    ]
    assert_values(crowd, values)


@given(histories, between(-2.0, 2.0))
def test_optimism_adds_for_few_reports(history, kappa):
    """Optimism: m + kappa / sqrt(N)."""
    crowd = crowd_of(history, behaviour="optimism", kappa=kappa)
    counts = np.array([len(told_of(history, arm)) for arm in range(ARMS)])
    assert_values(crowd, (averages(history) + kappa * counts**-0.5).tolist())


@given(histories, between(-2.0, 5.0))
def test_risk_averse_customers_subtract_the_variance(history, aversion):
    """Risk-averse: m - aversion * variance."""
    crowd = crowd_of(history, behaviour="risk-averse", aversion=aversion)
    variances = np.array([np.var(told_of(history, arm)) for arm in range(ARMS)])
    assert_values(crowd, (averages(history) - aversion * variances).tolist())


@given(histories, st.data(), between(0.0, 1.0))
def test_social_customers_average_their_neighbourhood(history, data, prior):
    """Social: the mean of her own and her neighbours' reports, `prior` if there is none."""
    people = data.draw(st.integers(2, 6))
    person = st.integers(0, people - 1)
    edges = data.draw(st.lists(st.tuples(person, person).map(list), max_size=8))
    table = {"people": people, "graph": "edges", "edges": edges, "prior": prior}
    crowd = crowd_of(history, behaviour="social", **table)
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(people))
    here = (crowd.number - 1) % people
    known = {here, *graph.neighbors(here)}
    heard = [report for t, report in enumerate(history) if t % people in known]
    values = [np.mean(told_of(heard, arm) or [prior]) for arm in range(ARMS)]
    assert_values(crowd, values)


@pytest.mark.parametrize("graph", ["ring", "small-world", "scale-free"])
def test_social_graphs_are_what_they_are_called(graph):
    """Everybody knows herself, links go both ways, and degrees are as of that kind of graph."""
    crowd = Crowd(2, behaviour="social", people=60, graph=graph, neighbours=4, rewired=0.5)
    start, known = (np.array(part).astype(int) for part in crowd.memory[:2])
    links = {(p, q) for p in range(60) for q in known[start[p] : start[p + 1]].tolist()}
    degrees = np.diff(start) - 1
    assert len(links) == len(known)
    assert {(q, p) for p, q in links} == links
    assert all((p, p) in links for p in range(60))
    assert {"ring": 0, "small-world": 3, "scale-free": 8}[graph] <= np.ptp(degrees)
    assert degrees.sum() == {"ring": 240, "small-world": 240, "scale-free": 232}[graph]
    assert graph != "ring" or set(degrees.tolist()) == {4}


@given(histories, arms_taken, between(0.0, 3.0), between(0.1, 5.0))
def test_self_reinforcing_shares_are_powers(history, target, alpha, theta):
    """Self-reinforcing, no offer: shares proportional to (S + theta)^alpha."""
    crowd = crowd_of(history, behaviour="self-reinforcing", alpha=alpha, theta=theta)
    sums = np.array([math.fsum(told_of(history, arm)) for arm in range(ARMS)])
    weights = (sums + theta) ** alpha
    assert_shares(crowd, target, 0.0, weights / weights.sum())


@given(histories, arms_taken, between(0.05, 2.0), between(0.1, 10.0))
def test_self_reinforcing_offers_lift_the_chance(history, target, offer, lift):
    """Self-reinforcing: an offer lifts p to (p + g) / (1 + g), and the others shrink alike."""
    crowd = crowd_of(history, behaviour="self-reinforcing", lift=lift)
    sums = np.array([math.fsum(told_of(history, arm)) for arm in range(ARMS)])
    chances = (sums + 1.0) ** 1.5 / np.sum((sums + 1.0) ** 1.5)
    pull = lift * offer
    follows = pull / (1.0 + pull)
    assert crowd.takes(target, offer, [follows - NEAR]) == target
    assert_shares(crowd, target, offer, chances, before=[follows + NEAR])
    lifted = follows + (1.0 - follows) * chances[target]
    assert lifted == pytest.approx((chances[target] + pull) / (1.0 + pull))


@given(histories, arms_taken, between(0.0, 2.0), between(0.01, 0.99))
def test_stubborn_customers_are_deaf_or_greedy(history, target, offer, share):
    """Stubborn: below the share she is as if nothing was offered, above it greedy."""
    crowd = crowd_of(history, behaviour="stubborn", share=share)
    greedy = crowd_of(history, behaviour="greedy")
    leader = int(np.argmax(greedy.book.means))
    assert crowd.takes(target, offer, [share - NEAR]) == leader
    assert crowd.takes(target, offer, [share + NEAR]) == greedy.takes(target, offer)


KINDS = {
    "optimism": {"kappa": 2.0},
    "risk-averse": {"aversion": 3.0},
    "recency": {"window": 2},
    "drifted-feedback": {"slope": 1.0},
}


kinds_in_order = st.permutations(sorted(KINDS))
four_weights = st.tuples(*[between(0.1, 5.0)] * len(KINDS))


@given(histories, kinds_in_order, four_weights, arms_taken, sixteenths)
def test_mixtures_behave_as_the_kind_that_is_drawn(history, names, weights, target, offer):
    """Mixture: shares are as the weights, and each kind is as it would be alone."""
    tables = [{"behaviour": name, **KINDS[name]} for name in names]
    kinds = [{**table, "weight": weight} for table, weight in zip(tables, weights, strict=True)]
    crowd = crowd_of(history, behaviour="mixture", of=kinds)
    edges = np.cumsum([0.0, *weights]) / sum(weights)
    for table, (low, high) in zip(tables, itertools.pairwise(edges), strict=True):
        alone = crowd_of(history, **table)
        for draw in (low + NEAR, high - NEAR):
            assert crowd.takes(target, offer, [draw]) == alone.takes(target, offer)
            assert crowd.tell(0.5, offer) == alone.tell(0.5, offer)
