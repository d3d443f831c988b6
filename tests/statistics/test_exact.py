"""The simulator against exact expectations, on markets small enough to enumerate."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from kcmab_abm import make_scenario, simulate
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.model.book import empty_book, record
from tests.markets import EVERY_POLICY, PAIRS
from tests.statistics import reference

REPLICATIONS = 20_000
EPSILON = 1.7
TAU = 0.5
MARKETS = [(0.7, 0.4), (0.4, 0.7), (0.5, 0.5), (1.0, 0.3), (0.0, 0.6), (1.0, 0.0)]
THREE_ARMS = (0.6, 0.6, 0.3)


def table_of(policy):
    """The policy with a coin that falls either way, if it tosses one."""
    takes_epsilon = "epsilon" in POLICIES[policy].parameters
    return {"name": policy, "epsilon": EPSILON} if takes_epsilon else {"name": policy}


def simulated(means, horizon, policy, behaviour):
    """The final regret and compensation of many replications."""
    customers = {"behaviour": behaviour}
    if behaviour == "logit":
        customers["tau"] = TAU
    scenario = make_scenario(
        {
            "horizon": horizon,
            "replications": REPLICATIONS,
            "seed": 20_180,
            "market": {
                "arms": {"law": "bernoulli", "means": list(means)},
                "customers": customers,
            },
            "policy": [table_of(policy)],
        }
    )
    return simulate(scenario, engine="batch").finals()


def assert_near(sample, mean, mean_square):
    """The sample's mean is within five standard errors of the truth, computed exactly."""
    variance = max(0.0, mean_square - mean**2)
    error = math.sqrt(variance / len(sample))
    assert abs(sample.mean() - mean) <= max(5 * error, 1e-12)


NOISY = [policy for policy, behaviour in PAIRS if behaviour == "logit"]


def compare(means, horizon, policy, behaviour):
    """Compare the simulated regret and compensation with the exact ones."""
    exact = reference.expected(means, horizon, policy, behaviour, EPSILON, TAU)
    finals = simulated(means, horizon, policy, behaviour)
    assert_near(finals.regret, exact.regret, exact.regret_squared)
    assert_near(finals.compensation, exact.compensation, exact.compensation_squared)


def test_the_reference_covers_the_catalogue():
    """A policy that is added needs its exact twin, or these tests would miss it."""
    assert sorted([*reference.POLICIES, *reference.WITHOUT_TWIN]) == EVERY_POLICY


@pytest.mark.parametrize("means", MARKETS, ids=str)
@pytest.mark.parametrize("horizon", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("policy", reference.POLICIES)
def test_two_arms_and_greedy_customers(policy, horizon, means):
    """Means agree to five standard errors: a false alarm once in 1.7 million comparisons."""
    compare(means, horizon, policy, "greedy")


@pytest.mark.parametrize("means", MARKETS[:3], ids=str)
@pytest.mark.parametrize("horizon", [3, 6])
@pytest.mark.parametrize("policy", NOISY)
def test_two_arms_and_logit_customers(policy, horizon, means):
    """Customers who choose by chance: a false alarm once in 1.7 million comparisons."""
    compare(means, horizon, policy, "logit")


@pytest.mark.parametrize(
    ("policy", "behaviour"),
    [(name, "greedy") for name in reference.POLICIES] + [(name, "logit") for name in NOISY],
)
def test_three_arms(policy, behaviour):
    """Ties of three, rounds of three: a false alarm once in 1.7 million comparisons."""
    compare(THREE_ARMS, 7, policy, behaviour)


RECORDS = [
    [(12, 9), (12, 9), (12, 8)],
    [(2, 1), (30, 20), (60, 40), (1, 0)],
    [(1, 1), (5, 5), (40, 39)],
    [(1, 0), (8, 0), (30, 1)],
    [(50, 30), (45, 30), (3, 0), (20, 11), (6, 4)],
]


@pytest.mark.parametrize("leader", [0, 1, -1], ids="leader {}".format)
@pytest.mark.parametrize("records", RECORDS, ids=str)
def test_posterior_samples_win_as_often_as_they_should(records, leader):
    """Thompson sampling's choice has the exact law, whoever leads; fails once in 1e6 seeds."""
    entry, book, memory = sampler_with(records, leader)
    rng = np.random.default_rng(3)
    chosen = [
        entry.ask("act", t=99, book=book, memory=memory, params=None, rng=rng)
        for _ in range(10_000)
    ]
    counts = np.bincount(chosen, minlength=len(records))
    moves = reference.posterior_moves(tuple(reference.Arm(*each) for each in records))
    shares = np.array([chance for chance, _ in moves])
    assert shares.sum() == pytest.approx(1.0)
    assert stats.chisquare(counts, shares / shares.sum() * counts.sum()).pvalue > 1e-6


def sampler_with(records, leader):
    """Thompson sampling after these records (reports, successes), and a book with this leader."""
    entry, arms = POLICIES["ts"], len(records)
    book = empty_book(arms)
    record(book, leader % arms, 1.0)
    memory = entry.memory_fields(entry.blank_memory(arms, {}))
    for arm, (reports, successes) in enumerate(records):
        for number in range(reports):
            entry.ask(
                "learn",
                arm=arm,
                reward=float(number < successes),
                book=book,
                memory=memory,
                params=None,
                rng=None,
            )
    return entry, book, memory


@pytest.mark.parametrize("counts", [(1, 0, 1, 0), (3, 2, 1, 1), (4, 0, 2, 2), (5, 3, 6, 1)])
def test_the_reference_knows_which_posterior_draw_is_higher(counts):
    """The exact probability agrees with numerical integration of densities."""
    book = (reference.Arm(*counts[:2]), reference.Arm(*counts[2:]))
    one, other = (stats.beta(1 + arm.successes, 1 + arm.pulls - arm.successes) for arm in book)
    truth, _ = integrate.quad(lambda x: one.pdf(x) * other.cdf(x), 0.0, 1.0)
    (first, _), (second, _) = reference.posterior_moves(book)
    assert first == pytest.approx(truth, abs=1e-8)
    assert first + second == pytest.approx(1.0, abs=1e-12)


def test_the_reference_by_hand():
    """Three customers, greedy, means 1 and 1/2: a tie in half of the cases, else the good arm."""
    exact = reference.expected((1.0, 0.5), 3, "greedy", "greedy", None)
    tie = Fraction(1, 2) * Fraction(1, 2)
    assert exact.regret == pytest.approx(float(Fraction(1, 2) + tie * Fraction(1, 2)))
    assert exact.compensation == 0.0


def test_the_reference_pays_by_hand():
    """Four customers of a round robin, means 1 and 0: the last is paid the whole gap."""
    exact = reference.expected((1.0, 0.0), 4, "round-robin", "greedy", None)
    assert exact.regret == 2.0
    assert exact.compensation == 1.0
    assert exact.compensation_squared == 1.0
