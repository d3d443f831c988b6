"""A market stepped by hand: the market of `play`, unless somebody overrides."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kcmab_abm as kcmab
from kcmab_abm.errors import PlayError
from tests.fuzz.scenarios import TIMES, add_queues, draw_combo, draw_scenario
from tests.markets import assert_same
from tests.registry import own_catalogue

PAPER = {
    "horizon": 12,
    "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.5, 0.1]}},
    "policy": [{"name": "ucb"}, {"name": "greedy", "label": "myopic"}],
}

# No draw breaks ties, and the policy acts on the whole record, as every customer does.
OPEN = {"ties": "first", "disclosure": {"rule": "full"}}


@st.composite
def scenarios(draw, **changes):
    """Any market with any purse, half of them with queues, and some with delays alone."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = draw_scenario(rng, draw_combo(rng))
    if draw(st.booleans()):
        table = add_queues(rng, table)
    market = table["market"] | changes.pop("market", {})
    longest = TIMES if market["arrivals"]["process"] == "trace" else 40
    return kcmab.make_scenario(
        {**table, "horizon": draw(st.integers(1, longest)), **changes} | {"market": market}
    )


def paper(**changes):
    """The paper's customers with three arms."""
    return kcmab.make_scenario({**PAPER, **changes})


def opened(scenario, replication=0):
    """A market under the scenario's first policy."""
    return kcmab.open_market(scenario, scenario.policies[0].label, replication)


def go_on(market, steps=None):
    """The events of some steps, by default of all that are left."""
    left = len(market.ledger) + 1 - market.t
    return [market.step() for _ in range(left if steps is None else min(steps, left))]


def play_differently(market, rng, stop=math.inf):
    """Go on, overriding at random with offers of which some are refused."""
    arms, limits = len(market.book.means), market.purse
    most = min(1.0, limits.cap)
    while not market.is_over and market.t < stop:
        target = int(rng.integers(arms)) if rng.random() < 0.5 else None
        offer = most * rng.random() if rng.random() < 0.5 else None
        with suppress(kcmab.MarketError):  # more than the purse can afford
            market.step(target, offer)


def choose_by_hand(scenario, rng):
    """The market of a scenario whose customers are replaced by people who choose at random."""
    market = opened(scenario)
    while not market.is_over:
        market.step(arm=int(rng.integers(-1, len(market.book.means))))
    return market


def assert_completed(events, run):
    """Events that have been completed hold what the trajectory says."""
    for line, event in enumerate(events):
        assert event.t == line + 1
        assert (event.target, event.offer) == (run.targets[line], run.offers[line])
        assert (event.arm, event.reward) == (run.arms[line], run.rewards[line])
        assert (event.payment, event.regret) == (run.payments[line], run.regrets[line])
        assert event.seeded == run.seeded[line]


@settings(max_examples=60, deadline=None)
@given(scenario=scenarios(), replication=st.integers(0, 2), stop=st.integers(0, 40))
def test_a_market_left_to_its_policy_is_play(scenario, replication, stop):
    """The same trajectory to the last bit, of which every earlier one is the beginning."""
    run = kcmab.play(scenario, replication=replication, engine="market")
    market = opened(scenario, replication)
    events = go_on(market, stop)
    early = market.trajectory()
    ended = next((event.t - 1 for event in events if event.arm is None), len(events))
    assert len(early) == ended
    columns = [each.name for each in fields(run)]
    assert_same(early, type(run)(*(getattr(run, name)[:ended] for name in columns)))
    events += go_on(market)
    assert market.is_over
    assert_same(market.trajectory(), run)
    assert_completed(events, run)


@settings(max_examples=40, deadline=None)
@given(scenario=scenarios(), seed=st.integers(0, 99))
def test_overriding_with_the_same_changes_nothing(scenario, seed):
    """Policy and pricing rule draw as usual; every offer they made is one that can be given."""
    run, rng = kcmab.play(scenario, engine="market"), np.random.default_rng(seed)
    market = opened(scenario)
    for target, offer in zip(run.targets.tolist(), run.offers.tolist(), strict=True):
        kept = target if rng.random() < 0.5 else None
        if rng.random() < 0.5:  # whom the controller sees before it acts
            known, twin = market.customer, market.fork() if rng.random() < 0.1 else market
            assert known == twin.customer == market.customer
        market.step(kept, offer if rng.random() < 0.5 else None)
    assert_same(market.trajectory(), run)


