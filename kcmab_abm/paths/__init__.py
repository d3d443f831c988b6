"""The paths of runs as graphs: prefix tree, switches between arms, history of one arm.

The audit of obedience is here too: it plays and records the same runs.
"""

from kcmab_abm.paths.audit import obedience
from kcmab_abm.paths.files import read_graph, write_graph
from kcmab_abm.paths.findings import Paths, find_paths
from kcmab_abm.paths.lattice import LatticeRecorder, reward_lattice
from kcmab_abm.paths.rankings import expensive, locking, path_table, switch_table, travelled
from kcmab_abm.paths.recording import record
from kcmab_abm.paths.switching import SwitchRecorder, switching_graph
from kcmab_abm.paths.tree import TreeRecorder, prefix_tree
from kcmab_abm.running.source import open_scenario

__all__ = [
    "LatticeRecorder",
    "Paths",
    "SwitchRecorder",
    "TreeRecorder",
    "expensive",
    "find_paths",
    "locking",
    "obedience",
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
