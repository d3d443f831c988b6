"""Graphs as files: GraphML for other programs, JSON for scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import networkx as nx

from kcmab_abm.folders import write_json
from kcmab_abm.paths.record import Graph

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graph(graph: Graph, folder: str | Path, name: str) -> None:
    """Write `name.graphml` and `name.json` into a folder: the same bytes for the same graph."""
    folder = Path(folder)
    write_json(folder / f"{name}.json", graph_data(graph))
    # This writer and not the one that networkx picks, which depends on what is installed.
    nx.write_graphml_xml(_spelled(graph), folder / f"{name}.graphml")


def graph_data(graph: Graph) -> dict[str, object]:
    """The graph as nested lists and tables, as they stand in the JSON file."""
    data: dict[str, object] = nx.node_link_data(graph, edges="edges")
    return data


def read_graph(path: str | Path) -> Graph:
    """Read a graph back from either file."""
    path = Path(path)
    if path.suffix == ".json":
        data = json.loads(path.read_text(encoding="utf-8"))
        return nx.DiGraph(nx.node_link_graph(data, edges="edges"))
    graph: Graph = nx.DiGraph(nx.read_graphml(path))
    for word in ("node_default", "edge_default"):  # the reader's, not ours
        graph.graph.pop(word, None)
    return graph


def _spelled(graph: Graph) -> Graph:
    """The graph with '?' for characters in its policy's label that XML cannot hold."""
    copy: Graph = graph.copy()
    if "policy" in copy.graph:
        copy.graph["policy"] = _NOT_XML.sub("?", copy.graph["policy"])
    return copy