@pytest.mark.usefixtures("_own_catalogue")
def test_you_see_the_kind_of_the_next_customer():
    """As a policy would, before and after an offer is posted; nobody else has one."""
    kinds = [{"behaviour": "greedy"}, {"behaviour": "tastes"}]
    customers = {"behaviour": "mixture", "of": kinds, "visible": True}
    seen = []
    kcmab.policy("watchful")(lambda t, customer: seen.append(customer.kind) or 0)
    scenario = paper(policy=[{"name": "watchful"}]).at({"market.customers": customers})
    kcmab.play(scenario, engine="market")
    market, found = kcmab.open_market(scenario), []
    while not market.is_over:
        found.append(market.customer.kind)
        if not market.post(target=0).seeded:
            assert market.customer.kind == found[-1]
        market.step()
    assert found == [0, 0, 0, *seen]
    assert set(seen) == {0, 1}
    assert market.customer.kind == 0
    hidden = kcmab.open_market(scenario.at({"market.customers.visible": False}))
    assert not any(hidden.customer.kind for _ in range(12) if hidden.step(target=0))


@settings(max_examples=40, deadline=None)
@given(scenario=scenarios(), stop=st.integers(0, 40), seed=st.integers(0, 99), posted=st.booleans())
def test_a_fork_is_the_same_market_and_another(scenario, stop, seed, posted):
    """Both go on alike if treated alike; what happens to one does not touch the other."""
    market, rng = opened(scenario), np.random.default_rng(seed)
    play_differently(market, rng, stop)
    if posted and not market.is_over:
        market.post(offer=0.0)
    same, other = market.fork(), market.fork()
    before, trajectory = repr((market.t, market.book, market.purse)), market.trajectory()
    for each in (same, other):
        assert repr((each.t, each.book, each.purse)) == before
        assert_same(each.trajectory(), trajectory)
    if posted and not market.is_over:
        other.step()
    play_differently(other, rng)
    assert repr((market.t, market.book, market.purse)) == before
    assert go_on(market) == go_on(same)
    assert_same(market.trajectory(), same.trajectory())
    assert repr((market.book, market.purse)) == repr((same.book, same.purse))


@settings(max_examples=30, deadline=None)
@given(scenario=scenarios(policy=[{"name": "greedy"}], market=OPEN))
def test_following_the_leader_by_hand_is_the_greedy_policy(scenario):
    """Without a policy, you promote the best record, and the pricing rule makes the offer."""
    market = kcmab.open_market(scenario)
    while not market.is_over:
        market.step(target=int(np.argmax(market.book.means)))
    assert_same(market.trajectory(), kcmab.play(scenario, engine="market"))


def test_an_override_is_posted_and_paid():
    """She takes the arm for the least offer, not for less; the purse and the book follow."""
    market = opened(paper())
    go_on(market, 3)
    gap = float(market.book.means.max() - market.book.means[2])
    assert gap > 0.0
    refused = market.fork().step(target=2, offer=gap / 2)
    assert (refused.target, refused.offer, refused.payment) == (2, gap / 2, 0.0)
    assert refused.arm != 2
    seen = market.post(target=2)
    assert (seen.target, seen.offers.tolist()) == (2, [0.0, 0.0, gap])
    event = market.step()
    assert (event.t, event.arm, event.payment, event.regret) == (4, 2, gap, pytest.approx(0.8))
    assert (market.purse.spent[0], market.book.pulls[2]) == (gap, 2)
    with pytest.raises(ValueError, match="read-only"):
        market.book.means[0] = 1.0


