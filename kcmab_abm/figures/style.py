"""The style of all figures: readable in a lecture hall and with colour blindness."""

from __future__ import annotations

import itertools
import textwrap
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase

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
    "svg.hashsalt": "kcmab",  # makes SVG files reproducible
    "text.parse_math": False,  # titles may contain dollar signs
}
# Removes dates and versions, which would make files differ.
_METADATA: dict[str, Any] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


class Pen(NamedTuple):
    """The colour, dashes and marker of one policy in every panel."""

    colour: str
    dashes: Any
    marker: str


def pens(count: int) -> list[Pen]:
    """As many pens as needed: neighbours differ in colour, dashes and marker."""
    looks = zip(*map(itertools.cycle, (_COLOURS, _DASHES, _MARKERS)), strict=False)
    return [Pen(*look) for look in itertools.islice(looks, count)]


def styled() -> Any:
    """The context in which figures are drawn."""
    return mpl.rc_context(_SETTINGS)


def panel_grid(figure: FigureBase, count: int, columns: int, shared: bool = False) -> list[Axes]:
    """So many panels in rows; those above an empty place keep the labels of their ticks."""
    rows = -(-count // columns)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=shared, sharey=shared).ravel()
    for place in range(count, len(grid)):
        grid[place].set_visible(False)
        grid[place - columns].tick_params(labelbottom=True)
    return list(grid[:count])


def readable_on(fill: Any) -> str:
    """White on dark colours, black on light ones."""
    return "white" if 0.3 * fill[0] + 0.59 * fill[1] + 0.11 * fill[2] < 0.5 else "black"


def set_headline(figure: Figure, text: str, size: float = 17) -> None:
    """The title above all panels, wrapped to the width of the figure."""
    letters = int(0.95 * figure.get_figwidth() * 72 / (0.6 * size))
    figure.suptitle("\n".join(wrapped(line, letters) for line in text.splitlines()), fontsize=size)


def wrapped(text: str, letters: int, lines: int = 3) -> str:
    """A text wrapped to a few lines of so many letters, cut if it is longer.

    >>> print(wrapped("a label that somebody wrote", 12, 2))
    a label that
    somebody ...
    """
    return textwrap.fill(text, letters, max_lines=lines, placeholder=" ...")


def save(
    figure: Figure, folder: Path, name: str, formats: tuple[str, ...] = ("png", "svg")
) -> None:
    """Write a figure in several formats, the same bytes for the same figure."""
    with styled(), warnings.catch_warnings():
        # Characters that the font lacks are drawn as boxes, without warnings.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        FigureCanvasAgg(figure)
        engine = figure.get_layout_engine()
        for ending in formats:
            figure.savefig(folder / f"{name}.{ending}", dpi=150, metadata=_METADATA[ending])
            figure.set_layout_engine("none")  # it is laid out now, which takes as long as drawing
        figure.set_layout_engine(engine)


def percent(share: float) -> str:
    """A share as a percentage; small ones with one more digit.

    >>> percent(0.123), percent(0.0345), percent(0.02), percent(0.0001)
    ('12 %', '3.5 %', '2 %', '<0.1 %')
    """
    if 0.0 < share < 0.001:
        return "<0.1 %"
    digits = 0 if share >= 0.0995 else 1
    return f"{100 * share:.{digits}f} %".replace(".0 %", " %")
