"""Write graphs, tables and figures of paths to files."""

from __future__ import annotations

from pathlib import Path

from kcmab_abm.paths.files import write_graph
from kcmab_abm.paths.findings import Paths
from kcmab_abm.paths.rankings import path_table
from kcmab_abm.running.manifest import write_manifest
from kcmab_abm.running.results_folder import new_folder


def write_paths(paths: Paths, folder: Path, force: bool = False) -> None:
    """Write everything to a new folder; leave nothing behind on failure."""
    with new_folder(folder, force) as stage:
        for name, graph in paths.graphs.items():
            write_graph(graph, stage, name)
        table = path_table(paths.tree)
        table.insert(0, "policy", paths.policy)
        table.to_csv(stage / "paths.csv", index=False)
        _draw(paths, stage)
        write_manifest(stage, _manifest(paths))


def _draw(paths: Paths, folder: Path) -> None:
    # Late, because importing matplotlib is slow.
    from kcmab_abm.figures.lattice import draw_lattice
    from kcmab_abm.figures.style import save
    from kcmab_abm.figures.switching import draw_switching
    from kcmab_abm.figures.tree import draw_tree

    save(draw_tree(paths.tree), folder, "tree")
    save(draw_switching(paths.switching), folder, "switching")
    if paths.lattice is not None:
        mean = float(paths.scenario.market.means[paths.lattice.graph["arm"]])
        save(draw_lattice(paths.lattice, mean), folder, "lattice")


def _manifest(paths: Paths) -> dict[str, object]:
    scenario = paths.scenario
    return {
        "digest": paths.digest(),
        "policy": paths.policy,
        "scenario": scenario.settings,
        "seed": scenario.seed,
        "engine": paths.used.engine,
        "graphs": {name: graph.graph for name, graph in paths.graphs.items()},
    }