def test_the_policy_and_the_pricing_rule_are_told_what_was_posted():
    """After an override they hear the actual target and offer, and what she took."""
    heard, priced = [], []

    def hear(t, target, offer, arm, memory):
        heard.append((t, target, offer, arm))

    def learn_price(t, arm, offer, taken, memory):
        priced.append((t, arm, offer, bool(taken)))

    with own_catalogue():
        kcmab.policy("test-hearing", answered=hear)(lambda book: 0)
        kcmab.pricing("test-hearing", answered=learn_price)(lambda gap: gap)
        market = opened(
            paper(policy=[{"name": "test-hearing"}], purse={"offer": {"rule": "test-hearing"}})
        )
        go_on(market, 4)
        event = market.step(target=2, offer=0.125)
        assert heard == [(4, 0, 0.0, 0), (5, 2, 0.125, event.arm)]
        assert priced == [(4, 0, 0.0, True), (5, 2, 0.125, event.arm == 2)]


def test_an_event_is_completed_when_the_visit_ends():
    """A customer in a queue has no reward yet; the last step waits for everybody."""
    scenario = paper(market={**PAPER["market"], "service_time": 2.5, "capacity": 1}, horizon=9)
    market = opened(scenario)
    first = market.step()
    assert (first.target, first.arm, first.reward, first.payment, first.regret) == (0, *[None] * 4)
    assert len(market.trajectory()) == 0
    second, third = market.step(), market.step()
    assert (first.arm, second.arm, third.arm) == (0, None, None)
    assert len(market.trajectory()) == 1
    assert_completed([first, second, third, *go_on(market)], market.trajectory())


LIMITED = {"cap": 0.5, "budget": 0.75, "period": 2, "period_budget": 0.6}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": 3}, r"target 3 for customer 4: no such arm; arms are 0\.\.2"),
        ({"target": -1}, r"target -1 for customer 4: no such arm; arms are 0\.\.2"),
        ({"target": 1.5}, r"target 1\.5 for customer 4: no such arm; arms are 0\.\.2"),
        ({"offer": -0.1}, r"offer -0\.1 for customer 4: an offer is a finite number >= 0"),
        ({"offer": float("nan")}, r"offer nan for customer 4: an offer is a finite number >= 0"),
        ({"offer": "much"}, r"offer 'much' for customer 4: an offer is a finite number >= 0"),
        (
            {"offer": 0.55},
            r"offer 0\.55 for customer 4: the cap and the budgets allow at most 0\.5$",
        ),
    ],
)
def test_what_cannot_be_posted_is_refused_and_nothing_happens(given, message):
    """The message names what is allowed; the market goes on as if nothing had been asked."""
    with own_catalogue():
        kcmab.policy("test-periodic")(lambda purse: int(purse.number[0]) % 3)
        scenario = paper(purse=LIMITED, policy=[{"name": "test-periodic"}])
        market = opened(scenario)
        go_on(market, 3)
        with pytest.raises(kcmab.MarketError, match=message):
            market.step(**given)
        go_on(market)
        assert_same(market.trajectory(), kcmab.play(scenario, engine="market"))


def test_an_offer_is_refused_when_the_budgets_are_spent():
    """What is left of the period, then of the whole budget, is the most that can be offered."""
    scenario = paper(
        purse=LIMITED,
        market={"arms": {"law": "bernoulli", "means": [1, 0, 0]}},
    )
    market = kcmab.open_market(scenario)
    go_on(market, 3)
    market.step(target=1, offer=0.5)
    assert market.step(target=0, offer=0.5).payment == 0.5
    with pytest.raises(kcmab.MarketError, match=r"at most 0\.09\d+$"):
        market.step(target=0, offer=0.4)
    assert market.step(target=0, offer=0.0625).payment == 0.0625
    with pytest.raises(kcmab.MarketError, match=r"at most 0\.1875$"):
        market.step(target=0, offer=0.5)


