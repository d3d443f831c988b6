"""Controllers who know their customers: kinds that can be seen, offers in customers' own values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import (
    MarketError,
    behaviour,
    make_scenario,
    open_market,
    play,
    policy,
    pricing,
    simulate,
)
from kcmab_abm.catalogue.perception import unknowable
from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.errors import PlayError, ScenarioError
from kcmab_abm.model import streams
from kcmab_abm.model.book import empty_book
from kcmab_abm.model.offers import Board, best_deal, personal_gap
from tests.fuzz.differential import fault
from tests.markets import assert_same, between, experiments, rewards

ENGINES = ["market", pytest.param("batch", marks=pytest.mark.slow)]
ARMS = {"law": "bernoulli", "means": [0.7, 0.6, 0.3]}
TWO_KINDS = [{"behaviour": "greedy", "weight": 0.25}, {"behaviour": "tastes", "weight": 0.75}]
KNOWABLE = [name for name in BEHAVIOURS.own_names() if not unknowable(BEHAVIOURS[name])]


def scenario(customers, purse=None, name="ucb", horizon=200, **market):
    """A market with these customers."""
    return make_scenario(
        {
            "horizon": horizon,
            "replications": 3,
            "seed": 5,
            "market": {"arms": ARMS, "customers": customers, **market},
            "purse": purse or {},
            "policy": [{"name": name}],
        }
    )


def mixture(of, visible=True):
    """A mixture of these kinds."""
    return {"behaviour": "mixture", "visible": visible, "of": of}


def hear_kind(customer, memory):
    """Count the customers of each kind."""
    memory.heard[customer.kind] += 1.0


def check_kind(customer, taken, memory):
    """Remember whose answer came last."""
    memory.last[0] = customer.kind


@policy("test-by-kind", answered=hear_kind, memory={"heard": 20})
def choose_by_kind(customer, book, memory):
    """Promotes the arm with the number of the kind to the first thirty of each kind."""
    return customer.kind % len(book.means) if memory.heard[customer.kind] < 30 else 0


@pricing("test-price-by-kind", answered=check_kind, memory={"last": 1})
def price_by_kind(gap, customer, memory):
    """Pays one kind more, and everybody a little more after her."""
    return gap + 0.125 * customer.kind + 0.0625 * memory.last[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_who_does_not_look_sees_no_difference(engine):
    """A kind that could be seen changes nothing unless somebody looks: not even a draw."""
    seen, unseen = (scenario(mixture(TWO_KINDS, visible)) for visible in (True, False))
    assert_same(play(seen, engine=engine), play(unseen, engine=engine))


def kinds_drawn(settings, customers, shares, replication=0):
    """The kinds of customers who make no other draw."""
    rng = streams.Stream().open(settings.seed, replication, streams.CUSTOMERS)
    return np.searchsorted(np.cumsum(shares), rng.random(customers), side="right")


def test_policy_and_price_see_the_kind():
    """Both are given it before they act, and hear it with the answer; both engines agree."""
    kinds = [{"behaviour": "greedy"}, {"behaviour": "greedy", "weight": 3.0}]
    purse = {"offer": {"rule": "test-price-by-kind"}}
    settings = scenario(mixture(kinds), purse, "test-by-kind", 90, ties="first")
    run = play(settings, engine="market")
    drawn = kinds_drawn(settings, 87, [0.25, 0.75])
    assert 0 < drawn.sum() < 87
    counts = np.array([np.arange(87) - np.cumsum(drawn) + drawn, np.cumsum(drawn) - drawn])
    early = counts[drawn, np.arange(87)] < 30
    assert np.array_equal(run.targets[3:], np.where(early, drawn, 0))
    extra = 0.125 * drawn + 0.0625 * np.concatenate([[0], drawn[:-1]])
    assert np.allclose(run.offers[3:] - extra, np.maximum(run.offers[3:] - extra, 0.0))
    leading = run.targets[3:] == run.arms[3:]
    assert leading.all()  # nobody is offered less than the gap
    assert_same(run, play(settings, engine="batch"))
    assert (
        simulate(settings, engine="market").digest() == simulate(settings, engine="batch").digest()
    )


def test_kinds_have_the_numbers_of_the_file():
    """A kind that never comes does not change the number of the others."""
    greedy = {"behaviour": "greedy"}
    gone = scenario(
        mixture([greedy, {**greedy, "weight": 0.0}, greedy]), name="test-by-kind", ties="first"
    )
    assert gone.market.kinds == (0, 2)
    assert set(play(gone, engine="market").targets[3:]) == {0, 2}
    alone = scenario(mixture([{**greedy, "weight": 0.0}, greedy]), name="test-by-kind")
    assert set(play(alone, engine="market").targets[3:10]) == {1}


@pytest.mark.parametrize("engine", ENGINES)
def test_greedy_customers_hold_no_secret(engine):
    """Their values are the book: knowing them changes nothing, to the last bit."""
    for purse in ({}, {"also": 1, "misjudgement": 0.1, "budget": 3.0}):
        runs = [
            play(scenario({"behaviour": "greedy"}, {**purse, "knows": knows}), engine=engine)
            for knows in ("book", "customers")
        ]
        assert_same(*runs)


@pytest.mark.parametrize("name", KNOWABLE)
def test_a_known_customer_takes_what_she_is_offered(name):
    """The gap in her own values is enough for every belief, and no less than she needs."""
    known = scenario({"behaviour": name}, {"knows": "customers"}, horizon=400)
    run = play(known, engine="market")
    asked = ~run.seeded
    assert np.array_equal(run.arms[asked], run.targets[asked])


def test_money_that_counts_double_halves_the_offer():
    """Whoever values money twice as much needs half the offer, and chooses the same."""
    runs = [
        play(scenario({"behaviour": "tastes", "money": money}, {"knows": "customers"}))
        for money in (1.0, 2.0)
    ]
    assert np.array_equal(runs[0].arms, runs[1].arms)
    assert runs[0].offers.any()
    assert np.array_equal(runs[0].offers, 2.0 * runs[1].offers)


@given(
    values=st.lists(between(-50.0, 50.0), min_size=1, max_size=5),
    money=st.sampled_from([1.0, 0.1, 3.0, 1e-9]) | between(1e-6, 100.0),
    data=st.data(),
)
def test_the_personal_gap_is_the_least_that_is_enough(values, money, data):
    """In floating point: so much is enough, and a little less is not."""
    arm = data.draw(st.integers(0, len(values) - 1))
    offer = personal_gap(np.array(values), money, arm, False)
    loss = max(values) - values[arm]
    assert money * offer >= loss
    assert offer == 0.0 or money * (offer * (1.0 - 2.0**-50)) < loss
    if money == 1.0:
        assert offer == loss


def test_the_personal_gap_is_rounded_up():
    """1 / 49 times 49 falls short of 1 in floating point, and the offer must not."""
    assert 1.0 / 49.0 * 49.0 < 1.0
    assert personal_gap(np.array([1.0, 0.0]), 49.0, 1, False) * 49.0 >= 1.0


def test_nothing_is_offered_to_whom_nothing_moves():
    """Without any value of money no offer helps, and none is made."""
    assert personal_gap(np.array([0.5, 0.25]), 0.0, 1, False) == 0.0
    assert personal_gap(np.array([0.5, 0.25]), 1e-13, 1, False) == 0.0
    assert personal_gap(np.array([0.5, 0.25]), -1.0, 1, False) == 0.0
    assert personal_gap(np.array([0.5, 0.25]), 1e-12, 1, False) == pytest.approx(2.5e11)


PAIRS = [
    ({"behaviour": "tastes", "spread": 0.2, "money": 0.7, "money_spread": 0.5}, {}),
    (
        mixture(
            [
                {"behaviour": "informed", "decision": {"rule": "logit"}},
                {"behaviour": "greedy", "decision": {"rule": "outside-option", "worth": 0.5}},
                {"behaviour": "features"},
                {"behaviour": "drifted-feedback", "weight": 0.0},
            ]
        ),
        {"also": 1, "misjudgement": 0.1, "budget": 9.0, "fees": True},
    ),
]


@pytest.mark.parametrize(
    ("customers", "purse"),
    [PAIRS[0], pytest.param(*PAIRS[1], marks=pytest.mark.slow)],
    ids=["tastes", "mixture"],
)
@given(data=st.data())
def test_engines_agree_about_known_customers(customers, purse, data):
    """On random markets both engines give the same, bit for bit."""
    drawn = data.draw(experiments(["ucb"]))
    market = {**drawn["market"], "customers": customers}
    assert not fault({**drawn, "market": market, "purse": {**purse, "knows": "customers"}})


@pytest.mark.parametrize(
    ("customers", "words"),
    [
        (
            {"behaviour": "self-reinforcing"},
            "purse.knows: 'customers' needs to know what arms are worth to each customer, but "
            "'self-reinforcing' says only which arm she takes; use one of: bayesian, ",
        ),
        (
            {"behaviour": "logit"},
            "'logit' says only which arm she takes; write { behaviour = \"greedy\", decision = "
            "{ rule = \"logit\", ... } }, or set knows to 'book'",
        ),
        (mixture([{"behaviour": "greedy"}, {"behaviour": "stubborn"}]), "but 'stubborn' says"),
    ],
)
def test_customers_without_values_cannot_be_known(customers, words):
    """They are refused, with what can be used instead."""
    with pytest.raises(ScenarioError) as caught:
        scenario(customers, {"knows": "customers"})
    assert words in str(caught.value)


@pytest.mark.usefixtures("_own_catalogue")
def test_who_draws_while_choosing_cannot_be_known():
    """Values that are drawn anew by a `take` of one's own are not those that the controller saw."""

    @behaviour("test-choosy", value=lambda values, rng: None)
    def take_anything(book, rng):
        """Draws what it likes while it chooses."""
        return int(rng.random() * len(book.means))

    with pytest.raises(ScenarioError, match="but 'test-choosy' says"):
        scenario({"behaviour": "test-choosy"}, {"knows": "customers"})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.usefixtures("_own_catalogue")
