"""The arithmetic of the purse against fractions: no rounding ever favours the spender."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm.model.budget import (
    add_exactly,
    affordable,
    charge,
    fits,
    most_affordable,
    new_purse,
    refund,
    rest,
    two_sum,
)
from tests.limits import NASTY, amounts, exactly

MANY = 4 * settings.default.max_examples
BITS = Fraction(1, 2**100)  # what a sum in two floats may lose, as a share of the largest one

any_amount = st.floats(0.0, 1e12)
money = st.sampled_from(NASTY) | st.floats(0.0, 2.0)
dyadic = st.integers(0, 2**40).map(lambda whole: whole * 2.0**-20)


def sum_of(numbers):
    """The purse's sum of some amounts."""
    sums = np.zeros(2)
    for number in numbers:
        add_exactly(sums, number)
    return sums


def neighbours(limit):
    """Numbers just below, at, and just above a limit."""
    return [float(np.nextafter(limit, -1.0)), limit, float(np.nextafter(limit, np.inf))]


@settings(max_examples=MANY)
@given(a=st.floats(-1e12, 1e12), b=st.floats(-1e12, 1e12))
def test_two_sum_loses_nothing(a, b):
    """The rounded sum and its error together are the sum."""
    total, error = two_sum(a, b)
    assert total == a + b
    assert Fraction(total) + Fraction(error) == Fraction(a) + Fraction(b)


@settings(max_examples=MANY)
@given(numbers=st.lists(money | any_amount, max_size=30))
def test_a_sum_is_never_too_small(numbers):
    """Whatever is added up, the sum is exact or too large by less than its hundredth bit."""
    off = exactly(sum_of(numbers)) - exactly(numbers)
    assert 0 <= off <= len(numbers) * BITS * exactly(numbers)


@settings(max_examples=MANY)
@given(numbers=st.lists(dyadic, max_size=30))
def test_a_sum_of_payments_is_exact(numbers):
    """Amounts whose sum has no more than a hundred bits are added up without any rounding."""
    assert exactly(sum_of(numbers)) == exactly(numbers)


def test_a_sum_that_floats_get_wrong():
    """Ten times 0.1 is not 1.0 to the last bit, and a thousand 2^-60 beside 1.0 are not lost."""
    assert exactly(sum_of([0.1] * 10)) == 10 * Fraction(0.1) != 1
    numbers = [1.0, *[2.0**-60] * 1000]
    assert exactly(sum_of(numbers)) == 1 + Fraction(1000, 2**60)
    assert np.cumsum(numbers)[-1] == 1.0


@settings(max_examples=MANY)
@given(
    limits=st.tuples(*[money | st.just(math.inf)] * 3),
    period=st.integers(0, 4),
    wanted=st.lists(money, max_size=12),
)
def test_the_most_that_is_affordable_is_offered_and_no_more(limits, period, wanted):
    """It can be offered whatever is done about short budgets, and the purse stays as it is."""
    cap, budget, each = limits
    purse = new_purse(cap, budget, period, each if period else math.inf, False, is_watched=True)
    for customer, amount in enumerate(wanted, 1):
        before = repr(purse)
        most = most_affordable(purse, customer)
        assert repr(purse) == before
        trial = purse._replace(lately=purse.lately.copy(), number=purse.number.copy())
        if most < math.inf:
            assert affordable(trial, customer, most) == most
        rest_of_it = trial._replace(pays_rest=True)
        assert affordable(rest_of_it, customer, 3.0) == min(3.0, most)
        charge(purse, affordable(purse, customer, amount))


def test_the_most_that_is_affordable_in_a_new_period():
    """What the last period left is gone, and the budget counts all of them."""
    purse = new_purse(2.0, 1.0, 2, 0.75, False)
    assert most_affordable(purse, 1) == 0.75
    charge(purse, affordable(purse, 1, 0.5))
    assert [most_affordable(purse, customer) for customer in (2, 3)] == [0.25, 0.5]
    assert most_affordable(new_purse(math.inf, math.inf, 0, math.inf, False), 1) == math.inf


