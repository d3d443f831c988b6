"""The gallery: the scenario files that come with the project, each under its question."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.model.gallery import Exhibit, exhibits, open_exhibit
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.lab.widgets.background_reading import read_in_background
from kcmab_abm.lab.widgets.theme import complain, note


class GalleryTab:
    """A list of questions; `show` opens a setup in the Market tab."""

    def __init__(self, show: Callable[[Setup], None]) -> None:
        self.show = show
        with ui.element("div").classes("lab-stack"):
            ui.label("Every scenario asks a question. Open one to play its market.")
            if not exhibits():
                note("The scenario files are not installed; drop one of your own onto the page.")
            with ui.element("ul").classes("lab-gallery"):
                for exhibit in exhibits().values():
                    self._list(exhibit)

    def _list(self, exhibit: Exhibit) -> None:
        with ui.element("li").classes("lab-card"):
            question = ui.label(exhibit.question).classes("lab-question")
            question.props(f"id=question-{exhibit.name}")
            with ui.row().classes("items-center gap-2 no-wrap"):
                button = ui.button("Open", on_click=lambda: self._open(exhibit.name))
                button.props("outline dense padding='2px 12px'")
                button.props(f"aria-describedby=question-{exhibit.name}")
                button.props(f"data-testid=open-{exhibit.name}")
                about = [] if exhibit.title == exhibit.question else [exhibit.title]
                note(" · ".join([*about, *(["with a slider"] if exhibit.has_sweep else [])]))

    async def _open(self, name: str) -> None:
        setup = await read_in_background(_read, name)
        if isinstance(setup, Setup):
            self.show(setup)
        elif setup is not None:  # None: the server is shutting down
            complain(setup)


def _read(name: str) -> Setup | str:
    try:
        return open_exhibit(name)
    except ScenarioError as error:
        return str(error)
