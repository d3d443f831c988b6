"""The panels of a figure: as many beside each other as there is room for."""

from __future__ import annotations

from typing import cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kcmab_abm.errors import MarketError
from kcmab_abm.figures.curves import add_legend, legend_rows
from kcmab_abm.figures.style import Look, Pen, new_figure, panel_grid, set_headline

_PANEL = 6.5, 4.9  # inches of a panel
_NARROWEST = 2.9  # inches of a panel beside another
_SLIDE_ROWS = 2
_TITLE = 0.9  # inches


def new_panels(
    look: Look,
    count: int,
    palette: dict[str, Pen],
    ax: Axes | None = None,
    columns: int = 0,
) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels, or the axes that somebody else made.

    There are as many columns as fit, or as asked for. A slide has room for two
    rows.
    """
    if ax is not None:
        if count != 1:
            raise MarketError(
                f"ax: the figure has {count} panels, and there is one place to draw; choose one "
                "measure, and one point or market"
            )
        return cast(Figure, ax.get_figure()), [ax]
    columns = columns or min(count, 3)
    wide = look.wide(_PANEL[0] * columns)
    while columns > 1 and wide / columns < _NARROWEST:
        columns -= 1
    rows = -(-count // columns)
    if look.is_slide and rows > _SLIDE_ROWS:
        raise MarketError(
            f"style: a slide has no room for {rows} rows of panels; choose a measure, or hold "
            "settings at one value with at"
        )
    each = min(_PANEL[1], max(3.1, 0.75 * wide / columns))
    legend = 0.32 * legend_rows(palette, wide) + 0.5
    figure = new_figure(look, wide, rows * each + legend + _TITLE * look.has_title)
    return figure, panel_grid(figure, count, columns)


def finish(
    figure: Figure,
    palette: dict[str, Pen],
    title: str,
    look: Look,
    lines: bool = True,
    note: str = "",
) -> None:
    """Add the title, unless it is the caption's, and the legend, with a note as its title."""
    if look.has_title:
        set_headline(figure, title)
    add_legend(figure, palette, lines, title=note)
