"""Arms that change: the same in both engines, on the same tapes, with regrets as defined."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm import make_scenario, play, simulate
from kcmab_abm.model import streams
from kcmab_abm.model.change import reflect
from tests.limits import changing_experiments, exactly, purses
from tests.markets import assert_same, between, replications

PAIRS = [("ucb", "greedy"), ("modified-ts", "greedy"), ("ucb", "logit")]
MEANS = [0.8, 0.5, 0.3]
BERNOULLI = {"law": "bernoulli", "means": MEANS}
BETA = {"law": "beta", "means": MEANS, "concentration": 4.0}
PIECEWISE = {"kind": "piecewise", "at": [40, 90], "means": [[0.2, 0.5, 0.9], [0.1, 0.9, 0.4]]}
WALK = {"kind": "random-walk", "step": 0.05}
SEASONAL = {"kind": "seasonal", "amplitude": 0.4, "period": 60}
KINDS = [PIECEWISE, WALK, SEASONAL]
every_kind = pytest.mark.parametrize("change", KINDS, ids=lambda change: change["kind"])
every_law = pytest.mark.parametrize("arms", [BERNOULLI, BETA], ids=lambda arms: arms["law"])


def scenario_of(change=None, arms=BERNOULLI, horizon=150, policies=("ucb",), purse=None, **market):
    """A market of three arms that change."""
    moving = {"change": change} if change else {}
    return make_scenario(
        {
            "horizon": horizon,
            "replications": 6,
            "seed": 12,
            "market": {"arms": arms, **moving, **market},
            "purse": purse or {},
            "policy": [{"name": name} for name in policies],
        }
    )


def walk_uniforms(scenario, replication):
    """The draws of a random walk, one row a customer, from their key alone."""
    arms = len(scenario.market.arms)
    key = streams.replication_key(scenario.seed, replication, streams.CHANGES)
    uniforms = streams.keyed_uniforms(key, 0, (scenario.horizon + 1) * arms)
    return uniforms.reshape(-1, arms)[1:]


def folded(position, low, high):
    """Where a step between two walls ends: a triangle wave of where it would have ended."""
    room = high - low
    beyond = math.fmod(position - low, 2 * room)
    beyond = beyond + 2 * room if beyond < 0 else beyond
    return low + (beyond if beyond <= room else 2 * room - beyond)


def path_of(scenario, change, replication):
    """The true means by the definitions, customer by customer."""
    arms = scenario.market.arms
    low, high = arms[0].law.within
    first = np.array([arm.mean for arm in arms])
    customers = np.arange(1, scenario.horizon + 1)
    if change["kind"] == "piecewise":
        levels = np.array([first, *change["means"]])
        return levels[np.searchsorted(change["at"], customers, side="right")]
    if change["kind"] == "seasonal":
        phases = np.array(change.get("phases", np.arange(len(arms)) / len(arms)))
        angles = 2 * np.pi * (customers[:, None] / change["period"] + phases)
        return np.clip(first + change["amplitude"] * np.sin(angles), low, high)
    steps = change["step"] * math.sqrt(12) * (walk_uniforms(scenario, replication) - 0.5)
    low, high = max(low, change.get("low", 0.0)), min(high, change.get("high", 1.0))
    rows, now = [], first.tolist()
    for row in steps:
        now = [folded(mean + step, low, high) for mean, step in zip(now, row, strict=True)]
        rows.append(now)
    return np.array(rows)


@pytest.mark.parametrize(("policy", "behaviour"), PAIRS)
@given(data=st.data())
def test_engines_agree_on_arms_that_change(policy, behaviour, data):
    """Arms that jump, walk or swing, with limits on the purse and without: not a bit differs."""
    purse = data.draw(st.none() | st.just(purses("least")))
    settings_ = data.draw(changing_experiments(policy, behaviour, purse))
    scenario, replication = make_scenario(settings_), data.draw(replications)
    market, batch = (
        play(scenario, replication=replication, engine=engine) for engine in ("market", "batch")
    )
    assert_same(market, batch)


@every_kind
@every_law
def test_engines_add_up_the_same(arms, change):
    """A whole experiment on changing arms has one digest, whichever engine ran it."""
    scenario = scenario_of(change, arms, policies=("ucb", "modified-ts"), purse={"budget": 20.0})
    market, batch = (simulate(scenario, engine=engine) for engine in ("market", "batch"))
    assert market.digest() == batch.digest()
    assert (batch.finals().dynamic_regret >= batch.finals().regret - 1e-9).all()


@settings(max_examples=2 * settings.default.max_examples)
@given(settings_=changing_experiments("ucb", "greedy"), replication=replications)
def test_means_are_as_defined(settings_, replication):
    """The path of the means is the one that the definitions give, from the draws alone."""
    scenario = make_scenario(settings_)
    found = scenario.market.means_over_time(scenario.seed, replication, scenario.horizon)
    expected = path_of(scenario, settings_["market"]["change"], replication)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    low, high = scenario.market.arms[0].law.within
    assert (found >= low).all()
    assert (found <= high).all()


@every_kind
@every_law
@pytest.mark.parametrize("engine", ["market", "batch"])
def test_regrets_are_as_defined(engine, arms, change):
    """Regret is to the best single arm so far, dynamic regret to the best of every moment."""
    scenario = scenario_of(change, arms)
    path = path_of(scenario, change, 2)
    run = play(scenario, replication=2, engine=engine)
    customers = np.arange(len(run))
    taken = path[customers, run.arms]
    np.testing.assert_allclose(run.regrets, path.max(axis=1) - taken, atol=1e-12)
    finals = simulate(scenario, engine=engine).finals().iloc[2]
    best = path.sum(axis=0).max()
    assert finals.regret == pytest.approx(best - taken.sum(), abs=1e-9)
    assert finals.realised_regret == pytest.approx(best - run.rewards.sum(), abs=1e-9)
    assert finals.dynamic_regret == pytest.approx((path.max(axis=1) - taken).sum(), abs=1e-9)
    assert finals.dynamic_regret > finals.regret + 0.1
    assert finals.compensation == np.cumsum(run.payments)[-1]


@every_kind
def test_regret_curves_are_as_defined(change):
    """At every checkpoint the best single arm is that of the customers so far."""
    scenario = scenario_of(change).replace(replications=1)
    results = simulate(scenario, engine="batch")
    path = path_of(scenario, change, 0)
    run = play(scenario, engine="batch")
    taken = np.cumsum(path[np.arange(len(run)), run.arms])
    best = np.cumsum(path, axis=0).max(axis=1)
    expected = {
        "regret": best - taken,
        "realised_regret": best - np.cumsum(run.rewards),
        "dynamic_regret": np.cumsum(path.max(axis=1)) - taken,
        "compensation": np.cumsum(run.payments),
    }
    curves = results.curves()
    for measure, values in expected.items():
        found = curves[curves.measure == measure]["mean"]
        np.testing.assert_allclose(found, values[results.checkpoints - 1], atol=1e-9)


def test_who_leaves_forgoes_the_best_of_the_moment():
    """A customer who takes nothing has the highest mean of her moment as regret."""
    scenario = scenario_of(
        SEASONAL, customers={"behaviour": "outside-option", "worth": 0.75}, purse={"cap": 0.1}
    )
    path = path_of(scenario, SEASONAL, 0)
    run = play(scenario, engine="market")
    left = run.arms < 0
    assert 5 < left.sum() < 145
    np.testing.assert_allclose(run.regrets[left], path.max(axis=1)[left], atol=1e-12)
    results = simulate(scenario.replace(replications=1), engine="market")
    taken = np.where(left, 0.0, path[np.arange(150), run.arms]).sum()
    assert results.finals().regret[0] == pytest.approx(path.sum(axis=0).max() - taken, abs=1e-9)
    assert results.summary().left[0] == left.mean()


@pytest.mark.parametrize("engine", ["market", "batch"])
@every_law
def test_a_change_to_the_same_is_none(arms, engine):
    """Means that jump to where they are leave arms, rewards and payments as they were.

    Steady Beta arms read a table and others solve for the quantile, each to twelve digits.
    """
    still = {"kind": "piecewise", "at": [5, 50], "means": [MEANS, MEANS]}
    moved = play(scenario_of(still, arms), replication=1, engine=engine)
    steady = play(scenario_of(None, arms), replication=1, engine=engine)
    for name in ("arms", "targets", "seeded"):
        assert getattr(moved, name).tobytes() == getattr(steady, name).tobytes(), name
    close = 2e-12 if arms["law"] == "beta" else 0.0
    for name in ("rewards", "payments", "offers"):
        one, other = getattr(moved, name), getattr(steady, name)
        np.testing.assert_allclose(one, other, rtol=0.0, atol=close, err_msg=name)
    np.testing.assert_allclose(moved.regrets, steady.regrets, atol=1e-15)


def pulls_of(run, scenario, change):
    """Of each arm of replication 1: who took it, the uniforms on its tape, its means by then."""
    path = path_of(scenario, change, 1)
    for arm in range(3):
        key = streams.replication_key(scenario.seed, 1, streams.ARMS + arm)
        customers = np.flatnonzero(run.arms == arm)
        yield customers, streams.keyed_uniforms(key, 0, len(customers)), path[customers, arm]


@every_kind
def test_changing_arms_read_the_same_tapes(change):
    """The k-th reward of an arm is its law, as it is by then, at the k-th uniform of its tape."""
    scenario = scenario_of(change, BETA)
    run = play(scenario, replication=1, engine="batch")
    for customers, uniforms, means in pulls_of(run, scenario, change):
        expected = stats.beta.ppf(uniforms, 4.0 * means, 4.0 * (1.0 - means))
        np.testing.assert_allclose(run.rewards[customers], expected, rtol=1e-9, atol=1e-12)


@every_kind
def test_bernoulli_rewards_follow_the_means(change):
    """Whether a Bernoulli arm pays is its uniform against its mean of the moment."""
    scenario = scenario_of(change)
    run = play(scenario, replication=1, engine="batch")
    for customers, uniforms, means in pulls_of(run, scenario, change):
        clear = np.abs(uniforms - (1.0 - means)) > 1e-9
        pays = (uniforms >= 1.0 - means).astype(float)
        assert run.rewards[customers][clear].tolist() == pays[clear].tolist()


def test_the_world_changes_alike_for_all():
    """The means that customers find do not depend on policy, purse or engine."""
    one = scenario_of(WALK, policies=("ucb",)).market.means_over_time(12, 3, 100)
    other = scenario_of(WALK, policies=("ts",), purse={"cap": 0.1}).market.means_over_time(
        12, 3, 150
    )
    assert one.tobytes() == other[:100].tobytes()


def test_steps_of_a_walk():
    """Far from the walls steps have mean 0 and the deviation given, and go both ways alike.

    Each of the three fails once in 1e6 seeds.
    """
    step = 0.001
    change = {"kind": "random-walk", "step": step}
    arms = {"law": "bernoulli", "means": [0.5] * 20}
    path = scenario_of(change, arms).market.means_over_time(12, 0, 500)
    steps = np.diff(path, axis=0, prepend=0.5).ravel()
    assert len(steps) == 10_000
    assert abs(steps.mean()) < 5 * step / math.sqrt(len(steps))
    # A uniform has kurtosis 9/5: the variance of a squared step is 4/5 of step^4.
    assert abs((steps**2).mean() / step**2 - 1) < 5 * math.sqrt(0.8 / len(steps))
    assert stats.binomtest(int((steps > 0).sum()), len(steps)).pvalue > 1e-6
    assert np.abs(steps).max() <= step * math.sqrt(3) + 1e-12


def test_a_walk_spreads_evenly_between_its_walls():
    """Reflected steps leave the uniform law as it is; of 4000 walks it fails once in 1e6 seeds."""
    change = {"kind": "random-walk", "step": 0.1, "low": 0.2, "high": 0.6}
    arms = {"law": "bernoulli", "means": [0.25] * 4000}
    path = scenario_of(change, arms).market.means_over_time(12, 0, 150)
    assert path.min() >= 0.2
    assert path.max() <= 0.6
    assert stats.kstest(path[-1], stats.uniform(0.2, 0.4).cdf).pvalue > 1e-6
    assert path[0].mean() == pytest.approx(0.25, abs=0.05)


@settings(max_examples=8 * settings.default.max_examples)
@given(
    start=between(0.0, 1.0),
    ends=st.tuples(between(0.0, 1.0), between(0.0, 1.0)).map(sorted),
    step=between(-1.0, 1.0),
)
def test_a_step_bounces_off_the_walls(start, ends, step):
    """A step that is shorter than the room ends where a ball would, never outside of the walls."""
    low, high = ends
    start = min(high, max(low, start))
    step = step * (high - low)
    found = reflect(start + step, low, high)
    assert low <= found <= high
    if high > low:
        assert found == pytest.approx(folded(start + step, low, high), abs=1e-9)


def test_a_season_by_hand():
    """Means are mu + a sin(2 pi (t / P + phase)): after a quarter of a period it is mu + a."""
    change = {"kind": "seasonal", "amplitude": 0.2, "period": 8, "phases": [0.0, 0.5, 0.25]}
    path = scenario_of(change).market.means_over_time(0, 0, 8)
    assert path[1] == pytest.approx([1.0, 0.3, 0.3])
    assert path[3] == pytest.approx([0.8, 0.5, 0.1])
    assert path[5] == pytest.approx([0.6, 0.7, 0.3])
    assert path[7] == pytest.approx([0.8, 0.5, 0.5])


def test_arms_of_a_season_are_spread_over_it():
    """Unless told otherwise arm i is i / N of a season ahead."""
    spread = {**SEASONAL, "phases": [0.0, 1 / 3, 2 / 3]}
    one, other = (
        scenario_of(change).market.means_over_time(0, 0, 60) for change in (SEASONAL, spread)
    )
    assert one.tobytes() == other.tobytes()


def test_jumps_begin_with_their_customer():
    """The means of `at[k]` hold from that customer on, and not for the one before."""
    path = scenario_of(PIECEWISE).market.means_over_time(0, 0, 150)
    assert path[38].tolist() == MEANS
    assert path[39].tolist() == PIECEWISE["means"][0]
    assert path[88].tolist() == PIECEWISE["means"][0]
    assert path[[89, 149]].tolist() == [PIECEWISE["means"][1]] * 2


@pytest.mark.parametrize(
    "change",
    [{"kind": "random-walk", "step": 0.25}, {"kind": "seasonal", "amplitude": 1.0, "period": 9}],
    ids=lambda change: change["kind"],
)
def test_beta_arms_keep_off_the_ends(change):
    """Beta arms have no law with mean 0 or 1: their means are kept within 0.001 and 0.999."""
    path = scenario_of(change, BETA).market.means_over_time(12, 0, 400)
    assert path.min() >= 0.001
    assert path.max() <= 0.999
    assert path.min() < 0.02
    assert path.max() > 0.98
    run = play(scenario_of(change, BETA), engine="market")
    assert np.isfinite(run.rewards).all()


def test_customers_in_line_get_the_arm_as_they_found_it():
    """Who waits draws her reward at the means of her arrival, and her regret is by them."""
    line = {"capacity": 1, "service_time": 3.0}
    scenario = scenario_of(PIECEWISE, **line)
    run = play(scenario, engine="market")
    path = path_of(scenario, PIECEWISE, 0)
    assert run.waits.max() > 3.0
    np.testing.assert_allclose(
        run.regrets, path.max(axis=1) - path[np.arange(150), run.arms], atol=1e-12
    )


def test_a_purse_holds_where_arms_change():
    """A budget is kept to the last bit on arms that change."""
    purse = {"budget": 0.7, "when_short": "pay-rest"}
    customers = {"behaviour": "logit", "tau": 1.0}
    run = play(scenario_of(WALK, BETA, purse=purse, customers=customers), engine="batch")
    assert 0 <= Fraction(0.7) - exactly(run.payments) < Fraction(1, 10**15)
