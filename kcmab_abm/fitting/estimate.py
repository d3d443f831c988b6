"""What a fit says of a parameter."""

from __future__ import annotations

from typing import NamedTuple


class Estimate(NamedTuple):
    """An estimate with its interval, whose ends are those of the range where it is `open`."""

    value: float
    low: float
    high: float
    open_below: bool = False
    open_above: bool = False

    @property
    def is_identified(self) -> bool:
        """False if every value explains the choices about as well."""
        return not (self.open_below and self.open_above)
