"""What a newcomer meets: public names, and objects that show themselves in a line or a table."""

from __future__ import annotations

import kcmab_abm
from kcmab_abm import make_scenario, play, simulate, sweep

SCENARIO = make_scenario(
    {
        "horizon": 20,
        "replications": 3,
        "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
        "policy": [{"name": "greedy"}, {"name": "ucb"}],
    }
)


def test_completion_shows_public_names_only():
    """`kcmab.<TAB>` lists what `__all__` lists, and no folder."""
    assert dir(kcmab_abm) == sorted([*kcmab_abm.__all__, "__version__"])


def test_results_show_themselves():
    """A line that names the policies and the size, and a table for notebooks."""
    results = simulate(SCENARIO, engine="market")
    assert repr(results) == "Results(greedy, ucb: 3 runs of 20 customers)"
    table = results._repr_html_()
    assert table.startswith("<p>3 runs of 20 customers</p><table")
    assert "<td>ucb</td>" in table
    assert "acceptance" in table


def test_a_sweep_shows_itself():
    """A line that names the swept settings and the size, and a table for notebooks."""
    settings = {**SCENARIO.settings, "sweep": {"grid": {"seed": [1, 2]}}}
    results = sweep(make_scenario(settings), engine="market")
    size = "2 points, each 3 runs of 20 customers"
    assert repr(results) == f"SweepResults(seed: {size})"
    table = results._repr_html_()
    assert table.startswith(f"<p>{size}</p><table")
    assert table.count("<td>ucb</td>") == 2


def test_a_trajectory_shows_itself():
    """A line with what it cost, and the first and last customers for notebooks."""
    run = play(SCENARIO, policy="greedy", engine="market")
    cost = f"regret {run.regrets.sum():.4g}, compensation 0"
    assert repr(run) == f"Trajectory(20 customers, {cost})"
    assert run._repr_html_().count("<tr") == 1 + 1 + 10 + 1  # two heads, ten customers, the dots
