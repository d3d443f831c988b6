"""Intervals for means over runs of which a few cost far more: coverage, and what they reduce to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm import make_scenario, simulate
from kcmab_abm.results.lock_in import has_few_locked_in, lock_in_warnings, settling_cost
from kcmab_abm.results.rare_runs import mean_limits
from kcmab_abm.results.statistics import half_width, standard_error

NINE = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]


def coverage(share: float, runs: int = 1000, samples: int = 2000) -> tuple[float, float]:
    """How often Student's 95 % interval and ours contain the mean, where a share locks in."""
    rng = np.random.default_rng([int(1e5 * share), runs])
    mean, student, ours = 38.0 + 1000.0 * share, 0, 0
    for _ in range(samples):
        rare = rng.random(runs) < share
        values = rng.gamma(8.0, 38.0 / 8.0, runs)
        values[rare] += 1000.0 * rng.uniform(0.7, 1.3, rare.sum())
        width = half_width(standard_error(values), runs, 0.95)
        student += abs(values.mean() - mean) <= width
        low, high = mean_limits(values, rare, 0.95, more=1000.0)
        ours += low <= mean <= high
    return student / samples, ours / samples


@pytest.mark.parametrize("share", [0.0, 0.0005, 0.0016, 0.01, 0.05, 0.09])
def test_the_interval_covers_the_mean_however_few_runs_lock_in(share: float) -> None:
    """At least 95 %, less 3 standard errors of 2 000 samples (false alarm: 1 in 700 each)."""
    student, ours = coverage(share)
    assert ours >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 2000)
    if share == 0.0016:
        assert student < 0.86


@given(st.lists(st.floats(0, 100), min_size=3, max_size=40))
def test_without_rare_runs_it_is_student_s(values: list[float]) -> None:
    """If there are none and can be none."""
    array = np.array(values)
    low, high = mean_limits(array, np.zeros(len(array), bool), 0.9)
    width = half_width(standard_error(array), len(array), 0.9)
    assert low == pytest.approx(array.mean() - width)
    assert high == pytest.approx(array.mean() + width)


@given(st.integers(0, 9), st.floats(1.0, 1e6))
def test_equal_excesses_have_the_exact_interval_of_a_poisson_count(seen: int, size: float) -> None:
    """Then the runs are counted: chi-squared limits for their number, times the excess."""
    rare = np.arange(1000) < seen
    low, high = mean_limits(np.where(rare, size, 0.0), rare, 0.95, more=size)
    least = stats.chi2.ppf(0.025, 2 * seen) / 2 if seen else 0.0
    assert low == pytest.approx(least * size / 1000)
    assert high == pytest.approx(stats.chi2.ppf(0.975, 2 * seen + 2) / 2 * size / 1000)


@given(st.integers(0, 2**31), st.floats(0.0, 50.0), st.floats(0.0, 50.0))
def test_turned_round_it_is_turned_round(seed: int, more: float, less: float) -> None:
    """The interval of -x is that of x reflected, and contains the mean."""
    rng = np.random.default_rng(seed)
    rare = rng.random(60) < 0.08
    values = rng.normal(0.0, 1.0, 60) + rare * rng.normal(0.0, 30.0, 60)
    low, high = mean_limits(values, rare, more=more, less=less)
    assert low <= values.mean() <= high
    other = mean_limits(-values, rare, more=less, less=more)
    assert other == pytest.approx((-high, -low))


def test_the_limits_of_one_run_are_unknown() -> None:
    """As with Student's interval."""
    assert np.isnan(mean_limits(np.ones(1), np.zeros(1, bool))).all()


def small(policy: dict[str, object], runs: int, horizon: int = 1000, seed: int = 1):
    """The paper's market with Beta rewards, smaller."""
    arms = {"law": "beta", "means": NINE, "concentration": 4.0}
    table = {"horizon": horizon, "replications": runs, "seed": seed, "market": {"arms": arms}}
    return simulate(make_scenario({**table, "policy": [policy]}))


