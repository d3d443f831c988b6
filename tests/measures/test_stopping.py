"""Intervals of runs that stop when they are narrow cover as often as they say.

Many sequences are drawn from known laws, normal and skewed ones. The bounds are those that a count
of intervals with exactly the nominal coverage leaves once in a million times; the seeds are fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from kcmab_abm.results.statistics import half_width, standard_error
from kcmab_abm.scenario.precision import Precision

EXPERIMENTS = 1500
FALSE_ALARM = 1e-6  # the chance that intervals which cover as they should are found wanting
CONFIDENCE, CEILING = 0.95, 3000
LEAST = stats.binom.ppf(FALSE_ALARM, EXPERIMENTS, CONFIDENCE)

# Each law with its mean and standard deviation.
LAWS = {
    "normal": (lambda rng: rng.standard_normal(CEILING), 0.0, 1.0),
    "lognormal": (
        lambda rng: rng.lognormal(0.0, 1.0, CEILING),
        math.exp(0.5),
        math.sqrt(math.e * (math.e - 1)),
    ),
    "rare": (lambda rng: (rng.random(CEILING) < 0.1).astype(float), 0.1, 0.3),
}


class Drawn:
    """A sequence of values of which some have been seen."""

    def __init__(self, values, seen):
        self.values, self.seen = values, seen
        self.runs = {"it": self}

    def final(self, measure):
        """What has been seen."""
        return self.values[: self.seen]


def sequences(name):
    """Always the same sequences from a law."""
    rng = np.random.default_rng(2024)
    return (LAWS[name][0](rng) for _ in range(EXPERIMENTS))


def asked(first, half=1.0, relative=None):
    """A precision for one sequence."""
    of = (("it", None),)
    return Precision("regret", of, half, relative, CONFIDENCE, first, CEILING)


def stop(values, precision):
    """The interval with which the loop that runs scenarios stops."""
    drawn = Drawn(values, precision.first)
    for first, last, _ in precision.further(drawn.runs):
        assert first == drawn.seen < last <= len(values)
        drawn.seen = last
    return precision.look(drawn.runs)[0]


def paths(name, counts):
    """Mean and standard deviation of every sequence, after so many values each."""
    for values in sequences(name):
        sums, squares = np.cumsum(values)[counts - 1], np.cumsum(values**2)[counts - 1]
        mean = sums / counts
        yield mean, np.sqrt(np.maximum(squares - counts * mean**2, 0.0) / (counts - 1))


def mixture_bounds(first, counts):
    """Half the width of the interval that may be looked at, in deviations."""
    return np.array([asked(first).deviations(int(count)) for count in counts])


def student_bounds(first, counts):
    """Half the width of Student's interval, in deviations."""
    return np.array([half_width(1 / math.sqrt(n), int(n), CONFIDENCE) for n in counts])


def covered_always(name, first, bounds):
    """In how many sequences no interval at all misses the mean, from the first look on."""
    counts = np.arange(first, CEILING + 1)
    limits, true = bounds(first, counts), LAWS[name][1]
    return sum((abs(mean - true) <= spread * limits).all() for mean, spread in paths(name, counts))


def covered_when_narrow(name, first, bounds, half):
    """In how many sequences the first interval that is narrow enough covers the mean."""
    counts = np.arange(first, CEILING + 1)
    limits, true = bounds(first, counts), LAWS[name][1]
    covered = 0
    for mean, spread in paths(name, counts):
        here = (spread * limits <= half).argmax()
        assert spread[here] * limits[here] <= half
        covered += abs(mean[here] - true) <= spread[here] * limits[here]
    return covered


@pytest.mark.parametrize("times", [1.2, 4.0, 12.0])
@pytest.mark.parametrize("name", LAWS)
def test_the_interval_at_the_stop_covers_the_mean(name, times):
    """Whether a run stops soon after its first replications or long after."""
    _, mean, deviation = LAWS[name]
    precision = asked(100, deviation * asked(100).deviations(round(100 * times)))
    stops = [stop(values, precision) for values in sequences(name)]
    assert all(each.reached for each in stops)
    assert np.mean([each.replications for each in stops]) > 100
    assert sum(abs(each.mean - mean) <= each.half_width for each in stops) >= LEAST


@pytest.mark.parametrize("name", ["lognormal", "rare"])
def test_the_interval_at_a_relative_stop_covers_the_mean(name):
    """The same where the width is compared with the very mean that it belongs to."""
    mean = LAWS[name][1]
    stops = [stop(values, asked(100, None, 0.35)) for values in sequences(name)]
    assert np.mean([each.replications for each in stops]) > 100
    assert sum(abs(each.mean - mean) <= each.half_width for each in stops) >= LEAST


@pytest.mark.parametrize("name", LAWS)
def test_the_interval_covers_the_mean_at_all_times(name):
    """Whatever makes one stop, one stops with an interval that covers."""
    assert covered_always(name, 300, mixture_bounds) >= LEAST


@pytest.mark.parametrize("name", LAWS)
def test_students_interval_does_not_cover_at_all_times(name):
    """Of those who look after every replication, a quarter or more see it miss the mean."""
    assert covered_always(name, 300, student_bounds) < 0.75 * EXPERIMENTS < LEAST


def test_students_interval_claims_too_much_when_it_is_narrow():
    """Skewed runs, looked at after each of them, stop too soon where the deviation is too small.

    The other interval, stopped in the same way at the same width, covers as it should.
    """
    student = covered_when_narrow("lognormal", 30, student_bounds, 0.4)
    mixture = covered_when_narrow("lognormal", 30, mixture_bounds, 0.4)
    assert student < LEAST <= mixture


def test_the_interval_compared_with_is_students():
    """The bounds above, times the deviation, are what a t test gives."""
    values = np.arange(50.0)
    width = values.std(ddof=1) * student_bounds(0, [50])[0]
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(CONFIDENCE).high - values.mean()
    assert width == pytest.approx(expected)
    assert width == pytest.approx(half_width(standard_error(values), 50, CONFIDENCE))
