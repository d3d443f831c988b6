"""The menu to open and download scenario files and to copy links."""

from __future__ import annotations

from typing import Any

from nicegui import events, ui

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.model.limits import LARGEST_FILE
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.lab.model.scenario_files import read_file, too_large, write_file
from kcmab_abm.lab.model.session import Session
from kcmab_abm.lab.model.share_links import to_link
from kcmab_abm.lab.widgets.background_reading import read_in_background
from kcmab_abm.lab.widgets.entry_form import attempt
from kcmab_abm.lab.widgets.theme import complain, heading

MOST_PROBLEMS = 12  # lines of a message
LONGEST_PROBLEM = 300  # characters of a line
LONGEST_LINK = 16_000  # characters; servers and messaging apps may truncate longer ones

_ADDRESS = """
const address = new URL(location.origin + location.pathname);
address.searchParams.set("setup", %r);
let copied = true;
try { await navigator.clipboard.writeText(address.href); } catch { copied = false; }
return [address.href, copied];
"""


class _Drop(ui.element, component="file_drop.js"):
    """Accepts files dropped anywhere on the page."""


class FilesMenu:
    """A button with a menu for files and links; files may also be dropped onto the page."""

    def __init__(self, session: Session) -> None:
        self.session = session
        upload = ui.upload(on_upload=self._open, auto_upload=True, max_file_size=LARGEST_FILE)
        upload.classes("lab-uploader").props("accept=.toml")
        upload.on(
            "rejected",
            self._reject,
            js_handler="(all) => emit(all.map((one) => [one.failedPropValidation, one.file.size]))",
        )
        upload.on("failed", lambda: complain("The upload failed; please try again."), args=[])
        # Only when it has finished: a reset would cancel uploads in progress.
        upload.on("finish", js_handler=f"() => runMethod({upload.id}, 'reset', [])")
        _Drop().props["uploader"] = upload.id
        with (
            ui.button(icon="folder_open").props(
                'flat dense round color=white aria-label="Files and links"'
            ),
            ui.menu().classes("whitespace-nowrap").props("role=menu"),
        ):
            pick = ui.menu_item("Open a scenario file").props("role=menuitem")
            # In the browser, which opens file dialogs only while it handles a click.
            pick.on("click", js_handler=f"() => runMethod({upload.id}, 'pickFiles', [])")
            ui.menu_item("Download scenario", self._save).props("role=menuitem")
            ui.menu_item("Copy link", self._copy_link).props("role=menuitem")

    async def _open(self, event: events.UploadEventArguments) -> None:
        data = await event.file.read()
        found = await read_in_background(_read, data)
        if isinstance(found, Setup):
            attempt(lambda: self._show(found), lambda: None)
        elif found is not None:  # None: the server is shutting down
            complain(found)

    def _show(self, setup: Setup) -> None:
        self.session.open(setup)
        ui.notify(f"Opened: {setup.scenario.title or 'untitled scenario'}")

    def _reject(self, event: events.GenericEventArguments) -> None:
        """Explain why the browser did not send a file."""
        for reason, size in event.args[:1]:
            if reason == "max-file-size":
                complain(too_large(int(size)))
            else:
                complain("Not a scenario file: its name must end in .toml.")

    def _save(self) -> None:
        ui.download.content(
            write_file(self.session.setup), "kcmab-scenario.toml", "application/toml"
        )

    async def _copy_link(self) -> None:
        word = to_link(self.session.state())
        if len(word) > LONGEST_LINK:
            complain("This scenario is too long for a link; download it as a file instead.")
            return
        answer: Any = await ui.run_javascript(_ADDRESS % word, timeout=5.0)
        if answer is not None:  # None: she has left
            _show_link(*answer)


def _read(data: bytes) -> Setup | str:
    """The setup in a file, or a short description of what is wrong with it."""
    try:
        return read_file(data)
    except ScenarioError as error:
        return in_short(error.problems)


def in_short(problems: list[str]) -> str:
    """The problems, one per line, or only the first few if there are many."""
    lines = [
        line if len(line) <= LONGEST_PROBLEM else f"{line[:LONGEST_PROBLEM]} …"
        for line in problems[:MOST_PROBLEMS]
    ]
    more = len(problems) - len(lines)
    return "\n".join([*lines, *([f"… and {more:,} more"] if more else [])])


def _show_link(address: str, copied: bool) -> None:
    with ui.dialog() as dialog, ui.element("div").classes("lab-card lab-stack max-w-md"):
        heading("Link to this page")
        ui.input("Link", value=address).props("readonly outlined data-testid=link").on(
            "click", js_handler="(event) => event.target.select?.()"
        )
        ui.label(
            "Copied to the clipboard. The link restores everything that is on screen."
            if copied
            else "Your browser does not allow copying. Select the link and copy it yourself."
        )
        ui.button("Close", on_click=dialog.close)
    dialog.on("hide", dialog.delete)
    dialog.open()