def test_few_locked_in_runs_are_reported() -> None:
    """The summary marks them, the table has an interval that holds, and a line says so."""
    results = small({"name": "modified-epsilon-greedy"}, runs=300)
    [row] = results.lock_in().to_dict("records")
    summary = results.summary().iloc[0]
    assert 0 < row["locked_in_runs"] < 20
    assert summary["few_locked_in"]
    assert row["regret"] == summary["regret"]
    assert row["regret_high"] > summary["regret_high"]
    share = row["locked_in_runs"] / 300
    assert row["regret"] == pytest.approx(row["others"] + share * row["excess"])
    assert settling_cost(results.scenario) == pytest.approx(100.0)
    [line] = lock_in_warnings(results.runs, results.scenario, "regret")
    assert line.startswith(f"only {row['locked_in_runs']} runs of modified-epsilon-greedy locked")
    assert f"regret {row['regret']:.2f} in [" in line


def test_one_locked_in_run_is_reported() -> None:
    """One of a hundred is few, unless others cost as much.

    The cost of settling is known in advance where means neither move nor vary.
    """

    class Found:
        """A hundred runs, of which the first locked in."""

        def __init__(self, spread):
            """Others cost between 0 and this."""
            self.spread = spread

        def __len__(self):
            """So many runs."""
            return 100

        def final(self, measure):
            """Regret, once very high."""
            return np.where(self.locked_in(0), 1000.0, np.linspace(0.0, self.spread, 100))

        def locked_in(self, horizon):
            """Only the first."""
            return np.arange(100) == 0

    arms = {"law": "bernoulli", "means": [0.9, 0.7, 0.9]}
    table = {"horizon": 50, "market": {"arms": arms}, "policy": [{"name": "ucb"}]}
    scenario = make_scenario(table)
    assert has_few_locked_in(Found(4.0), scenario, "regret")
    assert not has_few_locked_in(Found(2000.0), scenario, "regret")
    assert settling_cost(scenario) == pytest.approx(10.0)
    moving = {"arms": arms, "change": {"kind": "random-walk", "step": 0.1}}
    drawn = {"arms": {"law": "bernoulli", "count": 3, "means": {"prior": "uniform"}}}
    for market in (moving, drawn):
        assert settling_cost(make_scenario({**table, "market": market})) == 0.0


def test_cheap_lock_in_is_not_reported() -> None:
    """A run that locks in and costs no more than the others does not mislead."""
    arms = {"law": "bernoulli", "means": [0.5, 0.49]}
    table = {"horizon": 60, "replications": 2000, "seed": 1, "market": {"arms": arms}}
    results = simulate(make_scenario({**table, "policy": [{"name": "ucb"}]}))
    assert 0 < results.lock_in()["locked_in_runs"][0] < 20
    assert not results.summary()["few_locked_in"].any()


def test_nothing_is_reported_where_the_usual_interval_holds() -> None:
    """No run, or many, locked in."""
    for policy, share in (("ucb", 0.0), ("greedy", 0.1)):
        results = small({"name": policy}, runs=300)
        assert (results.summary()["locked_in"][0] > share) == (share > 0.0)
        assert not results.summary()["few_locked_in"].any()
        assert not list(lock_in_warnings(results.runs, results.scenario, "regret"))


@pytest.mark.slow
def test_coverage_in_a_market() -> None:
    """A real share of runs that lock in: 400 studies of 250 runs each, against all 100 000 runs."""
    results = small({"name": "modified-epsilon-greedy", "epsilon": 25.0}, runs=100_000, horizon=400)
    runs, cost = results.runs["modified-epsilon-greedy"], settling_cost(results.scenario)
    values, rare = runs.final("regret"), runs.locked_in(400)
    assert 0.002 < rare.mean() < 0.05
    inside = 0
    for study in range(400):
        here = slice(250 * study, 250 * study + 250)
        low, high = mean_limits(values[here], rare[here], more=cost)
        inside += low <= values.mean() <= high
    assert inside / 400 > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 400)
