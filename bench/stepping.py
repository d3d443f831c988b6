"""Markets stepped from Python: environments, `open_market`, and forks of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.cases import HORIZON, NINE, market_of
from bench.clock import NANOSECOND, Task, best_of, repetitions
from bench.report import COST, Limit, Row
from kcmab_abm import gym, open_market

POLICY = "round-robin"  # followed from outside
TITLE = "markets stepped from Python, one core"
BY_HAND = "open_market"
ASKED = {"one environment": Limit("<=", 1.0), "1,000 environments": Limit("<=", 0.05)}
FORK = Limit("<=", 1.0)  # seconds


def measure(quick: bool) -> list[Row]:
    """Measure nanoseconds per step, the ratio to `open_market`, and the time of a fork."""
    target, rounds = (0.05, 3) if quick else (0.3, 9)
    tasks = {
        BY_HAND: by_hand(),
        "one environment": stepped(1, target),
        "32 environments": stepped(32, target),
        "1,000 environments": stepped(1000, target),
    }
    cost = best_of(tasks, rounds)
    rows = [
        Row(
            TITLE,
            name,
            POLICY,
            seconds / NANOSECOND,
            COST,
            seconds / cost[BY_HAND],
            BY_HAND,
            ASKED.get(name),
            NINE,
            HORIZON,
        )
        for name, seconds in cost.items()
    ]
    market = open_market(market_of("ucb"), "ucb")
    while not market.is_over:
        market.step()
    fork = best_of({"fork": Task(market.fork)}, rounds)["fork"]
    return [
        *rows,
        Row(TITLE, "fork after all customers", "ucb", fork, "s", None, "", FORK, NINE, HORIZON),
    ]


def by_hand() -> Task:
    """A whole market of the market engine."""
    scenario = market_of(POLICY)

    def run() -> None:
        market = open_market(scenario)
        while not market.is_over:
            market.step(target=market.t % NINE)

    return Task(run, HORIZON)


def stepped(count: int, target: float) -> Task:
    """Steps of an environment, or of a vector environment, for about `target` seconds."""
    scenario = market_of(POLICY)
    step: Callable[[int], object]
    if count == 1:
        env = gym.make(scenario)
        reset, step = env.reset, lambda t: env.step(t % NINE)
    else:
        envs = gym.make_vec(scenario, count)
        reset, step = envs.reset, lambda t: envs.step(np.full(count, t % NINE))

    def steps(number: int) -> None:
        for t in range(number):
            step(t)

    reset()
    number = min(HORIZON, repetitions(lambda: step(0), target))

    def run() -> None:
        reset()
        steps(number)

    return Task(run, number * count)
