"""The frontier: the regret of each policy against its compensation, one panel per world.

The controller chooses policies and purses, so these are ranked against each other. Every value of
any other swept setting defines a different world, in which regret is not comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from numpy.typing import NDArray

from kcmab_abm.errors import MarketError
from kcmab_abm.figures.colours import pens_of
from kcmab_abm.figures.curves import marker_handles, name_of, spoken
from kcmab_abm.figures.panels import new_panels
from kcmab_abm.figures.scales import set_scale
from kcmab_abm.figures.settings import interval_arms, point_label, title_of
from kcmab_abm.figures.style import (
    SCREEN,
    Look,
    Pen,
    set_headline,
    set_panel_title,
    sized,
    styled,
    wrapped,
)
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.scenario.setting_names import find_setting

MOST_WORLDS = 9  # panels readable on a page
_IN_A_ROW = 3  # panels
_WIDE = 13.0  # inches
_NARROW = 8.0  # inches of a figure whose panels are as low as if there were several rows
_NARROWEST = 2.9  # inches of a panel
_LEGEND = 4.2  # inches of a column of the legend
_LETTERS = 36  # in it
_MOST_NAMED = 10
_CHOSEN = ("policy", "policies", "purse")  # first words of the paths of a controller's settings
_APART = 3.0  # least distance of two numbers in pixels


class World(NamedTuple):
    """Comparable points, and the Pareto-optimal ones among them."""

    name: str
    table: pd.DataFrame
    best: pd.DataFrame


def draw_frontier(results: SweepResults) -> Figure | None:
    """Regret against compensation, one panel per world, with the Pareto-optimal points joined.

    None if it cannot be drawn; `why_no_frontier` gives the reason.
    """
    return None if why_no_frontier(results) else draw_worlds(results, worlds_of(results))


def draw_worlds(
    results: SweepResults, worlds: Sequence[World], look: Look = SCREEN, ax: Axes | None = None
) -> Figure:
    """One panel per world, or the only one into axes that somebody else made."""
    costs = ["compensation", results.regret_measure]
    names = {} if ax is not None else _names(results, worlds)
    palette = pens_of(results.labels)
    with styled(look):
        wide = look.wide(_WIDE)
        columns = 2 if len(worlds) == 4 else min(_IN_A_ROW, len(worlds))
        columns = max(1, min(columns, int(wide / _NARROWEST)))
        figure, panels = new_panels(look, len(worlds), palette, ax, columns)
        for axes, world in zip(panels, worlds, strict=True):
            _draw_points(axes, world.table, results.regret_measure, palette)
            _draw_best(axes, world.best[costs].to_numpy())
            _set_axes(axes, world, costs, name_of(costs[1], results.is_bayes))
        if ax is None:
            if look.has_title:
                set_headline(figure, title_of(results, look))
            lines = _add_legend(figure, palette, names, len(worlds), wide)
            rows = -(-len(worlds) // columns)
            each = 6.2 if rows == 1 and wide > _NARROW else 3.8
            if not look.is_slide:
                high = each * rows + 0.24 * lines + (1.2 if look.has_title else 0.3)
                figure.set_size_inches(sized(wide), sized(high))
            figure.draw_without_rendering()  # numbers are placed last, when positions are known
        for axes, world in zip(panels, worlds, strict=True):
            if names:
                numbers = [list(names).index(key) + 1 for key in world.best["key"]]
                _number(axes, world.best[costs].to_numpy(), numbers)
    return figure


def why_no_frontier(results: SweepResults) -> str:
    """The reason why no frontier can be drawn; empty if it can."""
    worlds = worlds_of(results)
    if max(len(world.table) for world in worlds) < 2:
        return "no frontier is drawn: no world of the sweep has two points or policies to rank"
    if len(worlds) > MOST_WORLDS:
        return (
            f"no frontier is drawn: the sweep has {len(worlds):,} worlds (combinations of settings "
            f"other than policy and purse), and a figure shows up to {MOST_WORLDS}; see sweep.csv "
            "for the numbers"
        )
    return ""


def worlds_of(
    results: SweepResults, by: Sequence[str] | None = None, at: Mapping[str, Any] | None = None
) -> list[World]:
    """The worlds of a sweep; a single one has no name.

    With `at`, only points with these settings. With `by`, what the controller does not choose must
    not vary but for these settings.
    """
    table = results.table[results.rows_at(at)]
    costs = ["compensation", results.regret_measure]
    chosen, given = _varied(results, table)
    if by is not None:
        wanted = [find_setting([str(axis) for axis in results.axes], name) for name in by]
        if mixed := [name for name in given if name not in wanted]:
            raise MarketError(
                f"frontier: {mixed[0]} is not the controller's choice and varies, so points cannot "
                f"be compared; add it to by, or hold it at one value: at={{{mixed[0]!r}: ...}}"
            )
        given = wanted
    keys = [repr([row["policy"], *(row[axis] for axis in chosen)]) for row in _rows(table)]
    table = table.assign(key=keys)
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(_rows(table)):
        groups.setdefault(tuple(repr(row[axis]) for axis in given), []).append(place)
    worlds = []
    for places in groups.values():
        here = table.iloc[places]
        best = here[pareto(here[costs].to_numpy())].sort_values(costs, kind="stable")
        name = point_label(results, _rows(here)[0], given)
        worlds.append(World(name, here, best.drop_duplicates(["policy", *costs])))
    return worlds


def pareto(costs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """True for Pareto-optimal rows: no other row is as low in both columns and lower in one.

    >>> pareto(np.array([[1.0, 5.0], [2.0, 3.0], [2.0, 4.0], [3.0, 3.0]])).tolist()
    [True, True, False, False]
    """
    rows, place = np.unique(costs, axis=0, return_inverse=True)  # by the first, then the second
    least = np.minimum.accumulate(np.append(np.inf, rows[:-1, 1]))
    return np.asarray(rows[:, 1] < least)[place.ravel()]


def _varied(results: SweepResults, table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The settings that vary: those that the controller chooses, and those that define worlds."""
    varied = [str(name) for name in results.axes if table[name].map(repr).nunique() > 1]
    chosen = [name for name in varied if name.split(".")[0].split("[")[0] in _CHOSEN]
    return chosen, [name for name in varied if name not in chosen]


