"""Customers who hear only from their neighbours.

The market has `people` persons who return in turn: customer t is person (t - 1) mod `people`. A
person knows only her own reports and those of her neighbours in a graph: arm i is worth their
average, or `prior` if there are none. On a complete graph everybody hears every report, as in the
paper. The fewer the links, the more slowly information spreads, the longer wrong beliefs last, and
the worse the controller's offers fit, because it uses the whole book.

The graph is the same in all replications. Generated graphs have their nodes shuffled, so that
consecutive customers are not neighbours by construction.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kcmab_abm.catalogue.decorators import behaviour
from kcmab_abm.catalogue.entries import Parameter, Settings, integral
from kcmab_abm.model.book import Book

LARGEST_NETWORK = 500_000  # links, counted from both ends: about a second to generate

Floats = NDArray[np.float64]
Edge = Annotated[list[Annotated[int, Field(ge=0), integral]], Field(min_length=2, max_length=2)]


class Network(Settings):
    """Who hears from whom."""

    graph: Literal["complete", "ring", "small-world", "scale-free", "edges"] = Field(
        "small-world", description="the kind of graph; 'edges' for an explicit list"
    )
    edges: list[Edge] | None = Field(None, description="pairs of people, numbered from 0")


def starts(arms: int, given: Mapping[str, Any]) -> Floats:
    """The index at which each person's neighbours begin in the list of all."""
    return _adjacency(given)[0]


def neighbours(arms: int, given: Mapping[str, Any]) -> Floats:
    """The neighbours of all persons, in one list."""
    return _adjacency(given)[1]


def pairs(arms: int, given: Mapping[str, Any]) -> int:
    """The number of pairs of person and arm."""
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
    """The index at which each person's neighbours begin, and the list of all neighbours."""
    _check_size(kind, people, near, edges)
    if kind == "complete":
        everybody = np.tile(np.arange(people, dtype=np.float64), people)
        return people * np.arange(people + 1.0), everybody
    graph = _graph(kind, people, near, rewired, seed, edges)
    people_in_order = np.arange(people)
    if kind != "edges":
        people_in_order = np.random.default_rng(seed).permutation(people)
    place = np.argsort(people_in_order)
    known = [
        sorted({person, *(int(place[each]) for each in graph[node])})
        for person, node in enumerate(people_in_order)
    ]
    ends = np.cumsum([len(each) for each in known])
    return np.array([0.0, *ends]), np.concatenate(known).astype(np.float64)


def _check_size(kind: str, people: int, near: int, edges: tuple[tuple[int, int], ...]) -> None:
    """Refuse a graph that cannot exist, or that takes too long to generate."""
    if kind in ("ring", "small-world", "scale-free") and (near % 2 or near >= people):
        raise ValueError(
            f"neighbours must be even and less than the {people} people of a {kind} graph, "
            f"got {near}"
        )
    links = {"complete": people * people, "edges": 2 * len(edges)}.get(kind, people * near)
    if links > LARGEST_NETWORK:
        raise ValueError(
            f"a {kind} graph of {people} people has {links:,} links; at most {LARGEST_NETWORK:,} "
            "are allowed: use fewer people or fewer neighbours"
        )
    # Rewiring guesses until it finds a stranger: this many guesses at worst.
    if kind == "small-world" and links * people > 2 * LARGEST_NETWORK * (people - near):
        raise ValueError(
            f"a small world of {people} people with {near} neighbours leaves too few strangers to "
            "rewire links to; use fewer neighbours, or graph = 'complete'"
        )


def _graph(
    kind: str, people: int, near: int, rewired: float, seed: int, edges: tuple[tuple[int, int], ...]
) -> Any:
    import networkx as nx  # imported here: no other behaviour needs it

    if kind == "edges":
        strangers = [edge for edge in edges if max(edge) >= people]
        if strangers:
            raise ValueError(
                f"edges must connect people 0..{people - 1} (people = {people}), "
                f"got {list(strangers[0])}"
            )
        graph = nx.empty_graph(people)
        graph.add_edges_from(edges)
        return graph
    if kind == "scale-free":
        return nx.barabasi_albert_graph(people, near // 2, seed=seed)
    return nx.watts_strogatz_graph(people, near, rewired if kind == "small-world" else 0.0, seed)


def hear(t: int, arm: int, reward: float, book: Book, memory: Any, params: Any) -> None:
    """Record a report for customer t and all her neighbours."""
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
        "start": starts,
        "neighbour": neighbours,
        "pulls": pairs,
        "totals": pairs,
    },
    people=Parameter(100, "number of people", ge=2, le=10_000, estimated=False),
    neighbours=Parameter(
        4, "neighbours per person, on average if scale-free", ge=2, estimated=False
    ),
    rewired=Parameter(
        0.1, "share of links that are rewired in a small world", ge=0.0, le=1.0, estimated=False
    ),
    graph_seed=Parameter(0, "seed of the graph", ge=0, le=2**32 - 1, estimated=False),
    prior=Parameter(0.5, "value of an arm without a report from her neighbours", ge=0.0, le=1.0),
)
def value(t: int, values: Floats, memory: Any, params: Any) -> None:
    """Takes the best deal by her own reports and those of her neighbours."""
    person = (t - 1) % params.people
    arms = len(values)
    for arm in range(arms):
        place = person * arms + arm
        if memory.pulls[place] > 0.0:
            values[arm] = memory.totals[place] / memory.pulls[place]
        else:
            values[arm] = params.prior