def test_a_customer_who_fails_is_named(engine):
    """An error while she perceives says where, in both engines in the same words."""

    @behaviour("test-failing")
    def value_and_fail(t, book, values):
        """Fails while she perceives."""
        for arm in range(len(values)):
            values[arm] = book.means[arm] / (41 - t)

    failing = scenario({"behaviour": "test-failing"}, {"knows": "customers"})
    with pytest.raises(PlayError, match=r"'test-failing' failed for customer 41 of replication 0"):
        play(failing, engine=engine)


def test_an_unknown_source_is_refused():
    """The gap comes from the book or from the customers."""
    with pytest.raises(ScenarioError, match=r"purse\.knows: must be 'book' or 'customers'"):
        scenario({"behaviour": "greedy"}, {"knows": "everything"})


FEES = {"fees": True}


def test_the_highest_fee_that_a_favourite_bears():
    """With fees the gap of the favourite is the lead over the second, below 0."""
    values = np.array([0.75, 0.25, 0.5])
    assert [personal_gap(values, 1.0, arm, True) for arm in range(3)] == [-0.25, 0.5, 0.25]
    assert [personal_gap(values, 2.0, arm, True) for arm in range(3)] == [-0.125, 0.25, 0.125]
    assert personal_gap(values[:1], 1.0, 0, True) == 0.0
    assert personal_gap(values, 1e-13, 0, True) == 0.0


