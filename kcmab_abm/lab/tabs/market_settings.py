"""The settings of the market: seed, horizon, customers, offers and arms."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from kcmab_abm.catalogue.registry import BEHAVIOURS, PRICING
from kcmab_abm.lab.model import arm_settings
from kcmab_abm.lab.model.limits import MOST_CUSTOMERS
from kcmab_abm.lab.model.session import News, Session
from kcmab_abm.lab.widgets.entry_form import EntryForm, attempt, number_field
from kcmab_abm.lab.widgets.mixture_form import MixtureForm, mixture_with
from kcmab_abm.lab.widgets.theme import card, complain, heading, note

Table = dict[str, Any]


class SettingsCard:
    """All settings of the market except its controllers."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with card("Settings"):
            ui.label(
                "If you change a setting, the market restarts with the first customer."
            ).classes("lab-quiet lab-small")
            with ui.element("div").classes("lab-fields"):
                self.seed = self._number("seed", "the same seed gives the same market")
                self.horizon = self._number(
                    "horizon", f"number of customers, at most {MOST_CUSTOMERS:,}"
                )
            heading("Customers", 3)
            self.customers = EntryForm(
                "behaviour", BEHAVIOURS, self._choose_customers, self._change_customers
            )
            self.mixture = MixtureForm(lambda kinds: self._change_customers("of", kinds))
            heading("Offers", 3)
            self.offers = EntryForm("pricing rule", PRICING, self._choose_rule, self._change_rule)
            heading("Arms", 3)
            self.arms = _Arms(session)
        session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Show the settings of a newly opened setup."""
        if news == "opened":
            self._show_numbers()
            customers, rule = self._customers(), self._rule()
            chosen = customers["behaviour"]
            self.customers.show(chosen, chosen, BEHAVIOURS.names(), customers)
            self.mixture.show(customers.get("of", []))
            self.offers.show(rule["rule"], rule["rule"], PRICING.names(), rule)

    def _show_numbers(self) -> None:
        scenario = self.session.setup.scenario
        self.seed.value, self.horizon.value = scenario.seed, scenario.horizon

    def _number(self, word: str, about: str) -> ui.number:
        return number_field(word, 1, about, lambda value: self._set(word, value), whole=True)

    def _set(self, word: str, value: float | None) -> None:
        if value is None:
            self._show_numbers()
        elif value != getattr(self.session.setup.scenario, word):
            whole = int(value) if float(value).is_integer() else value
            attempt(lambda: self.session.change(**{word: whole}), self._show_numbers)

    def _customers(self) -> Table:
        return dict(self.session.setup.settings["market"].get("customers", {"behaviour": "greedy"}))

    def _rule(self) -> Table:
        return dict(self.session.setup.settings.get("purse", {}).get("offer", {"rule": "least"}))

    def _choose_customers(self, name: str) -> None:
        mixed = BEHAVIOURS[name].compose is not None
        self._market(customers=mixture_with(self._customers()) if mixed else {"behaviour": name})

    def _change_customers(self, word: str, value: Any) -> None:
        self._market(customers=self._customers() | {word: value})

    def _choose_rule(self, name: str) -> None:
        self._purse({"rule": name})

    def _change_rule(self, word: str, value: Any) -> None:
        self._purse(self._rule() | {word: value})

    def _market(self, **changes: Any) -> None:
        self.session.change(market=self.session.setup.settings["market"] | changes)

    def _purse(self, offer: Table) -> None:
        purse = self.session.setup.settings.get("purse", {}) | {"offer": offer}
        self.session.change(purse=purse)


class _Arms:
    """Sliders for the true means, and buttons to add and remove arms."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.sliders: list[ui.slider] = []
        self.shown: object = None
        self.hidden = ui.label(
            "The true means are hidden so that you can guess them. Switch on “True means” to see "
            "and change them."
        )
        self.place = ui.element("div").classes("lab-stack")
        self.add = ui.button("Add an arm", icon="add", on_click=self._add).props(
            "dense outline padding='4px 10px'"
        )
        session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Show the arms of a newly opened setup, or reveal or hide their means."""
        if news not in ("opened", "revealed"):
            return
        revealed = self.session.setup.revealed
        self.hidden.visible = not revealed
        self.place.visible = self.add.visible = revealed
        told = arm_settings.means(self._market())
        shape = [(law, mean is None) for law, mean in told]
        if shape != self.shown:
            self.shown = shape
            self._build(told)
        for slider, (_, mean) in zip(self.sliders, told, strict=True):
            if mean is not None:
                slider.value = mean

    def _market(self) -> Table:
        return dict(self.session.setup.settings["market"])

    def _build(self, told: list[tuple[str, float | None]]) -> None:
        self.place.clear()
        self.sliders = []
        with self.place:
            for arm, (law, mean) in enumerate(told):
                with ui.row().classes("w-full items-center no-wrap gap-2"):
                    self._row(arm, law, mean)

    def _row(self, arm: int, law: str, mean: float | None) -> None:
        ui.label(f"arm {arm}").classes("shrink-0")
        note(law).classes("shrink-0")
        slider = ui.slider(min=0, max=1, step=0.01, value=mean or 0.0).classes("grow mx-2")
        slider.props["aria-label"] = f"mean of arm {arm}"
        # The slider's value lags so that dragging does not flood the server; the event's does not.
        slider.on("change", lambda event: self._drag(arm, float(event.args)))
        self.sliders.append(slider)
        number = ui.label().bind_text_from(slider, "value", lambda value: f"{value:.2f}")
        number.classes("shrink-0 w-10 text-right")
        remove = ui.button(icon="delete_outline", on_click=lambda: self._remove(arm))
        remove.props("flat dense round").props["aria-label"] = f"Remove arm {arm}"
        if mean is None:
            slider.visible = number.visible = remove.visible = False
            note("set in the scenario file")

    def _drag(self, arm: int, mean: float) -> None:
        if arm_settings.means(self._market())[arm][1] != mean:
            self._change(arm_settings.with_mean(self._market(), arm, mean))

    def _add(self) -> None:
        market = arm_settings.with_arm(self._market())
        if market is None:
            complain("Arms with these reward laws can only be added in the scenario file.")
        else:
            self._change(market)

    def _remove(self, arm: int) -> None:
        self._change(arm_settings.without_arm(self._market(), arm))

    def _change(self, market: Table) -> None:
        attempt(lambda: self.session.change(market=market), lambda: self.hear("opened"))
