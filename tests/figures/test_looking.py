"""The look at a figure finds what a reader would stumble over, and nothing in a clean figure."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from kcmab_abm.figures.style import styled

from .looking import complaints


def clean() -> Figure:
    """A figure with all that a figure has, and nothing to complain about."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label="a line")
    axes.set_xlabel("across")
    axes.set_title("A title of $5")
    axes.annotate("within", (0.8, 0.2))
    figure.legend(loc="outside lower center")
    return figure


NAMES = [f"a rather long name {place}" for place in range(10)]
FAULTS = {
    "typeset": (lambda axes: axes.set_yscale("log"), "markup: '$"),
    "small": (lambda axes: axes.annotate("tiny", (0.6, 0.1), fontsize=5), "small: 'tiny'"),
    "cut": (lambda axes: axes.set_title("much too long " * 9), "cut by the edge: 'much"),
    "covered": (lambda axes: axes.annotate("again", (0.81, 0.2)), "'within' lies on 'again'"),
    "crowded": (
        lambda axes: axes.set_xticks([place / 10 for place in range(10)], NAMES),
        "name 1' lies on 'a rather",
    ),
    "over the axis": (
        lambda axes: axes.annotate("leaves to the left", (0.0, 0.5), ha="right"),
        "leaves its axes",
    ),
    "title within": (lambda axes: axes.set_title("low", y=0.8), "lies over axes: 'low'"),
    "legend": (lambda axes: axes.legend(["a line, covered"], loc="center"), "legend on lines"),
    "crossed": (lambda axes: axes.annotate("crossed out", (0.4, 0.5)), "a line runs through"),
}


def test_nothing_is_wrong_with_a_clean_figure():
    """A plain figure is not complained about; a dollar of the user's is fine."""
    with styled():
        figure = clean()
    assert complaints(figure, "A title of $5") == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_seen(name):
    """Each fault by itself is complained about, in words that name it."""
    spoil, words = FAULTS[name]
    with styled():
        figure = clean()
        spoil(figure.axes[0])
    found = complaints(figure, "A title of $5")
    assert any(words in each for each in found), found


def test_a_dollar_that_would_be_typeset_is_seen():
    """Texts made outside of our style would read a user's dollars as formulas."""
    with styled():
        figure = clean()
    figure.text(0.1, 0.5, "$x$", parse_math=True)
    assert any("would be markup" in each for each in complaints(figure, "A title of $5 $x$"))