@given(values=st.lists(rewards(), min_size=2, max_size=5), data=st.data())
def test_who_is_indifferent_bears_the_fee(values, data):
    """She takes the target at the highest fee, whatever the rounding, and not at a higher one."""
    target = data.draw(st.integers(0, len(values) - 1))
    money = data.draw(st.sampled_from([1.0, 3.0, 49.0]))
    offers = np.zeros(len(values))
    offers[target] = personal_gap(np.array(values), money, target, True)
    book = empty_book(len(values), True)
    board = Board(target, offers, True)
    assert best_deal(np.array(values), money, book, board, None) == target
    offers[target] -= 1e-9
    assert best_deal(np.array(values), money, book, board, None) != target


@pytest.mark.parametrize("customers", [{"behaviour": "greedy"}, {"behaviour": "tastes"}])
def test_fees_change_what_is_paid_and_not_what_is_taken(customers):
    """Known customers take the target as before, and the controller keeps the difference."""
    purse = {"knows": "customers"}
    free, charged = (
        play(scenario(customers, {**purse, "fees": fees}), engine="market")
        for fees in (False, True)
    )
    assert np.array_equal(free.arms, charged.arms)
    assert (charged.payments <= free.payments).all()
    assert (charged.payments < 0.0).any()
    assert np.array_equal(np.maximum(charged.payments, 0.0), free.payments)


@pytest.mark.usefixtures("_own_catalogue")
def test_without_fees_offers_below_zero_are_refused():
    """The message says how to allow them."""

    @pricing("test-charging")
    def charge(gap):
        """Charges everybody."""
        return -0.25

    charging = scenario({"behaviour": "greedy"}, {"offer": {"rule": "test-charging"}})
    words = r"offered -0\.25 to customer 4 .*finite number >= 0; to charge a fee, set purse\.fees"
    for engine in ("market", "batch"):
        with pytest.raises(PlayError, match=words):
            play(charging, engine=engine)
    run = play(charging.at({"purse.fees": True}), engine="market")
    assert set(run.offers[3:]) == {-0.25}


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_a_fee_that_is_too_high_is_refused(engine):
    """Half as much again as the lead drives customers to the second best arm."""
    purse = {**FEES, "offer": {"rule": "proportional-margin", "share": -0.5}}
    run = play(scenario({"behaviour": "greedy"}, purse), engine=engine)
    charged = run.offers < 0.0
    assert charged.sum() > 50
    assert (run.arms[charged] != run.targets[charged]).all()
    assert run.payments.min() == 0.0


def test_fees_fill_the_purse():
    """A budget limits what has been paid less what has been charged."""
    purse = {**FEES, "budget": 0.5}
    runs = {
        fees: play(scenario({"behaviour": "greedy"}, {**purse, "fees": fees}, horizon=600))
        for fees in (False, True)
    }
    spent = np.cumsum(runs[True].payments)
    assert spent.max() <= 0.5
    assert runs[True].payments[runs[True].payments > 0.0].sum() > 0.5
    assert runs[False].payments.sum() <= 0.5
    charging = scenario({"behaviour": "greedy"}, purse, horizon=600)
    assert_same(runs[True], play(charging, engine="market"))
    sums = {simulate(charging, engine=engine).digest() for engine in ("market", "batch")}
    assert len(sums) == 1


def test_a_market_that_is_stepped_takes_fees():
    """A controller of one's own may charge where the scenario allows it."""
    market = open_market(scenario({"behaviour": "greedy"}, FEES))
    while market.t <= 3:
        market.step()
    best = int(np.argmax(market.book.means))
    assert market.step(target=best, offer=-0.01).payment in (-0.01, 0.0)
    shut = open_market(scenario({"behaviour": "greedy"}))
    with pytest.raises(MarketError, match="an offer is a finite number >= 0"):
        shut.step(target=0, offer=-0.01)
