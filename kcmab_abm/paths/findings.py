"""All graphs of one policy from a single replay of its runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from kcmab_abm.paths.files import graph_data
from kcmab_abm.paths.lattice import LatticeRecorder, best_arm, check_arm, pays_zero_or_one
from kcmab_abm.paths.recording import Graph, Recorder, record
from kcmab_abm.paths.switching import SwitchRecorder
from kcmab_abm.paths.tree import TreeRecorder
from kcmab_abm.results.results import Used
from kcmab_abm.running.engine_choice import choose_engine
from kcmab_abm.running.options import Engine, Progress
from kcmab_abm.scenario.scenario import Scenario


@dataclass(frozen=True)
class Paths:
    """All graphs of one policy's runs, as `find_paths` returns them.

    Attributes
    ----------
    scenario
        The scenario that was replayed.
    policy
        The label of the policy.
    used
        The engine that replayed it, and the reason for choosing it.
    tree, switching
        The prefix tree and the switching graph.
    lattice
        The reward lattice; None if the rewards are not 0 or 1.
    """

    scenario: Scenario
    policy: str
    used: Used
    tree: Graph
    switching: Graph
    lattice: Graph | None

    @property
    def graphs(self) -> dict[str, Graph]:
        """The graphs by file name."""
        graphs = {"tree": self.tree, "switching": self.switching}
        return graphs if self.lattice is None else graphs | {"lattice": self.lattice}

    def digest(self) -> str:
        """A fingerprint: equal for equal graphs."""
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
    """Build all three graphs of one policy's runs in a single replay.

    Parameters
    ----------
    scenario
        The scenario whose replications are replayed.
    policy
        The label of a policy; by default the first one.
    depth, share, seeding
        See `prefix_tree`.
    arm, pulls
        See `reward_lattice`. Without an arm, the lattice is left out if the rewards of the best arm
        are not 0 or 1.
    engine
        "market", "batch", or "auto" to select one.
    progress
        Called with the number of replications done and their total.

    Returns
    -------
    Paths
        The graphs.

    Raises
    ------
    MarketError
        If the given arm does not exist or its rewards are not 0 or 1.

    Examples
    --------
    >>> from kcmab_abm.paths import open_scenario
    >>> scenario = open_scenario("scenarios/noisy-customers.toml", horizon=50, replications=50)
    >>> paths = find_paths(scenario, depth=2, engine="market")
    >>> {name: len(graph) for name, graph in paths.graphs.items()}
    {'tree': 19, 'switching': 4, 'lattice': 157}
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
