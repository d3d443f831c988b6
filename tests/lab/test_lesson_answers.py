"""The answers of every lesson, recomputed from the runs of its markets."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kcmab_abm as kcmab
from tests.lab.test_lessons import step_of


def run_of(step, place=0):
    """The run of one of the step's controllers, from the public function."""
    return kcmab.play(step.setup.scenario, step.setup.policies[place].label, engine="market")


def records(run, customers, arms):
    """Every arm's mean over the first customers, computed from their rewards."""
    taken, earned = run.arms[:customers], run.rewards[:customers]
    return [float(earned[taken == arm].mean()) for arm in range(arms)]


def test_greedy_never_returns():
    """Lesson 1: the best arm starts with a 0, the other with a 1, and nobody goes back."""
    run = run_of(step_of(1, 1))
    assert run.rewards[:2].tolist() == [0.0, 1.0]
    assert run.arms[0] == 0
    assert (run.arms[1:] == 1).all()
    assert step_of(1, 1).answer == 1
    assert step_of(1, 2).answer == 1
    assert step_of(1, 4).answer == pytest.approx((0.8 - 0.5) * (len(run) - 1))
    chance = step_of(1, 5)
    assert chance.answer == pytest.approx(0.2 * 0.5)
    assert chance.findings["locked"] > chance.answer, "every such start locks in, and others do too"


def test_payments_bring_customers_back():
    """Lesson 2: with the same rewards in store UCB pays, and the best arm wins."""
    setup = step_of(2, 4).setup
    paying, free = run_of(step_of(2, 4), 0), run_of(step_of(2, 4), 1)
    assert free.arms.tolist() == run_of(step_of(1, 1)).arms.tolist(), "the world of lesson 1"
    best, other = records(paying, 3, 2)
    assert step_of(2, 1).answer == other - best
    first = int(np.argmax(paying.payments > 0.0))
    assert step_of(2, 2).answer == first + 1
    means = records(paying, first, 2)
    assert step_of(2, 2).facts["payment"] == pytest.approx(max(means) - means[0])
    assert (paying.arms[-100:] == 0).sum() > 50
    means = np.array(setup.scenario.market.means)
    regrets = [float((0.8 - means[run.arms]).sum()) for run in (paying, free)]
    assert step_of(2, 4).answer == pytest.approx(regrets[1] - regrets[0])
    assert step_of(2, 5).answer == pytest.approx((regrets[1] - regrets[0]) / paying.payments.sum())
    even = step_of(2, 5).facts["even"]
    ahead = np.cumsum(free.regrets) - np.cumsum(paying.regrets + paying.payments)
    assert (ahead[even - 1 :] >= 0.0).all()
    assert ahead[even - 2] < 0.0


def test_regret_without_payment_and_payment_without_regret():
    """Lesson 3: regret 0.8 and payment 0 without an offer, the reverse with one."""
    for step, arm, regret, payment in ((step_of(3, 1), 1, 0.8, 0.0), (step_of(3, 4), 0, 0.0, 0.8)):
        run = run_of(step)
        assert records(run, 20, 2) == [0.1, 0.9]
        assert np.bincount(run.arms[:20]).tolist() == [10, 10]
        assert (run.arms[20], run.regrets[20], run.payments[20]) == (arm, regret, payment)
    left, right = run_of(step_of(3, 1)), run_of(step_of(3, 4))
    assert left.rewards[:20].tolist() == right.rewards[:20].tolist()
    assert [step_of(3, place).answer for place in range(1, 7)] == [1, 0.8, 0.0, 0.8, 0.0, 0.8]
    unlucky = (10 * 0.9 * 0.1**9) ** 2
    assert step_of(3, 1).facts["power"] == round(-math.log10(unlucky))


def test_ucb_computes_and_thompson_draws():
    """Lesson 4: bound and posterior follow from the records; only Thompson's choice varies."""
    step, run = step_of(4, 1), run_of(step_of(4, 1))
    means, pulls = records(run, 8, 3), np.bincount(run.arms[:8])
    bounds = [m + math.sqrt(2.0 * math.log(9) / n) for m, n in zip(means, pulls, strict=True)]
    assert step.answer == pytest.approx(max(bounds))
    assert run.targets[8] == int(np.argmax(bounds))
    assert run.payments[8] == pytest.approx(max(means) - means[run.targets[8]])
    run = run_of(step_of(4, 2))
    shown = run.rewards[:8][run.arms[:8] == 0]
    assert step_of(4, 2).answer == pytest.approx((1 + shown.sum()) / (2 + len(shown)))
    assert step_of(4, 3).answer == "ts"
    assert step_of(4, 3).findings["same"] >= 10
    ucb, thompson = run_of(step_of(4, 4), 0), run_of(step_of(4, 4), 1)
    assert step_of(4, 4).answer == pytest.approx(ucb.payments.sum() / thompson.payments.sum())


