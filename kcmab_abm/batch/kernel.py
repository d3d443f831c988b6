"""The compiled counterpart of the market: one customer after another, without the interpreter.

This file is a template. `compile.py` loads a copy of it for every combination of policy, behaviour,
pricing rule, disclosure and laws, with the names under `Supplied` set, so that the compiler sees
one program and can inline all functions. Flags remove branches before compilation (a branch must
test the flag alone, or first):

- `general` is False in the paper's market: constant arms, one offer, an unlimited purse;
- `timed` is True if reports come later than the choice (`pending.py`);
- `validate` is True if a function is not the package's own, or if customers may report something
  other than their reward, so that offers may become infinite. Otherwise the tests have shown that
  offers are finite and that rewards lie in [0, 1];
- `selective` is False if customers see the whole book;
- `noted` is True if a measure asks for the kind of a customer, or for what an arm is worth to her;
- `perceiving` is True if the controller knows something about a customer before it acts, and
  `knowing` if that includes her values.

`advance` does the same as `market/controller.py` and `market/customer.py`, except for error
messages: it returns `REFUSED`, and the market explains why. `driver.py` calls it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kcmab_abm.batch.clock import move_clock, open_clock
from kcmab_abm.batch.options import compiled_inline, compiled_inside
from kcmab_abm.batch.pending import add_report, next_report
from kcmab_abm.batch.state import CROWDED, DONE, REFUSED, Block, State, Streams, World
from kcmab_abm.model.book import Book, clear, find_top, is_legible, next_unreported, record
from kcmab_abm.model.budget import affordable, charge
from kcmab_abm.model.change import add_means, highest_mean, move_means
from kcmab_abm.model.customer import STRANGER, Customer
from kcmab_abm.model.offers import (
    Board,
    is_offer,
    least_offer,
    misjudged,
    next_to_offer,
    personal_gap,
)
from kcmab_abm.model.streams import uniform_at
from kcmab_abm.model.timing import draw_duration

if TYPE_CHECKING:  # Supplied
    from collections.abc import Callable

    general: bool
    timed: bool
    validate: bool
    selective: bool
    noted: bool
    kind_of: Callable[..., int]
    value_of: Callable[..., float]
    perceiving: bool
    knowing: bool
    choose: Callable[..., int]
    learn: Callable[..., None]
    answered: Callable[..., None]
    take: Callable[..., int]
    perceive: Callable[..., int]
    settle: Callable[..., int]
    hear: Callable[..., None]
    report: Callable[..., float]
    price: Callable[..., float]
    see: Callable[..., None]
    show: Callable[..., None]
    note: Callable[..., None]
    reward: Callable[..., float]
    move: Callable[..., None]
    policy_params: Callable[..., Any]
    policy_memory: Callable[..., Any]
    policy_tables: Callable[..., Any]
    customer_params: Callable[..., Any]
    customer_memory: Callable[..., Any]
    price_params: Callable[..., Any]
    price_memory: Callable[..., Any]
    disclosure_params: Callable[..., Any]
    disclosure_memory: Callable[..., Any]


@compiled_inside
def change_arms(world: World, state: State, customer: int) -> None:
    """Move the true means to those of this customer."""
    arms = len(state.means)
    key = state.keys[arms + 1]
    for arm in range(arms):
        state.draws[arm] = uniform_at(key, np.uint64(customer * arms + arm))
    move_means(customer, world.changes, world.means, state.draws, state.means)


@compiled_inline
def quote(
    world: World, state: State, view: Book, customer: int, known: Any, arm: int, pricing: Any
) -> float:
    """The offer for an arm, as far as the purse can afford it; NaN if no such offer is allowed."""
    book, purse = state.book, state.purse
    fees = general and world.fees
    if knowing:
        gap = personal_gap(state.values, state.money[0], arm, fees)
    elif fees:
        gap = personal_gap(view.means, 1.0, arm, True)
    else:
        gap = least_offer(view, arm)
    if general:
        gap = misjudged(gap, world.misjudgement, pricing[2], fees)
    offer = price(customer, world.announced, arm, gap, book, known, purse, *pricing)
    if validate and not is_offer(offer, world.fees):
        return math.nan
    return affordable(purse, customer, offer) if general else offer


@compiled_inside
def advance(
    world: World,
    state: State,
    streams: Streams,
    start: int,
    count: int,
    block: Block,
) -> tuple[int, int]:
    """Simulate the next `count` customers and write them into the block.

    Returns a status, and the number of the customer who was refused.
    """
    arms = len(state.pulled)
    timing: Any = world.timing
    clock: Any = state.clock
    moments: Any = streams.clock
    if timed:
        if start == 0:
            open_clock(timing, clock, moments, state.keys)
        if clock.pending.size[0] + count > len(clock.pending.due):
            return CROWDED, start
    book, purse = state.book, state.purse
    # The last arguments of every function of an agent: memory, parameters, random numbers.
    policy = (
        policy_memory(state.policy_memory, world.policy_bounds),
        policy_params(world.policy_values),
        streams.policy,
    )
    customers = (
        customer_memory(state.customer_memory, world.customer_bounds),
        customer_params(world.customer_values),
        streams.customers,
    )
    pricing = (
        price_memory(state.price_memory, world.price_bounds),
        price_params(world.price_values),
        streams.offers,
    )
    tables = policy_tables(world.policy_tables)
    view = book
    if selective:
        view = state.shown
        disclosure = (
            disclosure_memory(state.disclosure_memory, world.disclosure_bounds),
            disclosure_params(world.disclosure_values),
            streams.disclosure,
        )
    reports_key = state.keys[arms]
    unreported = state.unreported[0]
    rivals = world.also > 0
    for line in range(count):
        customer = start + line + 1
        offer = 0.0
        payment = 0.0
        gain = 0.0
        told = 0.0
        reporter = 0
        if general and not world.steady:
            change_arms(world, state, customer)
        if general and rivals:
            for each in range(block.beside.shape[1]):
                block.beside[line, each] = -1
                block.beside_offers[line, each] = 0.0
        seeded = unreported > 0
        if seeded:
            if noted:
                block.kinds[line] = 0
                block.values[line] = 0.0
            target = next_unreported(book, state.directed, state.search)
            state.directed[target] += 1
            arm = target
        else:
            if selective:
                clear(view)
                show(customer, book, view, *disclosure)
                if validate and not is_legible(view):
                    return REFUSED, customer
                find_top(view)
            known = STRANGER
            if perceiving:
                kind = perceive(customer, view, state.values, state.money, *customers)
                known = Customer(kind)
            target = choose(customer, world.announced, book, view, known, purse, tables, *policy)
            if target < 0 or target >= arms:
                return REFUSED, customer
            if general and rivals:
                for each in range(arms):
                    state.marks[each] = 0.0
                for place in range(world.also):
                    other = next_to_offer(book, target, state.marks)
                    if other < 0:
                        break
                    state.marks[other] = 1.0
                    wanted = quote(world, state, view, customer, known, other, pricing)
                    if validate and math.isnan(wanted):
                        return REFUSED, customer
                    state.offers[other] = wanted
                    block.beside[line, place] = other
                    block.beside_offers[line, place] = wanted
            offer = quote(world, state, view, customer, known, target, pricing)
            if validate and math.isnan(offer):
                return REFUSED, customer
            state.offers[target] = offer
            board = Board(target, state.offers, rivals or (general and world.fees))
            if perceiving:
                arm = settle(customer, view, board, state.money, *customers)
            else:
                arm = take(customer, view, board, *customers)
            if arm < -1 or arm >= arms:
                return REFUSED, customer
            if noted:
                block.kinds[line] = kind_of(customers[0])
                block.values[line] = value_of(customers[0], arm) if arm >= 0 else 0.0
            if arm >= 0:
                payment = state.offers[arm]
                if general:
                    charge(purse, payment)
            see(customer, target, offer, arm == target, known, *pricing)
            answered(customer, target, offer, arm, known, book, *policy)
            state.offers[target] = 0.0
            if general and rivals:
                for each in range(arms):
                    state.offers[each] = 0.0
        if arm >= 0:
            position = state.pulled[arm]
            uniform = uniform_at(state.keys[arm], np.uint64(position))
            if general and not world.steady:
                move(world.kinds[arm], state.means[arm], world.rows[arm], state.row)
                gain = reward(world.kinds[arm], uniform, state.row)
            else:
                gain = reward(world.kinds[arm], uniform, world.rows[arm])
            if validate and not 0.0 <= gain <= 1.0:
                return REFUSED, customer
            state.pulled[arm] += 1
            told = float(report(gain, payment, *customers))
            if validate and not -np.inf < told < np.inf:
                return REFUSED, customer
            if (
                world.report_probability >= 1.0
                or uniform_at(reports_key, np.uint64(customer)) < world.report_probability
            ):
                reporter = customer
        reported = arm
        if timed:
            service = draw_duration(timing.service, moments.durations)
            delay = draw_duration(timing.delay, moments.durations)
            if reporter > 0:
                add_report(clock.pending, clock.times[1], service, delay, customer, arm, told)
            until = np.inf
            if customer < world.announced:
                move_clock(timing, clock, moments, customer + 1)
                until = clock.times[1]
            reporter, reported, told = next_report(clock.pending, until)
        while reporter > 0:
            if book.pulls[reported] == 0:
                unreported -= 1
            record(book, reported, told)
            if selective:
                note(reporter, reported, told, book, *disclosure)
            learn(reporter, reported, told, book, *policy)
            hear(reporter, reported, told, book, *customers)
            reporter = 0
            if timed:
                reporter, reported, told = next_report(clock.pending, until)
        block.targets[line] = target
        block.offers[line] = offer
        block.arms[line] = arm
        block.rewards[line] = gain
        block.payments[line] = payment
        block.seeded[line] = seeded
        if general and not world.steady:
            mean = state.means[arm] if arm >= 0 else 0.0
            block.taken[line] = mean
            block.regrets[line] = highest_mean(state.means) - mean
            block.best[line] = add_means(state.earned, state.means)
    state.unreported[0] = unreported
    return DONE, 0
