"""The stopping boundary in the history of an arm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.lab.tabs.market_arm_history import within
from kcmab_abm.theory import stopping_boundary

sizes = st.integers(10, 60)


@given(st.floats(0.05, 0.95), sizes, sizes)
def test_what_is_drawn_is_the_boundary(mean, right, top):
    """Every point drawn is on the boundary, except where the line enters and leaves the plot."""
    stops = stopping_boundary(mean, 200)
    drawn = within(stops, right, top)
    true = dict(stops)
    for zeros, ones in drawn[1:]:
        assert zeros <= right
        assert ones == min(true[zeros], top)
    assert sum(true[zeros] > top for zeros, _ in drawn[1:]) <= 1, "along the frame"
    if drawn:
        assert drawn[0] == (stops[0][0], 0)


@pytest.mark.parametrize("mean", [0.7, 0.9, 0.99])
def test_no_line_runs_along_the_frame(mean):
    """A steep boundary leaves through the top, and nothing is drawn after that."""
    drawn = within(stopping_boundary(mean, 1000), right=40, top=10)
    assert drawn[-1][0] < 10
    assert [ones for _, ones in drawn[:-2]] == sorted({ones for _, ones in drawn[:-2]})


def test_a_boundary_within_the_frame_is_drawn_whole():
    """A boundary that fits is drawn in full."""
    stops = stopping_boundary(0.3, 20)
    assert within(stops, 100, 100)[1:] == stops
    assert within([], 10, 10) == []
