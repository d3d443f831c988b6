"""Replay a scenario run by run and let recorders build graphs from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import networkx as nx

from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.running.experiment import play
from kcmab_abm.running.options import Engine, Progress
from kcmab_abm.scenario.scenario import Scenario

Graph: TypeAlias = "nx.DiGraph[str]"

LEFT = "left"  # replaces the arm of a customer who left


class Recorder(Protocol):
    """Summarises one run after another and builds a graph from the summary."""

    def add(self, run: Trajectory) -> None:
        """Add one run."""

    def graph(self) -> Graph:
        """The graph of all runs so far."""


def record(
    scenario: Scenario,
    recorders: Sequence[Recorder],
    policy: str | None = None,
    engine: Engine = "auto",
    progress: Progress | None = None,
) -> list[Graph]:
    """Replay every replication of one policy once for all recorders.

    Only one run is held in memory at a time.

    Parameters
    ----------
    scenario
        The scenario whose replications are replayed.
    recorders
        Objects with the methods `add(trajectory)` and `graph()`, such as `TreeRecorder`.
    policy
        The label of a policy; by default the first one.
    engine
        "market", "batch", or "auto" to select one.
    progress
        Called with the number of replications done and their total.

    Returns
    -------
    list of DiGraph
        One graph per recorder; `graph.graph` describes the runs.

    Examples
    --------
    >>> from kcmab_abm.paths import LatticeRecorder, TreeRecorder, open_scenario
    >>> scenario = open_scenario("scenarios/noisy-customers.toml", horizon=50, replications=50)
    >>> recorders = [TreeRecorder(depth=2), LatticeRecorder(arm=0, pulls=5)]
    >>> tree, lattice = record(scenario, recorders, engine="market")
    >>> tree.graph["policy"], tree.graph["replications"]
    ('ucb', 50)
    """
    if scenario.market.is_random:
        raise MarketError(
            "market.arms: means are drawn anew in every replication, and paths follow arms through "
            "all of them; give a list of means instead"
        )
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
    """An arm's number, or 'left' for a customer who left."""
    return LEFT if arm < 0 else str(arm)


def arm_label(arm: int) -> str:
    """The label of an arm's node."""
    return LEFT if arm < 0 else f"arm {arm}"


def unseeded(run: Trajectory, seeding: bool) -> slice:
    """The customers after the seeding, or all of them with `seeding`.

    The controller directs customers until every arm has a report, and never afterwards.
    """
    return slice(0 if seeding else int(run.seeded.sum()), None)
