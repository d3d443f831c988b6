"""What every pricing rule of the catalogue keeps to, prices by hand, and rules of one's own."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kcmab_abm
from kcmab_abm import MarketError, Parameter, make_scenario, play, simulate
from kcmab_abm.catalogue import PRICING, pricing
from kcmab_abm.errors import PlayError
from tests.contract.arena import Scripted, defaults, new_memory
from tests.limits import PRICING_NAMES, nine_arms
from tests.markets import assert_same, between, numbers_within

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
every_rule = pytest.mark.parametrize("name", PRICING_NAMES)
LOGIT = {"behaviour": "logit", "tau": 0.2}
LIMITS = {"cap": 0.7, "budget": 6.0, "also": 2, "misjudgement": 0.05, "when_short": "pay-rest"}


def priced(entry, visits, values, seed):
    """The prices for some gaps; after each the rule hears whether the target was taken."""
    memory, params = new_memory(entry, 3, values), entry.params(values)
    rng = np.random.default_rng(seed)
    prices = []
    for t, (gap, taken) in enumerate(visits, 1):
        prices.append(entry.act(t, gap, memory, params, rng))
        if entry.learn is not None:
            entry.learn(t, prices[-1], taken, memory, params, rng)
    return prices


@every_rule
@given(data=st.data())
def test_a_rule_keeps_the_rules(name, data):
    """Prices are finite and not below 0, memory is not overrun, draws repeat."""
    entry = PRICING.find(name)
    gaps = st.just(0.0) | between(0.0, 1.0) | between(0.0, 1e13)
    visits = data.draw(st.lists(st.tuples(gaps, st.booleans()), min_size=1, max_size=60))
    values = tuple(data.draw(numbers_within(each)) for each in entry.parameters.values())
    seed = data.draw(st.integers(0, 99))
    prices = priced(entry, visits, values, seed)
    assert all(0.0 <= price < math.inf for price in prices)
    assert priced(entry, visits, values, seed) == prices


def test_the_decorator_keeps_its_name():
    """The folder of the rules, found with the first scenario, does not hide the decorator."""
    assert PRICING.names()
    assert kcmab_abm.pricing is pricing


@every_rule
def test_the_leader_is_free(name):
    """For an arm that leads anyway nothing is offered, whatever happened before."""
    entry = PRICING.find(name)
    visits = [(0.0, True), (0.5, False), (0.0, True), (0.25, False), (0.0, False)]
    prices = priced(entry, visits, defaults(entry), 0)
    assert prices[0] == prices[2] == prices[4] == 0.0
    assert prices[1] > 0.0


@every_rule
def test_the_name_is_that_of_the_file(name):
    """A pricing rule stands in the file of its name, with underscores for hyphens."""
    entry = PRICING.find(name)
    assert NAME.fullmatch(name)
    assert entry.kind == "pricing rule"
    assert entry.act.__module__ == f"kcmab_abm.pricing.{name.replace('-', '_')}"


@every_rule
def test_the_description_is_a_sentence(name):
    """The docstring begins with one sentence on one line; the citation, if any, is tidy."""
    entry = PRICING.find(name)
    assert re.fullmatch(r"[A-Z].{10,90}\.", entry.about)
    assert entry.about == entry.act.__doc__.split("\n")[0]
    assert entry.cites == entry.cites.strip()


@every_rule
def test_defaults_are_within_their_range(name):
    """Every parameter has a default that is allowed, and a word on what it means."""
    for parameter in PRICING.find(name).parameters.values():
        assert parameter.gt is None or parameter.default > parameter.gt
        assert parameter.ge is None or parameter.default >= parameter.ge
        assert parameter.lt is None or parameter.default < parameter.lt
        assert parameter.le is None or parameter.default <= parameter.le
        assert parameter.about


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
    assert scenario.market.offers.is_plain
    assert_same(play(scenario, engine="market"), play(scenario, engine="batch"))


def prices(name, visits, *values):
    """The prices of a rule that needs no draws."""
    entry = PRICING.find(name)
    memory, params, rng = new_memory(entry, 2, values), entry.params(values), Scripted()
    found = []
    for t, (gap, taken) in enumerate(visits, 1):
        found.append(entry.act(t, gap, memory, params, rng))
        if entry.learn is not None:
            entry.learn(t, found[-1], taken, memory, params, rng)
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


def hear(t, offer, taken, memory, params, rng):
    """Count refusals."""
    if not taken:
        memory.refused[0] += 1.0


@pricing(
    "test-haggler",
    learn=hear,
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
        f"pricing rule 'test-reckless' offered {price} to customer 41; "
        "an offer is a finite number >= 0"
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
