"""The buttons that play, step and rewind the market."""

from __future__ import annotations

from nicegui import ui

from kcmab_abm.lab.model.session import SPEEDS, TOP_SPEED, News, Session
from kcmab_abm.lab.widgets.live_updates import LiveText

_SPEEDS = {
    speed: "top speed" if speed == TOP_SPEED else f"{speed:,} per second" for speed in SPEEDS
}


class PlaybackControls:
    """Play and pause, step and undo, speed, and whether true means are shown."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with (
            ui.element("div").classes("lab-bar-of-controls").props('role=toolbar aria-label="Play"')
        ):
            self.back = self._button("Reset", "restart_alt", session.reset)
            self.undo = self._button("Undo", "undo", session.undo)
            self.play = self._button("Play", "play_arrow", session.play_or_pause)
            self.one = self._button("One customer", "person", session.one_customer)
            self.pay = self._button("Next payment", "payments", session.next_payment)
            self.speed = (
                ui.select(_SPEEDS, value=session.speed, on_change=self._set_speed)
                .props('dense outlined options-dense aria-label="Speed" data-testid=speed')
                .classes("w-36")
            )
            self.reveal = ui.switch(
                "True means", value=session.setup.revealed, on_change=self._reveal
            ).props("data-testid=reveal")
            self.place = LiveText("place").classes("lab-quiet")
        session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Enable the buttons that can be pressed now."""
        session = self.session
        self.place.say(
            f"{session.shown:,} of {session.setup.scenario.horizon:,} customers", session.shown
        )
        playing = session.busy
        self.play.text = "Pause" if playing else "Play"
        self.play.props["aria-label"] = self.play.text
        self.play.props(f"icon={'pause' if playing else 'play_arrow'}")
        for button in (self.play, self.one, self.pay):
            button.set_enabled(not session.is_over)
        for button in (self.undo, self.back):
            button.set_enabled(session.shown > 0)
        self.speed.value = session.speed
        self.reveal.value = session.setup.revealed

    def _button(self, text: str, icon: str, action: object) -> ui.button:
        button = ui.button(text, icon=icon, on_click=action)  # type: ignore[arg-type]
        button.props["aria-label"] = text  # on a phone only the icon is shown
        return button.props("dense padding='4px 10px'")

    def _set_speed(self) -> None:
        if self.speed.value != self.session.speed:
            self.session.set_speed(int(self.speed.value or 0))

    def _reveal(self) -> None:
        if self.reveal.value != self.session.setup.revealed:
            self.session.reveal(bool(self.reveal.value))
