"""The lattice of one arm's history: how many ones and zeros it had paid, run by run."""

from __future__ import annotations

from collections import Counter

import networkx as nx

from kcmab_abm.errors import MarketError
from kcmab_abm.experiment import Engine
from kcmab_abm.paths.record import Graph, record
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Trajectory
from kcmab_abm.workers import Progress
from kcmab_abm.world import Arm

Point = tuple[int, int]  # ones, zeros


class LatticeRecorder:
    """Counts the points (ones, zeros) through which the history of one arm passes."""

    def __init__(self, arm: int, pulls: int = 30) -> None:
        if pulls < 1:
            raise ValueError(f"pulls must be >= 1, got {pulls}")
        self._arm, self._pulls = arm, pulls
        self._visits: Counter[Point] = Counter()
        self._stopped: Counter[Point] = Counter()
        self._steps: Counter[tuple[Point, Point]] = Counter()

    def add(self, run: Trajectory) -> None:
        """Take in one run."""
        rewards = run.rewards[run.arms == self._arm]
        point = (0, 0)
        self._visits[point] += 1
        for one in (rewards[: self._pulls] == 1.0).tolist():
            ones, zeros = point
            following = (ones + one, zeros + (not one))
            self._steps[point, following] += 1
            self._visits[following] += 1
            point = following
        if len(rewards) <= self._pulls:
            self._stopped[point] += 1

    def graph(self) -> Graph:
        """The lattice of all points that some run has seen."""
        runs = self._visits[0, 0]
        lattice: Graph = nx.DiGraph(kind="reward lattice", arm=self._arm, pulls=self._pulls)
        for point, visits in sorted(self._visits.items()):
            lattice.add_node(
                point_name(point),
                ones=point[0],
                zeros=point[1],
                visits=visits,
                share=visits / runs,
                stopped=self._stopped[point],
            )
        for (point, following), visits in sorted(self._steps.items()):
            lattice.add_edge(
                point_name(point), point_name(following), visits=visits, share=visits / runs
            )
        return lattice


def point_name(point: Point) -> str:
    """The name of a point's node: its ones, a dash, its zeros.

    >>> point_name((3, 1))
    '3-1'
    """
    return f"{point[0]}-{point[1]}"


def reward_lattice(
    scenario: Scenario,
    policy: str | None = None,
    *,
    arm: int | None = None,
    pulls: int = 30,
    engine: Engine = "auto",
    progress: Progress | None = None,
) -> Graph:
    """The points (ones, zeros) through which one arm's history passes, over all replications.

    The arm is the best one unless given; its rewards must be 0 or 1. A node counts the runs whose
    history of that arm passes through it (`visits`, `share`) and those that never pull the arm
    again (`stopped`); an edge counts those that take it. The first `pulls` rewards are followed.

    >>> from kcmab_abm import make_scenario
    >>> scenario = make_scenario({
    ...     "horizon": 20,
    ...     "replications": 50,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "greedy"}],
    ... })
    >>> lattice = reward_lattice(scenario, pulls=2, engine="market")
    >>> {name: node["visits"] for name, node in lattice.nodes.items()}
    {'0-0': 50, '0-1': 4, '0-2': 1, '1-0': 46, '1-1': 8, '2-0': 41}
    """
    arm = best_arm(scenario) if arm is None else arm
    check_arm(scenario, arm)
    return record(scenario, [LatticeRecorder(arm, pulls)], policy, engine, progress)[0]


def best_arm(scenario: Scenario) -> int:
    """The arm with the highest true mean; the first of them if there are several."""
    return int(scenario.market.means.argmax())


def check_arm(scenario: Scenario, arm: int) -> None:
    """Refuse an arm that is not there, or whose rewards are not 0 or 1."""
    arms = scenario.market.arms
    if not 0 <= arm < len(arms):
        raise MarketError(f"arm must be in 0..{len(arms) - 1}, got {arm}")
    if not pays_zero_or_one(arms[arm]):
        raise MarketError(
            f"arm {arm}: a lattice of ones and zeros needs rewards that are 0 or 1, and the law "
            f"{arms[arm].law.name!r} pays others; use 'bernoulli' arms"
        )


def pays_zero_or_one(arm: Arm) -> bool:
    """Whether the arm's law says that no other reward can occur."""
    if arm.law.atoms is None:
        return False
    return all(value in (0.0, 1.0) for value, chance in arm.law.atoms(arm.row).items() if chance)
