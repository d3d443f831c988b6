"""Regret against the best arm net of what it needs, for customers with fixed utilities."""

from __future__ import annotations

import numpy as np
import pytest

from kcmab_abm import MarketError, make_scenario, play, simulate
from kcmab_abm.cli.main import run as command
from kcmab_abm.results.incentives import necessary_incentives

MEANS, UTILITIES = [0.9, 0.6, 0.3], [0.0, 0.5, 1.0]


def scenario(customers, **purse):
    """A market of three arms, which customers like best where the controller earns least."""
    return make_scenario(
        {
            "horizon": 120,
            "replications": 5,
            "market": {"arms": {"law": "bernoulli", "means": MEANS}, "customers": customers},
            "purse": purse,
            "policy": [{"name": "ipa"}],
        }
    )


INFORMED = {"behaviour": "informed", "utilities": UTILITIES}


@pytest.mark.parametrize("decision", [{}, {"decision": {"rule": "greedy"}}])
def test_net_regret_by_hand(decision):
    """Arms are worth -0.1, 0.1 and 0.3 net: whoever takes arm 2 unpaid loses nothing."""
    informed = scenario({**INFORMED, **decision}, offer={"rule": "bisection"})
    assert necessary_incentives(informed).tolist() == [1.0, 0.5, 0.0]
    results = simulate(informed, engine="market")
    run = play(informed, replication=2, engine="market")
    lost = np.cumsum(0.3 - np.array(MEANS)[run.arms] + run.payments)
    found = results.net_regret("ipa")
    assert found.shape == (5, len(results.checkpoints))
    assert found[2] == pytest.approx(lost[results.checkpoints - 1])
    row = results.summary().iloc[0]
    assert row["net_regret"] == pytest.approx(found[:, -1].mean())
    assert row["net_regret_low"] <= row["net_regret"] <= row["net_regret_high"]


def test_with_fees_the_favourite_needs_less_than_nothing():
    """Who charges 0.5 for arm 2 earns 0.8 of it, and is the one to compare with."""
    charging = scenario(INFORMED, knows="customers", fees=True)
    assert necessary_incentives(charging).tolist() == [1.0, 0.5, -0.5]
    run = play(charging, engine="market")
    lost = np.cumsum(0.8 - np.array(MEANS)[run.arms] + run.payments)
    results = simulate(charging.replace(replications=1), engine="market")
    assert results.net_regret("ipa")[0] == pytest.approx(lost[results.checkpoints - 1])
    assert not lost[-1] < 0.0


def test_tables_say_what_it_is(tmp_path, capsys):
    """On the terminal: beside the table of a run, and as a column of a sweep's."""
    text = f"""
horizon = 20
replications = 2

[market]
arms = {{ law = "bernoulli", means = {MEANS} }}
customers = {{ behaviour = "informed", utilities = {UTILITIES} }}

[[policy]]
name = "ipa"
"""
    for sweep, words in (
        ("", "net regret, against the best arm net of its necessary incentive: ipa "),
        ('[sweep]\ngrid = { "seed" = [1, 2] }\n', "net regret"),
    ):
        path = tmp_path / "informed.toml"
        path.write_text(text + sweep, encoding="utf-8")
        assert command(["run", str(path), "--engine", "market"]) == 0
        assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    "customers",
    [
        {"behaviour": "greedy"},
        {"behaviour": "mixture", "of": [INFORMED, {"behaviour": "greedy"}]},
        {**INFORMED, "decision": {"rule": "loyal"}},  # what she needs depends on the one before
    ],
)
def test_others_have_none(customers):
    """Without fixed utilities there is no such column, and who asks for it is told why."""
    results = simulate(scenario(customers), engine="market")
    assert "net_regret" not in results.summary()
    with pytest.raises(
        MarketError, match=r"all 'informed' and take the best.* customers here are '"
    ):
        results.net_regret("ipa")
