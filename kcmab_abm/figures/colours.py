"""The colour, dashes and marker of every policy: the same in all figures and in the lab.

Without matplotlib, so that pages can use it, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple
from zlib import crc32

# Okabe and Ito's palette without its yellow, which a projector washes out; then darker colours of
# Tol's, for policies that are rarely drawn together.
_COMMON = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_RARE = ("#882255", "#44AA99", "#999933", "#332288", "#AA4499", "#661100", "#117733")
_GREY = "#6B6B6B"  # instead of black, which a dark page swallows
_DASHES = ("-", "--", "-.", ":")
_MARKERS = "osD^vPX"


class Pen(NamedTuple):
    """The colour, dashes and marker of one policy in every panel."""

    colour: str
    dashes: Any  # one of matplotlib's styles of lines
    marker: str


def pens(count: int) -> list[Pen]:
    """As many pens as needed: neighbours differ in colour, dashes and marker."""
    looks = zip(*map(itertools.cycle, (_COMMON, _DASHES, _MARKERS)), strict=False)
    return [Pen(*look) for look in itertools.islice(looks, count)]


# New policies come last, so that the others keep their pens.
_NAMED = (
    *("ucb", "modified-epsilon-greedy", "modified-ts", "ts", "kl-ucb", "epsilon-greedy", "greedy"),
    *("imed", "gittins", "optimal", "besa", "moss", "round-robin", "explore-first"),
    *("rb-sda", "top-two", "tsallis-inf", "ipa", "discounted-ucb", "sliding-window-ucb"),
    "principal-epsilon-greedy",
)
_IN_TURN = ("-", "--", "-.", ":", "--", "-.", "-")  # shifted by one for every seven policies
_COLOURS = (*_COMMON[:-1], _GREY, *_RARE)
_ALL = [
    Pen(
        _COLOURS[place % 14],
        _IN_TURN[(place + place // 7) % 7],
        _MARKERS[(place + place // 14) % 7],
    )
    for place in range(42)
]


def pens_of(labels: Iterable[str]) -> dict[str, Pen]:
    """A pen for every policy, by its label: that of its name, whichever policies are beside it.

    Policies of the user's, and several settings of one policy, get the pen that follows from the
    label; only if another policy in the figure has its colour, the next one that is free.

    >>> pens_of(["greedy", "ucb"])["ucb"] == pens_of(["ucb"])["ucb"]
    True
    """
    labels = list(labels)
    found = {label: _ALL[_NAMED.index(label)] for label in labels if label in _NAMED}
    for label in labels:
        if label not in found:
            found[label] = _free(_preferred(label), list(found.values()))
    return {label: found[label] for label in labels}


def _preferred(label: str) -> int:
    """The place of the pen of a label: that of the policy that it begins with, or any."""
    name = label.partition(" ")[0].rstrip(",:")
    if name in _NAMED:
        return _NAMED.index(name)
    return crc32(label.encode()) % len(_COMMON)


def _free(start: int, taken: list[Pen]) -> Pen:
    """The first pen from a place on whose colour is free; if none is, one that differs."""
    order = [*_ALL[start:], *_ALL[:start]]
    colours = {pen.colour for pen in taken}
    free = [pen for pen in order if pen.colour not in colours]
    return next(iter(free or [pen for pen in order if pen not in taken] or order))
