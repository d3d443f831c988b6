"""The look of every figure: readable in a lecture hall, also for the colour-blind."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

# Okabe and Ito's palette without its yellow, which a projector washes out.
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]
_DASHES = ["-", "--", "-.", ":"]
_MARKERS = "osD^vPX"
_SETTINGS: Any = {
    "font.size": 13,
    "axes.titlesize": 15,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "legend.frameon": False,
    "svg.hashsalt": "kcmab",  # else every svg differs from the last
    "text.parse_math": False,  # a dollar in a title is a dollar
}
# What the writers would put in by themselves: dates and versions.
_METADATA: dict[str, Any] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


class Pen(NamedTuple):
    """How one policy is drawn in every panel."""

    colour: str
    dashes: Any
    marker: str


def pens(count: int) -> list[Pen]:
    """As many pens as needed: neighbours differ in colour, dashes and marker."""
    ways = zip(*map(itertools.cycle, (_COLOURS, _DASHES, _MARKERS)), strict=False)
    return [Pen(*way) for way in itertools.islice(ways, count)]


def styled() -> Any:
    """The context in which figures are made."""
    return mpl.rc_context(_SETTINGS)


def save(
    figure: Figure, folder: Path, name: str, formats: tuple[str, ...] = ("png", "svg")
) -> None:
    """Write a figure in some formats, the same bytes for the same figure."""
    with styled(), warnings.catch_warnings():
        # A title in a script that the font lacks is drawn with boxes, and not talked about.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        FigureCanvasAgg(figure)
        for ending in formats:
            figure.savefig(folder / f"{name}.{ending}", dpi=150, metadata=_METADATA[ending])


def percent(share: float) -> str:
    """A share in words: whole percents, small ones with a digit more.

    >>> percent(0.123), percent(0.0345), percent(0.02), percent(0.0001)
    ('12 %', '3.5 %', '2 %', '<0.1 %')
    """
    if 0.0 < share < 0.001:
        return "<0.1 %"
    digits = 0 if share >= 0.0995 else 1
    return f"{100 * share:.{digits}f} %".replace(".0 %", " %")
