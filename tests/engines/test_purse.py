"""The purse in the market: limits hold to the last bit, and all that is paid is booked."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario, play, simulate
from kcmab_abm.market.controller import Controller
from kcmab_abm.market.queue import Queue
from kcmab_abm.model.offers import next_to_offer
from tests.limits import (
    PRICING_NAMES,
    amounts,
    exactly,
    limited_experiments,
    lines,
    nine_arms,
    purses,
)
from tests.markets import (
    BEHAVIOUR_NAMES,
    EACH_POLICY,
    arm_count,
    assert_same,
    default_customers,
    experiments,
    replications,
)
from tests.replay import asked_pages

PAIRS = [("ucb", "greedy"), ("modified-ts", "greedy"), ("ucb", "logit")]
FEW = settings.default.max_examples // 4
MANY = 2 * settings.default.max_examples


def assert_within(run, purse):
    """No payment is above the cap, no sum above its budget: in fractions, not in floats."""
    if "cap" in purse:
        assert run.payments.max() <= purse["cap"]
        assert run.offers.max() <= purse["cap"]
    if "budget" in purse:
        assert exactly(run.payments) <= Fraction(purse["budget"])
    if "period" in purse:
        for start in range(0, len(run), purse["period"]):
            lately = run.payments[start : start + purse["period"]]
            assert exactly(lately) <= Fraction(purse["period_budget"])


def assert_booked(run):
    """Who pulled no arm, or was directed, got nothing; who took the target got the offer on it."""
    assert (run.payments >= 0.0).all()
    assert not run.payments[run.arms < 0].any()
    assert not run.payments[run.seeded].any()
    took = ~run.seeded & (run.arms == run.targets)
    assert run.payments[took].tolist() == run.offers[took].tolist()


def limits_hold(settings_, replication, engine="market"):
    """Play a market and hold it against its purse."""
    run = play(make_scenario(settings_), replication=replication, engine=engine)
    assert_within(run, settings_["purse"])
    assert_booked(run)
    if not settings_["purse"].get("also"):
        other = run.arms != run.targets
        assert not run.payments[other].any()
    return run


@settings(max_examples=MANY)
@given(settings_=limited_experiments(), replication=replications)
def test_no_limit_is_ever_broken(settings_, replication):
    """Under any policy, behaviour, pricing rule and delay, in line or not, limits hold exactly."""
    limits_hold(settings_, replication)


@pytest.mark.parametrize("policy", EACH_POLICY)
@settings(max_examples=FEW)
@given(data=st.data())
def test_no_policy_breaks_a_limit(policy, data):
    """Every policy of the catalogue keeps within the purse."""
    limits_hold(data.draw(limited_experiments(policy=policy)), data.draw(replications))


@pytest.mark.parametrize("behaviour", BEHAVIOUR_NAMES)
@settings(max_examples=FEW)
@given(data=st.data())
def test_no_behaviour_breaks_a_limit(behaviour, data):
    """Customers of every kind of the catalogue get no more than the purse holds."""
    limits_hold(data.draw(limited_experiments(behaviour=behaviour)), data.draw(replications))


@pytest.mark.parametrize("rule", PRICING_NAMES)
@settings(max_examples=FEW)
@given(data=st.data())
def test_no_pricing_rule_breaks_a_limit(rule, data):
    """Every pricing rule of the catalogue keeps within the purse."""
    limits_hold(data.draw(limited_experiments(rule=rule)), data.draw(replications))


@settings(max_examples=FEW)
@given(data=st.data())
def test_no_line_breaks_a_limit(data):
    """Where customers wait, switch or give up, money that is set aside is never promised twice."""
    settings_ = data.draw(experiments(["round-robin"], "greedy", ["bernoulli"], longest=80))
    groups = settings_["market"]["arms"]
    arms = arm_count(groups if isinstance(groups, list) else [groups])
    settings_["market"] |= data.draw(lines(arms))
    limits_hold(settings_ | {"purse": data.draw(purses())}, data.draw(replications))


@pytest.mark.parametrize(("policy", "behaviour"), PAIRS)
@settings(max_examples=2 * FEW)
@given(data=st.data())
def test_the_compiled_purse_is_the_interpreted_one(policy, behaviour, data):
    """Whatever limits are set, both engines pay the same to the last bit, and keep to them."""
    settings_ = data.draw(experiments([policy], behaviour))
    settings_["purse"] = data.draw(purses("least"))
    replication = data.draw(replications)
    compiled = limits_hold(settings_, replication, "batch")
    assert_same(limits_hold(settings_, replication, "market"), compiled)


@pytest.mark.parametrize("when_short", ["refuse", "pay-rest"])
@pytest.mark.parametrize("budget", [0.0, 0.1 + 0.2, 2.5, 20.0])
def test_a_whole_experiment_keeps_to_its_budget(budget, when_short):
    """A purse is full again when a replication begins; the engines add up the same."""
    purse = {"budget": budget, "when_short": when_short, "period": 50, "period_budget": 4.0}
    scenario = nine_arms(purse=purse).replace(replications=12)
    market, batch = (simulate(scenario, engine=engine) for engine in ("market", "batch"))
    assert market.digest() == batch.digest()
    spent = batch.finals().compensation
    assert (spent <= budget * (1 + 1e-12)).all()
    assert (spent > 0.0).any() == (budget > 1.0)  # the first offer is 1, and takes all or nothing
    for replication in (0, 5, 11):
        run = play(scenario, replication=replication, engine="batch")
        assert_within(run, purse)
        assert np.cumsum(run.payments)[-1] == spent[replication]


@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("replication", range(2))
def test_a_budget_can_be_spent_to_the_last_bit(engine, replication):
    """A budget of exactly the first k payments pays them all, one a bit below not the last."""
    plain = play(nine_arms(), replication=replication, engine=engine)
    paid = np.flatnonzero(plain.payments)
    for count in (1, 3, 7, len(paid)):
        last = paid[count - 1]
        total = exactly(plain.payments[: last + 1])
        enough = float(total)
        while Fraction(enough) < total:
            enough = math.nextafter(enough, math.inf)
        short = enough
        while Fraction(short) >= total:
            short = math.nextafter(short, 0.0)
        run = play(nine_arms(purse={"budget": enough}), replication=replication, engine=engine)
        assert run.payments[: last + 1].tolist() == plain.payments[: last + 1].tolist()
        run = play(nine_arms(purse={"budget": short}), replication=replication, engine=engine)
        assert run.payments[:last].tolist() == plain.payments[:last].tolist()
        assert run.offers[last] == 0.0


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_four_payments_of_a_quarter_out_of_one(engine):
    """A gap of 1/4 is paid four times out of 1, and three times if a bit of the 1 is missing."""
    arms = {"law": "discrete", "values": [0.25, 0.75, 1.0], "probabilities": [[0, 0, 1], [0, 1, 0]]}
    settings_ = {
        "horizon": 200,
        "market": {"arms": arms},
        "purse": {"budget": 1.0},
        "policy": [{"name": "ucb"}],
    }
    run = play(make_scenario(settings_), engine=engine)
    assert run.payments[run.payments > 0.0].tolist() == [0.25] * 4
    settings_["purse"] = {"budget": math.nextafter(1.0, 0.0)}
    run = play(make_scenario(settings_), engine=engine)
    assert run.payments[run.payments > 0.0].tolist() == [0.25] * 3
    settings_["purse"]["when_short"] = "pay-rest"
    run = play(make_scenario(settings_), engine=engine)
    assert run.offers[run.offers > 0.0].tolist()[:4] == [0.25, 0.25, 0.25, 0.25 - 2**-53]
    assert exactly(run.payments) <= Fraction(settings_["purse"]["budget"])


@pytest.mark.parametrize("when_short", ["refuse", "pay-rest"])
def test_a_short_budget_refuses_or_pays_the_rest(when_short):
    """Refusing offers the gap or nothing; paying the rest offers, and uses up, what is left."""
    purse = {"budget": 2.7, "when_short": when_short}
    customers = {"behaviour": "logit", "tau": 10.0}  # who take what is too little, now and then
    run = play(nine_arms("round-robin", 900, purse=purse, customers=customers), engine="market")
    shares = {
        page.offer / (max(page.means) - page.means[page.target])
        for page in asked_pages(run, 9)
        if page.means[page.target] < max(page.means)
    }
    assert {0.0, 1.0} <= shares
    assert (shares == {0.0, 1.0}) == (when_short == "refuse")
    if when_short == "pay-rest":
        assert Fraction(2.7) - exactly(run.payments) < Fraction(1, 10**15)


def test_an_allowance_is_not_saved_up():
    """Every period has its own money: what one leaves the next does not get."""
    purse = {"period": 20, "period_budget": 1.0}
    run = play(nine_arms("round-robin", purse=purse), engine="market")
    sums = [exactly(run.payments[start : start + 20]) for start in range(0, 300, 20)]
    assert max(sums) <= 1
    assert sum(total > 0 for total in sums) >= 10
    assert sum(total < 1 for total in sums) >= 10


@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize(
    "purse", [{}, {"budget": 4.0}, {"also": 3}, {"misjudgement": 0.1, "cap": 0.5}], ids=str
)
def test_books_balance(engine, purse):
    """Payments in the ledger, arm by arm and in all, are those of the tally to the last bit."""
    scenario = nine_arms(purse=purse)
    results = simulate(scenario.replace(replications=1), engine=engine)
    run = play(scenario, engine=engine)
    by_arm = results.arms().compensation
    for arm in range(9):
        mine = run.payments[run.arms == arm]
        assert by_arm[arm] == (np.cumsum(mine)[-1] if len(mine) else 0.0)
        assert by_arm[arm] == pytest.approx(math.fsum(mine), rel=1e-13, abs=1e-300)
    assert results.finals().compensation[0] == np.cumsum(run.payments)[-1]
    assert math.fsum(by_arm) == pytest.approx(math.fsum(run.payments), rel=1e-13)
    assert results.summary().paid_customers[0] == (run.payments > 0.0).sum()


class Till:
    """Writes down every board that is posted, and keeps the purse."""

    def __init__(self, monkeypatch):
        self.boards = {}
        self.purses = []
        self.pulls = {}
        post = Controller.post

        def watch(controller, visit):
            self.purses[:] = [controller.place.purse]
            pulls = controller.place.book.pulls.copy()
            post(controller, visit)
            offers = visit.posted.value.offers.copy()
            self.boards[visit.number] = (visit.target, offers, visit.seeded)
            self.pulls[visit.number] = pulls

        monkeypatch.setattr(Controller, "post", watch)


@pytest.mark.parametrize("also", [0, 2])
@pytest.mark.parametrize("when_full", ["wait", "switch", "leave"])
def test_customers_get_what_was_posted(also, when_full, monkeypatch):
    """Every payment is the offer posted on the arm taken, and the purse knows of no other."""
    till = Till(monkeypatch)
    work = {"law": "exponential", "mean": 9.0}
    lines_ = {"capacity": 1, "service_time": work, "when_full": when_full}
    if when_full == "wait":
        lines_["patience"] = 1.5
    scenario = nine_arms("ucb", 400, purse={"budget": 1e6, "also": also}, **lines_)
    run = play(scenario, engine="market")
    moved = (run.arms >= 0) & (run.arms != run.targets)
    assert run.payments[moved].any() == (when_full == "switch" and also > 0)
    for line in range(len(run)):
        _, offers, seeded = till.boards[line + 1]
        assert not (seeded and offers.any())
        expected = offers[run.arms[line]] if run.arms[line] >= 0 else 0.0
        assert run.payments[line] == expected
    assert exactly(till.purses[0].spent) == exactly(run.payments) > 0
    assert (run.arms < 0).any()


UNLIMITED = [
    {"budget": 1e12},
    {"cap": 1e12},
    {"period": 7, "period_budget": 1e12},
    {"budget": 1e12, "cap": 1e12, "period": 1, "period_budget": 1e12, "when_short": "pay-rest"},
    {"also": 0, "misjudgement": 0.0},
]


@pytest.mark.parametrize(("policy", "behaviour"), PAIRS)
@settings(max_examples=2 * FEW)
@given(data=st.data(), purse=st.sampled_from(UNLIMITED))
def test_limits_out_of_reach_change_nothing(policy, behaviour, data, purse):
    """A purse too deep to touch bottom is the paper's, in both engines and both kernels."""
    settings_ = data.draw(experiments([policy], behaviour))
    replication = data.draw(replications)
    plain = play(make_scenario(settings_), replication=replication, engine="batch")
    scenario = make_scenario(settings_ | {"purse": purse})
    for engine in ("batch", "market"):
        assert_same(play(scenario, replication=replication, engine=engine), plain)


