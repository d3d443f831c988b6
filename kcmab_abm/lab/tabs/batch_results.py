"""The results of a batch run: curves with confidence bands, a table, downloads."""

from __future__ import annotations

import math
import tempfile
import threading
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
from nicegui import run, ui

from kcmab_abm.figures.colours import pens_of
from kcmab_abm.lab.model.batch_job import Outcome
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.lab.model.scenario_files import write_file
from kcmab_abm.lab.widgets.theme import card, note
from kcmab_abm.results.results import Results

MEASURES = {
    "regret": "Regret",
    "dynamic_regret": "Dynamic regret",
    "compensation": "Compensation",
}
_WIDTHS = (2, 4)  # of the two policies, which may have neighbouring colours
_GREY = "#888888"
# Tooltips are HTML, and labels come from visitors' files: they are escaped here.
_TOOLTIP = """(rows) => {
  const text = (words) => String(words).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const lines = rows.filter((row) => row.data.length === 4).map(({ seriesName, data }) =>
    `${text(seriesName)}: ${data[1].toFixed(2)} [${data[2].toFixed(2)}, ${data[3].toFixed(2)}]`);
  return [`after ${rows[0].data[0]} customers`, ...lines].join("<br>");
}"""
_drawing = threading.Lock()  # matplotlib's settings are those of the whole process


def show_results(setup: Setup, outcome: Outcome) -> None:
    """Show the outcome of a run of this setup."""
    results = outcome.results
    own = results.scenario.measures
    measures = (results.regret_measure, "compensation", *own.names)
    of_runs = [choice.label for choice in own.of_runs]
    with ui.element("div").classes("lab-pair"):
        for measure in measures:
            if measure in of_runs:
                continue  # known at the end only
            with card(f"{_name(measure, results.is_bayes)}: mean with 95% confidence interval"):
                curves = outcome.curves[outcome.curves["measure"] == measure]
                _draw(measure, results.is_bayes, curves)
    with card(
        f"After {results.scenario.horizon:,} customers, {results.replications:,} replications"
    ):
        _table(outcome.summary, measures, results.is_bayes)
        note(
            "± is half of the 95% confidence interval, as in the charts. “Locked in” is the share "
            "of replications in which at least nine in ten of the last customers took the same "
            "wrong arm."
        )
        for label, used in results.engines.items():
            words = note(f"{label}: {used.engine} engine ({used.reason}).")
            words.props("data-testid=batch-engine")
        _downloads(setup, outcome)


def _name(measure: str, is_bayes: bool) -> str:
    """The name of a measure; those of a scenario's own are named after their columns."""
    if is_bayes and measure in MEASURES and measure != "compensation":
        return f"Bayes {MEASURES[measure].lower()}"
    return MEASURES.get(measure, measure)


def _draw(measure: str, is_bayes: bool, curves: pd.DataFrame) -> None:
    labels, name = list(curves["policy"].unique()), _name(measure, is_bayes)
    colours = {label: pen.colour for label, pen in pens_of(labels).items()}  # as in figures
    series = [
        each
        for label, width in zip(labels, cycle(_WIDTHS), strict=False)
        for each in _series(
            label, curves[curves["policy"] == label], colours[label], width, measure
        )
    ]
    options = {
        "animation": False,
        "aria": {"enabled": True},
        "textStyle": {"fontFamily": "inherit", "fontSize": 13},
        "grid": {"left": 30, "right": 28, "top": 36, "bottom": 24, "containLabel": True},
        "legend": {
            "data": labels,
            "top": 0,
            "type": "scroll",
            "selectedMode": False,  # because no key would do the same as a click
            "itemWidth": 32,
            "itemStyle": {"opacity": 0},
            "textStyle": {"fontSize": 13},
        },
        "tooltip": {
            "trigger": "axis",
            "confine": True,
            ":formatter": _TOOLTIP,
            "extraCssText": "max-width: 90%; white-space: normal; overflow-wrap: anywhere",
        },
        "xAxis": _axis("customers served", 26),
        "yAxis": {
            **_axis(f"{name if is_bayes else name.lower()} so far", 44),
            **({"min": 0} if measure in MEASURES else {}),
        },
        "series": series,
    }
    drawn = ui.echart(options, renderer="svg").classes("lab-chart")
    drawn.props(f"data-testid=batch-chart-{measure}")