def _rows(table: pd.DataFrame) -> list[Any]:
    return table.to_dict("records")


def _draw_points(axes: Axes, table: pd.DataFrame, regret: str, palette: dict[str, Pen]) -> None:
    for label, pen in palette.items():
        rows = table[table["policy"] == label]
        axes.errorbar(
            rows["compensation"],
            rows[regret],
            xerr=interval_arms(rows, "compensation"),
            yerr=interval_arms(rows, regret),
            color=pen.colour,
            linestyle="none",
            marker=pen.marker,
            markersize=sized(8),
            elinewidth=sized(1.5),
            label=label,
            alpha=0.9 if len(table) <= 200 else 0.5,
        )


def _draw_best(axes: Axes, best: NDArray[np.float64]) -> None:
    """The Pareto-optimal points, ringed and joined."""
    x, y = best.T
    axes.plot(x, y, color="black", linewidth=sized(1.5), linestyle=":", zorder=1)
    ring: Any = {"markersize": sized(16), "markeredgewidth": sized(1.8)}
    axes.plot(x, y, "o", color="none", markeredgecolor="black", **ring)


def _set_axes(axes: Axes, world: World, costs: Sequence[str], name: str) -> None:
    across, up = (world.table[cost].to_numpy() for cost in costs)
    axes.set_xlabel(f"compensation{set_scale(axes, 'x', across, 0.1)}")
    axes.set_ylabel(f"{spoken(name)}{set_scale(axes, 'y', up, 0.1)}")
    set_panel_title(axes, world.name, 13)


def _names(results: SweepResults, worlds: Sequence[World]) -> dict[str, str]:
    """Names of the Pareto-optimal points, cheapest first; none if markers identify them."""
    chosen, _ = _varied(results, results.table)
    names: dict[str, str] = {}
    for world in worlds if chosen else []:
        for row in _rows(world.best):
            lines = [str(row["policy"]), point_label(results, row, chosen)]
            names.setdefault(row["key"], "\n     ".join(wrapped(line, _LETTERS) for line in lines))
    return names


def _add_legend(
    figure: Figure, palette: dict[str, Pen], names: dict[str, str], worlds: int, wide: float
) -> int:
    """A legend of policies and Pareto-optimal points; returns its number of lines."""
    columns = max(1, min(_IN_A_ROW, int(wide / _LEGEND)))
    where = "no point" if worlds == 1 else "no point in the panel"
    ring = Line2D(
        [],
        [],
        color="black",
        linestyle=":",
        linewidth=sized(1.5),
        label=wrapped(f"Pareto-optimal: {where} is lower in both", _LETTERS + 10 * (columns == 3)),
    )
    ring.set(marker="o", markersize=sized(14), markerfacecolor="none")
    told = [f"{number}  {name}" for number, name in enumerate(names.values(), 1)]
    if len(told) > _MOST_NAMED:
        told = [*told[:_MOST_NAMED], f"and {len(told) - _MOST_NAMED} more"]
    blank = [Line2D([], [], linestyle="none", label=each) for each in told]
    handles = [*marker_handles(palette, _LETTERS), ring, *blank]
    small = sized(12)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=small)
    deepest = max(1 + str(handle.get_label()).count("\n") for handle in handles)
    return deepest * -(-len(handles) // columns)


def _number(axes: Axes, best: NDArray[np.float64], numbers: Sequence[int]) -> None:
    """Number the Pareto-optimal points of the legend; overlapping numbers are merged."""
    written: list[tuple[list[int], Annotation]] = []
    for place, number in zip(best.tolist(), numbers, strict=True):
        if number > _MOST_NAMED:
            continue
        group, mark = [number], _mark(axes, place, [number])
        while written and _meet(written[-1][1], mark):
            earlier, last = written.pop()
            mark.remove()
            last.remove()
            group = [*earlier, *group]
            mark = _mark(axes, last.xy, group)
        written.append((group, mark))


def _mark(axes: Axes, place: Sequence[float], numbers: list[int]) -> Annotation:
    """Numbers to the lower left of a Pareto-optimal point, where no other point can be."""
    row = list(range(numbers[0], numbers[-1] + 1)) == numbers
    text = f"{numbers[0]} - {numbers[-1]}" if row and numbers[1:] else ", ".join(map(str, numbers))
    mark = axes.annotate(
        text,
        (place[0], place[1]),
        (0.0, 0.0),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=sized(13),
        fontweight="bold",
    )
    box, frame = mark.get_window_extent(), axes.get_window_extent()
    pixels, apart = axes.figure.dpi / 72.0, sized(-10.0)
    across = max(apart, (frame.x0 - box.x0) / pixels + 2.0)
    mark.set_position((across, max(apart, (frame.y0 - box.y0) / pixels + 2.0)))
    return mark


def _meet(one: Annotation, other: Annotation) -> bool:
    return bool(one.get_window_extent().padded(_APART).overlaps(other.get_window_extent()))