@settings(max_examples=MANY)
@given(numbers=st.lists(money, max_size=12), back=st.data())
def test_what_is_taken_back_is_gone(numbers, back):
    """Amounts taken back in any order leave the exact sum of the others, never less."""
    sums = sum_of(numbers)
    gone = back.draw(st.lists(st.sampled_from(numbers), max_size=len(numbers))) if numbers else []
    gone = [
        each
        for place, each in enumerate(gone)
        if gone[: place + 1].count(each) <= numbers.count(each)
    ]
    for number in gone:
        add_exactly(sums, -number)
    off = exactly(sums) - (exactly(numbers) - exactly(gone))
    assert 0 <= off <= 2 * len(numbers) * BITS * exactly(numbers)


@settings(max_examples=MANY)
@given(numbers=st.lists(money | any_amount, max_size=12), amount=money | any_amount)
def test_what_fits_is_within_the_limit(numbers, amount):
    """An amount that fits leaves the exact sum within the limit; one that does not, all but not."""
    sums, total = sum_of(numbers), exactly([*numbers, amount])
    for limit in {*neighbours(float(total)), *NASTY}:
        if limit >= 0.0:
            if fits(sums, amount, limit):
                assert total <= Fraction(limit)
            else:
                assert total * (1 + (1 + len(numbers)) * BITS) > Fraction(limit)


@settings(max_examples=MANY)
@given(numbers=st.lists(dyadic, max_size=12), amount=dyadic)
def test_what_is_just_affordable_fits(numbers, amount):
    """A limit that the exact sum hits to the last bit is kept, and one a bit lower is broken."""
    sums, total = sum_of(numbers), exactly([*numbers, amount])
    for limit in neighbours(float(total)):
        assert fits(sums, amount, limit) == (total <= Fraction(limit))


@settings(max_examples=MANY)
@given(numbers=st.lists(money | any_amount, max_size=12), share=st.floats(0.0, 2.0))
def test_the_rest_can_be_spent(numbers, share):
    """The rest is within the limit, exactly, and falls short of it by no more than a bit or two."""
    sums, total = sum_of(numbers), exactly(numbers)
    for limit in {*neighbours(float(total)), float(total) * (1.0 + share), *NASTY}:
        if limit < 0.0 or Fraction(limit) < total:
            assert limit < 0.0 or rest(sums, limit) == 0.0
            continue
        left = rest(sums, limit)
        short = Fraction(limit) - total - Fraction(left)
        assert short >= 0
        assert short <= 2 * Fraction(math.ulp(left)) + len(numbers) * BITS * (total + 1)


def test_the_rest_of_nothing_is_the_limit():
    """Out of a full purse all can be spent, out of an empty one nothing."""
    assert rest(np.zeros(2), 0.3) == 0.3
    assert rest(sum_of([0.3]), 0.3) == 0.0
    assert rest(sum_of([0.1, 0.2]), 0.3) == 0.0
    assert Fraction(rest(sum_of([0.1]), 0.3)) <= Fraction(0.3) - Fraction(0.1)


def test_four_quarters_are_one():
    """Four payments of 0.25 come out of a budget of 1.0, and a fifth of 2^-1074 does not."""
    purse = new_purse(np.inf, 1.0, 0, np.inf, False)
    for customer in range(1, 5):
        assert affordable(purse, customer, 0.25) == 0.25
        charge(purse, 0.25)
    assert affordable(purse, 5, 5e-324) == 0.0
    assert affordable(purse, 5, 0.0) == 0.0


def test_a_tenth_thrice_is_more_than_three_tenths():
    """Three payments of 0.1 are above a budget of 0.3 by a few units of 1e-17: the third is off."""
    paid = []
    purse = new_purse(np.inf, 0.3, 0, np.inf, False)
    for customer in range(1, 4):
        paid.append(affordable(purse, customer, 0.1))
        charge(purse, paid[-1])
    assert paid == [0.1, 0.1, 0.0]
    assert 3 * Fraction(0.1) > Fraction(0.3)


