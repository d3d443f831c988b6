"""The command `kcmab optimum`."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from kcmab_abm.cli.main import run
from kcmab_abm.cli.optimum import _policies
from kcmab_abm.errors import MarketError
from kcmab_abm.figures.optimum import _marks
from kcmab_abm.theory import optimum, policy_value
from kcmab_abm.theory.frontier import Frontier

POLICIES = ["ts", "ucb", "greedy"]


def test_the_table_has_the_exact_values(tmp_path, capsys):
    """One row per price and one per policy, on the screen and in the folder."""
    out = tmp_path / "optimum"
    words = ["--horizon", "12", "--price", "2", "--price", "0.5", "--a", "2", "--out", str(out)]
    chosen = [word for name in POLICIES for word in ("--policy", name)]
    assert run(["optimum", *words, *chosen]) == 0
    assert "Beta(2, 1), 12 customers" in " ".join(capsys.readouterr().out.split())
    table = pd.read_csv(out / "table.csv")
    assert table["controller"].tolist() == ["optimum", "optimum", *POLICIES]
    frontier = optimum(12, a=2.0).frontier([0.5, 2.0])
    assert table[["price", "regret", "compensation"]][:2].to_numpy() == pytest.approx(
        frontier.to_numpy()
    )
    policies = [policy_value(name, 12, 2.0) for name in POLICIES]
    values = [pytest.approx(value) for value in policies]
    assert table[["regret", "compensation"]][2:].values.tolist() == values
    needed = [Frontier(12, 2.0).least_compensation(value.regret) for value in policies]
    assert table["needed"][2:].tolist() == pytest.approx(needed, rel=2e-3)
    times = table["times_needed"]
    assert table["compensation"][2] > 0.0 == table["needed"][2]
    assert times[2] == math.inf
    assert times[:2].tolist() == [1.0, 1.0]
    assert times.isna().tolist() == [False, False, False, False, True]
    assert {path.name for path in out.iterdir()} >= {"figure.png", "figure.svg", "manifest.json"}


@pytest.mark.parametrize(
    "words",
    [["--horizon", "1"], ["--price", "-1"], ["--price", "nan"], ["--b", "0"], ["--policy", "uc"]],
)
def test_what_is_out_of_range_is_bad_input(words, capsys):
    """The option is named, and nothing is computed."""
    assert run(["optimum", *words]) == 2
    assert words[0] in capsys.readouterr().err


def test_a_horizon_beyond_the_memory_fails(capsys):
    """The message states the largest horizon."""
    assert run(["optimum", "--horizon", "1000000"]) == 1
    assert "use a horizon of at most" in capsys.readouterr().err


@pytest.mark.usefixtures("_own_catalogue")
def test_policies_without_an_exact_value_are_listed(capsys):
    """All others are in the table; rb-sda is refused only when it is asked."""
    assert run(["optimum", "--horizon", "5", "--price", "1"]) == 0
    shown = capsys.readouterr().out
    table, _, listed = " ".join(shown.split()).partition("Without an exact value: ")
    assert listed.startswith("besa, discounted-ucb, ipa, ")
    assert all(name in listed for name in ("rb-sda", "top-two", "tsallis-inf"))
    assert all(name in table for name in ("kl-ucb", "modified-ts", "moss", "round-robin"))


def test_policies_for_smaller_horizons_are_left_out():
    """Or refused, if they were asked for."""
    assert "optimal" in _policies((), 500)[0]
    assert "optimal" in _policies((), 501)[1]
    with pytest.raises(MarketError, match="'optimal' needs a horizon of at most 500"):
        _policies(("optimal",), 501)


def test_a_policy_without_an_exact_value_is_refused_by_name(capsys):
    """With the reason."""
    assert run(["optimum", "--policy", "ipa"]) != 0
    assert "no exact value for policy 'ipa'" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 2, 7, 8, 14, 40])
def test_every_policy_has_a_mark_of_its_own(count):
    """Where there are more policies than colours, they differ in the marker."""
    assert len({(pen.colour, pen.marker) for pen in _marks(count)}) == count
