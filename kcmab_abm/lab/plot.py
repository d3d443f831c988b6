"""Charts that keep up with the market."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from kcmab_abm.lab.live import LivePart

Point = Sequence[float]


class Plot(LivePart, component="plot.js"):
    """A chart of lines, points or bars; colours come from the page, so light and dark both work."""

    def __init__(self, high: int) -> None:
        super().__init__()
        self.props["high"] = high
        self.classes("w-full")

    def draw(
        self, about: str, across: str, up: str, series: list[dict[str, Any]], **more: Any
    ) -> None:
        """Draw series over named axes; `about` is for those who cannot see them.

        `right` and `top` fix where the axes end, `labels` names places on the axis across, `whole`
        keeps the other axis to whole numbers.
        """
        self.tell({"about": about, "across": across, "up": up, "series": series, **more})


def series(
    name: str,
    ink: str,
    points: Sequence[Point],
    kind: Literal["line", "step", "point", "bar"] = "line",
    dashes: str = "",
    **more: Any,
) -> dict[str, Any]:
    """One series; `ink` is `side-0`, `side-1`, `offer` or `quiet`."""
    return {"name": name, "ink": ink, "points": points, "kind": kind, "dashes": dashes, **more}