def test_limits_out_of_reach_have_a_kernel_of_their_own():
    """The market with limits runs the full kernel, the paper's market the lean one."""
    assert nine_arms().purse.is_plain
    assert not nine_arms(purse={"budget": 1e12}).purse.is_plain


@pytest.mark.parametrize(
    "offer",
    [
        {"rule": "fixed-margin", "margin": 0.0},
        {"rule": "proportional-margin", "share": 0.0},
        {"rule": "least"},
    ],
    ids=lambda offer: offer["rule"],
)
@pytest.mark.parametrize("behaviour", BEHAVIOUR_NAMES)
def test_a_margin_of_nothing_is_the_least_offer(behaviour, offer):
    """Rules that add nothing to the gap are the paper's rule, bit for bit."""
    customers = default_customers(behaviour)
    plain = play(nine_arms(horizon=80, customers=customers), engine="market")
    run = play(nine_arms(horizon=80, customers=customers, purse={"offer": offer}), engine="market")
    assert_same(run, plain)


@pytest.mark.parametrize("engine", ["market", "batch"])
@given(data=st.data())
def test_several_least_offers_leave_the_target_best(engine, data):
    """With least offers on other arms too, no rounding makes a greedy customer leave the target."""
    settings_ = data.draw(experiments(["ucb"], "greedy", longest=80))
    settings_["purse"] = {"also": data.draw(st.integers(1, 20))}
    replication = data.draw(replications)
    several = play(make_scenario(settings_), replication=replication, engine=engine)
    del settings_["purse"]
    alone = play(make_scenario(settings_), replication=replication, engine=engine)
    beside = {"beside": several.beside, "beside_offers": several.beside_offers}
    assert_same(several, replace(alone, **beside))


