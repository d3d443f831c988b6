"""The compiled twin of the market: one customer after another, no Python in between.

This file is a template. `compile.py` loads a copy of it for every policy and behaviour, with the
names under `Supplied` set to their functions, so that the compiler sees one program and can inline
it. `varied` is set unless the market is the paper's: steady arms, one offer, a purse without
limits. `doubted` is set unless the pricing rule is the package's own, tested never to offer what
cannot be paid. A branch on one of these names alone, or one that begins with it, is left out before
it is compiled. Read `advance` beside `market/controller.py` and `market/customer.py`: it does what
they do. `driver.py` calls it, for one replication after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.options import compiled_inside
from kcmab_abm.batch.state import (
    BAD_ARM,
    BAD_OFFER,
    BAD_TARGET,
    DONE,
    Block,
    State,
    Streams,
    World,
)
from kcmab_abm.book import next_unreported, record
from kcmab_abm.changes import add_means, highest_mean, move_means
from kcmab_abm.offers import Board, estimated_gap, least_offer, next_to_offer
from kcmab_abm.purse import affordable, charge
from kcmab_abm.streams import uniform_at

if TYPE_CHECKING:  # Supplied
    from collections.abc import Callable

    varied: bool
    doubted: bool
    choose: Callable[..., int]
    learn: Callable[..., None]
    take: Callable[..., int]
    hear: Callable[..., None]
    report: Callable[..., float]
    price: Callable[..., float]
    see: Callable[..., None]
    reward: Callable[..., float]
    move: Callable[..., None]
    policy_params: Callable[..., Any]
    policy_memory: Callable[..., Any]
    customer_params: Callable[..., Any]
    customer_memory: Callable[..., Any]
    price_params: Callable[..., Any]
    price_memory: Callable[..., Any]


@compiled_inside
def change_arms(world: World, state: State, customer: int) -> None:
    """Move the true means to where this customer finds them."""
    arms = len(state.means)
    key = state.keys[arms + 1]
    for arm in range(arms):
        state.draws[arm] = uniform_at(key, np.uint64(customer * arms + arm))
    move_means(customer, world.changes, world.means, state.draws, state.means)


@compiled_inside
def advance(
    world: World,
    state: State,
    streams: Streams,
    tapes: NDArray[np.float64],
    known: NDArray[np.int64],
    start: int,
    count: int,
    block: Block,
) -> tuple[int, int, int]:
    """Let the next `count` customers through and write them into the block."""
    arms = len(state.pulled)
    book, purse = state.book, state.purse
    policy_memory_ = policy_memory(state.policy_memory, world.policy_bounds)
    customer_memory_ = customer_memory(state.customer_memory, world.customer_bounds)
    price_memory_ = price_memory(state.price_memory, world.price_bounds)
    policy_params_ = policy_params(world.policy_values)
    customer_params_ = customer_params(world.customer_values)
    price_params_ = price_params(world.price_values)
    reports_key = state.keys[arms]
    unreported = state.unreported[0]
    rivals = world.also > 0
    for line in range(count):
        customer = start + line + 1
        offer = 0.0
        payment = 0.0
        gain = 0.0
        if varied and not world.steady:
            change_arms(world, state, customer)
        if varied and rivals:
            for each in range(block.beside.shape[1]):
                block.beside[line, each] = -1
                block.beside_offers[line, each] = 0.0
        seeded = unreported > 0
        if seeded:
            target = next_unreported(book, state.directed)
            state.directed[target] += 1
            arm = target
        else:
            target = choose(customer, book, policy_memory_, policy_params_, streams.policy)
            if target < 0 or target >= arms:
                return BAD_TARGET, customer, target
            if varied and rivals:
                for each in range(arms):
                    state.marks[each] = 0.0
                for place in range(world.also):
                    other = next_to_offer(book, target, state.marks)
                    if other < 0:
                        break
                    state.marks[other] = 1.0
                    gap = estimated_gap(book, other, world.error, streams.offers)
                    wanted = price(customer, gap, price_memory_, price_params_, streams.offers)
                    if doubted and not 0.0 <= wanted < np.inf:
                        block.offers[line] = wanted
                        return BAD_OFFER, customer, other
                    wanted = affordable(purse, customer, wanted)
                    state.offers[other] = wanted
                    block.beside[line, place] = other
                    block.beside_offers[line, place] = wanted
            if varied:
                gap = estimated_gap(book, target, world.error, streams.offers)
            else:
                gap = least_offer(book, target)
            offer = price(customer, gap, price_memory_, price_params_, streams.offers)
            if doubted and not 0.0 <= offer < np.inf:
                block.offers[line] = offer
                return BAD_OFFER, customer, target
            if varied:
                offer = affordable(purse, customer, offer)
            state.offers[target] = offer
            board = Board(target, state.offers, rivals)
            arm = take(customer, book, board, customer_memory_, customer_params_, streams.customers)
            if arm < -1 or arm >= arms:
                return BAD_ARM, customer, arm
            if arm >= 0:
                payment = state.offers[arm]
                if varied:
                    charge(purse, payment)
            see(customer, offer, arm == target, price_memory_, price_params_, streams.offers)
            state.offers[target] = 0.0
            if varied and rivals:
                for each in range(arms):
                    state.offers[each] = 0.0
        if arm >= 0:
            position = state.pulled[arm]
            if position < known[arm]:
                gain = tapes[arm, position]
            else:
                uniform = uniform_at(state.keys[arm], np.uint64(position))
                if varied and not world.steady:
                    move(world.kinds[arm], state.means[arm], world.rows[arm], state.row)
                    gain = reward(world.kinds[arm], uniform, state.row)
                else:
                    gain = reward(world.kinds[arm], uniform, world.rows[arm])
                if position < tapes.shape[1]:
                    tapes[arm, position] = gain
                    known[arm] = position + 1
            state.pulled[arm] += 1
            told = report(gain, payment, customer_memory_, customer_params_, streams.customers)
            if (
                world.report_probability >= 1.0
                or uniform_at(reports_key, np.uint64(customer)) < world.report_probability
            ):
                if book.pulls[arm] == 0:
                    unreported -= 1
                record(book, arm, told)
                learn(arm, told, book, policy_memory_, policy_params_, streams.policy)
                hear(
                    customer, arm, told, book, customer_memory_, customer_params_, streams.customers
                )
        block.targets[line] = target
        block.offers[line] = offer
        block.arms[line] = arm
        block.rewards[line] = gain
        block.payments[line] = payment
        block.seeded[line] = seeded
        if varied and not world.steady:
            mean = state.means[arm] if arm >= 0 else 0.0
            block.taken[line] = mean
            block.regrets[line] = highest_mean(state.means) - mean
            block.best[line] = add_means(state.earned, state.means)
    state.unreported[0] = unreported
    return DONE, 0, 0
