"""Figures and tables of results for papers and slides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from kcmab_abm.results.artist import artist
from kcmab_abm.results.latex import latex_table
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.setting_names import setting_name

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Style = Literal["journal", "slides"]
Width = Literal["column", "page"] | float


class Drawable:
    """What runs and sweeps have in common: figures of a chosen size, and a table in LaTeX."""

    scenario: Scenario

    def summary(self, confidence: float = 0.95) -> pd.DataFrame:
        """Costs at the end, one row per policy, and per point of a sweep."""
        raise NotImplementedError

    @property
    def regret_measure(self) -> str:
        """The regret shown in tables and figures."""
        raise NotImplementedError

    def figure(
        self,
        *,
        measures: Sequence[str] = (),
        across: str | None = None,
        at: Mapping[str, Any] | None = None,
        width: Width | None = None,
        font_size: float | None = None,
        style: Style = "journal",
        ax: Axes | None = None,
    ) -> Figure:
        """Draw the costs: of a run over customers and at its end, of a sweep against a setting.

        Parameters
        ----------
        measures
            By default regret and compensation.
        across
            Of a sweep, the setting on the horizontal axis, by its path or its last words; by
            default the one with the most values. Each combination of the others has its own row.
        at
            Of a sweep, settings held at one value.
        width
            "column" (3.4 inches, the default), "page" (7 inches) or a number of inches.
        font_size
            In points, by default 7, or 18 for slides; lines and markers grow with it.
        style
            "journal" has no title, "slides" has the scenario's title and is 16:9; slides of a run
            show the costs over customers only. A policy has the same colour in all figures.
        ax
            Axes to draw into: one panel, of one measure, whose lines have labels for a legend.

        Returns
        -------
        matplotlib.figure.Figure
            A figure, to be saved with `savefig("name.pdf")`; SVG and PNG are possible as well.

        Raises
        ------
        MarketError
            If an option is invalid, or there is more to show than fits.
        """
        options = {"width": width, "font_size": font_size, "style": style, "ax": ax}
        return artist().figure(self, measures=measures, across=across, at=at, **options)

    def curves_figure(
        self,
        *,
        measures: Sequence[str] = (),
        at: Mapping[str, Any] | None = None,
        width: Width | None = None,
        font_size: float | None = None,
        style: Style = "journal",
        ax: Axes | None = None,
    ) -> Figure:
        """Draw costs along the run: means with 95 % intervals.

        Parameters
        ----------
        measures
            By default regret and compensation; others are columns of `curves()`.
        at
            Of a sweep, only points whose settings have these values, by path or its last words.
        width, font_size, style
            The size, as for `figure`.
        ax
            Axes to draw into, if it is a single panel; its lines have labels for a legend.

        Returns
        -------
        matplotlib.figure.Figure
            One panel per measure, and per point of a sweep.
        """
        options = {"width": width, "font_size": font_size, "style": style, "ax": ax}
        return artist().curves_figure(self, measures=measures, at=at, **options)

    def frontier(
        self,
        *,
        by: str | Sequence[str] | None = None,
        at: Mapping[str, Any] | None = None,
        width: Width | None = None,
        font_size: float | None = None,
        style: Style = "journal",
        ax: Axes | None = None,
    ) -> Figure:
        """Draw regret against compensation, with the points joined that none beats in both.

        Only what the controller chooses is compared: policies and purses. Every value of another
        setting makes another market, in which regret is not comparable, so it has its own panel.

        Parameters
        ----------
        by
            The settings whose values have panels, by path or its last words; by default all that
            the controller does not choose. The others must be held by `at`.
        at
            Settings held at one value.
        width, font_size, style, ax
            As for `curves_figure`.

        Returns
        -------
        matplotlib.figure.Figure
            One panel per market.
        """
        options = {"width": width, "font_size": font_size, "style": style, "ax": ax}
        return artist().frontier(self, by=by, at=at, **options)

    def latex(self, columns: Sequence[str] = (), confidence: float = 0.95) -> str:
        """Return the summary as a LaTeX table.

        Parameters
        ----------
        columns
            Columns of `summary()`, swept settings also by the last words of their paths; by default
            all swept settings, policy, regret and compensation. A mean is written with half the
            width of its interval.
        confidence
            The level of the intervals.

        Returns
        -------
        str
            A `tabular` for the package booktabs.
        """
        table = self.summary(confidence)
        axes = [str(name) for name in table][: list(table).index("policy")]
        columns = [each if each in table else _axis(axes, each) for each in columns]
        columns = columns or [*axes, "policy", self.regret_measure, "compensation"]
        names = {axis: setting_name(self.scenario, axis) for axis in axes}
        return latex_table(table, names, columns, axes, confidence)


def _axis(axes: Sequence[str], given: str) -> str:
    """The swept setting that a column is called by; unchanged if there is none."""
    found = [axis for axis in axes if axis.endswith(f".{given}")]
    return found[0] if len(found) == 1 else given