def _axis(name: str, gap: int) -> dict[str, Any]:
    """An axis with a centred name and lines that are visible in light and dark mode."""
    return {
        "type": "value",
        "name": name,
        "nameLocation": "middle",
        "nameGap": gap,
        "nameTextStyle": {"fontSize": 13},
        "axisLabel": {"fontSize": 12, "hideOverlap": True},
        "axisLine": {"show": True, "lineStyle": {"color": _GREY}},
        "splitLine": {"lineStyle": {"color": _GREY, "opacity": 0.25}},
    }


def _series(
    label: str, curve: pd.DataFrame, colour: str, width: int, measure: str
) -> list[dict[str, Any]]:
    """A line for the mean, and a band stacked on an invisible line at its lower edge.

    Compensation is dashed, as everywhere in the lab; policies differ by colour and width.
    """
    plain = {"type": "line", "symbol": "none", "silent": True}
    points = curve[["customer", "mean", "low", "high"]].to_numpy(float)
    dashes = "dashed" if measure == "compensation" else "solid"
    line = {"width": width, "color": colour, "type": dashes}
    mean = {
        **plain,
        "name": label,
        "data": points.tolist(),
        "itemStyle": {"color": colour},
        "lineStyle": line,
        "silent": False,
    }
    if not all(map(math.isfinite, points.ravel())):  # a single run has no interval
        return [mean | {"data": [[x, y, y, y] for x, y in points[:, :2].tolist()]}]
    edge = {**plain, "lineStyle": {"opacity": 0}, "stack": label, "stackStrategy": "all"}
    low = {**edge, "data": points[:, [0, 2]].tolist()}
    band = {
        **edge,
        "data": [[x, high - low] for x, _, low, high in points.tolist()],
        "areaStyle": {"color": colour, "opacity": 0.2},
    }
    return [low, band, mean]


def _table(summary: pd.DataFrame, measures: tuple[str, ...], is_bayes: bool) -> None:
    heads = ["Controller", *(_name(each, is_bayes) for each in measures)]
    heads += ["Locked in", "Offers accepted"]
    with ui.element("div").classes("lab-scroll"), ui.element("table").classes("lab-table"):
        with ui.element("thead"), ui.element("tr"):
            for head in heads:
                with ui.element("th").props("scope=col"):
                    ui.label(head)
        with ui.element("tbody"):
            for place, row in enumerate(summary.to_dict("records")):
                _row(place, row, measures)


def _row(place: int, row: dict[Any, Any], measures: tuple[str, ...]) -> None:
    with ui.element("tr"):
        with ui.element("th").props("scope=row"):
            ui.label(row["policy"])
        for measure in measures:
            mean, half = row[measure], (row[f"{measure}_high"] - row[f"{measure}_low"]) / 2
            with ui.element("td"):
                _number(f"{mean:,.2f}", mean, f"batch-{measure}-{place}")
                shown = f"± {half:,.2f}" if math.isfinite(half) else ""
                _number(shown, half, f"batch-{measure}-half-{place}")
        for word in ("locked_in", "acceptance"):
            with ui.element("td"):
                share = row[word]
                shown = f"{share:.1%}" if math.isfinite(share) else "no offers"
                _number(shown, share, f"batch-{word}-{place}")


def _number(shown: str, value: float, mark: str) -> None:
    """A number, with all its digits in an attribute for programs."""
    label = ui.label(shown).classes("inline-block mr-1")
    label.props(f"data-testid={mark} data-value={float(value)!r}")


def _downloads(setup: Setup, outcome: Outcome) -> None:
    def save_table(table: pd.DataFrame, name: str) -> None:
        ui.download.content(table.to_csv(index=False), name, "text/csv")

    async def save_figure() -> None:
        png = await run.io_bound(draw_png, outcome.results)
        if png is not None:  # None: the server is shutting down
            ui.download.content(png, "kcmab-figure.png", "image/png")

    def save_scenario() -> None:
        ui.download.content(write_file(setup), "kcmab-scenario.toml", "application/toml")

    files = {
        "Summary (csv)": lambda: save_table(outcome.summary, "kcmab-summary.csv"),
        "Curves (csv)": lambda: save_table(outcome.curves, "kcmab-curves.csv"),
        "Figure (png)": save_figure,
        "Scenario (toml)": save_scenario,
    }
    with ui.row().classes("gap-2"):
        for name, save in files.items():
            ui.button(name, icon="download", on_click=save).props("outline dense").classes("px-3")


def draw_png(results: Results) -> bytes:
    """The figure of 'kcmab run' as the bytes of a PNG file."""
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.outcome import draw_outcome
    from kcmab_abm.figures.style import save

    with _drawing, tempfile.TemporaryDirectory() as folder:
        save(draw_outcome(results), Path(folder), "figure", ("png",))
        return Path(folder, "figure.png").read_bytes()
