"""The style of all figures: readable in a lecture hall and with colour blindness."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase

from kcmab_abm.errors import MarketError
from kcmab_abm.figures.colours import Pen as Pen
from kcmab_abm.figures.colours import pens as pens

_FONT = 13.0  # points, in figures that are not asked for at another size
_SETTINGS: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "legend.frameon": False,
    "svg.hashsalt": "kcmab",  # makes SVG files reproducible
    "pdf.fonttype": 42,  # journals refuse Type 3 fonts
    "text.parse_math": False,  # titles may contain dollar signs
}
# In points, for the font above; all of them grow and shrink with the font.
_SIZES = {
    "font.size": _FONT,
    "axes.titlesize": 15.0,
    "axes.labelsize": _FONT,
    "xtick.labelsize": _FONT,
    "ytick.labelsize": _FONT,
    "legend.fontsize": _FONT,
    "axes.linewidth": 0.8,
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.5,
    "lines.markersize": 6.0,
    "axes.titlepad": 6.0,
    "axes.labelpad": 4.0,
    **{f"{axis}tick.major.{each}": 3.5 for axis in "xy" for each in ("size", "pad")},
    **{f"{axis}tick.major.width": 0.8 for axis in "xy"},
}
# Removes dates and versions, which would make files differ.
_METADATA: dict[str, Any] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
WIDTHS = {"column": 3.4, "page": 7.0}  # inches, in most journals
SLIDE = 13.333, 7.5  # inches: 16:9
STYLES = {"journal": 7.0, "slides": 18.0}  # font sizes
_DOTS = 150  # per inch, in notebooks
_NARROWEST, _WIDEST = 2.0, 40.0  # inches
_FONTS = 4.0, 60.0


@dataclass(frozen=True)
class Look:
    """The size of a figure and of its letters; without a width, as large as its content.

    Figures are laid out for letters of 13 points and then scaled, so `wide` is the width that they
    have before. A figure for a journal has no title: that is the caption's.
    """

    width: float | None = None
    font: float = _FONT
    is_slide: bool = False
    has_title: bool = True

    @property
    def scale(self) -> float:
        """The factor by which everything is scaled."""
        return self.font / _FONT

    def wide(self, natural: float) -> float:
        """The width in inches before scaling, of a figure that would have a natural one."""
        return natural if self.width is None else self.width / self.scale


SCREEN = Look()


def look_of(
    width: str | float | None = None, font_size: float | None = None, style: str = "journal"
) -> Look:
    """The look that somebody asks for, checked."""
    if style not in STYLES:
        raise MarketError(f"style: must be {' or '.join(map(repr, STYLES))}, got {style!r}")
    font = STYLES[style] if font_size is None else float(font_size)
    if not _FONTS[0] <= font <= _FONTS[1]:
        raise MarketError(f"font_size: must be {_FONTS[0]:g} to {_FONTS[1]:g}, got {font:g}")
    if style == "slides":
        if width is not None:
            raise MarketError(
                f"width: slides are always {SLIDE[0]:.2f} x {SLIDE[1]:g} inches (16:9), got "
                f"{width!r}; leave it out, or take the style 'journal'"
            )
        return Look(SLIDE[0], font, is_slide=True)
    return Look(_inches("column" if width is None else width), font, has_title=False)


def _inches(width: str | float) -> float:
    """A width by its name, or in inches."""
    if isinstance(width, str) and width in WIDTHS:
        return WIDTHS[width]
    try:
        inches = float(width)
    except ValueError:
        inches = -1.0
    if not _NARROWEST <= inches <= _WIDEST:
        raise MarketError(
            f"width: must be {', '.join(map(repr, WIDTHS))} or inches from {_NARROWEST:g} to "
            f"{_WIDEST:g}, got {width!r}"
        )
    return inches


class StyledFigure(Figure):
    """A figure that is drawn and saved in the style in which it was made, wherever that is.

    Matplotlib makes ticks and their labels only when it draws.
    """

    look = SCREEN

    def draw(self, renderer: Any) -> None:
        """Draw in the figure's own style."""
        with styled(self.look):
            super().draw(renderer)

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save in the figure's own style, without dates or versions."""
        ending = str(options.get("format") or Path(str(fname)).suffix[1:]).lower()
        options.setdefault("metadata", _METADATA.get(ending))
        with styled(self.look), _boxes_for_missing_letters():
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        """The figure in a notebook, also where pyplot is not imported."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=_DOTS)
        return file.getvalue()


@contextmanager
def _boxes_for_missing_letters() -> Iterator[None]:
    """Characters that the font lacks are drawn as boxes, without warnings."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def styled(look: Look = SCREEN) -> Any:
    """The context in which figures are drawn."""
    sizes: Any = {name: size * look.scale for name, size in _SIZES.items()}
    return mpl.rc_context({**_SETTINGS, **sizes})


def sized(points: float) -> float:
    """A size for letters of 13 points, scaled like those of the figure that is being drawn."""
    return points * float(mpl.rcParams["font.size"]) / _FONT


def new_figure(look: Look, width: float, height: float) -> StyledFigure:
    """An empty figure; width and height are for letters of 13 points. Slides have their own."""
    size = SLIDE if look.is_slide else (look.scale * look.wide(width), look.scale * height)
    figure = StyledFigure(figsize=size, layout="constrained")
    engine: Any = figure.get_layout_engine()
    engine.set(w_pad=0.042 * look.scale, h_pad=0.042 * look.scale)
    figure.look = look
    return figure


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
    letters = int(0.95 * figure.get_figwidth() * 72 / (0.6 * sized(size)))
    lines = [wrapped(line, letters) for line in text.splitlines()]
    figure.suptitle("\n".join(lines), fontsize=sized(size))


def panel_inches(axes: Axes) -> float:
    """The width of the part of the figure that a panel is given, before it is scaled."""
    figure, place = axes.get_figure(root=True), axes.get_subplotspec()
    assert figure is not None
    columns = 1 if place is None else place.get_gridspec().ncols
    return float(figure.get_figwidth()) / sized(1.0) / columns


def set_ylabel(axes: Axes, text: str) -> None:
    """The name of a vertical axis, in two lines if the panel is too low for one."""
    figure, place = axes.get_figure(root=True), axes.get_subplotspec()
    assert figure is not None
    rows = 1 if place is None else place.get_gridspec().nrows
    high = float(figure.get_figheight()) / sized(1.0) / rows
    letter = 0.6 * 13 / 72
    is_long = letter * len(text) > 0.82 * high
    axes.set_ylabel(wrapped(text, len(text) // 2 + 4) if is_long else text)


def set_panel_title(axes: Axes, text: str, size: float = 15) -> None:
    """The title of a panel, wrapped to its width."""
    letters = max(12, int(0.8 * panel_inches(axes) * 72 / (0.6 * size)))
    axes.set_title(wrapped(text, letters), fontsize=sized(size))


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
    with styled(), _boxes_for_missing_letters():
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
