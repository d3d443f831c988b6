"""What a market must be like for an entry that is made for few of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Needs:
    """The markets that a policy is made for; scenarios with others are refused.

    All of them are markets of the paper: arms that do not change, greedy customers who see the
    whole record and all report at once, and a controller who offers exactly the gap.

    Parameters
    ----------
    arms
        The number of arms.
    law
        The name of their law.
    horizon
        The largest number of customers.
    why
        Why there must not be more customers.
    """

    arms: int
    law: str
    horizon: int
    why: str
