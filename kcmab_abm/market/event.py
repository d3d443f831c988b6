"""What a step of an open market returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Event:
    """One customer of an `OpenMarket`.

    `arm`, `reward`, `payment` and `regret` are None until her visit has ended, and are filled in
    then. Without service times and queues it has ended when `step` returns.

    Attributes
    ----------
    t : int
        Her number, from 1.
    target, offer : int, float
        The arm promoted to her and the offer posted for it.
    seeded : bool
        True if she was directed to the target because some arm had no report yet.
    arm : int or None
        The arm that she took; -1 if she left.
    reward, payment, regret : float or None
        Her reward, the compensation paid to her, and the regret of her choice.
    """

    t: int
    target: int
    offer: float
    seeded: bool
    arm: int | None = None
    reward: float | None = None
    payment: float | None = None
    regret: float | None = None
