"""The reward lattice: the numbers of ones and zeros in one arm's history, over all runs."""

from __future__ import annotations

from collections import Counter

import networkx as nx

from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.paths.recording import Graph, record
from kcmab_abm.running.options import Engine, Progress
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Arm

Point = tuple[int, int]  # ones, zeros


class LatticeRecorder:
    """Count the points (ones, zeros) through which the history of one arm passes.

    Parameters
    ----------
    arm
        The arm to follow.
    pulls
        The number of its first rewards to follow.

    Raises
    ------
    ValueError
        If `pulls` is below 1.
    """

    def __init__(self, arm: int, pulls: int = 30) -> None:
        if pulls < 1:
            raise ValueError(f"pulls must be >= 1, got {pulls}")
        self._arm, self._pulls = arm, pulls
        self._visits: Counter[Point] = Counter()
        self._stopped: Counter[Point] = Counter()
        self._steps: Counter[tuple[Point, Point]] = Counter()

    def add(self, run: Trajectory) -> None:
        """Add one run."""
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
        """The lattice of all points visited so far."""
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
    """The name of a point's node: ones, a dash, zeros.

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

    A node counts the runs whose history passes through it (`visits`, `share`) and those that never
    pull the arm again (`stopped`); an edge counts the runs that follow it.

    Parameters
    ----------
    scenario
        The scenario whose replications are replayed.
    policy
        The label of a policy; by default the first one.
    arm
        The arm to follow, whose rewards must be 0 or 1; by default the best one.
    pulls
        The number of its first rewards to follow.
    engine
        "market", "batch", or "auto" to select one.
    progress
        Called with the number of replications done and their total.

    Returns
    -------
    DiGraph
        The lattice; its nodes are named like "3-1" for three ones and one zero.

    Raises
    ------
    MarketError
        If the arm does not exist or its rewards are not 0 or 1.

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}}
    >>> size = {"horizon": 20, "replications": 50}
    >>> scenario = make_scenario({**size, "market": market, "policy": [{"name": "greedy"}]})
    >>> lattice = reward_lattice(scenario, pulls=2, engine="market")
    >>> {name: node["visits"] for name, node in lattice.nodes.items()}
    {'0-0': 50, '0-1': 4, '0-2': 1, '1-0': 46, '1-1': 8, '2-0': 41}
    """
    arm = best_arm(scenario) if arm is None else arm
    check_arm(scenario, arm)
    return record(scenario, [LatticeRecorder(arm, pulls)], policy, engine, progress)[0]


def best_arm(scenario: Scenario) -> int:
    """The first of the arms with the highest true mean."""
    return int(scenario.market.means.argmax())


def check_arm(scenario: Scenario, arm: int) -> None:
    """Raise an error if the arm does not exist or its rewards are not 0 or 1."""
    arms = scenario.market.arms
    if not 0 <= arm < len(arms):
        raise MarketError(f"arm must be in 0..{len(arms) - 1}, got {arm}")
    if not pays_zero_or_one(arms[arm]):
        raise MarketError(
            f"arm {arm}: a lattice of ones and zeros needs rewards of 0 or 1, but the law "
            f"{arms[arm].law.name!r} has other rewards; use 'bernoulli' arms"
        )


def pays_zero_or_one(arm: Arm) -> bool:
    """True if no other reward can occur."""
    if arm.law.atoms is None:
        return False
    return all(value in (0.0, 1.0) for value, chance in arm.law.atoms(arm.row).items() if chance)
