"""All that a kernel needs to run a policy in a scenario."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm import streams
from kcmab_abm.batch.compile import kernel_for, known_laws
from kcmab_abm.batch.linking import link
from kcmab_abm.batch.state import Block, State, Streams, Tapes, World
from kcmab_abm.book import empty_book
from kcmab_abm.entries import Law
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Tally, empty_tally
from kcmab_abm.world import Choice, Market


class Ready(NamedTuple):
    """All that a kernel needs to run a policy in a scenario."""

    scenario: Scenario
    policy: Choice
    driver: Any
    advance: Any
    world: World
    state: State
    streams: Streams
    block: Block

    def new_tally(self, count: int) -> Tally:
        """A tally for so many replications."""
        return _new_tally(self.world, count)

    def new_tapes(self, count: int) -> Tapes:
        """Tapes without room, for a policy that shares with nobody."""
        arms = len(self.world.kinds)
        return Tapes(np.empty((count, arms, 0)), np.zeros((count, arms), np.int64))


def prepare(
    scenario: Scenario, policy: Choice, size: int, checkpoints: NDArray[np.int64], horizon: int
) -> Ready:
    """A kernel with everything it reads and writes; its block has room for `size` customers."""
    market = scenario.market
    kinds = {law.name: kind for kind, law in enumerate(_laws_of(scenario))}
    rows = np.zeros((len(market.arms), max(len(arm.row) for arm in market.arms)))
    for place, arm in enumerate(market.arms):
        rows[place, : len(arm.row)] = arm.row
    world = World(
        root=streams.root_key(scenario.seed),
        horizon=horizon,
        checkpoints=checkpoints,
        gaps=market.gaps,
        kinds=np.array([kinds[arm.law.name] for arm in market.arms]),
        rows=rows,
        report_probability=market.report_probability,
        steady=market.is_steady,
        changes=market.change.arrays(),
        means=market.means,
        also=market.offers.also,
        error=market.offers.error,
        **_agent("policy", policy, len(rows)),
        **_agent("customer", market.customers, len(rows)),
        **_agent("price", market.offers.rule, len(rows)),
    )
    state = _new_state(world, market)
    block, generators = _new_block(size, scenario), _new_streams()
    kernel = kernel_of(scenario, policy)
    driver = link(kernel, world, state, generators, block, _new_tally(world, 1))
    return Ready(scenario, policy, driver, kernel.advance, world, state, generators, block)


def _laws_of(scenario: Scenario) -> tuple[Law, ...]:
    return known_laws(tuple(arm.law for arm in scenario.market.arms))


def kernel_of(scenario: Scenario, policy: Choice) -> Any:
    """The kernel for a policy in a scenario."""
    market = scenario.market
    agents = (policy.entry, market.customers.entry, market.offers.rule.entry)
    return kernel_for(agents, _laws_of(scenario), market.is_steady and market.offers.is_plain)


def _agent(role: str, choice: Choice, arms: int) -> dict[str, NDArray[Any]]:
    """What the kernel needs to know of a policy, a behaviour or a pricing rule."""
    memory = choice.blank_memory(arms)
    return {
        f"{role}_values": np.array(choice.values, np.float64),
        f"{role}_start": np.concatenate([np.zeros(0), *memory]),
        f"{role}_bounds": np.array([0, *accumulate(map(len, memory))], np.int64),
    }


def _new_tally(world: World, count: int) -> Tally:
    return empty_tally(count, len(world.checkpoints), len(world.kinds))


def _new_block(customers: int, scenario: Scenario) -> Block:
    extra = 0 if scenario.market.is_steady else customers
    rivals = scenario.market.rivals
    return Block(
        targets=np.empty(customers, np.int64),
        offers=np.empty(customers),
        arms=np.empty(customers, np.int64),
        rewards=np.empty(customers),
        payments=np.empty(customers),
        seeded=np.empty(customers, np.bool_),
        taken=np.empty(extra),
        regrets=np.empty(extra),
        best=np.empty(extra),
        beside=np.empty((customers, rivals), np.int64),
        beside_offers=np.empty((customers, rivals)),
    )


def _new_state(world: World, market: Market) -> State:
    arms, wide = world.rows.shape
    return State(
        book=empty_book(arms, market.first_ties),
        keys=np.zeros(arms + 2, np.uint64),
        pulled=np.zeros(arms, np.int64),
        directed=np.zeros(arms, np.int64),
        offers=np.zeros(arms),
        unreported=np.zeros(1, np.int64),
        policy_memory=np.empty_like(world.policy_start),
        customer_memory=np.empty_like(world.customer_start),
        price_memory=np.empty_like(world.price_start),
        purse=market.offers.new_purse(),
        marks=np.zeros(arms),
        means=np.zeros(arms),
        earned=np.zeros(arms),
        draws=np.zeros(arms),
        row=np.zeros(wide),
    )


def _new_streams() -> Streams:
    policy, customers, offers = streams.Stream(), streams.Stream(), streams.Stream()
    return Streams(
        policy.rng, policy.words, customers.rng, customers.words, offers.rng, offers.words
    )
