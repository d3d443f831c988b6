"""An animation of one market: the board that each customer sees, and the costs so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import EngFormatter, MaxNLocator

from kcmab_abm.errors import MarketError
from kcmab_abm.figures.style import styled, wrapped

if TYPE_CHECKING:
    from kcmab_abm.market.scenes import Scene
    from kcmab_abm.model.trajectory import Trajectory

SIZE = (8.0, 4.5)  # inches; 13 points are readable at a width of 800 pixels
MOST_ARMS = 40  # bars that can be distinguished
_ROOMY = 12  # arms with room for their numbers of reports
_MEAN, _OFFER, _PAID, _REGRET, _BAND = "#56B4E9", "#E69F00", "#D55E00", "#0072B2", "#DBDBDB"
INKS = (_MEAN, _OFFER, _PAID, _REGRET, "#000000")  # the band is a shade of black
_DASHES = (0, (3, 1))
_TICK: Any = {"marker": "|", "markersize": 10, "markeredgewidth": 1.5}


def check_arms(arms: int) -> None:
    """Raise an error if the market has too many arms to distinguish."""
    if arms > MOST_ARMS:
        raise MarketError(
            f"the market has {arms} arms, and an animation shows up to {MOST_ARMS}; leave out "
            "--animate for a description in words, or use a market with fewer arms"
        )


class Picture:
    """The figure of a market, which `show` updates to another scene."""

    def __init__(self, scenes: list[Scene], run: Trajectory, policy: str, regret: str) -> None:
        self.scenes = scenes
        self._run, self._regret_name = run, regret
        self._regret, self._paid = np.cumsum(run.regrets), np.cumsum(run.payments)
        with styled():
            self.figure = Figure(figsize=SIZE)
            self._headline = self.figure.text(0.015, 0.925, "", fontsize=18, fontweight="bold")
            self._asked = self.figure.text(0.015, 0.862, "", fontsize=14)
            self._did = self.figure.text(0.015, 0.802, "", fontsize=14)
            title = f"policy: {wrapped(policy, 34, 1)}"
            self.figure.text(0.985, 0.93, title, ha="right")
            self._board = self.figure.add_axes((0.085, 0.18, 0.525, 0.465))
            self._band = self._board.axvspan(0, 1, color=_BAND, linewidth=0.0)
            self._means, self._offers = self._draw_board(scenes)
            self._truth = self._draw_truth(len(scenes[0].truth))
            self._costs = self.figure.add_axes((0.695, 0.18, 0.275, 0.465))
            self._regret_line, self._paid_line, self._who, self._told = self._draw_costs()

    def show(self, scene: Scene) -> None:
        """Replace the scene shown."""
        self._headline.set_text(f"Customer {scene.customer:,} of {len(self._run):,}")
        self._asked.set_text(scene.asked)
        self._did.set_text(scene.did)
        self._show_board(scene)
        self._show_costs(scene.customer)

    def _draw_board(self, scenes: list[Scene]) -> tuple[BarContainer, BarContainer]:
        axes, arms = self._board, len(scenes[0].truth)
        places = np.arange(arms)
        means = axes.bar(places, np.zeros(arms), 0.7, color=_MEAN, edgecolor=_MEAN)
        offers = axes.bar(places, np.zeros(arms), 0.7, color=_OFFER, edgecolor="black", hatch="///")
        levels = np.array([scene.snapshot.means + scene.snapshot.offers for scene in scenes])
        truths = np.array([scene.truth for scene in scenes])
        axes.set_ylim(min(0.0, levels.min()), 1.04 * max(1.0, levels.max(), truths.max()))
        axes.set_xlim(-0.6, arms - 0.4)
        axes.grid(visible=False, axis="x")
        axes.set_axisbelow(True)
        axes.set_ylabel("reward")
        axes.tick_params(axis="x", length=0)
        step = 1 if arms <= _ROOMY else 5
        axes.set_xticks(places[::step], labels=[str(place) for place in places[::step]])
        axes.set_xlabel("arm, and its number of reports" if arms <= _ROOMY else "arm")
        axes.tick_params(axis="x", labelsize=13 if arms <= 6 else 11 if arms <= 9 else 10)
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        self._legend(
            axes,
            [
                Patch(facecolor=_MEAN, label="reported mean"),
                Patch(facecolor=_OFFER, edgecolor="black", hatch="///", label="offer"),
                Line2D([], [], color="black", lw=3, label="true mean"),
                Patch(facecolor=_BAND, label="taken"),
            ],
            columns=4,
        )
        return means, offers

    def _draw_truth(self, arms: int) -> Line2D:
        """A short line per arm, drawn as a single line with gaps."""
        places = np.arange(arms)[:, None] + [-0.35, 0.35, np.nan]
        blank = np.full(places.size, np.nan)
        (line,) = self._board.plot(places.ravel(), blank, color="black", lw=3, zorder=4)
        line.set_solid_capstyle("butt")
        return line

    def _show_board(self, scene: Scene) -> None:
        means, offers = scene.snapshot.means, scene.snapshot.offers
        for arm, (bar, offer) in enumerate(zip(self._means, self._offers, strict=True)):
            bar.set_height(means[arm])
            offer.set_y(means[arm])
            offer.set_height(offers[arm])
            offer.set_visible(bool(offers[arm] > 0.0))
        self._band.set_x(scene.arm - 0.5)
        self._band.set_width(1.0)
        self._band.set_visible(scene.arm >= 0)
        self._truth.set_ydata(np.repeat(scene.truth, 3))
        if len(means) <= _ROOMY:
            self._board.set_xticklabels(
                [f"{arm}\n{_counted(count)}" for arm, count in enumerate(scene.snapshot.pulls)]
            )

    def _draw_costs(self) -> tuple[Line2D, Line2D, Line2D, Legend]:
        axes, customers = self._costs, len(self._run)
        (regret,) = axes.plot([], [], color=_REGRET, lw=3)
        (paid,) = axes.plot([], [], color=_PAID, lw=3, linestyle=_DASHES)
        (who,) = axes.plot([], [], color=_PAID, lw=0, clip_on=False, **_TICK)
        highest = max(self._regret.max(), self._paid.max(), 1.0)
        axes.set_ylim(-0.05 * highest, 1.05 * highest)
        axes.set_xlim(0, max(customers, 2))
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        if highest >= 1000.0:
            axes.yaxis.set_major_formatter(EngFormatter(sep=""))
        axes.set_xlabel("customers")
        handles = [
            Line2D([], [], color=_REGRET, lw=3, label=" "),
            Line2D([], [], color=_PAID, lw=3, linestyle=_DASHES, label=" "),
            Line2D([], [], color=_PAID, lw=0, label=" ", **_TICK),
        ]
        return regret, paid, who, self._legend(axes, handles, columns=1)

    def _show_costs(self, customer: int) -> None:
        numbers = np.arange(1, customer + 1)
        who = numbers[self._run.payments[:customer] > 0.0]
        self._regret_line.set_data(numbers, self._regret[:customer])
        self._paid_line.set_data(numbers, self._paid[:customer])
        self._who.set_data(who, np.full(len(who), self._costs.get_ylim()[0]))
        told = [
            f"{self._regret_name} {self._regret[customer - 1]:.1f}",
            f"compensation {self._paid[customer - 1]:.1f}",
            f"offers paid: {len(who):,}",
        ]
        for text, words in zip(self._told.get_texts(), told, strict=True):
            text.set_text(words)

    def _legend(self, axes: Axes, handles: Sequence[Line2D | Patch], columns: int) -> Legend:
        """A legend above the axes."""
        return axes.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(-0.03, 0.99),
            ncols=columns,
            borderpad=0.0,
            handlelength=1.2,
            handletextpad=0.5,
            columnspacing=0.8,
            fontsize=12,
            labelspacing=0.15,
        )


def _counted(reports: int) -> str:
    """A number of reports in few characters.

    >>> [_counted(reports) for reports in (7, 999, 1234, 56_789, 2_000_000)]
    ['7', '999', '1.2k', '57k', '2M']
    """
    return f"{reports:,}" if reports < 1000 else EngFormatter(sep="")(float(f"{reports:.2g}"))
