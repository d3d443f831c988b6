"""Scenario files in and out of the page, and links that restore it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from nicegui import events, run, ui

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.desk import Desk, read_file, to_link, too_large, write_file
from kcmab_abm.lab.limits import LARGEST_FILE
from kcmab_abm.lab.session import Session
from kcmab_abm.lab.theme import complain, heading

MOST_PROBLEMS = 12  # lines of a message
LONGEST_PROBLEM = 300  # characters of a line
LONGEST_LINK = 16_000  # characters; servers and messengers cut longer ones

_CSS = Path(__file__).with_name("files.css")
_reading = asyncio.Semaphore(1)  # files of all visitors: one after the other, beside the markets
_ADDRESS = """
const address = new URL(location);
address.searchParams.set("desk", %r);
let copied = true;
try { await navigator.clipboard.writeText(address.href); } catch { copied = false; }
return [address.href, copied];
"""


class _Drop(ui.element, component="drop.js"):
    """Hears files that are dropped anywhere on the page."""


def build_files_menu(session: Session) -> None:
    """Put a button with a menu where this is called, and let files be dropped onto the page."""
    FilesMenu(session)


class FilesMenu:
    """What a visitor may take away, and what she may bring."""

    def __init__(self, session: Session) -> None:
        self.session = session
        ui.add_css(_CSS)
        upload = ui.upload(on_upload=self._open, auto_upload=True, max_file_size=LARGEST_FILE)
        upload.classes("lab-uploader").props("accept=.toml")
        upload.on(
            "rejected",
            self._reject,
            js_handler="(all) => emit(all.map((one) => [one.failedPropValidation, one.file.size]))",
        )
        upload.on("failed", lambda: complain("The file did not arrive; try again."), args=[])
        # When it has done, and not before: it would take back what is still on its way.
        upload.on("finish", js_handler=f"() => runMethod({upload.id}, 'reset', [])")
        _Drop().props["uploader"] = upload.id
        with (
            ui.button(icon="folder_open").props(
                'flat dense round color=white aria-label="Files and links"'
            ),
            ui.menu().classes("whitespace-nowrap").props("role=menu"),
        ):
            pick = ui.menu_item("Open a scenario file").props("role=menuitem")
            # In the browser: it opens a file dialog only while it handles a click.
            pick.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")
            ui.menu_item("Download scenario", self._save).props("role=menuitem")
            ui.menu_item("Copy link", self._copy_link).props("role=menuitem")

    async def _open(self, event: events.UploadEventArguments) -> None:
        data = await event.file.read()
        async with _reading:
            found = await run.io_bound(_read, data)
        if isinstance(found, Desk):
            self.session.open(found)
            ui.notify(f"Opened: {found.scenario.title or 'a scenario without a title'}")
        elif found is not None:  # else the server ends
            complain(found)

    def _reject(self, event: events.GenericEventArguments) -> None:
        """Say why the browser did not even send a file."""
        for reason, size in event.args[:1]:
            if reason == "max-file-size":
                complain(too_large(int(size)))
            else:
                complain("Not a scenario file: its name must end in .toml.")

    def _save(self) -> None:
        ui.download.content(
            write_file(self.session.desk), "kcmab-scenario.toml", "application/toml"
        )

    async def _copy_link(self) -> None:
        word = to_link(self.session.state())
        if len(word) > LONGEST_LINK:
            complain("This scenario is too long for a link; download it as a file.")
            return
        answer: Any = await ui.run_javascript(_ADDRESS % word, timeout=5.0)
        if answer is not None:  # else she has gone
            _show_link(*answer)


def _read(data: bytes) -> Desk | str:
    """The desk in a file, or what is wrong with it, in not too many words."""
    try:
        return read_file(data)
    except ScenarioError as error:
        return in_short(error.problems)


def in_short(problems: list[str]) -> str:
    """Problems on a line each, the first of them if there are many."""
    lines = [
        line if len(line) <= LONGEST_PROBLEM else f"{line[:LONGEST_PROBLEM]} …"
        for line in problems[:MOST_PROBLEMS]
    ]
    more = len(problems) - len(lines)
    return "\n".join([*lines, *([f"… and {more:,} more"] if more else [])])


def _show_link(address: str, copied: bool) -> None:
    with ui.dialog() as dialog, ui.element("div").classes("lab-card lab-stack max-w-md"):
        heading("Link to what is on screen")
        ui.input("Link", value=address).props("readonly outlined data-testid=link").on(
            "click", js_handler="(event) => event.target.select?.()"
        )
        ui.label(
            "It is in the clipboard: paste it where you like."
            if copied
            else "The browser does not let the page copy it: select it and copy it yourself."
        )
        ui.button("Close", on_click=dialog.close).props("no-caps")
    dialog.on("hide", dialog.delete)
    dialog.open()