def test_what_cannot_be_opened_or_stepped_is_refused():
    """An unknown policy, a negative replication, no target, and no customer left."""
    with pytest.raises(
        kcmab.ScenarioError, match=r"'ucbb'; this scenario has: \['ucb', 'myopic'\]"
    ):
        kcmab.open_market(paper(), "ucbb")
    with pytest.raises(ValueError, match="replication must be >= 0, got -1"):
        kcmab.open_market(paper(), "ucb", -1)
    market = kcmab.open_market(paper())
    go_on(market, 3)  # customers whom the market sends need no target
    with pytest.raises(kcmab.MarketError, match=r"customer 4 needs a target.*arms are 0\.\.2"):
        market.step(offer=0.5)
    market = opened(paper())
    go_on(market)
    with pytest.raises(kcmab.MarketError, match="all 12 customers have come"):
        market.step()


def test_a_market_that_failed_stays_where_it_is():
    """Every later step raises the error of `play`, and the customers before can be read."""
    with own_catalogue():
        kcmab.policy("test-failing")(lambda t: 1 // (5 - t) * 0)
        scenario = paper(policy=[{"name": "test-failing"}])
        with pytest.raises(PlayError) as error:
            kcmab.play(scenario, engine="market")
        market = opened(scenario)
        go_on(market, 4)
        for _ in range(2):
            with pytest.raises(PlayError) as again:
                market.step()
            assert str(again.value) == str(error.value)
        assert len(market.trajectory()) == 4


def test_a_market_that_cannot_be_repeated_is_not_forked():
    """A policy that keeps a count outside its memory does something else when replayed."""
    asked = []

    def choose():
        asked.append(1)
        return len(asked) % 3

    with own_catalogue():
        kcmab.policy("test-counting")(choose)
        market = opened(paper(policy=[{"name": "test-counting"}]))
        go_on(market, 10)
        with pytest.raises(PlayError, match="replaying the first 10 customers gave a different"):
            market.fork()


@pytest.mark.parametrize("policy", ["ucb", "ts"])
@pytest.mark.parametrize("customers", ["greedy", "logit"])
def test_choices_made_by_people_equal_those_of_recorded_customers(policy, customers):
    """The ledger of a market in which people chose is that of `play` with their record."""
    scenario = paper(horizon=60, policy=[{"name": policy}])
    scenario = scenario.at({"market.customers": {"behaviour": customers}})
    market = choose_by_hand(scenario, np.random.default_rng(1))
    choices = market.trajectory().arms.tolist()
    assert {-1, 0, 1, 2} == {*choices}
    record = scenario.at({"market.customers": {"behaviour": "recorded", "choices": choices}})
    for engine in ("market", "batch") if (policy, customers) == ("ucb", "greedy") else ("market",):
        assert_same(market.trajectory(), kcmab.play(record, engine=engine))


def test_a_controller_by_hand_equals_the_recorded_one():
    """Targets and offers given step by step are those of the entries called `recorded`."""
    scenario = paper(horizon=60)
    market, rng = opened(scenario), np.random.default_rng(2)
    while not market.is_over:
        market.step(target=int(rng.integers(3)), offer=round(rng.random() / 2, 2))
    run = market.trajectory()
    record = {"name": "recorded", "targets": run.targets.tolist()}
    by_hand = {"rule": "recorded", "offers": run.offers.tolist()}
    assert_same(run, kcmab.play(paper(horizon=60, policy=[record], purse={"offer": by_hand})))


def test_a_fork_repeats_what_people_chose():
    """It goes on as the market itself does."""
    market = opened(paper(horizon=40))
    for arm in (0, 0, 0, 2, 2, 1, -1):
        market.step(arm=arm)
    market.post()
    copy = market.fork()
    assert (copy.step(arm=1), go_on(copy)) == (market.step(arm=1), go_on(market))
    assert_same(copy.trajectory(), market.trajectory())


def test_a_person_must_choose_an_arm_that_exists():
    """The message says which ones do, and nothing has happened."""
    market = opened(paper())
    for wrong in (3, -2, 0.5):
        with pytest.raises(kcmab.MarketError, match=r"no such arm; arms are 0..2, or -1 to leave"):
            market.step(arm=wrong)
    assert market.step(arm=2).arm == 0  # seeded
