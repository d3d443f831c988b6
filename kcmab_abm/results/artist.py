"""What draws results.

Results know no matplotlib: the package's front door names the module of figures that draws them,
which is imported when the first figure is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Artist(Protocol):
    """What draws results: `figure`, `curves_figure` and `frontier`, each with all its options."""

    def figure(self, results: Any, **options: Any) -> Figure:
        """Draw the main figure of some results."""

    def curves_figure(self, results: Any, **options: Any) -> Figure:
        """Draw costs along the run."""

    def frontier(self, results: Any, **options: Any) -> Figure:
        """Draw regret against compensation."""


_artists: list[Callable[[], Artist]] = []


def draw_with(load: Callable[[], Artist]) -> None:
    """Say what draws results; `load` is called for every figure."""
    _artists[:] = [load]


def artist() -> Artist:
    """What draws results."""
    return _artists[0]()
