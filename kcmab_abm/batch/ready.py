"""Prepare a kernel, with its input and state, to run a policy in a scenario."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.accounts import SUMS
from kcmab_abm.batch.clock import Clock, ClockStreams
from kcmab_abm.batch.counters import counter_for
from kcmab_abm.batch.kernels import drawing, kernel_for, known_laws
from kcmab_abm.batch.linking import link
from kcmab_abm.batch.pending import room_for
from kcmab_abm.batch.state import Block, Counting, Drawn, Job, State, Streams, World
from kcmab_abm.catalogue.entries import Law
from kcmab_abm.model import streams
from kcmab_abm.model.book import empty_book
from kcmab_abm.model.trajectory import empty_tally
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice


class Ready(NamedTuple):
    """A kernel ready to run a policy in a scenario; `job` has no replications yet."""

    scenario: Scenario
    policy: Choice
    driver: Any
    advance: Any
    streams: Streams
    job: Job
    count_block: Any = None
    counting: Counting | None = None

    def run(self, job: Job, served: int, until: int) -> tuple[int, int, int]:
        """Continue a job from `served` customers to at least `until`; see `driver.py`."""
        work = self.advance, self.count_block, self.counting, self.streams, job, served, until
        found: tuple[int, int, int] = self.driver.run_job(*work)
        return found

    def new_job(self, first: int, count: int, control: NDArray[np.int64]) -> Job:
        """A job of `count` replications."""
        world = self.job.world
        own = len(self.scenario.measures.choices)
        tally = empty_tally(count, len(world.checkpoints), len(world.kinds), own)
        drawn = self.job.drawn
        if self.scenario.market.is_random:
            drawn = _new_drawn(count, *world.rows.shape)
            self._draw(first, drawn)
        return self.job._replace(first=first, tally=tally, control=control, drawn=drawn)

    def _draw(self, first: int, drawn: Drawn) -> None:
        """Draw the markets of the replications from `first` on; the numbers are templates."""
        world, priors = self.job.world, self.scenario.market.priors
        drawing().draw_markets(
            priors, world.root, first, world.kinds, world.rows, np.empty(len(world.kinds)), drawn
        )


def with_more_room(job: Job) -> Job:
    """The job with room for twice as many pending reports."""
    clock = job.state.clock
    assert clock is not None
    more = clock._replace(pending=room_for(2 * len(clock.pending.due), clock.pending))
    return job._replace(state=job.state._replace(clock=more))


def new_control() -> NDArray[np.int64]:
    """The control of a running kernel: set entry 0 to stop it; entry 1 counts its customers."""
    return np.zeros(2, np.int64)


def prepare(
    scenario: Scenario, policy: Choice, size: int, checkpoints: NDArray[np.int64], horizon: int
) -> Ready:
    """A kernel with its input and state; its block has room for `size` customers."""
    market = scenario.market
    kinds = {law.name: kind for kind, law in enumerate(_laws_of(scenario))}
    rows = np.zeros((len(market.arms), 1 + max(len(arm.numbers) for arm in market.arms)))
    for place, arm in enumerate(market.arms):
        rows[place, : len(arm.numbers)] = arm.numbers
        rows[place, -1] = len(arm.numbers)
    world = World(
        root=streams.root_key(scenario.seed),
        horizon=horizon,
        announced=scenario.horizon,
        checkpoints=checkpoints,
        gaps=np.zeros(len(rows) + 1) if market.is_random else market.gaps,
        kinds=np.array([kinds[arm.law.name] for arm in market.arms]),
        rows=rows,
        report_probability=market.report_probability,
        steady=market.is_steady,
        changes=market.change.arrays(),
        timing=market.timing if market.is_timed else None,
        means=np.zeros(len(rows)) if market.is_random else market.means,
        also=scenario.purse.also,
        misjudgement=scenario.purse.misjudgement,
        fees=scenario.purse.fees,
        **agent("policy", policy, scenario),
        policy_tables=tables_of(policy, scenario),
        **agent("customer", market.customers, scenario),
        **agent("price", scenario.purse.offer, scenario),
        selective=market.is_selective,
        **agent("disclosure", market.disclosure, scenario),
    )
    job = Job(
        world=world,
        state=_new_state(world, scenario, policy, size),
        block=_new_block(size, scenario),
        sums=np.zeros(SUMS),
        tally=empty_tally(0, len(checkpoints), len(rows)),
        control=new_control(),
        first=0,
        drawn=_new_drawn(0, *rows.shape),
    )
    kernel, generators = kernel_of(scenario, policy), _new_streams(market.is_timed)
    counter = counter_of(scenario)
    if counter is None:
        driver = link(kernel, generators, job)
        return Ready(scenario, policy, driver, kernel.advance, generators, job)
    counting = _new_counting(size, scenario)
    driver = link(kernel, generators, job, counter, counting)
    common = scenario, policy, driver, kernel.advance, generators, job
    return Ready(*common, counter.count_block, counting)


def _laws_of(scenario: Scenario) -> tuple[Law, ...]:
    return known_laws(tuple(arm.law for arm in scenario.market.arms))


def kernel_of(scenario: Scenario, policy: Choice) -> Any:
    """The kernel for a policy in a scenario."""
    market = scenario.market
    plain = market.is_steady and scenario.purse.is_plain and not scenario.watches_purse(policy)
    choices = (policy, market.customers, scenario.purse.offer, market.disclosure)
    agents = tuple(choice.entry for choice in choices)
    noted, sight = scenario.measures.is_noted, scenario.purse.sight(market)
    return kernel_for(agents, _laws_of(scenario), plain, noted, market.is_timed, sight)


def counter_of(scenario: Scenario) -> Any:
    """The module that counts the scenario's own measures of customers; None if there is none."""
    measures = tuple(choice.entry for choice in scenario.measures.of_customers)
    return counter_for(measures, scenario.market.is_timed) if measures else None


