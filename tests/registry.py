"""A catalogue for a while: what is registered in between is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)


@contextmanager
def own_catalogue() -> Iterator[None]:
    """The package's own catalogue and nothing else; afterwards it is as it was before."""
    catalogues = (POLICIES, BEHAVIOURS, DECISIONS, PRICING, DISCLOSURES, MEASURES, LAWS)
    before = [dict(catalogue._items) for catalogue in catalogues if catalogue.names()]
    for catalogue in catalogues:
        own = {name: catalogue[name] for name in catalogue.own_names()}
        _refill(catalogue, own)
    try:
        yield
    finally:
        for catalogue, items in zip(catalogues, before, strict=True):
            _refill(catalogue, items)


def _refill(catalogue, items):
    catalogue._items.clear()
    catalogue._items.update(items)
