"""Beta rewards: exact to twelve digits, never falling, and as the law distributes them."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm import make_scenario
from kcmab_abm.catalogue.registry import LAWS
from kcmab_abm.entries.laws.beta import reward, tabulate
from kcmab_abm.model import streams
from kcmab_abm.model.arithmetic import elementary
from kcmab_abm.model.arithmetic.tables import UNFIT
from kcmab_abm.scenario.market_table import MOST_TABULATED

# Quantiles to twenty digits, found with mpmath (Newton's method on its incomplete beta function, or
# on the integral of the density where a shape is above 300).
EXACT = Path(__file__).with_name("beta_quantiles.csv")
CLOSE = 1e-12
STEEP = 4e-12  # where a shape is below 0.004: neighbouring uniforms are as far apart
UNLIKELY = 1e-6  # how often a fair sample fails, over all seeds
GRID = 2**53

shapes = st.floats(-3.0, 6.0).map(lambda power: 10.0**power)
usual_shapes = st.floats(-1.0, 3.0).map(lambda power: 10.0**power)


def row_of(alpha, beta):
    """The numbers of an arm without a table."""
    (row,) = LAWS["beta"].settings(alpha=[alpha], beta=[beta]).rows()
    return row


def forms(alpha, beta):
    """The numbers of an arm, without a table and with one."""
    row = row_of(alpha, beta)
    return [row, tabulate(row)]


def exact_cases():
    """The shapes in the file, and for each its uniforms with their quantiles."""
    cases = {}
    with EXACT.open() as file:
        for line in csv.DictReader(file):
            case = cases.setdefault((float(line["alpha"]), float(line["beta"])), [])
            case.append((float(line["uniform"]), float(line["quantile"])))
    return cases


@pytest.mark.parametrize(("shapes", "quantiles"), exact_cases().items())
def test_quantiles_are_exact_to_twelve_digits(shapes, quantiles):
    """With a table and without, a reward is within 1e-12 of the quantile."""
    allowed = CLOSE if min(shapes) >= 0.004 else STEEP
    for row in forms(*shapes):
        for uniform, exact in quantiles:
            assert reward(uniform, row) == pytest.approx(exact, rel=0.0, abs=allowed)


@given(alpha=usual_shapes, beta=usual_shapes, uniform=st.floats(1e-9, 1 - 1e-9))
def test_quantiles_are_those_of_scipy(alpha, beta, uniform):
    """SciPy, which goes about it in another way, finds the same quantiles."""
    wanted = stats.beta.ppf(uniform, alpha, beta)
    assert reward(uniform, row_of(alpha, beta)) == pytest.approx(wanted, rel=0.0, abs=CLOSE)


def edges():
    """Uniforms on both sides of every end of a cell, and around their middles."""
    cells = [k / 32 / 2**octave for octave in range(1, 14) for k in range(16, 32)]
    near = [int(cell * GRID) + step for cell in cells for step in range(-2, 3)]
    return sorted({*near, *(GRID - 1 - each for each in near), 0, 1, GRID - 1})


@pytest.mark.parametrize("shapes", [*exact_cases(), (1e-3, 1e6), (0.1, 0.1), (3e-3, 2.0)])
def test_quantiles_never_fall(shapes):
    """Between uniforms that are neighbours, at the ends of cells and inside, no reward falls."""
    rng = np.random.default_rng(1)
    inside = rng.integers(0, GRID - 2, 300).tolist()
    places = sorted({*edges(), *inside, *(each + 1 for each in inside)})
    table = forms(*shapes)[1]
    rewards = [reward(place / GRID, table) for place in places]
    assert rewards == sorted(rewards)
    assert 0.0 <= rewards[0] <= rewards[-1] <= 1.0


@given(alpha=shapes, beta=shapes, place=st.integers(0, GRID - 5))
def test_neighbours_never_fall_without_a_table(alpha, beta, place):
    """Rounding cannot turn the order of uniforms around, however close they are."""
    row = row_of(alpha, beta)
    rewards = [reward((place + step) / GRID, row) for step in range(5)]
    assert rewards == sorted(rewards)


@pytest.mark.parametrize(("alpha", "beta"), [(0.2, 1.8), (5.0, 5.0), (450.0, 50.0)])
def test_usual_tables_have_no_gaps(alpha, beta):
    """Arms of usual shapes are read from the table alone, which keeps them fast."""
    assert UNFIT not in tabulate(row_of(alpha, beta))


@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 0.3), (0.2, 1.8), (30.0, 20.0), (1e6, 1e5)])
def test_tapes_have_the_distribution_of_the_law(alpha, beta):
    """A Kolmogorov-Smirnov test finds no difference; a fair sample fails once in a million."""
    table = tabulate(row_of(alpha, beta))
    key = streams.replication_key(7, 5, streams.ARMS)
    rewards = [reward(u, table) for u in streams.keyed_uniforms(key, 0, 4000).tolist()]
    assert stats.kstest(rewards, stats.beta(alpha, beta).cdf).pvalue > UNLIKELY


def test_steady_arms_have_tables_unless_they_are_many():
    """Tables are for steady markets of up to 64 such arms: others would take too long to make."""

    def is_tabulated(count, **market):
        arms = {"law": "beta", "means": [0.5] * count, "concentration": 3.0}
        table = {"horizon": 1, "market": {"arms": arms, **market}, "policy": [{"name": "ucb"}]}
        return len(make_scenario(table).market.arms[0].numbers) > 5

    assert is_tabulated(MOST_TABULATED)
    assert not is_tabulated(MOST_TABULATED + 1)
    assert not is_tabulated(2, change={"kind": "random-walk", "step": 0.1})


def test_means_close_to_the_ends():
    """A mean that leaves no room for a shape pays 0, and one next to 1 nearly always 1."""
    settings = LAWS["beta"].settings
    for mean, paid in ((1e-320, 0.0), (1.0 - 2.0**-53, 1.0)):
        (row,) = settings(means=[mean], concentration=0.01).rows()
        for form in (row, tabulate(row)):
            assert [reward(u, form) for u in (2.0**-9, 0.5, 1.0 - 2.0**-9)] == [paid] * 3


@given(x=st.floats(1e-300, 1e300), y=st.floats(-700.0, 700.0), z=st.floats(-0.9, 3.0))
def test_elementary_functions_are_precise(x, y, z):
    """Logarithms and exponentials are within three units in the last place of the C library's."""
    pairs = [
        (elementary.log(x), math.log(x)),
        (elementary.exp(y), math.exp(y)),
        (elementary.log1p(z), math.log1p(z)),
    ]
    for ours, wanted in pairs:
        assert abs(ours - wanted) <= 3.0 * math.ulp(wanted)


@given(turns=st.floats(-100.0, 100.0))
def test_sines_are_precise(turns):
    """A season swings as a sine does, also after many turns."""
    wanted = math.sin(2.0 * math.pi * (turns - round(turns)))
    assert elementary.sine(turns) == pytest.approx(wanted, rel=0.0, abs=1e-15)


def test_exponentials_end():
    """Beyond what a float holds they are 0 and infinite."""
    assert elementary.exp(-1e9) == 0.0
    assert elementary.exp(1e9) == math.inf


def test_normal_variates_are_normal():
    """A Kolmogorov-Smirnov test finds no difference; a fair sample fails once in a million."""
    rng = np.random.default_rng(4)
    assert stats.kstest([elementary.normal(rng) for _ in range(20_000)], "norm").pvalue > UNLIKELY
