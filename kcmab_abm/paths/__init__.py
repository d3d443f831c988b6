"""The paths that runs took, as graphs: prefix tree, lattice of one arm, switches between arms."""

from kcmab_abm.paths.files import read_graph, write_graph
from kcmab_abm.paths.findings import Paths, find_paths
from kcmab_abm.paths.lattice import LatticeRecorder, reward_lattice
from kcmab_abm.paths.rankings import expensive, locking, path_table, switch_table, travelled
from kcmab_abm.paths.record import record
from kcmab_abm.paths.source import open_scenario
from kcmab_abm.paths.switching import SwitchRecorder, switching_graph
from kcmab_abm.paths.tree import TreeRecorder, prefix_tree

__all__ = [
    "LatticeRecorder",
    "Paths",
    "SwitchRecorder",
    "TreeRecorder",
    "expensive",
    "find_paths",
    "locking",
    "open_scenario",
    "path_table",
    "prefix_tree",
    "read_graph",
    "record",
    "reward_lattice",
    "switch_table",
    "switching_graph",
    "travelled",
    "write_graph",
]
