"""A form to choose an entry of the catalogue and set its parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

from nicegui import ui

from kcmab_abm.catalogue.entries import Entry, Parameter
from kcmab_abm.catalogue.registry import Catalogue
from kcmab_abm.errors import MarketError
from kcmab_abm.lab.widgets.theme import complain, note

Table = dict[str, Any]


def attempt(action: Callable[[], object], restore: Callable[[], None]) -> None:
    """Do what the visitor asks; if that is impossible, say why and restore what was shown."""
    try:
        action()
    except MarketError as error:
        complain(str(error))
        restore()


def number_field(
    label: str, value: float, about: str, commit: Callable[[float | None], None], whole: bool
) -> ui.number:
    """A number that takes effect on Enter or when the visitor leaves the field."""
    field = ui.number(label, value=value, step=1 if whole else "any")  # type: ignore[arg-type]
    field.props("dense outlined hide-bottom-space").props["aria-label"] = label
    field.on("change", lambda: commit(field.value))
    if about:
        field.tooltip(about)
    return field


class EntryForm:
    """Chooses a policy, behaviour or pricing rule by name and sets its parameters.

    `choose(name)` and `change(word, value)` carry out the visitor's choice and may raise.
    """

    def __init__(
        self,
        label: str,
        catalogue: Catalogue[Entry],
        choose: Callable[[str], None],
        change: Callable[[str, Any], None],
    ) -> None:
        self.catalogue = catalogue
        self.choose = choose
        self.change = change
        self.label = label
        self.fields: dict[str, Any] = {}
        self.shown: tuple[str, str] = ("", "")
        self.table: Table = {}
        self.select = ui.select([], label=label, on_change=self._chosen)
        self.select.props("dense outlined options-dense").classes("w-full")
        self.select.props["aria-label"] = label
        self.about = note("")
        self.place = ui.element("div").classes("lab-fields")

    def show(self, name: str, entry_name: str, names: list[str], table: Table) -> None:
        """Show what is chosen; fields are rebuilt only if the entry has changed."""
        entry = self.catalogue[entry_name]
        self.table = table
        same = self.shown == (name, entry_name)
        self.shown = (name, entry_name)
        self.select.set_options(names, value=name)
        self.about.text = entry.about
        if not same or set(self.fields) != set(settable(entry)):
            self._build(entry)
        self.restore()

    def restore(self) -> None:
        """Show the current settings again."""
        self.select.value = self.shown[0]
        defaults = self.catalogue[self.shown[1]].defaults()
        for word, field in self.fields.items():
            field.value = self.table.get(word, defaults[word])

    def _chosen(self) -> None:
        name = self.select.value
        if name and name != self.shown[0]:
            attempt(lambda: self.choose(str(name)), self.restore)

    def _build(self, entry: Entry) -> None:
        self.place.clear()
        self.fields = {}
        with self.place:
            for word, each in settable(entry).items():
                self.fields[word] = self._field(word, each, entry.defaults()[word])

    def _field(self, word: str, kind: Parameter | list[str], value: Any) -> Any:
        if isinstance(kind, list):
            field = ui.select(kind, label=word, value=value)
            field.on_value_change(lambda: self._set(word, field.value))
            return field.props("dense outlined options-dense")
        if isinstance(kind.default, bool):
            box = ui.checkbox(word, value=value).tooltip(kind.about)
            box.on_value_change(lambda: self._set(word, box.value))
            return box
        whole = isinstance(kind.default, int)
        about = f"{kind.about} ({kind.range}; default: {kind.shown})"
        return number_field(word, value, about, lambda given: self._set(word, given), whole)

    def _set(self, word: str, given: Any) -> None:
        entry = self.catalogue[self.shown[1]]
        old = self.table.get(word, entry.defaults()[word])
        parameter = entry.parameters.get(word)
        value = given if parameter is None else _as_in_files(parameter, given)
        if value is None:
            self.restore()
        elif value != old:
            attempt(lambda: self.change(word, value), self.restore)


def _as_in_files(parameter: Parameter, given: Any) -> Any:
    """A number as a scenario file has it: an integer where the parameter is one."""
    if given is None or isinstance(parameter.default, bool):
        return given
    if isinstance(parameter.default, int) and float(given).is_integer():
        return int(given)
    return float(given)


def settable(entry: Entry) -> dict[str, Parameter | list[str]]:
    """The settings that the form can change: numbers, and choices between words."""
    words: dict[str, Parameter | list[str]] = dict(entry.parameters)
    for word, field in entry.settings.model_fields.items() if entry.settings else ():
        if get_origin(field.annotation) is Literal:
            words[word] = [each for each in get_args(field.annotation) if each != "edges"]
    return words
