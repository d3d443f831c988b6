"""Reading in the background."""

from __future__ import annotations

import asyncio
import threading

from kcmab_abm.lab.model.market_setup import STARTING, Setup, make_lab_scenario
from kcmab_abm.lab.model.share_links import from_link, to_link
from kcmab_abm.lab.widgets.background_reading import read_in_background

PATIENCE = 30  # seconds, in which a server that reads in its own thread serves nobody
NETWORKS = [
    {"behaviour": "social", "people": 1100, "neighbours": 10, "graph_seed": seed}
    for seed in range(9)
]


def nine_networks():
    """A link of a few hundred characters that describes nine networks."""
    customers = {"behaviour": "mixture", "of": NETWORKS}
    market = {**STARTING["market"], "customers": customers}
    return to_link(Setup(make_lab_scenario({**STARTING, "market": market})))


def test_a_link_with_many_networks_keeps_nobody_waiting():
    """While one visitor's networks are built, other visitors are served."""
    word = nine_networks()
    assert len(word) < 500
    served = threading.Event()

    def read(text):
        assert served.wait(PATIENCE), "nobody else was served while a link was read"
        return from_link(text)

    async def others():
        served.set()

    async def visit():
        reading = asyncio.create_task(read_in_background(read, word))
        await asyncio.sleep(0)  # the reading begins first
        await asyncio.create_task(others())
        return await reading

    setup = asyncio.run(visit())
    assert len(setup.scenario.market.customers.entry.parts) == 9


def test_networks_are_made_once():
    """A scenario keeps its initial memory, however many networks it has."""
    customers = from_link(nine_networks()).scenario.market.customers
    first, again = (customers.blank_memory(9, 100) for _ in range(2))
    assert all(one is other for one, other in zip(first, again, strict=True))
