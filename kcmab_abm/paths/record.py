"""Replay a scenario run by run, and let recorders make graphs of what they see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import networkx as nx

from kcmab_abm.experiment import Engine, play
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Trajectory
from kcmab_abm.workers import Progress

Graph: TypeAlias = "nx.DiGraph[str]"

LEFT = "left"  # instead of an arm, for a customer who took none


class Recorder(Protocol):
    """Looks at one run after the other, keeps little of each, and makes a graph of it all."""

    def add(self, run: Trajectory) -> None:
        """Take in one run."""

    def graph(self) -> Graph:
        """The graph of all runs so far."""


def record(
    scenario: Scenario,
    recorders: Sequence[Recorder],
    policy: str | None = None,
    engine: Engine = "auto",
    progress: Progress | None = None,
) -> list[Graph]:
    """Play every replication of one policy (the first, unless named) once for all recorders.

    Returns one graph a recorder; each says in `graph.graph` which runs it shows. One run is held in
    memory at a time.
    """
    choice = scenario.policies[0] if policy is None else scenario.policy(policy)
    for replication in range(scenario.replications):
        run = play(scenario, choice.label, replication, engine)
        for recorder in recorders:
            recorder.add(run)
        if progress is not None:
            progress(replication + 1, scenario.replications)
    graphs = [recorder.graph() for recorder in recorders]
    for graph in graphs:
        graph.graph.update(
            policy=choice.label,
            customers=scenario.horizon,
            replications=scenario.replications,
            seed=scenario.seed,
        )
    return graphs


def arm_name(arm: int) -> str:
    """An arm's number, or 'left' for a customer who took none."""
    return LEFT if arm < 0 else str(arm)


def arm_label(arm: int) -> str:
    """What to write at a node of this arm."""
    return LEFT if arm < 0 else f"arm {arm}"


def unseeded(run: Trajectory, seeding: bool) -> slice:
    """The customers to look at: those after the seeding, or with `seeding` all of them.

    The controller directs customers until every arm has a report, and never after.
    """
    return slice(0 if seeding else int(run.seeded.sum()), None)
