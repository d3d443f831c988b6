"""Figures of sweeps: chosen by shape, and they show what the tables say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import make_scenario, sweep
from kcmab_abm.figures.frontier import (
    MOST_WORLDS,
    draw_frontier,
    pareto,
    why_no_frontier,
    worlds_of,
)
from kcmab_abm.figures.settings import draw_settings
from kcmab_abm.figures.style import save

from .conftest import with_sweep

TAU, MEAN = "market.customers.tau", "market.arms.means[1]"
GREEDY, LOGIT = {"behaviour": "greedy"}, {"behaviour": "logit", "tau": 0.5}
SHAPES = {
    "lines": ({"grid": {TAU: [0.0, 0.1, 0.2]}}, 2),
    "list of one": ({"list": [{TAU: 0.1}, {TAU: 0.4}]}, 2),
    "one varies": ({"grid": {TAU: [0.1, 0.2], "seed": [5]}}, 2),
    "categories": ({"grid": {"market.customers": [GREEDY, LOGIT]}}, 2),
    "with a gap": ({"list": [{}, {"title": "$x^2$"}]}, 2),
    "heat": ({"grid": {TAU: [0.0, 0.1, 0.2], MEAN: [0.4, 0.6]}}, 6),
    "no grid": ({"list": [{TAU: 0.1, "seed": 1}, {TAU: 0.2, "seed": 2}]}, 0),
    "three axes": ({"grid": {TAU: [0.0, 0.1], MEAN: [0.4, 0.6], "seed": [1, 2]}}, 0),
    "one point": ({"grid": {TAU: [0.1]}}, 0),
}


def results_of(sweep_table, **changes):
    """A sweep of the small market, on the market engine."""
    scenario = make_scenario({**with_sweep(**sweep_table), "horizon": 12, **changes})
    return sweep(scenario, engine="market")


@pytest.mark.parametrize("name", SHAPES)
def test_figure_is_chosen_by_shape(name, tmp_path):
    """Lines or categories for one setting, heat maps for two, else the frontier alone."""
    table, panels = SHAPES[name]
    results = results_of(table)
    figure = draw_settings(results)
    assert (figure is not None) == (panels > 0)
    if figure is not None:
        assert len(figure.get_axes()) == panels
        save(figure, tmp_path, "figure", ("png",))
    frontier = draw_frontier(results)
    assert (frontier is None) == bool(why_no_frontier(results))
    if frontier is not None:
        save(frontier, tmp_path, "frontier", ("png",))


def test_lines_show_the_means():
    """A line goes through the means of its policy, in the order of the setting."""
    results = results_of({"grid": {TAU: [0.2, 0.0, 0.1]}})
    [regret, _] = draw_settings(results).axes
    rows = results.table[results.table["policy"] == "ucb"].sort_values(TAU)
    assert regret.lines[0].get_xdata().tolist() == [0.0, 0.1, 0.2]
    assert regret.lines[0].get_ydata().tolist() == rows["regret"].tolist()
    assert regret.get_xscale() == "linear"


def test_wide_settings_are_drawn_on_a_logarithmic_scale():
    """A setting that spans more than a factor of 50, nought apart, is drawn so."""
    scales = {
        (0.01, 1.0): "log",
        (0.1, 1.0): "linear",
        (0.0, 1.0): "linear",
    }
    for values, scale in scales.items():
        [axes, _] = draw_settings(results_of({"grid": {TAU: list(values)}})).axes
        assert axes.get_xscale() == scale, values


def test_heat_map_shows_the_means():
    """A cell holds the mean of its policy at its point."""
    results = results_of({"grid": {TAU: [0.0, 0.1, 0.2], MEAN: [0.6, 0.4]}})
    [axes, *_] = draw_settings(results).get_axes()
    rows = results.table[results.table["policy"] == "ucb"].sort_values([MEAN, TAU])
    cells = axes.collections[0].get_array()
    assert np.asarray(cells).ravel().tolist() == rows["regret"].tolist()


def test_changing_arms_are_shown_by_their_dynamic_regret():
    """Where arms change at some point, all figures show the regret against the best at the time."""
    change = {"kind": "piecewise", "at": [5], "means": [[0.1, 0.9, 0.5]]}
    results = results_of({"list": [{"seed": 1}, {"seed": 2, "market.change": change}]})
    assert results.regret_measure == "dynamic_regret"
    assert draw_frontier(results).axes[0].get_ylabel().startswith("dynamic regret")


def test_single_runs_can_be_drawn(tmp_path):
    """With one replication there are no intervals, and the figures are drawn all the same."""
    for table in ({"grid": {TAU: [0.0, 0.1]}}, {"grid": {"market.customers": [GREEDY, LOGIT]}}):
        results = results_of(table, replications=1)
        save(draw_settings(results), tmp_path, "figure", ("png",))
        save(draw_frontier(results), tmp_path, "frontier", ("png",))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_pareto_points_are_those_not_beaten(costs):
    """A point is kept if and only if no other is as low in both and lower in one."""

    def beats(one, other):
        return one != other and one[0] <= other[0] and one[1] <= other[1]

    expected = [not any(beats(other, each) for other in costs) for each in costs]
    assert pareto(np.array(costs, float)).tolist() == expected


BUDGETS = {"purse.budget": [0.0, 0.5, 1.0]}
HORIZONS = {"horizon": [6, 9, 12]}
WORLDS = {
    "a controller's settings": ({**BUDGETS, "policy[1].epsilon": [1.0, 5.0]}, [12]),
    "a whole policy": ({"policy": [[{"name": "ucb"}], [{"name": "greedy"}]]}, [2]),
    "horizons": (HORIZONS, [2, 2, 2]),
    "seeds": ({"seed": [1, 2]}, [2, 2]),
    "both": ({**BUDGETS, **HORIZONS}, [6, 6, 6]),
    "worlds of two settings": ({TAU: [0.1, 0.2], **BUDGETS, MEAN: [0.4, 0.6]}, [6, 6, 6, 6]),
    "nothing varies": ({MEAN: [0.4]}, [2]),
}


@pytest.mark.parametrize("name", WORLDS)
def test_only_what_a_controller_chooses_is_ranked(name):
    """A panel for each world; its Pareto points are those of its own points, and all are shown."""
    grid, sizes = WORLDS[name]
    results = results_of({"grid": grid})
    worlds = worlds_of(results)
    assert [len(world.table) for world in worlds] == sizes
    panels = [axes for axes in draw_frontier(results).axes if axes.get_visible()]
    assert len(panels) == len(worlds)
    for axes, world in zip(panels, worlds, strict=True):
        costs = world.table[["compensation", "regret"]].to_numpy()
        rings = axes.lines[-1].get_xydata().tolist()
        assert {*map(tuple, rings)} == {*map(tuple, costs[pareto(costs)].tolist())}
        for axis in set(map(str, results.axes)) - set(BUDGETS) - {"policy[1].epsilon", "policies"}:
            assert world.table[axis].nunique() == 1


def test_a_dear_world_is_not_beaten_by_a_cheap_one():
    """Regret in a market of two customers says nothing about one of three hundred."""
    results = results_of({"grid": {"horizon": [3, 300], "purse.budget": [0.0, 5.0]}})
    table = results.table
    assert not table[pareto(table[["compensation", "regret"]].to_numpy())]["horizon"].eq(300).any()
    best = [world.best for world in worlds_of(results)]
    assert [each["horizon"].unique().tolist() for each in best] == [[3], [300]]


def test_a_sweep_of_too_many_worlds_has_no_frontier():
    """Where worlds do not fit on a page, or have nothing to rank, it is said and not drawn."""
    many = results_of({"grid": {"seed": list(range(MOST_WORLDS + 1))}}, replications=1)
    assert draw_frontier(many) is None
    assert f"{MOST_WORLDS + 1} worlds" in why_no_frontier(many)
    alone = results_of({"grid": {"seed": [1, 2]}}, policy=[{"name": "ucb"}])
    assert draw_frontier(alone) is None
    assert "two points or policies to rank" in why_no_frontier(alone)


def test_legend_covers_no_panel():
    """The legend stands beside or below the panels."""
    results = results_of({"grid": {TAU: [0.0, 0.1]}})
    for figure in (draw_settings(results), draw_frontier(results)):
        figure.draw_without_rendering()
        [legend] = figure.legends
        box = legend.get_window_extent()
        assert not any(box.overlaps(axes.get_window_extent()) for axes in figure.axes)