@pytest.mark.parametrize("also", [1, 3, 8, 20])
def test_offers_beside_the_target(also, monkeypatch):
    """The arms with the fewest reports get an offer, each of its own gap, ties to the first."""
    till = Till(monkeypatch)
    run = play(nine_arms("ucb", purse={"also": also}), engine="market")
    pages = {page.customer: page for page in asked_pages(run, 9)}
    assert len(pages) == 291
    for customer, page in pages.items():
        target, offers, _ = till.boards[customer]
        others = sorted((page.pulls[arm], arm) for arm in range(9) if arm != target)
        beside = {target, *(arm for _, arm in others[:also])}
        for arm in range(9):
            gap = max(page.means) - page.means[arm]
            assert offers[arm] == (gap if arm in beside else 0.0)


def test_next_to_offer_by_hand():
    """Fewest reports first, the target and marked arms apart; nothing if all are marked."""
    book = type("Pages", (), {"pulls": np.array([5, 2, 2, 1])})
    marks = np.zeros(4)
    picked = []
    while (arm := next_to_offer(book, 3, marks)) >= 0:
        picked.append(arm)
        marks[arm] = 1.0
    assert picked == [1, 2, 0]


@given(data=st.data(), cap=amounts(1.0))
def test_the_cap_cuts_offers_and_nothing_else(data, cap):
    """The offer is the smaller of gap and cap, to the last bit."""
    settings_ = data.draw(experiments(["ucb"], "greedy", all_report=True))
    settings_["purse"] = {"cap": cap}
    scenario = make_scenario(settings_)
    run = play(scenario, engine="market")
    for page in asked_pages(run, len(scenario.market.arms)):
        assert page.offer == min(cap, max(page.means) - page.means[page.target])


