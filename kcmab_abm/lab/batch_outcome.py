"""What came out of a batch run: curves with bands, a table, and both to take away."""

from __future__ import annotations

import math
import tempfile
import threading
from pathlib import Path
from typing import Any

import pandas as pd
from nicegui import run, ui

from kcmab_abm.lab.batch_job import Outcome
from kcmab_abm.lab.desk import Desk, write_file
from kcmab_abm.lab.theme import SIDES, card, chart, legend
from kcmab_abm.results import Results

MEASURES = {
    "regret": "Regret",
    "dynamic_regret": "Dynamic regret",
    "compensation": "Compensation",
}
_DASHES = ("solid", "dashed")
# Labels come from scenario files: in a tooltip, which is HTML, they are text like everywhere else.
_TOOLTIP = """(rows) => {
  const text = (words) => String(words).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const lines = rows.filter((row) => row.data.length === 4).map(({ seriesName, data }) =>
    `${text(seriesName)}: ${data[1].toFixed(2)} [${data[2].toFixed(2)}, ${data[3].toFixed(2)}]`);
  return [`after ${rows[0].data[0]} customers`, ...lines].join("<br>");
}"""
_drawing = threading.Lock()  # matplotlib's settings are those of the whole process


def show_outcome(desk: Desk, outcome: Outcome) -> None:
    """Put the outcome of a run of that desk on the page."""
    results = outcome.results
    measures = (results.regret_measure, "compensation")
    with ui.element("div").classes("lab-pair"):
        for measure in measures:
            with card(f"{MEASURES[measure]}: mean and 95 % interval"):
                _draw(measure, outcome.curves[outcome.curves["measure"] == measure])
    with card(f"After {results.scenario.horizon:,} customers, {results.replications:,} runs"):
        _table(outcome.summary, measures)
        for label, used in results.engines.items():
            ui.label(f"{label}: {used.engine} engine ({used.reason}).").classes(
                "lab-quiet lab-small"
            ).props("data-testid=batch-engine")
        _downloads(desk, outcome)


def _draw(measure: str, curves: pd.DataFrame) -> None:
    labels = list(curves["policy"].unique())
    series = [
        each
        for place, label in enumerate(labels)
        for each in _series(label, curves[curves["policy"] == label], place)
    ]
    drawn = chart(
        {"name": "customers served"},
        {"name": f"{MEASURES[measure].lower()} so far", "nameGap": 44},
        series,
        legend=legend(data=labels, itemStyle={"opacity": 0}),
        tooltip={
            "trigger": "axis",
            "confine": True,
            ":formatter": _TOOLTIP,
            "extraCssText": "max-width: 90%; white-space: normal; overflow-wrap: anywhere",
        },
        aria={"enabled": True},
        grid={"left": 30, "right": 28, "top": 36, "bottom": 24, "containLabel": True},
    )
    drawn.props(f"data-testid=batch-chart-{measure}")


def _series(label: str, curve: pd.DataFrame, place: int) -> list[dict[str, Any]]:
    """A line for the mean; a band between two lines that are not drawn, the one upon the other."""
    colour = SIDES[place]
    plain = {"type": "line", "symbol": "none", "silent": True}
    points = curve[["customer", "mean", "low", "high"]].to_numpy(float)
    line = {"width": 2.5, "color": colour, "type": _DASHES[place]}
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


def _table(summary: pd.DataFrame, measures: tuple[str, str]) -> None:
    heads = ["Controller", *(f"{MEASURES[each]} ± s.e." for each in measures)]
    heads += ["Runs locked in", "Offers accepted"]
    with ui.element("div").classes("lab-scroll"), ui.element("table").classes("lab-table"):
        with ui.element("thead"), ui.element("tr"):
            for head in heads:
                with ui.element("th").props("scope=col"):
                    ui.label(head)
        with ui.element("tbody"):
            for place, row in enumerate(summary.to_dict("records")):
                _row(place, row, measures)


def _row(place: int, row: dict[Any, Any], measures: tuple[str, str]) -> None:
    with ui.element("tr"):
        with ui.element("th").props("scope=row"):
            ui.label(row["policy"])
        for measure in measures:
            mean, se = row[measure], row[f"{measure}_se"]
            with ui.element("td"):
                _number(f"{mean:,.2f}", mean, f"batch-{measure}-{place}")
                _number(f"± {se:,.2f}", se, f"batch-{measure}-se-{place}")
        for word in ("locked_in", "acceptance"):
            with ui.element("td"):
                share = row[word]
                shown = f"{100 * share:.1f} %" if math.isfinite(share) else "none made"
                _number(shown, share, f"batch-{word}-{place}")


def _number(shown: str, value: float, mark: str) -> None:
    """A number, with all its digits for those who read the page by program."""
    label = ui.label(shown).classes("inline-block mr-1")
    label.props(f"data-testid={mark} data-value={float(value)!r}")


def _downloads(desk: Desk, outcome: Outcome) -> None:
    def save_table(table: pd.DataFrame, name: str) -> None:
        ui.download.content(table.to_csv(index=False), name, "text/csv")

    async def save_figure() -> None:
        png = await run.io_bound(draw_png, outcome.results)
        if png is not None:  # else the server ends
            ui.download.content(png, "kcmab-figure.png", "image/png")

    def save_scenario() -> None:
        ui.download.content(write_file(desk), "kcmab-scenario.toml", "application/toml")

    files = {
        "Summary (csv)": lambda: save_table(outcome.summary, "kcmab-summary.csv"),
        "Curves (csv)": lambda: save_table(outcome.curves, "kcmab-curves.csv"),
        "Figure (png)": save_figure,
        "Scenario (toml)": save_scenario,
    }
    with ui.row().classes("gap-2"):
        for name, save in files.items():
            ui.button(name, icon="download", on_click=save).props("no-caps outline dense").classes(
                "px-3"
            )


def draw_png(results: Results) -> bytes:
    """The figure of 'kcmab run' as the bytes of a PNG file."""
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.outcome import draw_outcome
    from kcmab_abm.figures.style import save

    with _drawing, tempfile.TemporaryDirectory() as folder:
        save(draw_outcome(results), Path(folder), "figure", ("png",))
        return Path(folder, "figure.png").read_bytes()
