"""Beliefs and decisions: any behaviour with values goes with any decision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kcmab_abm
from kcmab_abm import MarketError, ScenarioError, make_scenario, play
from kcmab_abm.catalogue.registry import BEHAVIOURS, DECISIONS
from kcmab_abm.errors import PlayError
from kcmab_abm.model.offers import Board
from tests.contract.arena import Crowd, Scripted, book_of, fenced, new_memory, stated
from tests.markets import assert_same, between
from tests.sampling import sampled_pairs

BELIEFS = [name for name in BEHAVIOURS.own_names() if BEHAVIOURS[name].value]
RULES = DECISIONS.own_names()
RANGES = {
    ("logit", "tau"): (0.1, {"ge": 0.0}),
    ("loyal", "threshold"): (0.1, {"ge": 0.0, "le": 100.0}),
    ("outside-option", "worth"): (0.3, {"ge": 0.0, "le": 100.0}),
    ("stubborn", "share"): (0.5, {"ge": 0.0, "le": 1.0}),
}


def scenario_with(customers, **changes):
    """A market of three arms with these customers."""
    market = {"arms": {"law": "bernoulli", "means": [0.8, 0.5, 0.4]}, "customers": customers}
    table = {"horizon": 150, "seed": 3, "market": market, "policy": [{"name": "modified-ts"}]}
    return make_scenario({**table, **changes})


def decided(name, values, offers, target, uniforms=(), memory=None, **settings):
    """The arm that a customer takes who values arms so."""
    entry, book = DECISIONS[name], book_of([0.0] * len(values))
    board_offers = fenced(len(values))
    for arm, offer in enumerate(offers):
        board_offers[arm] = offer
    numbers = tuple({**entry.defaults(), **settings}[word] for word in entry.parameters)
    rng = Scripted(uniforms)
    arm = entry.ask(
        "act",
        t=9,
        book=book,
        board=Board(target, board_offers, True),
        values=np.array(values),
        relative=np.array(values),
        memory=memory or new_memory(entry, len(values), numbers),
        params=entry.params(numbers),
        rng=rng,
    )
    assert rng.is_used_up
    return arm


def test_ranges_are_what_files_were_promised():
    """A file that leaves a parameter out, or uses its range to the ends, stays what it was."""
    assert stated({name: DECISIONS[name].parameters for name in RULES}) == RANGES


def test_decisions_by_hand():
    """Values 0.5, 0.25, 0 with an offer of 0.25 on arm 1: indifferent, then each rule apart."""
    values, offers = [0.5, 0.25, 0.0], [0.0, 0.25, 0.0]
    assert decided("greedy", values, offers, 1) == 1
    assert decided("greedy", values, [0.0, 0.2, 0.0], 1) == 0
    assert decided("stubborn", values, offers, 1, [0.49]) == 0
    assert decided("stubborn", values, offers, 1, [0.51]) == 1
    assert decided("stubborn", values, offers, 1, share=0.0) == 1  # without a draw
    assert decided("outside-option", values, offers, 1, worth=0.5) == 1
    assert decided("outside-option", values, offers, 1, worth=0.51) == -1
    assert decided("logit", values, offers, 1, [0.499], tau=1e-3) == 0
    assert decided("logit", values, offers, 1, [0.501], tau=1e-3) == 1
    apart = [0.0, 0.875], [0.875, 0.0]
    assert [decided("logit", *apart, 0, [u], tau=1e-3) for u in (0.499, 0.501)] == [0, 1]
    assert decided("logit", values, offers, 1, tau=0.0) == 1
    assert decided("logit", values, [0.0, 0.2, 0.0], 1, tau=0.0) == 0


def test_greedy_customers_have_one_choice():
    """With a temperature of 0 the best deal has probability 1, and with 1 no arm has."""
    entry, book = DECISIONS["logit"], book_of([0.0] * 3)
    for tau, most in ((0.0, 1.0), (1.0, 0.5)):
        chances = fenced(3)
        entry.ask(
            "chances",
            t=9,
            book=book,
            board=Board(1, np.array([0.0, 0.25, 0.0]), True),
            relative=np.array([0.5, 0.25, 0.0]),
            chances=chances,
            memory=new_memory(entry, 3),
            params=entry.params((tau,)),
            rng=Scripted(),
        )
        assert chances[1] == max(chances)
        assert (chances[1] == 1.0) == (tau == 0.0)
        assert chances[1] <= most


def test_loyal_customers_stay_until_another_arm_is_better_by_the_threshold():
    """She follows the customer before her, unless the best deal beats that arm by more."""
    memory = new_memory(DECISIONS["loyal"], 3, (0.25,))
    same = {"memory": memory, "threshold": 0.25}
    assert decided("loyal", [0.25, 0.5, 0.0], [0.0] * 3, 1, **same) == 1
    assert decided("loyal", [0.75, 0.5, 0.0], [0.0] * 3, 0, **same) == 1
    assert decided("loyal", [0.625, 0.5, 0.0], [0.0] * 3, 0, **same) == 1
    assert decided("loyal", [0.875, 0.5, 0.0], [0.0] * 3, 0, **same) == 0
    assert decided("loyal", [0.875, 0.5, 0.0], [0.0, 0.75, 0.0], 1, **same) == 1


@given(st.lists(between(0.0, 1.0), min_size=1, max_size=6), between(0.01, 5.0), st.data())
def test_chances_are_those_of_the_choices(values, tau, data):
    """The probabilities of `logit` add up to 1 and are proportional to exp(v / tau)."""
    entry, arms = DECISIONS["logit"], len(values)
    offers = data.draw(st.lists(between(0.0, 1.0), min_size=arms, max_size=arms))
    book, chances = book_of([0.0] * arms), fenced(arms)
    entry.ask(
        "chances",
        t=9,
        book=book,
        board=Board(0, np.array(offers), True),
        relative=np.array(values),
        chances=chances,
        memory=new_memory(entry, arms),
        params=entry.params((tau,)),
        rng=Scripted(),
    )
    weights = [math.exp((v + c) / tau) for v, c in zip(values, offers, strict=True)]
    assert list(chances) == pytest.approx([weight / sum(weights) for weight in weights])


@pytest.mark.parametrize(("belief", "rule"), sampled_pairs(BELIEFS, RULES))
def test_every_belief_goes_with_every_decision(belief, rule):
    """Both engines agree, bit for bit, on each pair."""
    scenario = scenario_with({"behaviour": belief, "decision": {"rule": rule}})
    assert_same(play(scenario, engine="market"), play(scenario, engine="batch"))


@pytest.mark.parametrize("belief", BELIEFS)
def test_the_decision_greedy_is_what_a_belief_does_by_itself(belief):
    """Giving it changes nothing, to the last bit."""
    alone = scenario_with({"behaviour": belief})
    paired = scenario_with({"behaviour": belief, "decision": {"rule": "greedy"}})
    assert_same(play(alone, engine="market"), play(paired, engine="market"))


@pytest.mark.parametrize("belief", BELIEFS)
def test_decisions_are_greedy_in_their_limits(belief):
    """With any belief, to the last bit, also where offers are refused and arms tie."""
    purse = {"offer": {"rule": "proportional-margin", "share": -0.5}, "also": 1}
    alone = play(scenario_with({"behaviour": belief}, purse=purse), engine="market")
    for rule, limit in (("logit", "tau"), ("outside-option", "worth"), ("stubborn", "share")):
        customers = {"behaviour": belief, "decision": {"rule": rule, limit: 0.0}}
        assert_same(alone, play(scenario_with(customers, purse=purse), engine="market"))


@pytest.mark.parametrize(
    ("name", "settings"),
    [("logit", {"tau": 0.07}), ("outside-option", {"worth": 0.4}), ("stubborn", {"share": 0.3})],
)
def test_the_usual_pairs_have_names(name, settings):
    """`behaviour = "logit"` is greedy's belief with the decision `logit`, and so on."""
    alone = scenario_with({"behaviour": name, **settings})
    paired = scenario_with({"behaviour": "greedy", "decision": {"rule": name, **settings}})
    assert_same(play(alone, engine="market"), play(paired, engine="market"))


