"""Curves over customers: a line for the mean and a band for its interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, MaxNLocator

from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.scales import write_plainly
from kcmab_abm.figures.style import Pen, panel_inches, set_headline, sized, styled, wrapped

MEASURES = {
    "regret": "Regret",
    "realised_regret": "Realised regret",
    "dynamic_regret": "Dynamic regret",
    "compensation": "Compensation",
}
_INCH = 8.5  # letters of a legend below the panels, in an inch
_USUAL = 13.0  # inches
_NARROW = 4.0  # inches of a panel with room for few ticks
_LETTERS = 110  # of a legend of this width
PAPER = {measure: MEASURES[measure] for measure in ("regret", "compensation")}


def shown_measures(
    regret: str, chosen: Sequence[str] = (), is_bayes: bool = False
) -> dict[str, str]:
    """The measures that a figure shows, with their names.

    Unless some are chosen, these are one kind of regret, and compensation.
    """
    return {each: name_of(each, is_bayes) for each in chosen or (regret, "compensation")}


def name_of(measure: str, is_bayes: bool = False) -> str:
    """The name of a measure in figures; regret over markets drawn from a prior is Bayes regret.

    >>> name_of("customer-surplus")
    'Customer surplus'
    >>> name_of("regret", is_bayes=True)
    'Bayes regret'
    """
    if is_bayes and measure in MEASURES and measure != "compensation":
        return f"Bayes {MEASURES[measure].lower()}"
    own = measure.replace("_", " ").replace("-", " ")
    return MEASURES.get(measure, own[:1].upper() + own[1:])


def spoken(name: str) -> str:
    """The name of a measure within a sentence.

    >>> spoken("Regret"), spoken("Bayes regret")
    ('regret', 'Bayes regret')
    """
    return name if name.startswith("Bayes ") else name.lower()


def draw_band(axes: Axes, x: Any, mean: Any, ends: tuple[Any, Any], pen: Pen, **line: Any) -> None:
    """A line for the mean and a band for its interval."""
    axes.fill_between(x, *ends, color=pen.colour, alpha=0.2, lw=0)
    axes.plot(x, mean, color=pen.colour, linestyle=pen.dashes, linewidth=sized(2.5), **line)


def scale_customers(axes: Axes) -> None:
    """A logarithmic scale for the number of customers served."""
    axes.set_xscale("log")
    axes.set_xlabel("customers served (log scale)")
    write_plainly(axes.xaxis)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))


def draw_curves(
    axes: Axes, table: pd.DataFrame, palette: dict[str, Pen], logarithmic: bool = False
) -> None:
    """The mean of every policy against customers served, with its interval."""
    for label, pen in palette.items():
        curve = table[table["policy"] == label]
        ends = curve["low"], curve["high"]
        draw_band(axes, curve["customer"], curve["mean"], ends, pen, label=label)
    if logarithmic:
        scale_customers(axes)
        axes.set_xlim(left=1)
    else:
        axes.set_xlabel("customers served")
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(
            MaxNLocator(8 if panel_inches(axes) > _NARROW else 4, integer=True)
        )
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))


def legend_rows(labels: Iterable[str], wide: float = _USUAL) -> int:
    """The lines of a legend below a figure that is so many inches wide before it is scaled."""
    labels = [wrapped(label, _letters(wide)) for label in labels]
    deepest = max((label.count("\n") + 1 for label in labels), default=0)
    return deepest * -(-len(labels) // _columns(labels, wide))


def _letters(wide: float) -> int:
    """The letters of the longest line of a legend."""
    return max(16, int(_INCH * wide) - 8)


def _columns(labels: list[str], wide: float) -> int:
    widest = max((len(line) for label in labels for line in label.splitlines()), default=0)
    return max(1, min(3, len(labels), int(_INCH * wide) // (widest + 8)))


def add_legend(
    figure: Figure,
    palette: dict[str, Pen],
    lines: bool = True,
    more: Iterable[Line2D] = (),
    title: str = "",
) -> None:
    """A legend below the panels; of markers if there are no lines."""
    wide = figure.get_figwidth() / sized(1.0)
    handles = [
        *(line_handles(palette) if lines else marker_handles(palette)),
        *more,
    ]
    labels = [wrapped(str(handle.get_label()), _letters(wide)) for handle in handles]
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=_columns(labels, wide),
        title=title or None,
        title_fontsize=sized(13),
    )


def line_handles(palette: dict[str, Pen]) -> list[Line2D]:
    """Legend entries for policies drawn as lines."""
    return [
        Line2D([], [], color=pen.colour, linestyle=pen.dashes, linewidth=sized(2.5), label=label)
        for label, pen in palette.items()
    ]


def marker_handles(palette: dict[str, Pen], letters: int = _LETTERS) -> list[Line2D]:
    """Legend entries for policies drawn as markers, wrapped to so many letters."""
    handles = []
    for label, pen in palette.items():
        handle = Line2D([], [], color=pen.colour, linestyle="", label=wrapped(label, letters))
        handle.set(marker=pen.marker, markersize=sized(9))
        handles.append(handle)
    return handles


def draw_paper_figure(curves: pd.DataFrame, labels: list[str], title: str) -> Figure:
    """Regret and compensation of some policies on a linear and a logarithmic time axis."""
    palette = pens_of(labels)
    with styled():
        figure = Figure(figsize=(13, 9.2 + 0.3 * legend_rows(labels)), layout="constrained")
        axes = figure.subplots(2, 2)
        for column, (measure, name) in enumerate(PAPER.items()):
            table = curves[curves["measure"] == measure]
            for row, logarithmic in enumerate([False, True]):
                draw_curves(axes[row, column], table, palette, logarithmic)
                axes[row, column].set_ylabel(f"{name.lower()} so far")
            axes[0, column].set_title(f"{name}: mean and 95 % interval")
        set_headline(figure, title)
        add_legend(figure, palette)
    return figure
