"""What every pricing rule of the catalogue keeps to, prices by hand, and rules of one's own."""

from __future__ import annotations

import math

import pytest

import kcmab_abm
from kcmab_abm import MarketError, Parameter, make_scenario, play, simulate
from kcmab_abm.catalogue.decorators import pricing
from kcmab_abm.catalogue.registry import PRICING
from kcmab_abm.errors import PlayError
from kcmab_abm.model.search import explores
from tests.contract.arena import Scripted, defaults, new_memory, stated
from tests.limits import PRICING_NAMES, nine_arms
from tests.markets import assert_same

every_rule = pytest.mark.parametrize("name", PRICING_NAMES)
LOGIT = {"behaviour": "logit", "tau": 0.2}
LIMITS = {"cap": 0.7, "budget": 6.0, "also": 2, "misjudgement": 0.05, "when_short": "pay-rest"}


def test_the_decorator_keeps_its_name():
    """The folder of the rules, found with the first scenario, does not hide the decorator."""
    assert PRICING.names()
    assert kcmab_abm.pricing is pricing


@every_rule
def test_the_leader_is_free(name):
    """For an arm that leads anyway nothing is offered, unless customers do not read the record."""
    if name in ("bisection", "consistent-utilities", "arm-margins"):
        return
    entry = PRICING[name]
    visits = [(0.0, True), (0.5, False), (0.0, True), (0.25, False), (0.0, False)]
    found = prices(name, visits, *defaults(entry))
    assert found[0] == found[2] == found[4] == 0.0
    assert found[1] > 0.0


RANGES = {
    ("bisection", "limit"): (1.0, {"gt": 0.0, "le": 100.0}),
    ("consistent-utilities", "epsilon"): (100.0, {"gt": 0.0}),
    ("consistent-utilities", "limit"): (1.0, {"gt": 0.0, "le": 100.0}),
    ("fixed-margin", "margin"): (0.05, {"ge": 0.0, "le": 10.0}),
    ("learned-margin", "goal"): (0.9, {"gt": 0.0, "lt": 1.0}),
    ("learned-margin", "step"): (0.02, {"gt": 0.0, "le": 1.0}),
    ("arm-margins", "goal"): (0.9, {"gt": 0.0, "lt": 1.0}),
    ("arm-margins", "step"): (0.02, {"gt": 0.0, "le": 1.0}),
    ("proportional-margin", "share"): (0.1, {"ge": -1.0, "le": 100.0}),
}


def test_ranges_are_what_files_were_promised():
    """A file that leaves a parameter out, or uses its range to the ends, stays what it was."""
    entries = {name: PRICING[name].parameters for name in PRICING.own_names()}
    assert stated(entries) == RANGES


@every_rule
@pytest.mark.parametrize("purse", [{"budget": 1e12}, LIMITS], ids=["unlimited", "limited"])
def test_a_rule_compiles_and_the_engines_agree(name, purse):
    """Every rule gives the same market in both engines, bit for bit, and the same sums."""
    scenario = nine_arms("ucb", 700, purse={"offer": {"rule": name}, **purse}, customers=LOGIT)
    market, batch = (play(scenario, replication=1, engine=engine) for engine in ("market", "batch"))
    assert_same(market, batch)
    assert batch.payments.any()
    few = scenario.replace(replications=3, horizon=100)
    digests = {simulate(few, engine=engine).digest() for engine in ("market", "batch")}
    assert len(digests) == 1


@pytest.mark.slow
def test_a_rule_that_learns_in_the_lean_kernel():
    """Without limits too a rule with a memory is the same in both engines."""
    scenario = nine_arms("ucb", 700, purse={"offer": {"rule": "learned-margin"}}, customers=LOGIT)
    assert scenario.purse.is_plain
    assert_same(play(scenario, engine="market"), play(scenario, engine="batch"))


def prices(name, visits, *values, arms=(0,) * 9, uniforms=(), horizon=8):
    """The prices of a rule that draws these numbers, and no others."""
    entry = PRICING[name]
    memory, params, rng = new_memory(entry, 2, values), entry.params(values), Scripted(uniforms)
    own = {"memory": memory, "params": params, "rng": rng}
    found = []
    for t, (arm, (gap, taken)) in enumerate(zip(arms, visits, strict=False), 1):
        found.append(entry.ask("act", t=t, gap=gap, arm=arm, horizon=horizon, **own))
        if entry.answered is not None:
            entry.ask("answered", t=t, arm=arm, offer=found[-1], taken=taken, **own)
    assert rng.is_used_up
    return found


def test_prices_by_hand():
    """The gap, the gap and something, the gap and a share of it, or less."""
    visits = [(0.25, True), (0.5, False), (0.0, True)]
    assert prices("least", visits) == [0.25, 0.5, 0.0]
    assert prices("fixed-margin", visits, 0.125) == [0.375, 0.625, 0.0]
    assert prices("proportional-margin", visits, 0.5) == [0.375, 0.75, 0.0]
    assert prices("proportional-margin", visits, -0.5) == [0.125, 0.25, 0.0]
    assert prices("proportional-margin", visits, -1.0) == [0.0, 0.0, 0.0]


def test_a_learned_margin_by_hand():
    """A refusal adds step * goal, a deal takes off step * (1 - goal); leaders teach nothing."""
    visits = [(0.5, False), (0.5, False), (0.0, True), (0.5, True), (0.5, True), (0.125, True)]
    found = prices("learned-margin", visits, 0.75, 0.5)
    assert found == [0.5, 0.875, 0.0, 1.25, 1.125, 0.625]
    falling = prices("learned-margin", [(0.25, True)] * 4, 0.5, 0.25)
    assert falling == [0.25, 0.125, 0.0, 0.0]


