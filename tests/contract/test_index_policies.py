"""Index policies of the catalogue, computed by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from kcmab_abm.entries.policies.gittins import JUMP, gittins_index, psi
from tests.contract.arena import Scripted, book_of, promoted


def test_kl_ucb_plus_divides_the_customers_by_the_reports():
    """Two failures: 1 - t^(-1/2), and 1 - (t/2)^(-1/2); four halves: (1 + sqrt(1 - t^(-1/2))) / 2.

    At t = 16 0.750 against 0.933 and, with 8 and 4 customers for each report, 0.646 against 0.854.
    With 0.65 of ten thousand beside it, which has 0.666 and 0.657, a failure at t = 9 has 0.667 and
    0.529.
    """
    few = book_of([0.0, 0.65], [2, 10_000])
    plain, plus = (0.0, 1.0, False, False, 0.0), (0.0, 1.0, True, False, 0.0)
    assert promoted("kl-ucb", [9], few, values=plain) == [0]
    assert promoted("kl-ucb", [9], few, values=plus) == [1]


def test_kl_ucb_may_explore_less():
    """Half the budget of a failure at t = 16 gives 1 - 16^(-1/2) = 0.750, below 0.8 of many."""
    book = book_of([0.0, 0.8], [1, 10**9])
    assert promoted("kl-ucb", [16], book) == [0]
    assert promoted("kl-ucb", [16], book, values=(0.0, 0.5, False, False, 0.0)) == [1]


def test_kl_ucb_may_mind_the_price():
    """One failure has 0.938 at t = 16 and needs an offer of 0.8; the other arm has 0.8.

    0.938 - 0.1 * 0.8 exceeds 0.8, and 0.938 - 0.2 * 0.8 does not.
    """
    book = book_of([0.0, 0.8], [1, 10**9])
    assert promoted("kl-ucb", [16], book, values=(0.0, 1.0, False, False, 0.1)) == [0]
    assert promoted("kl-ucb", [16], book, values=(0.0, 1.0, False, False, 0.2)) == [1]


def test_kl_ucb_may_count_the_customers_to_come():
    """One failure has the bound 1 - 1 / (T - t + 1): with T = 20, 0.80 at t = 16, 0.75 at 17."""
    book = book_of([0.0, 0.79], [1, 10**9])
    remaining = (0.0, 1.0, False, True, 0.0)
    chosen = promoted("kl-ucb", [16, 17, 20], book, values=remaining, horizon=20)
    assert chosen == [0, 1, 1]


@pytest.mark.parametrize(
    ("s", "value"),
    [(0.08, 0.2), (0.2, 0.1**0.5), (1.0, 0.38), (4.0, 0.5), (9.0, 0.57667), (16.0, 0.77979)],
)
def test_psi_is_that_of_brezzi_and_lai(s, value):
    """Their five pieces; the last one is sqrt(2 ln s - ln ln s - ln 16 pi)."""
    assert psi(s) == pytest.approx(value, abs=1e-5)


def test_psi_falls_only_where_its_pieces_meet():
    """It grows on every piece, and falls by less than what the fast rule allows for."""
    ends = [1e-9, 0.2, 1.0, 5.0, 15.0, 1e6]
    for low, high in itertools.pairwise(ends):
        values = [psi(s) for s in np.geomspace(math.nextafter(low, 9e9), high, 400)]
        assert values == sorted(values)
    drops = [psi(s) - psi(math.nextafter(s, 9e9)) for s in ends[1:-1]]
    assert max(drops) < 0.073 < JUMP
    assert drops[3] < 0.0


def test_gittins_by_hand():
    """A failure has posterior mean 1/3 and deviation 0.236; one success of two 0.5 and 0.224.

    With 100 customers to come psi(25) = 1.163 and psi(20) = 0.988: 0.607 against 0.721. With one,
    psi(1/4) = 0.27 and psi(1/5) = 0.316: 0.397 against 0.571. 0.6 of 98 reports has mean 0.598 and
    deviation 0.049: 0.692 against 1.067 of a failure with 10 000 to come, 0.616 with 100.
    """
    assert gittins_index(0.0, 1, 100) == pytest.approx(0.6073, abs=1e-4)
    assert gittins_index(1.0, 2, 100) == pytest.approx(0.7210, abs=1e-4)
    assert gittins_index(0.0, 1, 1) == pytest.approx(0.3970, abs=1e-4)
    assert gittins_index(1.0, 2, 1) == pytest.approx(0.5707, abs=1e-4)
    book = book_of([0.0, 0.6], [1, 98])
    assert promoted("gittins", [1, 9_901, 10_000], book, horizon=10_000) == [0, 1, 1]


def test_imed_by_hand():
    """The leader has ln N; a record of N zeros beside 1/2 has N ln 2 + ln N.

    Two zeros have 2.08, as much as 8 reports: they are promoted from 9 reports of 1/2 on.
    """
    assert promoted("imed", [9], book_of([0.5, 0.0], [7, 2])) == [0]
    assert promoted("imed", [9], book_of([0.5, 0.0], [9, 2])) == [1]
    assert promoted("imed", [9], book_of([0.5, 0.0, 0.5], [9, 9, 7])) == [2]


def test_imed_gives_up_what_failed_beside_what_never_did():
    """KL(m, 1) is infinite, however many reports the perfect arm has."""
    assert promoted("imed", [9], book_of([1.0, 0.999, 1.5], [10**6, 1, 10**7])) == [2]
    assert promoted("imed", [9], book_of([1.0, 0.999], [10**6, 1])) == [0]
    tie = book_of([1.0, 0.5, 1.0], [2, 1, 2])
    assert promoted("imed", [9, 9], tie, Scripted([0.4, 0.6])) == [0, 2]


def test_moss_by_hand():
    """Two arms, T = 40: a report has ln 20 = 1.731^2, five ln 4 = 1.177^2, twenty and more nothing.

    0.1 + 1.731 against 0.9 + 0.527; with five of each the records decide, and 0.5 of twenty beats
    0.45 of thirty. An arm of ten has 0.2 + 0.263 against 0.45.
    """
    assert promoted("moss", [7], book_of([0.1, 0.9], [1, 5]), horizon=40) == [0]
    assert promoted("moss", [11], book_of([0.1, 0.9], [5, 5]), horizon=40) == [1]
    assert promoted("moss", [39], book_of([0.45, 0.5], [30, 20]), horizon=40) == [1]
    assert promoted("moss", [39], book_of([0.45, 0.2], [30, 10]), horizon=40) == [1]
    assert promoted("moss", [39], book_of([0.45, 0.18], [30, 10]), horizon=40) == [0]


def test_moss_is_random_among_equals():
    """Arms with as many reports and the same mean tie, and one draw decides."""
    book = book_of([0.5, 0.5], [3, 3])
    assert promoted("moss", [7, 8], book, Scripted([0.4, 0.6]), horizon=40) == [0, 1]
