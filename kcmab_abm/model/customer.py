"""What the controller may know about the current customer."""

from __future__ import annotations

from typing import NamedTuple


class Customer(NamedTuple):
    """A customer as the controller sees her; `kind` is 0 unless kinds are visible."""

    kind: int


STRANGER = Customer(0)
