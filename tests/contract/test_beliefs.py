"""Indifference and order for every belief: exact offers are taken, and only the reports count."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import make_scenario, play
from kcmab_abm.catalogue.perception import unknowable
from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.entries.behaviours import risk_averse
from kcmab_abm.model.arithmetic.exact import add_at, on_grid, two_product
from kcmab_abm.model.book import empty_book
from kcmab_abm.model.offers import Board, add_adjustments, best_deal
from tests.contract.arena import Crowd, Scripted
from tests.markets import between

# Decisions that are greedy with these settings. (A loyal customer prefers, of two equally good
# arms, the one taken before.)
GREEDY_RULES = [
    {},
    {"decision": {"rule": "greedy"}},
    {"decision": {"rule": "logit", "tau": 0.0}},
    {"decision": {"rule": "loyal", "threshold": 0.0}},
    {"decision": {"rule": "outside-option", "worth": 0.0}},
    {"decision": {"rule": "stubborn", "share": 0.0}},
]
LEAVING = "outside-option"
KNOWABLE = [name for name in BEHAVIOURS.own_names() if not unknowable(BEHAVIOURS[name])]
MOST = 11  # reports on an arm
RECORDS = [(ones, count) for count in range(1, MOST + 1) for ones in range(count + 1)]


def reports(arm, record):
    """The reports of an arm with so many ones of so many."""
    ones, count = record
    return [(arm, 1.0)] * ones + [(arm, 0.0)] * (count - ones)


def share(record):
    """The share of ones, exactly."""
    return Fraction(*record)


def spread(record):
    """The variance of the reports, exactly."""
    return share(record) * (1 - share(record))


def lagging_pairs(same):
    """Two records of which the first has the lower mean, and `same` the same value."""
    pairs = itertools.product(RECORDS, RECORDS)
    return [(a, b) for a, b in pairs if share(a) < share(b) and same(a) == same(b)]


@pytest.mark.parametrize(
    "rule", GREEDY_RULES, ids=lambda rule: rule.get("decision", {}).get("rule")
)
@pytest.mark.parametrize(
    ("customers", "same"),
    [
        ({"behaviour": "optimism", "kappa": 0.5}, lambda record: record[1]),
        ({"behaviour": "optimism", "kappa": -0.3}, lambda record: record[1]),
        ({"behaviour": "risk-averse", "aversion": 0.7}, spread),
        ({"behaviour": "risk-averse", "aversion": -1.3}, spread),
    ],
    ids=["optimists", "pessimists", "risk-averse", "risk lovers"],
)
def test_equal_adjustments_leave_the_least_offer_enough(customers, same, rule):
    """Equally many reports, or equal variances: the gap of the means makes her indifferent."""
    if customers.get("kappa", 0.0) < 0.0 and rule.get("decision", {}).get("rule") == LEAVING:
        return  # arms are worth less than 0 to her
    pairs = lagging_pairs(same)[:: 3 if rule else 1]
    assert len(pairs) > 50
    for lagging, leading in pairs:
        crowd = Crowd(2, **customers, **rule).hear_all(reports(0, lagging) + reports(1, leading))
        gap = crowd.book.means[1] - crowd.book.means[0]
        assert crowd.takes(0, gap) == 0
        assert crowd.takes(0, gap - 1e-9) == 1


def test_equal_outcomes_leave_the_least_offer_enough():
    """Whoever likes two arms equally for their further outcomes is paid by the gap as well."""
    table = {"behaviour": "features", "features": 1, "outcomes": [[1.0], [1.0]], "spread": 0.3}
    short = 0
    for lagging, leading in lagging_pairs(lambda record: record[1]):
        crowd = Crowd(2, **table)
        for arm, told in reports(0, lagging) + reports(1, leading):
            crowd.hear(arm, told, Scripted([0.5]))
        low, high = crowd.book.means
        short += (high - low) < (high + 0.3 * 0.7) - (low + 0.3 * 0.7)
        assert crowd.takes(0, normals=[0.7]) == 0
    assert short > 10  # of these the sums would be refused


@pytest.mark.parametrize(
    "rule", GREEDY_RULES, ids=lambda rule: rule.get("decision", {}).get("rule")
)
@pytest.mark.parametrize("name", KNOWABLE)
def test_known_customers_are_indifferent_and_take_the_target(name, rule):
    """The gap in her own values is accepted whatever she believes, on rewards of any fineness."""
    if rule and (name == "win-stay-lose-shift" or rule["decision"]["rule"] == "loyal"):
        return  # she prefers the arm taken before
    arms = {"law": "beta", "means": [0.7, 0.6, 0.3], "concentration": 3.0}
    customers = {"behaviour": name, **rule}
    market = {"arms": arms, "customers": customers}
    run = play(
        make_scenario(
            {
                "horizon": 120,
                "seed": 8,
                "market": market,
                "policy": [{"name": "ucb"}],
                "purse": {"knows": "customers"},
            }
        ),
        engine="market",
    )
    asked = ~run.seeded
    assert np.array_equal(run.arms[asked], run.targets[asked])


amounts = st.floats(0.0, 1.0, allow_subnormal=False)


@given(
    means=st.lists(amounts, min_size=2, max_size=5),
    adjustment=between(-3.0, 3.0),
    data=st.data(),
)
def test_an_adjustment_of_all_arms_alike_changes_nothing(means, adjustment, data):
    """Whatever she adds to every mean, the least offer is accepted and a lower one is not."""
    values, relative = np.array(means), np.zeros(len(means))
    target = data.draw(st.integers(0, len(means) - 1))
    gap = float(max(means) - means[target])
    add_adjustments(values, np.full(len(means), adjustment), relative)
    offers = np.zeros(len(means))
    offers[target] = gap
    book = empty_book(len(means), True)
    assert best_deal(relative, 1.0, book, Board(target, offers, True), None) == target
    offers[target] -= 1e-9
    if gap > 0.0:
        assert best_deal(relative, 1.0, book, Board(target, offers, True), None) != target


@given(
    means=st.lists(amounts, min_size=2, max_size=2),
    adjustments=st.lists(between(-3.0, 3.0), min_size=2, max_size=2),
)
def test_a_margin_that_makes_up_for_the_adjustments_is_enough(means, adjustments):
    """The gap of the means plus the gap of the adjustments, as a pricing rule adds them up."""
    values, relative = np.array(means), np.zeros(2)
    add_adjustments(values, np.array(adjustments), relative)
    target = int(np.argmin(relative))
    best = 1 - target
    offers = np.zeros(2)
    offers[target] = (means[best] - means[target]) + (adjustments[best] - adjustments[target])
    board = Board(target, offers, True)
    assert best_deal(relative, 1.0, empty_book(2, True), board, None) == target
    assert np.array_equal(values, np.array(means) + np.array(adjustments))


halves = st.integers(0, 2**20).map(lambda k: k / 2**20)
BELIEFS_OF_THE_RECORD = [
    {"behaviour": "greedy", "decision": {"rule": "greedy"}},
    {"behaviour": "bayesian"},
    {"behaviour": "optimism"},
    {"behaviour": "recency"},
    {"behaviour": "recency", "window": 6},
    {"behaviour": "risk-averse"},
    {"behaviour": "social", "graph": "complete", "people": 2},
    {"behaviour": "tastes", "spread": 0.0},
    {"behaviour": "features", "spread": 0.0},
]


@pytest.mark.parametrize("customers", BELIEFS_OF_THE_RECORD, ids=str)
@given(told=st.lists(halves, min_size=6, max_size=6), data=st.data())
def test_the_order_of_reports_makes_no_difference(customers, told, data):
    """Values are the same, to the last bit, for the same reports in another order."""
    seen = []
    for order in (told, data.draw(st.permutations(told))):
        crowd = Crowd(2, **customers).hear_all([(1, 0.5), (0, 0.25), *((0, x) for x in order)])
        crowd.takes(0, 100.0)
        seen.append(crowd.memory.values.tolist())
    assert seen[0] == seen[1]


@given(told=st.lists(amounts, min_size=6, max_size=6), data=st.data())
def test_the_order_within_a_full_window_makes_no_difference(told, data):
    """Recent reports count alike, whatever their last digits."""
    seen = []
    for order in (told, data.draw(st.permutations(told))):
        crowd = Crowd(1, behaviour="recency", window=6).hear_all([(0, x) for x in [0.3, *order]])
        seen.append(float(crowd.memory.mean[0]))
    assert seen[0] == seen[1]
    assert seen[0] == pytest.approx(sum(told) / 6)


def sums_of(told):
    """What a risk-averse customer remembers of the reports on one arm."""
    memory = BEHAVIOURS["risk-averse"]
    memory = memory.memory_fields(memory.blank_memory(1, {"horizon": 1}))
    for reward in told:
        risk_averse.hear(0, reward, memory)
    return memory


finest = amounts | st.floats(1.0, 101.0) | st.sampled_from([1e-300, 1e-20, 0.1, 1 / 3])


@given(told=st.lists(finest, min_size=1, max_size=30), data=st.data())
def test_the_order_of_any_reports_makes_no_difference_to_the_variance(told, data):
    """Whatever the reports, drifted ones included; and the variance is right."""
    memory, other = sums_of(told), sums_of(data.draw(st.permutations(told)))
    assert [each.tolist() for each in memory] == [each.tolist() for each in other]
    exact = [Fraction(each) for each in told]
    mean = sum(exact) / len(exact)
    variance = float(sum((each - mean) ** 2 for each in exact) / len(exact))
    size = float(sum(each**2 for each in exact) / len(exact)) + 1.0
    assert abs(risk_averse.variance(0, len(told), memory) - variance) <= 4e-15 * size


@given(reward=finest, count=st.integers(1, 300))
def test_equal_reports_have_no_variance(reward, count):
    """Not even a rounding error of it."""
    assert risk_averse.variance(0, count, sums_of([reward] * count)) == 0.0


@given(st.lists(finest, max_size=40))
def test_sums_on_a_grid_are_exact(numbers):
    """The sum and its error are together the sum of the numbers, rounded to 2^-60."""
    sums, errors = np.zeros(2), np.zeros(2)
    for number in numbers:
        add_at(sums, errors, 1, on_grid(number))
    assert Fraction(sums[1]) + Fraction(errors[1]) == sum(
        (Fraction(on_grid(number)) for number in numbers), Fraction(0)
    )
    assert sums[0] == errors[0] == 0.0
    for number in numbers:
        assert (Fraction(on_grid(number)) * 2**60).denominator == 1
        assert abs(on_grid(number) - number) <= 2.0**-60


@given(between(-1e9, 1e9), between(-1e9, 1e9))
def test_two_product_loses_nothing(a, b):
    """The product and its error are together exactly a times b, unless tiny numbers underflow."""
    product, error = two_product(a, b)
    if abs(a * b) > 1e-200:
        assert Fraction(product) + Fraction(error) == Fraction(a) * Fraction(b)
