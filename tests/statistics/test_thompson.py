"""Thompson sampling without drawing every sample is exact."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.entries.policies.ts import NEAR, STEPS, sample, textbook_sample
from kcmab_abm.model.book import Book, empty_book, record

DRAWS = 20_000
PLAIN = 10 * DRAWS
FALSE_ALARM = 1e-6  # of every test below; fixed seeds, so it alarms always or never

Counts = tuple[tuple[int, int], ...]  # successes and failures, arm by arm

FEW: list[Counts] = [
    ((0, 1), (0, 1)),
    ((1, 0), (0, 1), (1, 0)),
    ((9, 1), (8, 2), (1, 1)),
    ((5, 5),) * 4,
    ((90, 10), (80, 20), (7, 3), (2, 8), (0, 3)),
    ((0, 40), (0, 30), (1, 50)),
    ((40, 0), (30, 0), (50, 1)),
    ((900, 100), (880, 120), (45, 5), (9, 1), (3, 0), (0, 1)),
]

# Arms enough for the fuse to burn down several times a customer, or once in several customers.
MANY: list[Counts] = [
    ((3, 1), *[(0, 1)] * 50),
    ((5, 1), *[(1, 2)] * 30),
    ((9, 1), *[(2, 2)] * 40, *[(1, 4)] * 20),
    ((20, 2), *[(8, 4)] * 20, *[(2, 6)] * 20),
    (*[(50, 5)] * 2, *[(30, 10)] * 60, *[(2, 2)] * 5),
    ((200, 20), *[(3, 2)] * 60),
    (*[(1, 25)] * 20, (2, 30)),
    (*[(80, 15)] * 40, (900, 100)),
    (*[(0, 3)] * 40, (0, 12)),
]


def taught(counts: Counts) -> tuple[Book, tuple]:
    """A book and a memory after so many successes and failures of every arm."""
    entry, book = POLICIES["ts"], empty_book(len(counts))
    memory = entry.memory_fields(entry.blank_memory(len(counts), {}))
    for arm, (successes, failures) in enumerate(counts):
        for reward in [1.0] * successes + [0.0] * failures:
            record(book, arm, reward)
            entry.ask(
                "learn", arm=arm, reward=reward, book=book, memory=memory, params=None, rng=None
            )
    return book, memory


def test_a_sample_of_one_is_not_beaten() -> None:
    """A leader whose theta rounds to 1 is chosen: nothing can lie beyond, and nothing is tried."""
    book, memory = taught(((3, 0), (2, 3)))
    memory.successes[0] = 1e18
    for seed in range(200):
        memory.fuse[0] = 1e-12  # burns down at once, so that the other arm gets its trial
        assert sample(book, memory, np.random.default_rng(seed)) == 0


@cache
def chosen_by(counts: Counts) -> list[int]:
    """The arms that customers one after the other are promoted."""
    book, memory = taught(counts)
    rng = np.random.default_rng(1)
    return [sample(book, memory, rng) for _ in range(DRAWS)]


@cache
def chosen_plainly(counts: Counts) -> list[int]:
    """The arms with the highest of Beta variates that are all drawn."""
    alpha, beta = np.array(counts).T + 1.0
    rng = np.random.default_rng(2)
    arms: list[int] = rng.beta(alpha, beta, (PLAIN, len(counts))).argmax(axis=1).tolist()
    return arms


@pytest.mark.parametrize("counts", FEW)
def test_the_textbook_is_the_plain_sampler(counts: Counts) -> None:
    """The readable version draws every Beta in turn and takes the highest."""
    _, memory = taught(counts)
    alpha, beta = np.array(counts).T + 1.0
    variates = np.random.default_rng(3).beta(alpha, beta, (50, len(counts)))
    rng = np.random.default_rng(3)
    assert [textbook_sample(memory, rng) for _ in range(50)] == variates.argmax(axis=1).tolist()


def assert_alike(*samples: list[int]) -> None:
    """Chi-square between samples; what was seen too rarely for it is put together."""
    counters = [Counter(each) for each in samples]
    values = sorted(set().union(*counters))
    table = np.array([[counter[value] for value in values] for counter in counters])
    rare = table.sum(axis=0) < 100
    if rare.any():
        table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    if table.shape[1] > 1:
        assert stats.chi2_contingency(table).pvalue > FALSE_ALARM


def kinds(counts: Counts, arms: list[int]) -> list[int]:
    """Which of the different posteriors the arms have."""
    different = sorted(set(counts))
    return [different.index(counts[arm]) for arm in arms]


@pytest.mark.parametrize("counts", [*FEW, *MANY])
def test_the_chosen_arm_has_the_distribution_of_the_plain_sampler(counts: Counts) -> None:
    """Chi-square between the posteriors chosen here and by drawing every Beta."""
    ours, plain = chosen_by(counts), chosen_plainly(counts)
    assert_alike(kinds(counts, ours), kinds(counts, plain))


@pytest.mark.parametrize("counts", [*FEW, *MANY])
def test_the_order_of_arms_does_not_matter(counts: Counts) -> None:
    """Chi-square between the arms themselves, of which many have the same posterior."""
    assert_alike(chosen_by(counts), chosen_plainly(counts))


@pytest.mark.parametrize("counts", MANY[:-1])
def test_customers_are_independent(counts: Counts) -> None:
    """What burns from one customer to the next leaves no trace: chi-square on pairs of them."""
    chosen = kinds(counts, chosen_by(counts))
    common = Counter(chosen).most_common(1)[0][0]
    pairs = list(zip(chosen[::2], chosen[1::2], strict=True))
    assert_alike(
        *([b for a, b in pairs if (a == common) is as_usual] for as_usual in (True, False))
    )


@settings(max_examples=500)
@given(
    st.integers(0, 60) | st.integers(0, 3000),
    st.integers(0, 60) | st.integers(0, 3000),
    st.floats(0.001, 0.999),
)
def test_the_bounds_are_above_the_chance_to_win(ones: int, zeros: int, x: float) -> None:
    """The chance that theta exceeds x is below the curve's mass, and that is below exp(-e)."""
    coins = ones + zeros + 1
    share = ones / coins
    variance = share * (1 - share) if share > 0.5 else 0.25
    e = coins * (x - share) ** 2 / (2 * variance)
    if x > share and e < 500:
        chance = stats.beta.sf(x, 1 + ones, 1 + zeros)
        mass = stats.beta.pdf(x, 1 + ones, 1 + zeros) * (1 - x) * x / (coins * (x - share))
        assert chance <= np.exp(-e) * (1 + 1e-9)
        assert chance <= mass * (1 + 1e-9)
        if e >= NEAR / STEPS:
            assert mass <= np.exp(-e) * (1 + 1e-9)
