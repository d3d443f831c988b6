"""Customers who hear from their neighbours only.

The market has `people` people who come back in turn: customer t is person t - 1 modulo their
number. A person knows her own reports and those of her neighbours in a graph, and nothing else: arm
i is worth the average of these, or `prior` if there is none. On a complete graph everybody hears
everything, which is the paper's market. The fewer the links, the more slowly news travel, the
longer wrong beliefs last, and the worse the controller's offers fit, for it goes by the whole book.

The graph is the same in all replications. Those that are made, not given, have their people
shuffled, so that who comes next is not who lives next door.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.book import Book
from kcmab_abm.catalogue import behaviour
from kcmab_abm.entries import LARGEST_MEMORY, Parameter, Settings
from kcmab_abm.offers import Board, best_deal

Floats = NDArray[np.float64]
Edge = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=2, max_length=2)]


class Network(Settings):
    """Who hears from whom."""

    graph: Literal["complete", "ring", "small-world", "scale-free", "edges"] = Field(
        "small-world", description="the kind of graph; 'edges' for a list of one's own"
    )
    edges: list[Edge] | None = Field(None, description="pairs of people, numbered from 0")


def ends(arms: int, given: Mapping[str, Any]) -> Floats:
    """Where the neighbours of each person begin in the list of all."""
    return _adjacency(given)[0]


def lists(arms: int, given: Mapping[str, Any]) -> Floats:
    """The neighbours of everybody, person after person."""
    return _adjacency(given)[1]


def notes(arms: int, given: Mapping[str, Any]) -> int:
    """Room for what every person knows of every arm."""
    return int(arms * given["people"])


def _adjacency(given: Mapping[str, Any]) -> tuple[Floats, Floats]:
    edges = given.get("edges")
    if (given["graph"] == "edges") != (edges is not None):
        raise ValueError(
            f"edges must be given if, and only if, graph = 'edges'; got graph = "
            f"{given['graph']!r} and {'no edges' if edges is None else 'edges'}"
        )
    return _neighbours(
        given["graph"],
        given["people"],
        given["neighbours"],
        given["rewired"],
        given["graph_seed"],
        tuple((one, other) for one, other in edges or ()),
    )


@lru_cache(maxsize=8)
def _neighbours(
    kind: str, people: int, near: int, rewired: float, seed: int, edges: tuple[tuple[int, int], ...]
) -> tuple[Floats, Floats]:
    """Everybody's neighbours, as one list and where each person's part of it begins."""
    if kind == "complete" and people * people > LARGEST_MEMORY:
        raise ValueError(f"a complete graph of {people} people is too large")
    graph = _graph(kind, people, near, rewired, seed, edges)
    people_in_order = np.arange(people)
    if kind != "edges":
        people_in_order = np.random.default_rng(seed).permutation(people)
    place = np.argsort(people_in_order)
    known = [
        sorted({person, *(int(place[each]) for each in graph[node])})
        for person, node in enumerate(people_in_order)
    ]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in known])]).astype(np.float64)
    return starts, np.concatenate(known).astype(np.float64)


def _graph(
    kind: str, people: int, near: int, rewired: float, seed: int, edges: tuple[tuple[int, int], ...]
) -> Any:
    import networkx as nx  # late: no other behaviour needs it

    if kind == "complete":
        return nx.complete_graph(people)
    if kind == "edges":
        strangers = [edge for edge in edges if max(edge) >= people]
        if strangers:
            raise ValueError(
                f"edges speak of people 0..{people - 1} (people = {people}), "
                f"got {list(strangers[0])}"
            )
        graph = nx.empty_graph(people)
        graph.add_edges_from(edges)
        return graph
    if near % 2 or near >= people:
        raise ValueError(
            f"neighbours must be even and less than the {people} people of a {kind} graph, "
            f"got {near}"
        )
    if kind == "scale-free":
        return nx.barabasi_albert_graph(people, near // 2, seed=seed)
    return nx.watts_strogatz_graph(people, near, rewired if kind == "small-world" else 0.0, seed)


def hear(
    t: int, arm: int, reward: float, book: Book, memory: Any, params: Any, rng: Generator
) -> None:
    """Tell the neighbours of customer t, and herself, what she got."""
    person = (t - 1) % params.people
    arms = len(book.means)
    for k in range(int(memory.start[person]), int(memory.start[person + 1])):
        place = int(memory.neighbour[k]) * arms + arm
        memory.pulls[place] += 1.0
        memory.totals[place] += reward


@behaviour(
    "social",
    cites="social learning, as in Bala and Goyal 1998",
    hear=hear,
    settings=Network,
    memory={
        "start": ends,
        "neighbour": lists,
        "pulls": notes,
        "totals": notes,
        "value": "arms",
    },
    people=Parameter(100, "how many there are", ge=2, le=10_000),
    neighbours=Parameter(4, "of a person, on average if the graph is scale free", ge=2),
    rewired=Parameter(0.1, "share of links that a small world takes elsewhere", ge=0.0, le=1.0),
    graph_seed=Parameter(0, "of the graph", ge=0, le=2**32 - 1),
    prior=Parameter(0.5, "what an arm is worth of which she has heard nothing", ge=0.0, le=1.0),
)
def take(t: int, book: Book, board: Board, memory: Any, params: Any, rng: Generator) -> int:
    """Takes the best deal by what she and her neighbours have seen."""
    person = (t - 1) % params.people
    arms = len(book.means)
    for arm in range(arms):
        place = person * arms + arm
        if memory.pulls[place] > 0.0:
            memory.value[arm] = memory.totals[place] / memory.pulls[place]
        else:
            memory.value[arm] = params.prior
    return best_deal(memory.value, 1.0, book, board, rng)
