"""Intervals cover the truth as often as they say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from scipy.stats import binom

from kcmab_abm.fitting.whole import critical

SETS = 40
FALSE_ALARMS = 1e-3  # for each parameter, if the intervals cover in 95 % of data sets
FILE = Path(__file__).parents[2] / "scenarios" / "fit_coverage.py"


def coverage():
    """The script whose numbers stand on the theory page."""
    spec = importlib.util.spec_from_file_location("fit_coverage", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_fall_for_whole_numbers_has_the_law_of_two_maxima():
    """Both sides fall below x with probability 1 - exp(-x / 2) each (Hansen 2000)."""
    assert 2.0 * critical(0.95) == pytest.approx(7.352, abs=1e-3)


@pytest.mark.slow  # 120 data sets are simulated and fitted
@pytest.mark.parametrize("name", ["logit", "optimism", "recency"])
def test_intervals_cover_and_estimates_are_near(name):
    """Every parameter, in at least as many data sets as chance allows."""
    script = coverage()
    case = script.CASES[name]
    least = binom.ppf(FALSE_ALARMS, SETS, 0.95)
    for word, (hits, mean, spread) in script.covered(case, SETS).items():
        assert hits >= least, word
        assert abs(mean - case.truth[word]) < max(4.0 * spread / SETS**0.5, 0.1 * case.truth[word])
