"""Verdicts on claims stay right although runs are added until there is one."""

from __future__ import annotations

import numpy as np
import pytest

from kcmab_abm.paper.claims import less
from kcmab_abm.paper.study import paper_scenario
from kcmab_abm.paper.verdicts import decision
from kcmab_abm.results.statistics import half_width, standard_error

SCENARIO = paper_scenario("bernoulli", horizon=10_000, runs=200, seed=1)


class Made:
    """Runs with these regrets."""

    def __init__(self, values, rare):
        self.values, self.rare = values, rare

    def __len__(self):
        return len(self.values)

    def final(self, measure):
        """The regrets, whatever the measure."""
        return self.values

    def locked_in(self, horizon):
        """The runs that locked in."""
        return self.rare


def made(rng, count, mean, share):
    """Runs with this mean, of which a share locks in."""
    rare = rng.random(count) < share
    values = rng.gamma(4.0, (mean - 1000.0 * share) / 4.0, count) + rare * 1000.0
    return Made(values, rare)


def decided(seed, means, shares, looks=(200, 400, 800, 1600, 3200)):
    """The verdict on 'a has less than b' after these numbers of runs, and Student's, if any."""
    rng = np.random.default_rng(seed)
    a, b = (made(rng, looks[-1], *each) for each in zip(means, shares, strict=True))
    rule = decision(less("regret", "a", "b", "here"), SCENARIO, 1, looks[-1])
    verdicts, students = set(), set()
    for count in looks:
        now = {"a": Made(a.values[:count], a.rare[:count])}
        now["b"] = Made(b.values[:count], b.rare[:count])
        verdicts.add(rule.finding("here", now).verdict)
        gap = now["b"].values - now["a"].values
        students.add(abs(gap.mean()) > half_width(standard_error(gap), count, 0.99))
    return verdicts - {"inconclusive"}, True in students


@pytest.mark.parametrize("shares", [(0.002, 0.0), (0.2, 0.2)])
def test_equal_means_are_seldom_told_apart(shares):
    """1 % error for 60 looks: at most 7 of 200 sequences (chance above that: 1 in 1 000)."""
    looks = range(200, 3200, 50)
    found = [decided(seed, (260.0, 260.0), shares, looks) for seed in range(200)]
    assert sum(bool(verdicts) for verdicts, _ in found) <= 7


def test_student_s_interval_would_err_often():
    """Five looks with 99 % each, where one run in 500 locks in: it errs in 8 % of sequences."""
    found = [decided(seed, (60.0, 60.0), (0.002, 0.0)) for seed in range(400)]
    assert sum(students for _, students in found) > 20


def test_different_means_are_told_apart_the_right_way_round():
    """A difference of 40 with 1 % of lock-ins on either side: always found, never reversed."""
    for seed in range(50):
        assert decided(seed, (60.0, 100.0), (0.01, 0.01))[0] == {"holds"}
        assert decided(seed, (100.0, 60.0), (0.01, 0.01))[0] == {"does not hold"}


def test_the_ratio_has_the_limits_at_which_the_verdict_changes():
    """A factor inside its interval is inconclusive, one outside is not."""
    rng = np.random.default_rng(5)
    runs = {"a": made(rng, 500, 90.0, 0.02), "b": made(rng, 500, 30.0, 0.0)}
    ratio, low, high = (
        decision(less("regret", "a", "b", "here", 1.5), SCENARIO, 1, 500).finding("x", runs).ratio
    )
    assert low < ratio < high
    assert ratio == pytest.approx(runs["a"].values.mean() / runs["b"].values.mean())
    sides = {0.99 * low: "does not hold", 1.01 * low: "inconclusive"}
    sides |= {0.99 * high: "inconclusive", 1.01 * high: "holds"}
    for factor, verdict in sides.items():
        rule = decision(less("regret", "a", "b", "here", factor), SCENARIO, 1, 500)
        assert rule.finding("x", runs).verdict == verdict


def test_a_small_difference_needs_runs_enough_to_exclude_lock_in():
    """200 runs without one exclude no share of 1 %, which would cost 10: 2 is not decided yet."""
    rng = np.random.default_rng(2)
    runs = {"a": made(rng, 200, 30.0, 0.0)}
    runs["b"] = Made(runs["a"].values + 2.0 + rng.normal(0.0, 0.1, 200), runs["a"].rare)
    for measure, verdict in {"regret": "inconclusive", "compensation": "holds"}.items():
        rule = decision(less(measure, "a", "b", "here"), SCENARIO, 1, 200)
        assert rule.finding("x", runs).verdict == verdict
