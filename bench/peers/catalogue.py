"""The peers with their versions, and how their work differs from ours.

No peer has customers, offers, payments or curves: all of them do less work than our engines.
"""

from __future__ import annotations

from typing import NamedTuple


class Peer(NamedTuple):
    """A library, its driver, what to install, and a remark on the work that it does."""

    name: str
    driver: str
    requirements: tuple[str, ...]
    remark: str


PEERS = (
    Peer(
        "river",
        "play_river.py",
        ("river==0.26.1", "numpy==2.4.6", "scipy==1.17.1"),
        "less: no market, the user draws rewards; plain Python, a dictionary of bounds or one "
        "generator per arm",
    ),
    Peer(
        "SMPyBandits",
        "play_smpybandits.py",
        # Newer versions of SciPy lack a function that it imports.
        ("SMPyBandits==0.9.7", "numpy==1.26.4", "scipy==1.11.4"),
        "less: no market, its evaluator left out; NumPy on nine numbers, a draw among the best "
        "even without a tie",
    ),
    Peer(
        "mabby",
        "play_mabby.py",
        ("mabby==0.1.2", "numpy==1.26.4"),
        "less: no market, its statistics left out; NumPy on nine numbers, a draw among the best "
        "even without a tie",
    ),
    Peer(
        "MABWiser",
        "play_mabwiser.py",
        ("mabwiser==2.7.4", "numpy==2.4.6", "scipy==1.17.1", "joblib==1.6.0"),
        "less: no market, the user draws rewards; more: checks its input and refits every arm "
        "through joblib after each report, for it is made for batches and contexts",
    ),
)