def agent(role: str, choice: Choice, scenario: Scenario) -> dict[str, NDArray[Any]]:
    """The parameters and the memory of an agent."""
    memory = choice.blank_memory(len(scenario.market.arms), scenario.horizon)
    return {
        f"{role}_values": np.array(choice.values, np.float64),
        f"{role}_start": np.concatenate([np.zeros(0), *memory]),
        f"{role}_bounds": np.array([0, *accumulate(map(len, memory))], np.int64),
    }


def tables_of(policy: Choice, scenario: Scenario) -> tuple[NDArray[Any], ...] | None:
    """The tables that a policy reads; None if it has none."""
    return tuple(policy.tables(len(scenario.market.arms), scenario.horizon)) or None


def _new_block(customers: int, scenario: Scenario) -> Block:
    extra = 0 if scenario.market.is_steady else customers
    noted = customers if scenario.measures.is_noted else 0
    rivals = scenario.rivals
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
        kinds=np.empty(noted, np.int64),
        values=np.empty(noted),
    )


def _new_drawn(count: int, arms: int, wide: int) -> Drawn:
    return Drawn(means=np.empty((count, arms)), rows=np.empty((count, arms, wide)))


def _new_counting(customers: int, scenario: Scenario) -> Counting:
    measures = scenario.measures.of_customers
    return Counting(
        values=np.array([value for each in measures for value in each.values], np.float64),
        kinds=np.array(scenario.market.customers.kinds, np.int64),
        counts=np.empty((customers, len(measures))),
        sums=np.zeros(len(measures)),
    )


def _new_state(world: World, scenario: Scenario, policy: Choice, size: int) -> State:
    arms, wide = world.rows.shape
    first_ties = scenario.market.ties == "first"
    book = empty_book(arms, first_ties)
    return State(
        book=book,
        shown=empty_book(arms, first_ties) if world.selective else book,
        keys=np.zeros(arms + 4, np.uint64),
        pulled=np.zeros(arms, np.int64),
        directed=np.zeros(arms, np.int64),
        offers=np.zeros(arms),
        unreported=np.zeros(1, np.int64),
        search=np.zeros(2, np.int64),
        policy_memory=np.empty_like(world.policy_start),
        customer_memory=np.empty_like(world.customer_start),
        price_memory=np.empty_like(world.price_start),
        disclosure_memory=np.empty_like(world.disclosure_start),
        purse=scenario.purse.new_purse(scenario.watches_purse(policy)),
        marks=np.zeros(arms),
        means=np.zeros(arms),
        earned=np.zeros(arms),
        draws=np.zeros(arms),
        row=np.zeros(wide),
        values=np.zeros(arms),
        money=np.zeros(1),
        clock=None if world.timing is None else Clock(np.zeros(2), room_for(size)),
    )


def _new_streams(timed: bool) -> Streams:
    opened = [streams.Stream() for _ in range(len(Streams._fields) // 2)]
    parts: list[Any] = [part for each in opened for part in (each.rng, each.words)]
    several = Streams(*parts)
    if not timed:
        return several
    arrivals, durations = streams.Stream(), streams.Stream()
    clock = ClockStreams(arrivals.rng, arrivals.words, durations.rng, durations.words)
    return several._replace(clock=clock)
