"""The book knows who leads, without looking through all arms at every report."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm.model.book import empty_book, find_top, record
from tests.contract.arena import new_book
from tests.markets import rewards


@settings(max_examples=8 * settings.default.max_examples)
@given(st.data(), st.integers(1, 5))
def test_the_top_is_the_first_of_the_highest_means(data, arms):
    """After every report: the lowest index with the highest mean, and how many share it."""
    told = st.integers(-1, 2).map(float) | rewards()
    reports = data.draw(st.lists(st.tuples(st.integers(0, arms - 1), told), max_size=40))
    book = new_book(arms)
    for arm, reward in reports:
        record(book, arm, reward)
        means = book.means.tolist()
        best = max(means)
        assert book.top.tolist() == [means.index(best), means.count(best)]
        means.pop(book.top[0])
        assert all(mean <= book.behind[0] for mean in means)


LEADS = {
    (0.2, 0.8, 0.5): (1, 1, 0.5),
    (0.8, 0.2, 0.8): (0, 2, 0.8),
    (0.5, 0.5): (0, 2, 0.5),
    (-0.5, -0.25): (1, 1, -0.5),
    (0.0, 0.0, 0.0, 0.25): (3, 1, 0.0),
    (0.5,): (0, 1, -math.inf),
}


@pytest.mark.parametrize("means", LEADS)
def test_a_look_through_all_means_finds_the_leader_and_the_next(means):
    """The next is known exactly then, so that the following reports need no look."""
    book = new_book(len(means))
    for arm, mean in enumerate(means):
        book.means[arm] = mean
    find_top(book)
    assert (*book.top.tolist(), *book.behind.tolist()) == LEADS[means]


def test_ties_are_random_unless_asked():
    """A new book leaves ties to chance, as markets do by default."""
    assert not empty_book(2).first_ties
    assert empty_book(2, first_ties=True).first_ties
