"""Reward laws against their formulae, and the streams of randomness under them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy import integrate, stats

from kcmab_abm import make_scenario
from kcmab_abm.batch.kernels import kernel_for, known_laws
from kcmab_abm.catalogue.registry import BEHAVIOURS, DISCLOSURES, POLICIES, PRICING
from kcmab_abm.model import streams
from tests.markets import GROUPS, LAW_NAMES, OBSERVED, arm_lists

POINTS = 2000  # of the midpoint rule
LAST = 1.0 - 2.0**-53  # the highest uniform on a tape
SAMPLE = 100_000
UNLIKELY = 1e-6  # how often a fair stream fails one of these tests, over all seeds
SIGMAS = 5.0  # a normal deviate is beyond once in 1.7 million

# What a tape can hold: multiples of 2**-53 below 1.
uniforms = st.integers(0, 2**53 - 1).map(lambda whole: whole * 2.0**-53)


def arms_of(groups):
    """The arms that a scenario makes of these groups."""
    settings = {"horizon": 1, "market": {"arms": groups}, "policy": [{"name": "greedy"}]}
    return make_scenario(settings).market.arms


def one_arm(law, **settings):
    """A single arm."""
    return arms_of({"law": law, **settings})[0]


def quantile(arm, uniform):
    """The reward that the arm makes of a uniform."""
    return arm.law.reward(uniform, arm.numbers)


def arms_by_law(law):
    """A strategy for arms of one law."""
    return arm_lists([law]).map(lambda groups: arms_of(groups)[0])


@pytest.mark.parametrize("law", LAW_NAMES)
@given(data=st.data())
def test_moments_are_those_of_the_quantile_function(law, data):
    """Mean and variance are what the midpoint rule finds, whose error is bounded by 1/n."""
    arm = data.draw(arms_by_law(law))
    rewards = np.array([quantile(arm, (k + 0.5) / POINTS) for k in range(POINTS)])
    assert arm.mean == pytest.approx(rewards.mean(), abs=1 / POINTS)
    assert arm.variance == pytest.approx(rewards.var(), abs=3 / POINTS)


SMOOTH_ARMS = {
    "beta": {"alpha": [2.0], "beta": [3.5]},
    "uniform": {"low": [0.15], "high": [0.85]},
    "bernoulli": {"means": [0.3]},
    "discrete": {"values": [0.1, 0.4, 1.0], "probabilities": [[0.5, 0.2, 0.3]]},
    "empirical": OBSERVED,  # its first arm has three rewards
}
JUMPS = {"bernoulli": [0.7], "discrete": [0.5, 0.7], "empirical": [1 / 3, 2 / 3]}


@pytest.mark.parametrize("law", LAW_NAMES)
def test_moments_by_quadrature(law):
    """Mean and variance are the integrals of the quantile function, to eight digits."""
    arm = one_arm(law, **SMOOTH_ARMS[law])
    first, second = (
        integrate.quad(
            lambda u, power=power: quantile(arm, u) ** power,
            0.0,
            LAST,
            points=JUMPS.get(law),
            epsabs=1e-10,
        )[0]
        for power in (1, 2)
    )
    assert arm.mean == pytest.approx(first, abs=1e-8)
    assert arm.variance == pytest.approx(second - first**2, abs=1e-8)


@pytest.mark.parametrize("law", LAW_NAMES)
@given(data=st.data(), pair=st.tuples(uniforms, uniforms))
def test_quantile_functions_do_not_decrease(law, data, pair):
    """A higher uniform never pays less, and all that is paid lies in [0, 1]."""
    arm = data.draw(arms_by_law(law))
    low, high = (quantile(arm, uniform) for uniform in sorted(pair))
    assert 0.0 <= low <= high <= 1.0


@given(alpha=st.floats(0.05, 100.0), beta=st.floats(0.05, 100.0), uniform=st.floats(1e-6, 1 - 1e-6))
def test_beta_rewards_are_the_quantiles_of_scipy(alpha, beta, uniform):
    """The beta law agrees with scipy.stats, which inverts the distribution on its own."""
    arm = one_arm("beta", alpha=[alpha], beta=[beta])
    assert quantile(arm, uniform) == pytest.approx(stats.beta.ppf(uniform, alpha, beta), abs=1e-9)


@given(mean=st.floats(0.01, 0.99), concentration=st.floats(0.1, 100.0))
def test_beta_by_mean_and_concentration(mean, concentration):
    """Means are kept; the concentration is alpha + beta."""
    arm = one_arm("beta", means=[mean], concentration=concentration)
    assert arm.mean == pytest.approx(mean)
    assert sum(arm.row[:2]) == pytest.approx(concentration)
    assert arm.variance == pytest.approx(mean * (1 - mean) / (concentration + 1))


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_certain_arms_are_certain(mean):
    """An arm of mean 0 or 1 pays that and nothing else, at both ends of the tape's range."""
    arms = [
        one_arm("bernoulli", means=[mean]),
        one_arm("uniform", low=[mean], high=[mean]),
        one_arm("discrete", values=[mean], probabilities=[[1.0]]),
    ]
    for arm in arms:
        assert arm.mean == mean
        assert arm.variance == 0.0
        assert {quantile(arm, uniform) for uniform in (0.0, 0.5, LAST)} == {mean}


