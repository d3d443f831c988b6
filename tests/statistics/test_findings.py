"""What docs/behaviours.md and docs/theory/disclosure.md say, with fewer runs and wider intervals.

Every comparison allows five standard errors: a false alarm once in three million, on other seeds.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

import kcmab_abm as kcmab
from kcmab_abm import load_scenario
from kcmab_abm.paths import audit, obedience
from tests.scenarios.test_library import FOLDER as SCENARIOS
from tests.statistics import findings

# A kernel for each of a dozen pairs of policy and behaviour that no other test needs.
pytestmark = pytest.mark.slow

ERRORS = 5.0


def low(sample):
    """What the mean of the sample is surely above."""
    return findings.interval(np.asarray(sample), ERRORS)[0]


def high(sample):
    """What the mean of the sample is surely below."""
    return findings.interval(np.asarray(sample), ERRORS)[1]


@pytest.mark.parametrize("drift", ["linear", "saturating"])
def test_drift_leaves_growth_slow(drift):
    """Liu et al.: from doubling to doubling nothing grows like T, and mostly not like its root."""
    found = findings.reward_drift(200, [drift])
    for policy, factor in (("ucb", math.sqrt(2)), ("epsilon-greedy", math.sqrt(2)), ("ts", 2.0)):
        for measure in ("regret", "compensation"):
            name = f"{policy}, {drift}, {measure}"
            before, after = found[f"{name}, 4000 to 8000"], found[f"{name}, 8000 to 16000"]
            assert high(after - factor * before) < 0.0


def test_drift_costs_ucb_and_saves_epsilon_greedy():
    """Liu et al.: drift doubles the regret of ucb; epsilon-greedy pays much less."""
    found = findings.reward_drift(60, ["no drift", "linear"])

    def beyond(factor, name):
        """How far the measure is above so many times what it is without drift."""
        return found[name.format("linear")] - factor * found[name.format("no drift")]

    assert low(beyond(1.8, "ucb, {}, regret")) > 0.0
    assert low(beyond(1.2, "ucb, {}, compensation")) > 0.0
    assert high(beyond(0.8, "epsilon-greedy, {}, compensation")) < 0.0


def test_knowing_the_value_of_money_saves_money():
    """Han et al.: who knows that money counts double pays half; who does not may buy nobody."""
    found = findings.money(100)
    twice = "money 2 spread 0, offers"
    saved = found[f"{twice} 1 gap, compensation"] - 2 * found[f"{twice} 0.5 gap, compensation"]
    assert np.abs(saved).max() < 1e-9
    assert np.array_equal(found[f"{twice} 1 gap, regret"], found[f"{twice} 0.5 gap, regret"])
    assert high(found["money 0.5 spread 0, offers 1 gap, acceptance"]) < 0.01
    assert low(found["money 0.5 spread 0, offers 1 gap, locked in"]) > 0.02
    assert high(found["money 0.5 spread 0, offers 2 gap, locked in"]) < 0.21


def test_a_spread_of_the_value_of_money_costs_nothing():
    """Han et al.: not found that an unknown spread costs; refusals only make ucb wait."""
    found = findings.money(100)
    alike, spread = (
        found[f"{name}, offers 1 gap, regret"] + found[f"{name}, offers 1 gap, compensation"]
        for name in ("money 1 spread 0", "money 1 spread 1")
    )
    assert high(spread - alike) < 0.02 * alike.mean()
    assert high(found["money 1 spread 1, offers 1 gap, acceptance"]) < 0.95


def test_diverse_customers_need_not_be_paid():
    """Chen et al.: with tastes for every arm payments end, and customers alone do not lock in."""
    found = findings.diversity(100)
    assert low(found["spread 0, compensation of the last half"]) > 15.0
    assert high(found["spread 0.3, compensation of the last half"]) < 0.5
    assert low(found["spread 0, locked in without offers"]) > 0.04
    assert found["spread 0.3, locked in without offers"].sum() == 0


def test_pessimists_fail_more_and_optimists_hardly():
    """Banihashem et al.: who locks in, from pessimists to optimists, and whose regret grows on."""
    found = findings.optimism(2000, horizon=4000)
    locked = {kappa: found[f"kappa {kappa}, locked in"] for kappa in ("-1", "0", "0.5", "1")}
    assert low(locked["0"]) > 0.2
    assert low(locked["-1"] - locked["0"].astype(float)) > 0.0
    assert high(locked["0.5"]) < low(locked["0"])
    assert high(locked["1"]) < 0.05
    assert low(found["kappa 0, regret of the last half"]) > 80.0
    assert high(found["kappa 2, regret of the last half"]) < 3.0


def test_groups_do_not_lock_in():
    """Immorlica et al.: who sees everything locks in in a share of the runs; groups do not."""
    found = findings.groups(1000, horizon=6000)
    assert low(found["full, locked in"]) > 0.2
    assert low(found["full, regret of the last half"]) > 120.0
    for name in findings.GROUPS:
        if name != "full":
            assert high(found[f"{name}, locked in"]) < 0.03
            assert high(found[f"{name}, regret of the last half"]) < 5.0


def test_coarse_stars_are_dear():
    """They change no regret where the least offer is taken, and fine ones hardly any payment."""
    found = findings.star_ratings(200)
    for policy in ("ucb", "modified-ts"):
        exact = found[f"full, {policy}, compensation"]
        fine = found[f"steps of 0.01, {policy}, compensation"]
        coarse = found[f"steps of 0.5, {policy}, compensation"]
        for step in findings.STEPS:
            regret = found[f"steps of {step:g}, {policy}, regret"]
            assert regret.tolist() == found[f"full, {policy}, regret"].tolist()
        assert high(abs(fine - exact)) < 0.1 * exact.mean()
        assert low(coarse - exact) > 0.0
    locked = found["full, greedy, locked in"].astype(float)
    assert low(locked - found["steps of 0.5, greedy, locked in"]) > 0.0


def test_hiding_everything_is_free_and_hiding_a_part_may_be_dear():
    """Recommendations cost nothing; short records save ucb money, and cost modified-ts some."""
    found = findings.hidden_records(400)
    for policy in ("ucb", "modified-ts"):
        regret = found[f"target only, {policy}, regret"]
        assert regret.tolist() == found[f"full, {policy}, regret"].tolist()
        assert not found[f"target only, {policy}, compensation"].any()
    paid = {
        policy: found[f"latest 20, {policy}, compensation"] - found[f"full, {policy}, compensation"]
        for policy in ("ucb", "modified-ts")
    }
    assert high(paid["ucb"]) < -10.0
    assert low(paid["modified-ts"]) > 0.0
    greedy = [found[f"{name}, greedy, regret"] for name in ("full", "levels, 20 groups of 20")]
    assert high(greedy[1] - greedy[0]) < 0.0


def test_obedience_needs_reports():
    """A customer who knows her number should refuse an early recommendation, not a late one."""
    scenario = load_scenario(SCENARIOS / "obey-or-not.toml").replace(policy=[{"name": "ts"}])
    table = obedience(scenario, points=2, confidence=1.0 - 2.0 * float(norm.sf(ERRORS)))
    verdicts = table.set_index(["customer", "arm"])["obeyed"]
    assert verdicts[3, 1] == "no"
    assert verdicts[3, 0] == verdicts[1000, 0] == verdicts[1000, 1] == "yes"


def exact_gain(reports, means):
    """What Thompson sampling's first recommendation of arm 1 gains after so many reports on each.

    Arm 0 is worth 0.6, and arm 1 one of `means`, equally likely.
    """
    counts = np.arange(reports + 1)
    grid = np.linspace(0.0, 1.0, 4001)
    density = beta.pdf(grid, 1 + counts[:, None], 1 + reports - counts[:, None])
    above = beta.sf(grid, 1 + counts[:, None], 1 + reports - counts[:, None])
    chance = density @ above.T * grid[1]  # that the second of two records is sampled higher
    first = binom.pmf(counts, reports, 0.6)
    shares = np.array([first @ chance @ binom.pmf(counts, reports, mean) for mean in means])
    return float(shares @ (np.array(means) - 0.6) / shares.sum())


@pytest.mark.usefixtures("_own_catalogue")
def test_obedience_needs_free_reports(monkeypatch):
    """Customers who are sampled for should refuse after a few reports, and obey after twenty."""
    player = audit.player  # runs so short are not worth compiling
    monkeypatch.setattr(audit, "player", lambda *given: player(*given, engine="market"))

    @kcmab.policy("ts-after-reports", reports=kcmab.Parameter(1, "of each arm", ge=1))
    def choose(book, params, rng):
        """Thompson sampling after some reports on every arm."""
        target, highest = 0, -1.0
        for arm in range(len(book.means)):
            if book.pulls[arm] < params.reports:
                return arm
            theta = rng.beta(1.0 + book.totals[arm], 1.0 + book.pulls[arm] - book.totals[arm])
            if theta > highest:
                target, highest = arm, theta
        return target

    scenario = load_scenario(SCENARIOS / "obey-or-not.toml")
    for reports, runs, verdict in ((1, 400, "no"), (20, 200, "yes")):
        policy = {"name": "ts-after-reports", "reports": reports}
        after = {"horizon": 2 * reports + 1, "replications": runs}
        table = obedience(
            scenario.replace(policy=[policy], **after),
            points=2,
            confidence=1.0 - 2.0 * float(norm.sf(ERRORS)),
        )
        row = table.set_index(["customer", "arm"]).loc[2 * reports + 1, 1]
        assert row["obeyed"] == verdict
        assert row["low"] < exact_gain(reports, [0.3, 0.35, 0.8]) < row["high"]
    assert exact_gain(5, [0.3, 0.35, 0.8]) < 0.0 < exact_gain(8, [0.3, 0.35, 0.8])


def test_changing_arms_cost_less_and_less_a_customer():
    """Chakraborty and Chen: with three changes and fitting windows, cost a head falls with T."""
    found = findings.growing_horizons(40)
    for measure in ("dynamic_regret", "compensation"):
        short, middle, long = (
            found[f"T = {horizon}, {measure} a customer"] for horizon in (2500, 10_000, 40_000)
        )
        assert high(middle) < low(short)
        assert high(long) < low(middle)


def test_a_fallen_leader_is_found_out_at_a_price():
    """Chakraborty and Chen: a window halves ucb's regret, but readers of old reports must be paid.

    To customers who forget, both ucb and its window cost far less.
    """
    found = findings.fallen_leader(25, ["ucb", "sliding-window-ucb"])
    plain, windowed = (f"{policy}, greedy customers" for policy in ("ucb", "sliding-window-ucb"))
    assert high(found[f"{windowed}, dynamic_regret"]) < 0.5 * low(found[f"{plain}, dynamic_regret"])
    assert low(found[f"{windowed}, compensation"]) > 5 * high(found[f"{plain}, compensation"])
    forgetful = found["sliding-window-ucb, recency customers, compensation"]
    assert high(forgetful) < 0.3 * low(found[f"{windowed}, compensation"])
    assert high(found["ucb, recency customers, dynamic_regret"]) < 250.0


def test_success_breeds_success_and_not_always_of_the_best():
    """Zhou et al.: above alpha = 1 one arm takes the market, the wrong one in a fifth of the runs.

    Offers of ucb make that rarer; those of modified epsilon-greedy, which go to laggards only, not.
    """
    found = findings.crowds(1000, [0.5, 1.5], horizon=4000)
    assert found["alpha 0.5, greedy, one arm has 90 %"].sum() == 0
    assert low(found["alpha 1.5, greedy, one arm has 90 %"]) > 0.85
    alone = found["alpha 1.5, greedy, wrong arm leads"]
    assert low(alone) > 0.1
    assert high(found["alpha 1.5, ucb, wrong arm leads"]) < low(alone)
    assert (
        low(found["alpha 1.5, modified-epsilon-greedy, wrong arm leads"] - alone.astype(float))
        > 0.0
    )


def test_crowds_cost_much_less_than_time():
    """Zhou et al.: from 10 000 to 100 000 customers ucb pays less than root 10 times as much."""
    found = findings.crowds_for_long(150)
    middle, long = (found[f"T = {horizon}, compensation"] for horizon in (10_000, 100_000))
    assert low(long - middle) > 0.0
    assert high(long - math.sqrt(10) * middle) < 0.0


def test_a_little_noise_costs_ucb_nothing_and_much_of_it_linear_regret():
    """McFadden: small errors are free, large ones save payments, cost regret and end lock-ins."""
    found = findings.noise(200)
    regret, paid = (
        {tau: found[f"tau {tau}, ucb, {measure}"] for tau in ("0", "0.02", "0.1")}
        for measure in ("regret", "compensation")
    )
    assert high(np.abs(regret["0.02"] - regret["0"])) < 1.0
    assert low(regret["0.1"] - regret["0"]) > 200.0
    assert high(paid["0.1"] - paid["0"]) < -65.0
    assert low(found["tau 0, greedy, locked in"]) > 0.05
    assert found["tau 0.1, greedy, locked in"].sum() == 0


def test_refusals_make_ucb_wait_and_may_empty_a_market():
    """The deaf cost ucb nothing, neighbours are paid less, an outside option empties a market."""
    found = findings.ways_to_refuse(100)
    deaf = found["stubborn, half of them, regret"] - found["greedy, regret"]
    assert high(np.abs(deaf)) < 1.0
    assert high(found["social, small world of 100, compensation"]) < 95.0
    assert high(found["social, small world of 100, acceptance"]) < 0.96
    assert low(found["outside option worth 0.8, left"]) > 0.1
    assert found["greedy, left"].sum() == 0
