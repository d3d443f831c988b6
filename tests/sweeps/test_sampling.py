"""Sampled sweeps: designs, ranges, labels, and what is wrong with bad ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from scipy.stats import qmc

from kcmab_abm import ScenarioError, make_scenario, sweep
from kcmab_abm.scenario.sampling import RangeTable, saltelli_points
from kcmab_abm.scenario.schema import json_schema

from .conftest import with_sweep

TAU = "market.customers.tau"
SOBOL = {"design": "sobol", "points": 64}
TWO_ARMS = {"law": "bernoulli", "means": [0.9, 0.5]}
LABELS = {"two": TWO_ARMS, "three": {"law": "bernoulli", "means": [0.9, 0.5, 0.1]}}


def plan(sample=None, **ranges):
    """The sweep of the small market over these ranges."""
    return make_scenario(with_sweep(sample=sample or SOBOL, **ranges)).sweep


def column(sweep_plan, path):
    """The values of a setting at all points."""
    return np.array([point[path] for point in sweep_plan.points])


def problem(**given_sweep):
    """What is wrong with a sweep."""
    with pytest.raises(ScenarioError) as caught:
        make_scenario(with_sweep(**given_sweep))
    return str(caught.value)


@pytest.mark.parametrize("design", ["sobol", "latin-hypercube"])
def test_every_stratum_has_one_point(design):
    """Both designs put one point into each of the 64 parts of every range."""
    ranges = {TAU: {"low": 0.0, "high": 0.64}, "purse.budget": {"low": 1.0, "high": 2.0}}
    found = plan({"design": design, "points": 64}, **ranges)
    assert sorted((column(found, TAU) * 100).astype(int)) == list(range(64))
    assert sorted(((column(found, "purse.budget") - 1.0) * 64).astype(int)) == list(range(64))
    assert plan({"design": design, "points": 64}, **ranges) == found
    assert plan({"design": design, "points": 64, "seed": 1}, **ranges) != found


def test_designs_are_those_of_scipy():
    """Values are the shares of SciPy's designs, spread over the ranges."""
    shares = qmc.Sobol(1, seed=np.random.default_rng(7)).random(64)[:, 0]
    found = plan({**SOBOL, "seed": 7}, **{TAU: {"low": 0.5, "high": 1.5}})
    assert column(found, TAU) == pytest.approx(0.5 + shares)


def test_logarithmic_ranges():
    """Every factor of ten gets as many points."""
    found = column(plan(**{TAU: {"low": 0.01, "high": 1.0, "log": True}}), TAU)
    assert ((found >= 0.01) & (found <= 1.0)).all()
    assert (found < 0.1).sum() == 32


@given(low=st.integers(1, 40), more=st.integers(1, 40), log=st.booleans(), share=st.floats(0, 1))
def test_whole_numbers_stay_in_the_range(low, more, log, share):
    """Rounded values never leave the range, even where it begins at 1."""
    given_range = RangeTable(low=low, high=low + more, log=log)
    value, shown = given_range.at(share, True)
    assert isinstance(value, int)
    assert low <= value == shown <= low + more


def test_settings_that_are_whole_are_rounded():
    """Whole settings get each number of the range equally often; others keep fractions."""
    ranges = {"horizon": {"low": 10, "high": 17}, "policy[1].epsilon": {"low": 1, "high": 9}}
    found = plan(**ranges)
    assert np.bincount(column(found, "horizon")).tolist() == [0] * 10 + [8] * 8
    assert (column(found, "policy[1].epsilon") % 1.0 > 0.0).any()
    arms = {"law": "bernoulli", "count": 3, "means": {"prior": "uniform"}}
    settings = with_sweep(sample=SOBOL, **{"market.arms.count": {"low": 2, "high": 5}})
    settings["market"] = {**settings["market"], "arms": arms}
    counts = [len(point.market.arms) for point in make_scenario(settings).points()]
    assert sorted(set(counts)) == [2, 3, 4, 5]


def test_labels_stand_for_values():
    """Tables show labels; the points have the values."""
    scenario = make_scenario(with_sweep(sample=SOBOL, **{"market.arms": LABELS}))
    shown = [point["market.arms"] for point in scenario.sweep.shown]
    assert sorted(shown) == ["three"] * 32 + ["two"] * 32
    for name, point in zip(shown, scenario.points(), strict=True):
        assert len(point.market.arms) == {"two": 2, "three": 3}[name]
    results = sweep(scenario, engine="market")
    assert results.axes["market.arms"].tolist() == shown


def test_a_label_and_a_setting_within_it():
    """A range may lead into a table that only its label brings along."""
    customers = {"noisy": {"behaviour": "logit"}, "noisier": {"behaviour": "logit", "tau": 0.5}}
    found = plan(**{"market.customers": customers, TAU: {"low": 0.1, "high": 0.2}})
    assert len(found.points) == 64


def test_settings_make_the_same_sweep_again():
    """What the manifest keeps is a scenario with the same points."""
    ranges = {TAU: {"low": 0.1, "high": 0.2}, "market.arms": LABELS}
    settings = with_sweep(sample=SOBOL, **ranges)
    scenario = make_scenario(settings)
    assert make_scenario(scenario.settings).sweep == scenario.sweep
    Draft202012Validator(json_schema()).validate(settings)


def test_the_saltelli_design_exchanges_one_column_at_a_time():
    """A, B, and A with each column of B."""
    a, b, first, second = np.split(saltelli_points(2, 8, np.random.default_rng(1)), 4)
    assert np.array_equal(first, np.column_stack([b[:, 0], a[:, 1]]))
    assert np.array_equal(second, np.column_stack([a[:, 0], b[:, 1]]))
    assert (
        len(plan({"design": "saltelli", "points": 8}, **{TAU: {"low": 0, "high": 1}}).points) == 24
    )


@pytest.mark.parametrize(
    ("given_sweep", "words"),
    [
        ({"gird": {TAU: [0.1]}}, "no setting 'gird'. Did you mean 'grid'?"),
        ({"sample": SOBOL}, "the sample varies nothing"),
        ({"sample": SOBOL, "grid": {TAU: [0.1]}, TAU: {"low": 0, "high": 1}}, "grid and sample"),
        ({"sample": {"design": "sobol", "points": 100}, TAU: {"low": 0, "high": 1}}, "64 or 128"),
        (
            {"sample": {"design": "sobl", "points": 8}, TAU: {"low": 0, "high": 1}},
            "must be 'sobol'",
        ),
        ({"sample": SOBOL, TAU: {"low": 1, "high": 0}}, "low must be < high"),
        ({"sample": SOBOL, TAU: {"low": 0, "high": 1, "log": True}}, "low must be > 0"),
        ({"sample": SOBOL, TAU: {"low": 0, "hi": 1}}, "high: required, but missing"),
        ({"sample": SOBOL, TAU: [0, 1]}, "must be a table, got [0, 1]"),
        ({"sample": SOBOL, TAU: {"low": -1, "high": 1}}, "must be >= 0"),
        ({"sample": SOBOL, "market.customers.tua": {"low": 0, "high": 1}}, "no setting 'tua'"),
        ({"sample": SOBOL, "market": {"customers": {"tau": {"low": 0, "high": 1}}}}, "in quotes?"),
        ({"sample": {"design": "saltelli", "points": 8192}, TAU: {"low": 0, "high": 1}}, "10,000"),
    ],
)
def test_bad_samples_are_refused(given_sweep, words):
    """The message says where, what was found and what is allowed."""
    found = problem(**given_sweep)
    assert words in found
    assert not any(tag in found for tag in (".range", ".labels"))