def acceptance(customers, **purse):
    """The share of targets that are taken, over some ten thousand offers."""
    scenario = nine_arms("ucb", 1000, purse={"budget": 1e12, **purse}, customers=customers)
    return simulate(scenario.replace(replications=40), engine="batch").summary().acceptance[0]


@pytest.mark.slow
def test_margins_raise_acceptance():
    """The more is added to the gap, the more noisy customers agree; steps of over 2 %."""
    logit = {"behaviour": "logit", "tau": 0.1}
    shares = [
        acceptance(logit, offer={"rule": "fixed-margin", "margin": margin})
        for margin in (0.0, 0.05, 0.1, 0.2, 0.4)
    ]
    assert all(np.diff(shares) > 0.02)


def test_misjudgement_lowers_acceptance():
    """A controller who errs offers too little half of the time; greedy customers then refuse."""
    greedy = {"behaviour": "greedy"}
    assert acceptance(greedy) == 1.0
    shares = [acceptance(greedy, misjudgement=error) for error in (0.01, 0.1)]
    assert all(0.4 < share < 0.99 for share in shares)


def test_misjudged_offers_are_normal_errors_around_the_gap():
    """Errors have mean 0 and the deviation given; they are cut at 0. Fails once in 1e6 seeds."""
    error = 0.01
    run = play(nine_arms("ucb", 3000, purse={"misjudgement": error}), engine="market")
    gaps = [(max(page.means) - page.means[page.target], page.offer) for page in asked_pages(run, 9)]
    errors = np.array([offer - gap for gap, offer in gaps if gap > 6 * error])
    assert len(errors) > 300
    assert abs(errors.mean()) < 5 * error / math.sqrt(len(errors))
    assert abs(errors.std() / error - 1) < 5 / math.sqrt(2 * len(errors))
    assert all(offer >= 0.0 for _, offer in gaps)


