"""The book knows who leads, without looking through all arms at every report."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm.book import record
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