def test_loyalty_of_no_threshold_is_greedy_but_for_ties():
    """Where no two arms are equally good, threshold 0 changes nothing."""
    arms = {"law": "beta", "means": [0.8, 0.5, 0.4], "concentration": 4.0}
    loyal = {"behaviour": "greedy", "decision": {"rule": "loyal", "threshold": 0.0}}
    runs = [
        play(scenario_with(each).at({"market.arms": arms, "policy": [{"name": "greedy"}]}))
        for each in (loyal, {"behaviour": "greedy"})
    ]
    assert_same(*runs)


def test_bayesian_customers_hear_short_records_with_doubt():
    """One failure of arm 0 against 0.6 of ten: 1/3 and 7/12; with a = b = 9, 0.474 and 0.536."""
    for settings, values in (({}, [1 / 3, 7 / 12]), ({"a": 9.0, "b": 9.0}, [9 / 19, 15 / 28])):
        crowd = Crowd(2, behaviour="bayesian", **settings)
        crowd.hear_all([(0, 0.0), *[(1, 1.0)] * 6, *[(1, 0.0)] * 4])
        gap = values[1] - values[0]
        assert crowd.takes(0, gap + 1e-9) == 0
        assert crowd.takes(0, gap - 1e-9) == 1


def test_winners_are_kept_and_losers_left():
    """After a report of 1 the arm is taken again, after 0 one of the others."""
    crowd = Crowd(3, behaviour="win-stay-lose-shift").hear_all([(0, 0.5), (1, 0.0), (2, 1.0)])
    assert crowd.takes(0, 0.99) == 2
    crowd.hear(2, 0.0)
    assert crowd.takes(2, 0.0, [0.4]) == 0
    assert crowd.takes(2, 0.0, [0.6]) == 1