@pytest.mark.parametrize("goal", [0.6, 0.9])
def test_a_learned_margin_meets_its_goal(goal):
    """Acceptance is the goal less margin / (step n), and the margin stays below 1.2.

    Where the margin is 1 a refusal has a chance of 8 exp(-10), so that it climbs to 1.2 less than
    once in a billion runs; where it is below 0 refusals outnumber deals.
    """
    step = 0.02
    purse = {"offer": {"rule": "learned-margin", "goal": goal, "step": step}, "budget": 1e12}
    customers = {"behaviour": "logit", "tau": 0.1}
    run = play(nine_arms("round-robin", 6000, purse=purse, customers=customers), engine="market")
    asked = [page for page in asked_pages(run, 9) if page.means[page.target] < max(page.means)]
    margin = 0.0
    for page in asked:
        gap = max(page.means) - page.means[page.target]
        assert page.offer == max(0.0, gap + margin)
        margin += step * (goal - 1.0 if page.arm == page.target else goal)
        assert -0.5 < margin < 1.2
    taken = sum(page.arm == page.target for page in asked) / len(asked)
    assert len(asked) > 4000
    assert taken == pytest.approx(goal - margin / (step * len(asked)), abs=1e-9)
    assert abs(taken - goal) < 0.015


def test_who_gives_up_leaves_the_money_in_the_purse(monkeypatch):
    """What was set aside for a customer who loses patience is there for the next one."""
    given_up = []
    give_up = Queue._give_up

    def watch(queue, visit):
        given_up.append(visit.payment)
        give_up(queue, visit)

    monkeypatch.setattr(Queue, "_give_up", watch)
    till = Till(monkeypatch)
    queue = {"capacity": 1, "service_time": 12.0, "patience": 2.0}
    purse = {"budget": 5.0}
    run = play(nine_arms("round-robin", 400, purse=purse, **queue), engine="market")
    assert sum(given_up) > 0.0
    assert exactly(till.purses[0].spent) == exactly(run.payments)
    assert_within(run, purse)
    assert exactly([*run.payments, *given_up]) > 5  # spent again, or it would not be so much


@pytest.mark.parametrize("period", [3, 8])
def test_who_gives_up_late_gives_nothing_to_the_next_period(period):
    """What customers of a period that is over leave behind does not raise the next allowance."""
    purse = {"period": period, "period_budget": 0.5, "when_short": "pay-rest"}
    line = {"capacity": 1, "service_time": 12.0, "patience": 4.5}
    customers = {"behaviour": "logit", "tau": 1.0}  # who take what is left, too
    run = play(
        nine_arms("round-robin", 900, purse=purse, customers=customers, **line), engine="market"
    )
    late = (run.arms < 0) & (np.arange(900) % period + 4 >= period) & (run.offers > 0.0)
    assert late.sum() > 20
    assert_within(run, purse)