def test_arm_margins_by_hand():
    """Each arm has a margin of its own, also while it leads; offers of 0 do not lower it."""
    visits = [(0.0, False), (0.5, True), (0.0, True), (0.0, False), (0.5, True), (0.25, True)]
    found = prices("arm-margins", visits, 0.5, 0.5, arms=(0, 1, 0, 1, 0, 1))
    assert found == [0.0, 0.5, 0.25, 0.0, 0.5, 0.25]
    visits = [(0.25, True)] * 3 + [(0.25, False)] * 2
    falling = prices("arm-margins", visits, 0.5, 0.5)
    assert falling == [0.25, 0.0, 0.0, 0.0, 0.25]
    visits = [(-0.5, False), (-0.5, True), (-0.5, True), (-0.25, True)]
    assert prices("arm-margins", visits, 0.5, 0.5) == [-0.5, -0.25, -0.5, -0.25]  # fees


def test_bisection_by_hand():
    """Three offers halve the interval for 8 customers; then the least that was accepted."""
    visits = [(0.0, True), (0.9, False), (0.1, True), (0.2, True), (0.0, False)]
    assert prices("bisection", visits, 2.0) == [1.0, 0.5, 0.75, 0.75, 0.75]
    turns = prices("bisection", visits, 1.0, arms=(0, 1, 0, 1, 0))
    assert turns == [0.5, 0.5, 0.25, 0.75, 0.125]
    assert prices("bisection", [(0.0, False)] * 4, 1.0) == [0.5, 0.75, 0.875, 1.0]


def test_consistent_utilities_by_hand():
    """Some customers get a random offer; the others the middle and 2 sqrt(ln n / n)."""
    visits = [(0.0, True), (0.0, False), (0.0, True), (0.0, True)]
    found = prices("consistent-utilities", visits, 1.2, 2.0, uniforms=(0.5, 0.25))
    assert [explores(t, 1.2) for t in range(1, 5)] == [True, False, True, False]
    margin = 2.0 * math.sqrt(math.log(2.0) / 2.0)
    assert found == pytest.approx([1.0, 0.5, 0.5, 0.5 + margin])
    low = prices("consistent-utilities", visits, 1.2, 1.0, uniforms=(0.5, 0.25))
    assert low == [0.5, 0.25, 0.25, 1.0]


@pytest.mark.parametrize("epsilon", [0.5, 20.0])
def test_the_share_of_explorations(epsilon):
    """Up to customer epsilon all are explored on, afterwards about epsilon ln(T / epsilon)."""
    count = sum(explores(t, epsilon) for t in range(1, 100_001))
    expected = sum(min(1.0, epsilon / t) for t in range(1, 100_001))
    assert abs(count - expected) < 2.0
    assert all(explores(t, epsilon) for t in range(1, int(epsilon) + 1))


def hear(t, offer, taken, memory, params, rng):
    """Count refusals."""
    if not taken:
        memory.refused[0] += 1.0


@pricing(
    "test-haggler",
    answered=hear,
    memory={"refused": 1, "seen": "arms"},
    pace=Parameter(0.01, "added for each refusal", ge=0.0),
)
def haggle(t, gap, memory, params, rng):
    """Offers the gap, something for every refusal so far, and some luck."""
    memory.seen[t % len(memory.seen)] = gap
    return gap + params.pace * memory.refused[0] + 0.01 * rng.random()


@pricing(
    "test-reckless",
    price=Parameter(-1.0, "what customer 41 is offered"),
    nonsense=Parameter(False, "whether it is not even a number"),
)
def overprice(t, gap, memory, params, rng):
    """Offers customer 41 what cannot be paid."""
    if t == 41:
        return math.nan if params.nonsense else params.price
    return gap


def own_rule(rule, purse=None, **settings):
    """A small market in which a user's rule sets the prices."""
    offer = {"rule": rule, **settings}
    return nine_arms("ucb", 120, purse={"offer": offer, **(purse or {})}, customers=LOGIT)


@pytest.mark.slow
@pytest.mark.parametrize("purse", [{}, LIMITS], ids=["unlimited", "limited"])
def test_a_rule_of_ones_own(purse):
    """A rule from a script, with memory, draws and a parameter, is the same in both engines."""
    scenario = own_rule("test-haggler", purse, pace=0.02)
    market, batch = (play(scenario, replication=2, engine=engine) for engine in ("market", "batch"))
    assert_same(market, batch)
    assert batch.payments.any()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("also", [0, 2])
@pytest.mark.parametrize("price", [-1.0, math.nan, -1e-300])
def test_a_price_that_cannot_be_paid(engine, also, price):
    """A rule that asks for less than nothing, or for no number, is told who was offered what."""
    settings = {"nonsense": True} if math.isnan(price) else {"price": price}
    expected = (
        f"pricing rule 'test-reckless' offered {price} to customer 41 of replication 0; "
        "an offer is a finite number >= 0"
        + ("; to charge a fee, set purse.fees to true" if price < 0.0 else "")
    )
    for run in (play, simulate):
        with pytest.raises(PlayError) as caught:
            run(own_rule("test-reckless", {"also": also}, **settings), engine=engine)
        assert str(caught.value) == expected


def test_the_names_of_the_package_are_taken():
    """Nobody can put a rule of her own under a name that the package uses."""
    with pytest.raises(MarketError, match="'least' is already in the catalogue"):
        pricing("least")(haggle)


def test_settings_name_the_rule():
    """A scenario keeps the rule and its parameters, defaults filled in."""
    scenario = own_rule("learned-margin", goal=0.5)
    assert scenario.settings["purse"]["offer"] == {
        "rule": "learned-margin",
        "goal": 0.5,
        "step": 0.02,
    }
    assert make_scenario(scenario.settings) == scenario