def test_reinforcement_moves_by_a_share_of_the_surprise():
    """Rate 1/2 from 1/2: after 1 and 1 of arm 0 its propensity is 7/8, after 0 of arm 1 1/4."""
    crowd = Crowd(2, behaviour="reinforcement", rate=0.5).hear_all([(0, 1.0), (0, 1.0), (1, 0.0)])
    assert crowd.takes(1, 0.625) == 1
    assert crowd.takes(1, 0.62) == 0


def test_informed_customers_read_no_record():
    """They take the arm that they like whatever is reported, unless an offer makes up for it."""
    crowd = Crowd(2, behaviour="informed", utilities=[0.25, 0.75])
    crowd.hear_all([(0, 1.0), (1, 0.0)] * 5)
    assert crowd.takes(0, 0.5) == 0
    assert crowd.takes(0, 0.49) == 1


@pytest.mark.parametrize(
    ("customers", "words"),
    [
        (
            {"behaviour": "logit", "decision": {"rule": "loyal"}},
            "market.customers.decision: behaviour 'logit' decides by a rule of its own; a decision "
            f"can follow: {', '.join(BELIEFS)}",
        ),
        (
            {"behaviour": "recency", "decision": {"rule": "loyl"}},
            "market.customers.decision.rule: no decision 'loyl'. Did you mean 'loyal'?",
        ),
        (
            {"behaviour": "recency", "decision": {"rule": "logit", "tau": -1}},
            "market.customers.decision.tau: must be >= 0, got -1",
        ),
        (
            {"behaviour": "informed", "utilities": [0.5]},
            "market.customers: utilities must have one number for each of the 3 arms, got 1",
        ),
    ],
)
def test_what_does_not_fit_is_said(customers, words):
    """The place in the file, what was found, and what is allowed."""
    with pytest.raises(ScenarioError) as caught:
        scenario_with(customers)
    assert str(caught.value) == words


@pytest.mark.usefixtures("_own_catalogue")
def test_a_belief_and_a_decision_of_ones_own():
    """A function that asks for values is a belief; both engines run it with any decision."""

    @kcmab_abm.behaviour("half-hearted", trust=kcmab_abm.Parameter(0.5, "share believed"))
    def value(book, values, params):
        """Believes a share of the reports."""
        for arm in range(len(values)):
            values[arm] = params.trust * book.means[arm]

    @kcmab_abm.decision("first-come")
    def decide(board, values):
        """Takes the first arm that is worth more than nothing."""
        for arm in range(len(values)):
            if values[arm] + board.offers[arm] > 0.0:
                return arm
        return -1

    for rule in ("first-come", "logit"):
        customers = {"behaviour": "half-hearted", "decision": {"rule": rule}}
        scenario = scenario_with(customers)
        assert_same(play(scenario, engine="market"), play(scenario, engine="batch"))
    assert set(kcmab_abm.decisions()) == {*RULES, "first-come"}


@pytest.mark.usefixtures("_own_catalogue")
def test_mistakes_in_a_belief_are_told_when_it_is_registered():
    """It may ask for what a belief can be given, and for nothing else."""
    with pytest.raises(MarketError, match="asks for 'bok'; it may ask for: t, book, values"):
        kcmab_abm.behaviour("mine")(lambda bok, values: None)


@pytest.mark.usefixtures("_own_catalogue")
def test_an_error_in_a_decision_is_blamed_on_the_decision():
    """The message names the decision, the customer, the file and the line."""

    @kcmab_abm.decision("divider")
    def decide(t, values):
        """Divides by zero for customer 41."""
        return int(0 / (t - 41))

    scenario = scenario_with({"behaviour": "recency", "decision": {"rule": "divider"}})
    for engine in ("market", "batch"):
        with pytest.raises(PlayError) as caught:
            play(scenario, engine=engine)
        assert "decision 'divider' failed for customer 41 of replication 0" in str(caught.value)
        assert "test_decisions.py, line" in str(caught.value)
