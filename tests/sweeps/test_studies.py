"""Sweeps as studies: labels, pairs of policies at every point, and the results of a point."""

from __future__ import annotations

import pandas as pd
import pytest

from kcmab_abm import make_scenario, simulate, sweep
from kcmab_abm.errors import MarketError, ScenarioError
from kcmab_abm.scenario.setting_names import short_names, tidy_names

ARMS = {
    "easy": {"law": "bernoulli", "means": [0.9, 0.1]},
    "hard": {"law": "bernoulli", "means": [0.6, 0.5, 0.4]},
}
SETTINGS = {
    "title": "A study",
    "horizon": 30,
    "replications": 8,
    "market": {"arms": ARMS["easy"], "customers": {"behaviour": "logit"}},
    "policy": [{"name": "ucb"}, {"name": "modified-ts"}, {"name": "greedy"}],
    "sweep": {"grid": {"market.arms": ARMS, "market.customers.tau": [0.05, 0.1]}},
}


@pytest.fixture(scope="module")
def study():
    """Two markets with labels, at two levels of noise."""
    return sweep(make_scenario(SETTINGS), engine="market")


def test_labels_of_a_grid_stand_in_tables(study):
    """Tables show labels, points have what they stand for, and settings can be read again."""
    assert list(study.axes["market.arms"]) == ["easy", "easy", "hard", "hard"]
    assert [len(point.market.arms) for point in study.scenario.points()] == [2, 2, 3, 3]
    again = make_scenario(study.scenario.settings)
    assert again.sweep == study.scenario.sweep


def test_labels_must_stand_for_different_values():
    """The same value under two labels would be run twice."""
    twins = {"one": ARMS["easy"], "two": ARMS["easy"]}
    with pytest.raises(ScenarioError, match="is the same as point 1"):
        make_scenario({**SETTINGS, "sweep": {"grid": {"market.arms": twins}}})


def test_a_point_is_what_simulate_gives(study):
    """By its number or by its values; with its curves, and with the same digest."""
    point = study.point({"tau": 0.1, "arms": "hard"})
    alone = simulate(study.scenario.points()[3], engine="market")
    assert point.digest() == alone.digest() == study.points[3].digest
    assert study.point(4).digest() == point.digest()
    pd.testing.assert_frame_equal(point.curves(), alone.curves())


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (5, "there is no point 5; there are 1 to 4"),
        ({"tau": 0.1}, "2 points have .*; give a value for each of market.arms"),
        ({"tau": 0.3}, "no point has the value 0.3"),
        ({"noise": 0.1}, "'noise' is not the path of one swept setting"),
    ],
)
def test_a_point_that_is_not_there(study, at, words):
    """The message says which points there are."""
    with pytest.raises(MarketError, match=words):
        study.point(at)


def test_policies_are_paired_at_every_point(study):
    """As `Results.paired` does at each of them, with the swept settings beside."""
    pairs = study.paired("greedy", "ucb", confidence=0.9)
    assert list(pairs)[2:] == list(study.point(1).paired())
    for number, (_, rows) in enumerate(
        pairs.groupby(["market.arms", "market.customers.tau"], sort=False), 1
    ):
        wanted = study.point(number).paired("greedy", "ucb", confidence=0.9)
        found = rows.drop(columns=["market.arms", "market.customers.tau"])
        columns = ["measure", "difference", "se", "low", "high"]
        merged = found[columns].merge(wanted[columns], on="measure")
        assert len(merged) == len(wanted) == len(found)
        for name in columns[1:]:
            assert merged[f"{name}_x"].to_numpy() == pytest.approx(merged[f"{name}_y"].to_numpy())


def test_a_pair_of_policies_is_one_of_all_pairs(study):
    """In either order, with the sign turned."""
    point = study.point(1)
    every = point.paired().set_index(["policy", "other", "measure"])
    one = point.paired("ucb", "greedy").set_index(["policy", "other", "measure"])
    pd.testing.assert_frame_equal(one, every.loc[one.index])
    turned = point.paired("greedy", "ucb")
    assert turned["difference"].to_numpy() == pytest.approx(-one["difference"].to_numpy())


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (("ucb",), "give two policies, of ucb, modified-ts, greedy"),
        (("ucb", "ucb"), "cannot be compared with itself"),
        (("ucb", "gredy"), "Did you mean 'greedy'"),
        ((0.9,), "give two policies"),
    ],
)
def test_pairs_that_are_none(study, pair, words):
    """For a sweep and for a run."""
    for results in (study, study.point(1)):
        with pytest.raises(MarketError, match=words):
            results.paired(*pair)


def test_summary_has_one_shape_everywhere(study):
    """The columns of a run after those of the sweep, at any level of confidence."""
    point = study.point(2)
    for confidence in (0.95, 0.8):
        table = study.summary(confidence=confidence)
        mine = point.summary(confidence)
        assert list(table)[2:] == list(mine)
        pd.testing.assert_frame_equal(
            table.iloc[3:6, 2:].reset_index(drop=True), mine, check_dtype=False
        )


def test_a_table_in_latex(study):
    """Grouped in the order asked for; words of the user's are no commands."""
    lines = study.latex(["tau", "arms", "policy", "regret"]).splitlines()
    assert r"noise of customers, tau & arms & policy & regret \\" in lines
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    cells = [line.removesuffix(r" \\").split(" & ") for line in body]
    assert [row[:3] for row in cells[:4]] == [
        ["$0.05$", "easy", "ucb"],
        ["", "", "modified-ts"],
        ["", "", "greedy"],
        ["", "hard", "ucb"],
    ]
    row = study.summary().iloc[0]
    mean, width = cells[0][3].strip("$").split(r" \pm ")
    assert float(mean) == pytest.approx(row["regret"], abs=0.05)
    assert float(width) == pytest.approx(row["regret_high"] - row["regret"], rel=0.1)
    with pytest.raises(MarketError, match="no column 'price'"):
        study.latex(["price"])
    odd = make_scenario({**SETTINGS, "policy": [{"name": "ucb", "label": "50 % & $x_1$"}]})
    table = sweep(odd, engine="market").latex()
    assert r"50 \% \& \$x\_1\$" in table


def test_short_names_stay_different():
    """As few words of a path as tell it from the others."""
    paths = ["market.arms.means[0]", "policy[0].epsilon", "policy[1].epsilon", "horizon"]
    names = short_names(paths)
    assert names["market.arms.means[0]"] == "means[0]"
    assert names["policy[0].epsilon"] == "policy[0].epsilon"
    assert len(set(names.values())) == len(paths)
    tidy = tidy_names(paths)
    assert all(name.isidentifier() for name in tidy.values())
    assert len(set(tidy.values())) == len(paths)
