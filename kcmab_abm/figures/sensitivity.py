"""Sobol indices of the settings of a sweep, with their intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kcmab_abm.figures.curves import add_legend, name_of
from kcmab_abm.figures.settings import title_of
from kcmab_abm.figures.style import panel_grid, pens, set_headline, styled, wrapped
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.scenario.setting_names import setting_name

_LETTERS = 30  # of the name of a setting
KINDS = {"first": "first-order index: the setting alone", "total": "total index: with interactions"}


def draw_sensitivity(table: pd.DataFrame, results: SweepResults) -> Figure:
    """One panel per policy and measure, with the two indices of every setting side by side."""
    policies, measures = list(table["policy"].unique()), list(table["measure"].unique())
    settings = list(table["setting"].unique())
    palette = dict(zip(KINDS.values(), pens(len(KINDS)), strict=True))
    with styled():
        each = 1.5 + 0.6 * len(settings)
        figure = Figure(figsize=(13, each * len(policies) + 1.6), layout="constrained")
        panels = panel_grid(figure, len(policies) * len(measures), len(measures), shared=True)
        for place, axes in enumerate(panels):
            policy, measure = policies[place // len(measures)], measures[place % len(measures)]
            rows = table[(table["policy"] == policy) & (table["measure"] == measure)]
            _draw_rows(axes, rows)
            axes.set_title(wrapped(f"{name_of(measure, results.is_bayes)}, {policy}", 44))
        for axes in panels[:: len(measures)]:
            told = (setting_name(results.scenario, setting) for setting in settings)
            names = [wrapped(name, _LETTERS) for name in told]
            axes.set_yticks(range(len(settings)), names)
            axes.set_ylim(len(settings) - 0.5, -0.5)
        for axes in panels[-len(measures) :]:
            axes.set_xlabel("share of variance, 95 % interval")
        set_headline(figure, title_of(results))
        add_legend(figure, palette, lines=False)
    return figure


def _draw_rows(axes: Axes, rows: pd.DataFrame) -> None:
    """A marker with its interval for each index of each setting."""
    for kind, pen, shift in zip(KINDS, pens(len(KINDS)), (-0.14, 0.14), strict=True):
        places = np.arange(len(rows)) + shift
        axes.hlines(
            places, rows[f"{kind}_low"], rows[f"{kind}_high"], color=pen.colour, linewidth=3
        )
        axes.plot(rows[kind], places, pen.marker, color=pen.colour, markersize=9, linestyle="none")
    axes.axvline(0.0, color="black", linewidth=1)
    axes.grid(axis="y", visible=False)
