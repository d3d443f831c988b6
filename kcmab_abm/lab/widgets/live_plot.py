"""Charts that are redrawn while the market runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from kcmab_abm.lab.widgets.live_updates import LivePart

Point = Sequence[float]


class LivePlot(LivePart, component="live_plot.js"):
    """A chart of lines, points or bars in the colours of the page, light or dark."""

    def __init__(self, high: int) -> None:
        super().__init__()
        self.props["high"] = high
        self.classes("w-full")

    def draw(
        self, about: str, across: str, up: str, series: list[dict[str, Any]], **more: Any
    ) -> None:
        """Draw series over named axes; `about` describes the chart to screen readers.

        `right` and `top` fix where the axes end, `labels` names points on the horizontal axis,
        `whole` restricts the vertical axis to whole numbers.
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
