"""The optimal stopping rule as a boundary in the lattice of ones and zeros."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from kcmab_abm.figures.style import pens, styled
from kcmab_abm.theory.stopping import stopping_floor, stopping_rule, stopping_value


def draw_boundary(mu: float, horizon: int, shown: int) -> Figure:
    """Where the opponent stops: left, the lattice; right, what the horizon is worth to her."""
    shown = min(shown, horizon)
    tosses = np.arange(1, shown + 1)
    rule = stopping_rule(mu, horizon)[:shown]
    stops = rule >= 0
    ink, other, third = pens(3)
    with styled():
        figure = Figure(figsize=(13, 6), layout="constrained")
        lattice, value = figure.subplots(1, 2)
        ones = rule[stops]
        zeros = tosses[stops] - ones
        lattice.fill_between(zeros, ones, 0, step="post", color=ink.colour, alpha=0.2, lw=0)
        lattice.step(zeros, ones, where="post", color=ink.colour, linewidth=2.5)
        line = np.array([0.0, zeros.max() if len(zeros) else 1.0])
        if mu < 1.0:
            lattice.plot(line, line * mu / (1.0 - mu), color=other.colour, linestyle="--", lw=2)
            lattice.set_ylim(0, max(1.0, 1.15 * float(line[1]) * mu / (1.0 - mu)))
        lattice.set_xlabel("zeros so far")
        lattice.set_ylabel("ones so far")
        lattice.set_title(f"Stop in the shaded part (first {shown:,} rewards)")
        lattice.legend(["stop: share of ones is low enough", "boundary", f"share of ones = {mu:g}"])
        horizons = np.unique(np.geomspace(1, horizon, 30).round().astype(int))
        values = [stopping_value(mu, int(each)) for each in horizons]
        value.plot(horizons, values, "o-", color=ink.colour, label="DP(mu, T)")
        value.axhline(mu, color=other.colour, linestyle="--", label="mu")
        value.axhline(mu / 2, color=third.colour, linestyle="-.", label="mu / 2")
        floor = stopping_floor(mu)
        if floor > 0.0:
            value.axhline(floor, color="black", linestyle=":", label="proved floor")
        value.set_xscale("log")
        value.set_xlabel("horizon T, logarithmic")
        value.set_ylabel("expected share of ones at the stop")
        value.set_title(f"DP({mu:g}, {horizon:,}) = {values[-1]:.4f}")
        value.set_ylim(bottom=0)
        value.legend(loc="lower left")
        figure.suptitle("How low can a stopping rule make the share of ones look?", fontsize=17)
    return figure
