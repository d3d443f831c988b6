"""Tree, switches and lattice of one policy, from a single replay of its runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from kcmab_abm.experiment import Engine, choose_engine
from kcmab_abm.paths.files import graph_data
from kcmab_abm.paths.lattice import LatticeRecorder, best_arm, check_arm, pays_zero_or_one
from kcmab_abm.paths.record import Graph, Recorder, record
from kcmab_abm.paths.switching import SwitchRecorder
from kcmab_abm.paths.tree import TreeRecorder
from kcmab_abm.results import Used
from kcmab_abm.scenario import Scenario
from kcmab_abm.workers import Progress


@dataclass(frozen=True)
class Paths:
    """What the runs of one policy showed; no lattice where rewards are not 0 or 1."""

    scenario: Scenario
    policy: str
    used: Used
    tree: Graph
    switching: Graph
    lattice: Graph | None

    @property
    def graphs(self) -> dict[str, Graph]:
        """The graphs by the names of their files."""
        graphs = {"tree": self.tree, "switching": self.switching}
        return graphs if self.lattice is None else graphs | {"lattice": self.lattice}

    def digest(self) -> str:
        """A fingerprint of all graphs: equal graphs, equal digest."""
        data = {name: graph_data(graph) for name, graph in self.graphs.items()}
        return hashlib.sha256(json.dumps(data).encode()).hexdigest()


def find_paths(
    scenario: Scenario,
    policy: str | None = None,
    *,
    depth: int = 5,
    share: float = 0.01,
    seeding: bool = False,
    arm: int | None = None,
    pulls: int = 30,
    engine: Engine = "auto",
    progress: Progress | None = None,
) -> Paths:
    """All three graphs of one policy's runs, each of which is played once.

    An `arm` that is asked for must pay 0 or 1; without one the best arm's lattice is made if it
    does.
    """
    choice = scenario.policies[0] if policy is None else scenario.policy(policy)
    if arm is not None:
        check_arm(scenario, arm)
    means = scenario.market.means
    followed = best_arm(scenario) if arm is None else arm
    recorders: list[Recorder] = [
        TreeRecorder(depth, share, seeding),
        SwitchRecorder(means, seeding),
    ]
    if pays_zero_or_one(scenario.market.arms[followed]):
        recorders.append(LatticeRecorder(followed, pulls))
    used = choose_engine(scenario, choice, engine)
    tree, switching, *lattice = record(scenario, recorders, choice.label, used.engine, progress)
    return Paths(scenario, choice.label, used, tree, switching, lattice[0] if lattice else None)