def test_the_rest_is_paid_if_asked_for():
    """A purse that pays the rest offers the last bit of the budget, and then nothing."""
    purse = new_purse(np.inf, 0.3, 0, np.inf, True)
    for customer, least in [(1, 0.1), (2, 0.1), (3, 0.09)]:
        paid = affordable(purse, customer, 0.1)
        assert least <= paid <= 0.1
        charge(purse, paid)
    assert affordable(purse, 4, 0.1) < 1e-16
    assert exactly(purse.spent) <= Fraction(0.3)


def test_a_purse_without_limits_keeps_no_sums():
    """Where nothing is limited the cap alone counts, and no sum is kept."""
    purse = new_purse(0.5, np.inf, 0, np.inf, False)
    assert affordable(purse, 1, 0.75) == 0.5
    charge(purse, 0.5)
    refund(purse, 1, 0.25)
    assert purse.spent.tolist() == [0.0, 0.0]


class Model:
    """A purse in fractions: every payment under the number of its customer."""

    def __init__(self, cap, budget, period, allowance):
        self.cap, self.budget, self.period, self.allowance = cap, budget, period, allowance
        self.paid = {}

    def left(self, customer):
        """The most that can be paid to this customer, before the cap."""
        limits = []
        if self.budget < math.inf:
            limits.append(Fraction(self.budget) - exactly(self.paid.values()))
        if self.period:
            now = (customer - 1) // self.period
            lately = [paid for each, paid in self.paid.items() if (each - 1) // self.period == now]
            limits.append(Fraction(self.allowance) - exactly(lately))
        return min(limits)


@st.composite
def purses_in_use(draw):
    """A purse with some limit, and what customers want, some of whom give it back later."""
    period = draw(st.integers(0, 5))
    budget = draw(amounts()) if period == 0 else draw(amounts() | st.just(math.inf))
    limits = {
        "cap": draw(amounts(1.0) | st.just(math.inf)),
        "budget": budget,
        "period": period,
        "allowance": draw(amounts(1.0)) if period else math.inf,
    }
    wants = st.tuples(money, st.none() | st.integers(1, 7))
    return limits, draw(st.booleans()), draw(st.lists(wants, max_size=25))


@settings(max_examples=MANY)
@given(used=purses_in_use())
def test_a_purse_is_what_fractions_say(used):
    """Over customers, periods and refunds: never too much, all that is there, nothing forgotten."""
    limits, pays_rest, wants = used
    purse, model = new_purse(*limits.values(), pays_rest), Model(**limits)
    waiting = []
    for customer, (wanted, patience) in enumerate(wants, 1):
        for each in [each for each, gone in waiting if gone == customer]:
            refund(purse, each, model.paid.pop(each))
        amount = min(wanted, model.cap)
        left = model.left(customer)
        paid = affordable(purse, customer, wanted)
        assert Fraction(paid) <= max(left, 0)
        if Fraction(amount) * (1 + 99 * BITS) + 99 * BITS <= left:
            assert paid == amount
        elif not pays_rest and Fraction(amount) > left:
            assert paid == 0.0
        elif pays_rest:
            assert Fraction(min(amount, left)) - Fraction(paid) <= Fraction(2, 2**52)
        charge(purse, paid)
        model.paid[customer] = paid
        if patience:
            waiting.append((customer, customer + patience))
    off = exactly(purse.spent) - exactly(model.paid.values())
    assert 0 <= off <= 99 * BITS


@pytest.mark.parametrize(("customer", "lately"), [(4, 0.0), (5, 0.0), (3, 0.25), (1, 0.25)])
def test_a_refund_goes_to_the_period_of_the_customer(customer, lately):
    """What a customer of this period gives back can be spent again in it, an older one's cannot."""
    purse = new_purse(np.inf, 10.0, 3, 0.25, False)
    for number in (1, 4):
        assert affordable(purse, number, 0.25) == 0.25
        charge(purse, 0.25)
    refund(purse, customer, 0.25)
    assert exactly(purse.lately) == Fraction(lately)
    assert exactly(purse.spent) == Fraction(0.25)
    assert affordable(purse, 6, 0.25) == 0.25 - lately
    assert affordable(purse, 7, 0.25) == 0.25
