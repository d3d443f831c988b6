"""The audit of obedience: gains that are known exactly, verdicts, refusals, the command."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import MarketError, make_scenario
from kcmab_abm.cli.main import run
from kcmab_abm.paths import audit, obedience
from tests.figures.gallery import drawn_by

MEANS = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3)


def worlds(means, policy="round-robin", **changes):
    """Worlds with these means, of which customers see nothing but the recommendation."""
    law, disclosure = "bernoulli", {"rule": "target-only"}
    return make_scenario(
        {
            "horizon": 9,
            "replications": 2,
            "market": {"arms": {"law": law, "means": means[0]}, "disclosure": disclosure},
            "policy": [{"name": policy}],
            "sweep": {"list": [{"market.arms.means": each} for each in means]},
            **changes,
        }
    )


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """Nothing is compiled for runs of nine customers."""
    player = audit.player
    monkeypatch.setattr(audit, "player", lambda *given: player(*given, engine="market"))


def test_a_recommendation_that_says_nothing_gains_nothing_or_less():
    """Arms 0 and 1 are good and bad or the other way round; round robin does not know which."""
    table = obedience(worlds([[0.75, 0.25, 0.0], [0.25, 0.75, 0.0]]))
    gains = table.groupby("arm")["gain"].unique()
    assert gains[0].tolist() == [0.0]
    assert gains[1].tolist() == [0.0]
    assert gains[2].tolist() == [-0.5]
    assert set(table["share"]) == {1.0}
    assert table["customer"].tolist() == [4, 5, 6, 7, 8, 9]
    assert table["arm"].tolist() == [0, 1, 2, 0, 1, 2]


@settings(deadline=None)
@given(st.lists(MEANS, min_size=1, max_size=3, unique_by=tuple))
def test_round_robin_reveals_nothing(means):
    """The gain is that of prior means: of the arm whose turn it is, over the best of the others."""
    prior = np.array(means).mean(axis=0)
    for row in obedience(worlds(means), points=4).itertuples():
        others = np.delete(prior, row.arm)
        assert row.arm == (row.customer - 1) % 3
        assert row.gain == pytest.approx(prior[row.arm] - others.max())
        assert prior[row.alternative] == pytest.approx(others.max())
        assert row.alternative != row.arm
        assert row.runs == 2 * len(means)
        assert row.obeyed == "inconclusive"


def test_who_is_directed_hears_no_recommendation():
    """Where reports get lost, some are still sent to arms without any; they do not count."""
    scenario = worlds([[0.75, 0.5, 0.25]], replications=20).at({"market.report_probability": 0.5})
    table = obedience(scenario, points=4)
    assert (table["arm"] == (table["customer"] - 1) % 3).all()
    assert 0.0 < table["share"].iloc[0] < table["share"].iloc[-1] < 1.0


def test_who_always_recommends_the_best_is_obeyed():
    """Rewards without noise: each arm is recommended where it is the best, after one report."""
    arms = {"law": "uniform", "low": [0.5, 0.25], "high": [0.5, 0.25]}
    swap = {"law": "uniform", "low": [0.25, 0.5], "high": [0.25, 0.5]}
    scenario = make_scenario(
        {
            "horizon": 6,
            "replications": 40,
            "market": {"arms": arms, "disclosure": {"rule": "full"}},
            "policy": [{"name": "greedy"}],
            "sweep": {"list": [{"market.arms": arms}, {"market.arms": swap}]},
        }
    )
    table = obedience(scenario, points=3)
    assert set(table["gain"]) == {0.25}
    assert set(table["share"]) == {0.5}
    assert set(table["obeyed"]) == {"yes"}


def test_offers_count():
    """With everything disclosed, who is paid the gap of the record may gain by following."""
    market = {"arms": {"law": "uniform", "low": [0.5, 0.25], "high": [0.5, 0.25]}}
    table = {
        "horizon": 8,
        "replications": 31,
        "market": market,
        "policy": [{"name": "round-robin"}],
    }
    found = obedience(make_scenario(table), points=6).groupby("arm")["gain"].unique()
    assert [each.tolist() for each in found] == [[0.25], [0.0]]
    market["disclosure"] = {"rule": "target-only"}
    found = obedience(make_scenario(table), points=6).groupby("arm")
    assert [each.tolist() for each in found["gain"].unique()] == [[0.25], [-0.25]]
    assert [each.tolist() for each in found["obeyed"].unique()] == [["yes"], ["no"]]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"purse": {"also": 1}}, "purse.also: the audit compares the target with arms that carry"),
        (
            {"sweep": {"grid": {"market.disclosure": [{"rule": "full"}]}}},
            "sweep: the points are the worlds of the audit, which differ in market.arms; got "
            "'market.disclosure'",
        ),
        (
            {
                "market": {
                    "arms": {"law": "bernoulli", "means": [0.5, 0.25]},
                    "change": {"kind": "random-walk", "step": 0.1},
                },
                "sweep": None,
            },
            "market.change: the audit compares true means",
        ),
        (
            {"market": {"arms": {"law": "bernoulli", "means": [0.5]}}, "sweep": None},
            "market.arms: must be at least 2 arms, got 1",
        ),
        (
            {
                "sweep": {
                    "list": [{"market.arms.means": [0.1, 0.2]}, {"market.arms.means": [0.5] * 3}]
                }
            },
            "sweep: the worlds of an audit must have the same number of arms, got 2 and 3",
        ),
    ],
)
def test_what_cannot_be_audited_is_refused(changes, words):
    """The message says where and why."""
    scenario = worlds([[0.75, 0.25]]).replace(**changes)
    with pytest.raises(MarketError) as caught:
        obedience(scenario)
    assert str(caught.value).startswith(words)


def test_the_command(tmp_path, capsys):
    """It writes the table, its figure and a manifest, and prints the last customer's gains."""
    (tmp_path / "mine.toml").write_text(
        """
        horizon = 20
        replications = 4
        policy = [{ name = "ucb" }, { name = "ts" }]
        market = { arms = { law = "bernoulli", means = [0.6, 0.3] } }
        """
    )
    out = tmp_path / "out"
    drawn = drawn_by("obedience", tmp_path / "mine.toml", "--points", 3, "--out", out)
    assert set(drawn) == {"figure"}
    table = pd.read_csv(out / "table.csv")
    assert set(table["policy"]) == {"ucb", "ts"}
    assert "recommendation to customer 20" in capsys.readouterr().out
    assert run(["obedience", str(tmp_path / "none.toml"), "--out", str(out)]) == 2
