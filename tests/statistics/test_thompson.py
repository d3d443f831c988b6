"""Thompson sampling without drawing every sample is exact."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm.book import Book, empty_book, record
from kcmab_abm.catalogue import POLICIES
from kcmab_abm.policies.kl_ucb import divergence
from kcmab_abm.policies.ts import sample

DRAWS = 20_000
FALSE_ALARM = 1e-6  # for each posterior; fixed seeds, so it alarms always or never

POSTERIORS = [
    [(0, 1), (0, 1)],
    [(1, 0), (0, 1), (1, 0)],
    [(9, 1), (8, 2), (1, 1)],
    [(5, 5)] * 4,
    [(90, 10), (80, 20), (7, 3), (2, 8), (0, 3)],
    [(0, 40), (0, 30), (1, 50)],
    [(40, 0), (30, 0), (50, 1)],
    [(900, 100), (880, 120), (45, 5), (9, 1), (3, 0), (0, 1)],
]


def taught(counts: list[tuple[int, int]]) -> tuple[Book, tuple]:
    """A book and a memory after so many successes and failures of every arm."""
    entry, book = POLICIES.find("ts"), empty_book(len(counts))
    memory = entry.memory_fields(entry.blank_memory(len(counts), {}))
    for arm, (successes, failures) in enumerate(counts):
        for reward in [1.0] * successes + [0.0] * failures:
            record(book, arm, reward)
            entry.learn(arm, reward, book, memory, None, None)
    return book, memory


@pytest.mark.parametrize("counts", POSTERIORS)
def test_the_chosen_arm_has_the_distribution_of_the_plain_sampler(
    counts: list[tuple[int, int]],
) -> None:
    """Chi-square between the arms chosen here and by drawing every Beta."""
    book, memory = taught(counts)
    rng = np.random.default_rng(1)
    chosen = Counter(sample(book, memory, rng) for _ in range(DRAWS))
    alpha, beta = np.array(counts).T + 1.0
    plain = Counter(rng.beta(alpha, beta, (DRAWS, len(counts))).argmax(axis=1).tolist())
    table = np.array([[c[arm] for arm in range(len(counts))] for c in (chosen, plain)])
    seen = table[:, table.sum(axis=0) >= 10]
    assert table[:, table.sum(axis=0) < 10].sum() < 40
    if seen.shape[1] > 1:
        assert stats.chi2_contingency(seen).pvalue > FALSE_ALARM


@settings(max_examples=300)
@given(st.integers(0, 60), st.integers(0, 60), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_the_bounds_are_above_the_chance_to_win(ones: int, zeros: int, best: float) -> None:
    """Hoeffding's and Chernoff's bounds never rule out an arm that could win."""
    coins = ones + zeros + 1
    share = ones / coins
    if best > share:
        chance = stats.beta.sf(best, 1 + ones, 1 + zeros)
        assert chance <= np.exp(-2 * coins * (best - share) ** 2) * (1 + 1e-9) + 1e-300
        assert chance <= np.exp(-coins * divergence(share, best)) * (1 + 1e-9) + 1e-300
