"""Graphs as files: GraphML for graph software, JSON for scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import networkx as nx

from kcmab_abm.paths.recording import Graph
from kcmab_abm.running.manifest import as_json

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graph(graph: Graph, folder: str | Path, name: str) -> None:
    """Write `name.graphml` and `name.json`, the same bytes for the same graph.

    Parameters
    ----------
    graph
        Any graph of this package.
    folder
        An existing folder.
    name
        The name of the files, without extension.

    Examples
    --------
    >>> import networkx as nx, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> write_graph(nx.DiGraph([("0", "1")]), folder, "switching")
    >>> read_graph(f"{folder}/switching.json").edges
    OutEdgeView([('0', '1')])
    """
    folder = Path(folder)
    (folder / f"{name}.json").write_bytes(as_json(graph_data(graph)))
    # Named, because the default of networkx depends on the packages installed.
    nx.write_graphml_xml(_spelled(graph), folder / f"{name}.graphml")


def graph_data(graph: Graph) -> dict[str, object]:
    """The graph as nested lists and dictionaries, as in the JSON file."""
    data: dict[str, object] = nx.node_link_data(graph, edges="edges")
    return data


def read_graph(path: str | Path) -> Graph:
    """Read a graph that `write_graph` wrote.

    Parameters
    ----------
    path
        The `.graphml` or `.json` file.

    Returns
    -------
    DiGraph
        The graph.

    Examples
    --------
    See `write_graph`.
    """
    path = Path(path)
    if path.suffix == ".json":
        data = json.loads(path.read_text(encoding="utf-8"))
        return nx.DiGraph(nx.node_link_graph(data, edges="edges"))
    graph: Graph = nx.DiGraph(nx.read_graphml(path))
    for word in ("node_default", "edge_default"):  # added by the reader
        graph.graph.pop(word, None)
    return graph


def _spelled(graph: Graph) -> Graph:
    """Replace characters in the policy's label that XML does not allow by '?'."""
    copy: Graph = graph.copy()
    if "policy" in copy.graph:
        copy.graph["policy"] = _NOT_XML.sub("?", copy.graph["policy"])
    return copy