def test_values_without_probability_are_never_paid():
    """A discrete arm skips values of probability nought, wherever they stand."""
    arm = one_arm("discrete", values=[0.0, 0.5, 1.0], probabilities=[[0.0, 1.0, 0.0]])
    assert {quantile(arm, uniform) for uniform in (0.0, 0.3, LAST)} == {0.5}


@pytest.mark.parametrize("law", LAW_NAMES)
def test_tapes_have_the_moments_of_the_law(law):
    """The mean and variance of a long tape are within five standard errors of the formulae."""
    arm = one_arm(law, **SMOOTH_ARMS[law])
    key = streams.replication_key(3, 14, streams.ARMS)
    rewards = np.array([quantile(arm, u) for u in streams.keyed_uniforms(key, 0, SAMPLE)])
    squares = (rewards - arm.mean) ** 2
    for sample, truth in ((rewards, arm.mean), (squares, arm.variance)):
        error = sample.std() / math.sqrt(SAMPLE)
        assert abs(sample.mean() - truth) < SIGMAS * error


def first_entries(root, purpose, position=0):
    """One entry of the tapes of one purpose, for many replications."""
    numbers = np.arange(SAMPLE, dtype=np.uint64)
    with np.errstate(over="ignore"):
        keys = streams.stream_key(root, numbers, np.uint64(purpose))
        return streams.uniform_at(keys, np.uint64(position))


def tape_of(seed=0, replication=0, arm=0, first=0):
    """A long piece of an arm's tape."""
    key = streams.replication_key(seed, replication, streams.ARMS + arm)
    return streams.keyed_uniforms(key, first, SAMPLE)


SAMPLES = {
    "along a tape": lambda: tape_of(seed=1),
    "along a far piece of a tape": lambda: tape_of(seed=2, first=10**9),
    "across replications": lambda: first_entries(streams.root_key(1), streams.ARMS),
    "across replications, later": lambda: first_entries(streams.root_key(1), streams.ARMS, 77),
    "of the reports": lambda: first_entries(streams.root_key(1), streams.REPORTS, 5),
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))
def test_uniforms_are_uniform(sample):
    """Entries are spread evenly over [0, 1), in whichever direction they are read."""
    values = sample()
    assert 0.0 <= values.min() <= values.max() < 1.0
    assert stats.kstest(values, "uniform").pvalue > UNLIKELY


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))
@pytest.mark.parametrize("lag", [1, 2, 16])
def test_neighbours_are_uncorrelated(sample, lag):
    """Entries next to each other know nothing of each other, nor do their squares."""
    values = sample()
    assert_uncorrelated(values[:-lag], values[lag:])


NEIGHBOURS = {
    "arms": {"arm": 1},
    "distant arms": {"arm": 10},
    "replications": {"replication": 1},
    "seeds": {"seed": 1},
    "shifted arms": {"arm": 1, "first": 1},
}


@pytest.mark.parametrize("other", NEIGHBOURS.values(), ids=list(NEIGHBOURS))
def test_tapes_are_uncorrelated(other):
    """Tapes of neighbouring arms, replications and seeds know nothing of each other."""
    assert_uncorrelated(tape_of(), tape_of(**other))


def assert_uncorrelated(one, other):
    """Correlations of the values and of their distances from the middle are within noise."""
    for left, right in ((one, other), (abs(one - 0.5), abs(other - 0.5))):
        correlation = np.corrcoef(left, right)[0, 1]
        assert abs(correlation) * math.sqrt(len(left)) < SIGMAS


