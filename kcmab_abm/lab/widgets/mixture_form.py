"""A form for mixtures of customers: each kind with its settings and its weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.lab.widgets.entry_form import EntryForm, attempt, number_field

Table = dict[str, Any]


def single_kinds() -> list[str]:
    """The behaviours that can be part of a mixture."""
    return [name for name, each in BEHAVIOURS.items() if each.compose is None]


def mixture_with(customers: Table) -> Table:
    """A mixture of the current customers and another kind, half each."""
    other = "logit" if customers["behaviour"] == "greedy" else "greedy"
    return {"behaviour": "mixture", "of": [customers, {"behaviour": other}]}


class MixtureForm:
    """The kinds of a mixture; `change(kinds)` carries out the visitor's changes and may raise."""

    def __init__(self, change: Callable[[list[Table]], None]) -> None:
        self.change = change
        self.kinds: list[Table] = []
        self.rows: list[_Kind] = []
        self.whole = ui.element("div").classes("lab-stack w-full")
        with self.whole:
            self.place = ui.element("div").classes("lab-stack w-full")
            ui.button("Add a kind", icon="add", on_click=self._add).props(
                "dense outline padding='4px 10px'"
            )

    def show(self, kinds: list[Table]) -> None:
        """Show the kinds of a mixture, or nothing if it has none."""
        self.kinds = kinds
        self.whole.visible = bool(kinds)
        if len(self.rows) != len(kinds):
            self.place.clear()
            with self.place:
                self.rows = [_Kind(self, number) for number in range(len(kinds))]
        for row, kind in zip(self.rows, kinds, strict=True):
            row.show(kind)

    def restore(self) -> None:
        """Show the current settings again."""
        self.show(self.kinds)

    def set(self, number: int, kind: Table) -> None:
        """Replace the table of a kind."""
        self.change([*self.kinds[:number], kind, *self.kinds[number + 1 :]])

    def remove(self, number: int) -> None:
        """Remove a kind from the mixture."""
        kinds = [*self.kinds[:number], *self.kinds[number + 1 :]]
        attempt(lambda: self.change(kinds), self.restore)

    def _add(self) -> None:
        attempt(lambda: self.change([*self.kinds, {"behaviour": "greedy"}]), self.restore)


class _Kind:
    """One kind of customer: its behaviour, settings and weight."""

    def __init__(self, mixture: MixtureForm, number: int) -> None:
        self.mixture = mixture
        self.number = number
        self.table: Table = {}
        with ui.element("div").classes("lab-stack lab-kind w-full") as group:
            group.props["role"] = "group"
            group.props["aria-label"] = f"kind {number + 1}"
            self.entry = EntryForm(f"kind {number + 1}", BEHAVIOURS, self._choose, self._change)
            with ui.row().classes("items-center gap-2"):
                about = "how often customers are of this kind, relative to the other weights"
                self.weight = number_field(
                    f"weight of kind {number + 1}", 1.0, about, self._weigh, whole=False
                )
                remove = ui.button(icon="delete_outline", on_click=lambda: mixture.remove(number))
                remove.props("flat dense round").props["aria-label"] = f"Remove kind {number + 1}"

    def show(self, table: Table) -> None:
        """Show a kind as it is in the scenario."""
        self.table = table
        name = table["behaviour"]
        self.entry.show(name, name, single_kinds(), table)
        self.weight.value = table.get("weight", 1.0)

    def _choose(self, name: str) -> None:
        kept = {"weight": self.table["weight"]} if "weight" in self.table else {}
        self.mixture.set(self.number, {"behaviour": name} | kept)

    def _change(self, word: str, value: Any) -> None:
        self.mixture.set(self.number, self.table | {word: value})

    def _weigh(self, weight: float | None) -> None:
        if weight is None:
            self.mixture.restore()
        elif weight != self.table.get("weight", 1.0):
            changed = self.table | {"weight": float(weight)}
            attempt(lambda: self.mixture.set(self.number, changed), self.mixture.restore)