def test_thompson_is_cheaper_on_average():
    """Lesson 4: over many markets the intervals do not overlap."""
    step = step_of(4, 5)
    table = kcmab.simulate(step.setup.scenario.replace(replications=step.facts["runs"])).summary()
    ucb, thompson = table.iloc[0], table.iloc[1]
    assert thompson["regret_high"] < ucb["regret_low"]
    assert thompson["compensation_high"] < ucb["compensation_low"]
    assert step.answer == "ts"


def test_the_second_of_a_round_is_paid_by_the_newest_records():
    """Lesson 5: the first customer's reward raises one price and makes the next one vanish."""
    for place, rises in ((3, True), (4, False)):
        step = step_of(5, place)
        run, first = run_of(step), step.setup.shown
        before, after = records(run, first, 3), records(run, first + 1, 3)
        arm = int(run.targets[first + 1])
        assert run.payments[first] == 0.0
        assert run.arms[first] == int(np.argmax(before)), "the first one gets the leader"
        assert before[arm] < max(before), "the sample points to an arm that is behind"
        assert step.answer == pytest.approx(max(after) - after[arm])
        assert (step.answer > max(before) - before[arm]) is rises
        assert (step.answer > 0.0) is rises


def test_only_the_second_of_a_round_is_ever_paid():
    """Lesson 5: payments go to customers N + 2, N + 4, and so on, so to 248 of 500 at most."""
    run = run_of(step_of(5, 2))
    paid = np.flatnonzero(run.payments > 0.0) + 1
    assert ((paid - 3) % 2 == 0).all()
    assert step_of(5, 2).answer == len(range(5, 501, 2))
    assert step_of(5, 1).answer == "first"
    rounds, plain = run_of(step_of(5, 5), 0), run_of(step_of(5, 5), 1)
    assert step_of(5, 5).answer == pytest.approx(plain.payments.sum() - rounds.payments.sum())
    findings = step_of(5, 5).findings
    assert findings["left_mean_paid"] < findings["right_mean_paid"]


def test_noisy_customers_refuse_and_explore():
    """Lesson 6: the least offer is a coin toss, customer 5 refuses, and noise explores."""
    run = run_of(step_of(6, 1))
    means = records(run, 4, 2)
    offer = float(run.offers[4])
    assert offer == pytest.approx(means[1] - means[0])
    weights = np.exp(np.array([means[0] + offer, means[1]]) / 0.1)
    assert step_of(6, 1).answer == pytest.approx(weights[0] / weights.sum())
    assert (run.targets[4], run.arms[4], run.payments[4]) == (0, 1, 0.0)
    assert step_of(6, 2).answer == 0.0
    assert step_of(6, 3).answer == 2.0
    assert 1.0 / (1.0 + math.exp(-step_of(6, 4).answer / 0.1)) == pytest.approx(0.9)
    assert step_of(6, 5).answer == pytest.approx(offer + step_of(6, 4).answer)
    unpaid = run_of(step_of(6, 6))
    assert unpaid.payments.sum() == 0.0
    assert unpaid.arms[:12].tolist() == [0, *[1] * 10, 0]
    means = records(unpaid, 11, 2)
    assert step_of(6, 6).answer == pytest.approx(
        1.0 / (1.0 + math.exp((means[1] - means[0]) / 0.1))
    )
    assert (unpaid.arms == 0).mean() > 0.9


def test_the_margin_is_accepted_and_costs_more():
    """Lesson 6: nine out of ten offers with the margin are accepted, and they cost more."""
    step = step_of(6, 5)
    purse = {"offer": {"rule": "fixed-margin", "margin": step.facts["margin"]}}
    run = kcmab.play(step.setup.scenario.replace(purse=purse), "ucb", engine="market")
    offered = run.offers > 0.0
    assert (run.arms == run.targets)[offered].mean() == pytest.approx(0.9, abs=0.1)
    assert step.facts["dear_paid"] == pytest.approx(run.payments.sum())
    assert step.facts["dear_paid"] > step.facts["least_paid"]