def test_a_tape_may_be_read_anywhere():
    """An entry depends on its position alone, not on where the reading began."""
    key = streams.replication_key(4, 2, streams.ARMS)
    whole = streams.keyed_uniforms(key, 0, 50)
    assert streams.keyed_uniforms(key, 20, 5).tolist() == whole[20:25].tolist()


def test_no_two_streams_share_a_key():
    """Purposes, replications and seeds all make a difference."""
    keys = {
        int(streams.replication_key(seed, replication, purpose))
        for seed in range(5)
        for replication in range(40)
        for purpose in range(40)
    }
    assert len(keys) == 5 * 40 * 40


@pytest.mark.parametrize("purpose", [streams.POLICY, streams.CUSTOMERS, streams.ARRIVALS])
def test_generators_begin_uniform_and_uncorrelated(purpose):
    """The first draws of the generators of successive replications are as good as random."""
    stream = streams.Stream()
    pairs = [stream.open(6, replication, purpose).random(2) for replication in range(5000)]
    first, second = np.array(pairs).T
    assert stats.kstest(first, "uniform").pvalue > UNLIKELY
    assert stats.kstest(second, "uniform").pvalue > UNLIKELY
    assert_uncorrelated(first, second)
    assert_uncorrelated(first[:-1], first[1:])


def draws(rng):
    """Some draws of the kinds that policies make."""
    kinds = rng.random(), rng.beta(2.0, 3.0), rng.standard_normal(), rng.standard_exponential()
    return [*kinds, rng.random()]


@njit
def compiled_draws(words, rng, key):
    """The same draws in compiled code, after a restart there."""
    streams.restart(words, rng, key)
    kinds = rng.random(), rng.beta(2.0, 3.0), rng.standard_normal(), rng.standard_exponential()
    return [*kinds, rng.random()]


def test_restart_is_the_same_in_compiled_code():
    """A stream restarted by compiled code draws what it draws when restarted by Python."""
    agents = (POLICIES["ucb"], BEHAVIOURS["greedy"], PRICING["least"], DISCLOSURES["full"])
    kernel_for(agents, known_laws(()), plain=True)
    stream = streams.Stream()
    for replication in range(20):
        plain = draws(stream.open(9, replication, streams.POLICY))
        key = streams.replication_key(9, replication, streams.POLICY)
        assert compiled_draws(stream.words, stream.rng, key) == plain


@given(count=st.integers(0, 20), seed=st.integers(0, 100))
def test_restart_forgets_what_was_drawn(count, seed):
    """What a stream gives after a restart does not depend on its past, half-used draws included."""
    used = streams.Stream()
    used.open(seed + 1, 5, streams.CUSTOMERS).random(count)
    used.rng.random(count, dtype=np.float32)
    fresh = streams.Stream()
    openings = [each.open(seed, 3, streams.POLICY) for each in (used, fresh)]
    one, other = ([rng.random(dtype=np.float32), *draws(rng)] for rng in openings)
    assert one == other


def test_words_are_the_state_of_the_generator():
    """Reading the words shows what was drawn; writing them changes what will be."""
    stream = streams.Stream()
    bits = stream.rng.bit_generator
    for _ in range(3):
        assert stream.words[:4].tolist() == bits.state["state"]["state"].tolist()
        stream.rng.random()
    before = stream.words.copy()
    drawn = stream.rng.random(5).tolist()
    assert stream.words.tolist() != before.tolist()
    stream.words[:] = before
    assert stream.rng.random(5).tolist() == drawn


def test_the_last_word_holds_the_half_used_draw():
    """A 32-bit draw leaves its other half in the last word, which a restart clears."""
    stream = streams.Stream()
    stream.rng.random(dtype=np.float32)
    assert stream.rng.bit_generator.state["has_uint32"] == 1
    assert stream.words[4] != 0
    stream.open(0, 0, streams.POLICY)
    assert stream.words[4] == 0
    assert stream.rng.bit_generator.state["has_uint32"] == 0


def test_every_law_has_its_smooth_arm():
    """A law that is added to the catalogue needs an example here."""
    assert sorted(SMOOTH_ARMS) == sorted(GROUPS) == LAW_NAMES
