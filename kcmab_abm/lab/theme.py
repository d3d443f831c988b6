"""The look of the page: readable on a projector and a phone, light and dark, by everybody."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nicegui import ui

_CSS = Path(__file__).with_name("theme.css")

# Of the two markets, as charts draw them; `theme.css` has the colours of the rest of the page.
SIDES = ("#0072B2", "#D55E00")
GREY = "#888888"


def dress() -> None:
    """Give this visitor's page its colours."""
    ui.add_css(_CSS)
    ui.colors(
        primary="#0072B2",
        secondary="#14384F",
        accent="#CC79A7",
        positive="#00734F",
        negative="#A63A00",
        info="#0072B2",
        warning="#E69F00",
    )


@contextmanager
def card(title: str, level: int = 2) -> Iterator[ui.element]:
    """A part of the page under a heading, inside of which things stand one below the other."""
    with ui.element("section").classes("lab-card lab-stack") as part:
        part.props["aria-label"] = title
        heading(title, level)
        yield part


def heading(text: str, level: int = 2) -> ui.label:
    """A heading that screen readers find."""
    label = ui.label(text)
    label.tag = f"h{level}"
    return label


def complain(message: str) -> None:
    """Tell the visitor what went wrong, in plain text, long enough to be read."""
    ui.notify(
        message,
        type="negative",
        position="bottom",
        timeout=20_000,
        close_button="Close",
        classes="lab-message",
        multi_line=True,
    )


def chart(
    across: dict[str, Any], up: dict[str, Any], series: list[dict[str, Any]], **more: Any
) -> ui.echart:
    """A chart that is drawn as SVG, so that its words take the colour of the page's."""
    options = {
        "animation": False,
        "aria": {"enabled": True, "decal": {"show": True}},
        "textStyle": {"fontFamily": "inherit", "fontSize": 13},
        "grid": {"left": 8, "right": 16, "top": 36, "bottom": 24, "containLabel": True},
        "legend": legend(),
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": axis(**across),
        "yAxis": axis(**up),
        "series": series,
    }
    return ui.echart({**options, **more}, renderer="svg").classes("lab-chart")


def legend(**more: Any) -> dict[str, Any]:
    """A legend in one row above the chart, where it covers no data.

    Clicks do nothing to it: there would be no key that does the same.
    """
    look = {"itemWidth": 32, "textStyle": {"fontSize": 13}}
    return {"top": 0, "type": "scroll", "selectedMode": False, **look, **more}


def axis(name: str, **more: Any) -> dict[str, Any]:
    """An axis with its name in the middle and lines that can be seen on light and dark."""
    return {
        "type": "value",
        "name": name,
        "nameLocation": "middle",
        "nameGap": 26,
        "nameTextStyle": {"fontSize": 13},
        "axisLabel": {"fontSize": 12, "hideOverlap": True},
        "axisLine": {"show": True, "lineStyle": {"color": GREY}},
        "splitLine": {"lineStyle": {"color": GREY, "opacity": 0.25}},
        **more,
    }
