"""The first screen: three restaurants, one big button, and accounts once somebody is paid."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from kcmab_abm.lab.model.session import News
from kcmab_abm.lab.model.story import GUIDES, RESTAURANTS, SOON, Story, Town, euros
from kcmab_abm.lab.widgets.story_view import StoryView
from kcmab_abm.lab.widgets.theme import card

MANY = 10  # guests of the second button


class StoryTab:
    """One visitor's town; `take_along` opens its market in the full view."""

    def __init__(self, story: Story, take_along: Callable[[], None]) -> None:
        self.story = story
        with ui.element("div").classes("story-page"):
            with ui.element("div").classes("story-main"), card("Where do they eat tonight?"):
                _tell()
                self.view = StoryView()
                self._build_buttons()
            with ui.element("div").classes("lab-stack story-side"):
                with card("What happened"):
                    self.happened = ui.label().props("data-testid=story-happened role=status")
                    self.reason = ui.label().props("data-testid=story-reason")
                    self.verdict = ui.label().classes("story-verdict")
                    self.verdict.props("data-testid=story-verdict role=status")
                self._build_accounts()
                self._build_goals()
                self._build_more(take_along)
        story.session.follow(self.hear)

    def hear(self, news: News) -> None:
        """Follow the market."""
        story, session = self.story, self.story.session
        if news == "opened":
            self.guide.value = story.town.guide
        self.view.show(story)
        self.happened.text, self.reason.text = story.happened(), story.reason()
        self.verdict.text = story.verdict()
        self.verdict.visible = story.is_revealed
        for button in (self.one, self.many):
            button.set_enabled(not session.is_over)
        self.undo.set_enabled(session.shown > 0 and story.named is None)
        for button in self.names:
            button.set_enabled(story.may_name)
        self._show_accounts()
        self._show_goals()

    def _build_buttons(self) -> None:
        session = self.story.session
        with ui.element("div").classes("story-buttons"):
            self.one = ui.button("Next guest", icon="person", on_click=session.one_customer)
            self.one.classes("story-next")
            self.many = ui.button(f"{MANY} guests", on_click=lambda: session.more(MANY))
            self.undo = ui.button(icon="undo", on_click=session.undo)
            self.undo.props["aria-label"] = "One guest back"
            for button in (self.many, self.undo):
                button.props("outline")

    def _build_accounts(self) -> None:
        with card("Accounts") as self.accounts:
            self.paid = ui.label().props("data-testid=story-paid").tooltip("compensation")
            self.happy = ui.label().props("data-testid=story-happy").tooltip("total reward")
            self.lost = ui.label().props("data-testid=story-lost").tooltip("regret")

    def _show_accounts(self) -> None:
        story, totals = self.story, self.story.market.totals
        meals = sum(sum(story.market.tape(arm)) for arm in range(len(RESTAURANTS)))
        self.accounts.visible = totals.paid > 0 or story.is_revealed
        guests = "guest" if totals.paid == 1 else "guests"
        self.paid.text = (
            f"Paid by the guide: {euros(totals.compensation)} to {totals.paid} {guests}"
        )
        self.happy.text = f"Happy guests: {meals:.0f} of {story.session.shown}"
        self.lost.text = f"Good meals lost: {totals.regret:.1f}"
        self.lost.visible = story.is_revealed

    def _build_goals(self) -> None:
        with card("Can you do it?"):
            with ui.element("ul").classes("story-goals"):
                self.goals = []
                for goal in self.story.goals():
                    with ui.element("li"):
                        self.goals.append(ui.label().tooltip(goal.technical))
            self.ask = ui.label().classes("lab-small")
            with ui.element("div").classes("story-names"):
                self.names = [
                    ui.button(name, on_click=lambda arm=arm: self.story.name_best(arm)).props(
                        "outline dense padding='4px 10px'"
                    )
                    for arm, name in enumerate(RESTAURANTS)
                ]

    def _show_goals(self) -> None:
        waiting = SOON - self.story.session.shown
        soon = f" You can tell after {waiting} more guests." if waiting > 0 else ""
        self.ask.text = f"Which one is the best?{soon}"
        for label, goal in zip(self.goals, self.story.goals(), strict=True):
            label.text = f"{'✓ done:' if goal.reached else '○'} {goal.words}"

    def _build_more(self, take_along: Callable[[], None]) -> None:
        with card("Change the story"):
            self.guide = ui.select(
                dict(GUIDES), value=self.story.town.guide, label="Who pays?", on_change=self._choose
            ).props("dense outlined options-dense")
            self.guide.props["aria-label"] = "Who pays?"
            self.guide.tooltip("policy of the controller: modified-ts, ucb or greedy")
            with ui.row().classes("gap-2"):
                ui.button(
                    "Another town",
                    icon="casino",
                    on_click=lambda: self.story.move(self.story.town.another()),
                ).props("outline").tooltip("other restaurants: new means and a new seed")
                ui.button("Full view", icon="open_in_full", on_click=take_along).props(
                    "outline"
                ).tooltip("this market with all its numbers and settings")

    def _choose(self) -> None:
        if self.guide.value != self.story.town.guide:
            self.story.move(Town(self.story.town.number, str(self.guide.value)))


def _tell() -> None:
    """The whole idea in three sentences, with the technical terms on hover."""
    words = (
        ("Guests", "customers"),
        (" choose the ", ""),
        ("restaurant", "arm"),
        (" where most earlier guests were ", ""),
        ("happy", "a reward of 1"),
        (", so a good one that had bad luck is soon forgotten. Therefore a ", ""),
        ("guide", "controller"),
        (" sometimes ", ""),
        ("pays", "compensation"),
        (" a guest to try it again.", ""),
    )
    with ui.element("p").classes("story-words"):
        for text, term in words:
            span = ui.label(text)
            span.tag = "span"
            if term:
                span.classes("story-term").props["title"] = term
