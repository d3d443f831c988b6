"""A class: who is in it, what is on its screens, and everything that happens, as a record.

Whatever changes the class is an event, a small table such as `{"do": "choose", "who": 3, ...}`. It
is applied first and then handed to `record`; applying the same events again restores the class.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kcmab_abm.errors import MarketError, OutputError
from kcmab_abm.lab.model.classroom.controllers import OPTIMAL, REFERENCES, ControllerRace
from kcmab_abm.lab.model.classroom.guests import Answer, GuestRoom, StandingOffer
from kcmab_abm.lab.model.classroom.plan import Event, Plan
from kcmab_abm.lab.model.classroom.question import Question
from kcmab_abm.lab.model.classroom.roster import (
    Roster,
    Student,
    lock_of,
    made_up_name,
    tidy_name,
)
from kcmab_abm.scenario.scenario import Scenario, make_scenario

Record = Callable[[Event], None]


@dataclass
class Guests:
    """The activity in which students are the guests, in one market per room."""

    rooms: list[GuestRoom]
    controller: str


@dataclass
class Race:
    """The activity in which every student is the controller."""

    race: ControllerRace


@dataclass
class Asked:
    """The activity in which everybody answers a question; `label` if it is a prediction."""

    question: Question
    label: str = ""


@dataclass
class Message:
    """The activity in which everybody reads a text."""

    title: str
    text: str


Activity = Guests | Race | Asked | Message | None


def ignore(event: Event) -> None:
    """Record nothing."""


class Classroom:
    """A class; `clock` are seconds, `record` hears every event once it has happened."""

    def __init__(
        self, plan: Plan, clock: Callable[[], float] = time.monotonic, record: Record = ignore
    ) -> None:
        self.plan = plan
        self.scenario = plan.scenario
        self.clock = clock
        self.record = record
        self.roster = Roster()
        self.present: set[int] = set()  # whose phones are connected
        self.activity: Activity = None
        self.number = 0  # of activities begun
        self.frozen = False
        self.revealed = False
        self.ended = False
        self.problem = ""  # why nothing can be recorded any more
        self.stories: list[list[Event]] = []  # of every room, what its guests did

    def do(self, event: Event) -> Any:
        """Let an event happen, and record it; if that fails, nothing happens from then on."""
        if self.problem:
            raise OutputError(self.problem)
        found = self.apply(event)
        try:
            self.record(event)
        except OutputError as error:
            self.problem = f"{error}, and start the class again"
            raise OutputError(self.problem) from error
        return found

    def apply(self, event: Event) -> Any:
        """Let an event happen; nothing does if it is not allowed."""
        details = {word: value for word, value in event.items() if word != "do"}
        return getattr(self, f"_on_{event['do'].replace('-', '_')}")(**details)

    # What phones ask for.

    def join(self, key: str, name: str = "") -> Student:
        """Let a phone in; one that was here before comes back as the same student."""
        if (student := self.roster.find(key)) is not None:
            return student
        self.roster.check_room()
        names = self.roster.names
        own = tidy_name(name, [*names, *REFERENCES, OPTIMAL]) if self.plan.names else ""
        name = own or made_up_name(names)
        return self.do({"do": "join", "name": name, "lock": lock_of(key)})  # type: ignore[no-any-return]

    def choose(self, who: int, t: int, arm: int) -> Answer:
        """Let the student whose turn it is take an arm."""
        room = self._playing().rooms[self.roster.students[who].room]
        self._must_run()
        if room.turn is None or room.turn.who != who:
            raise MarketError("It is not your turn.")
        return self._choice(room, who, t, arm)

    def send(self, who: int, t: int, arm: int) -> None:
        """Let a student send her next guest to an arm."""
        self._must_run()
        self.do({"do": "send", "who": who, "t": t, "arm": arm})

    def answer(self, who: int, option: int) -> None:
        """Note a student's answer."""
        self._must_run()
        self.do({"do": "answer", "who": who, "option": option})

    # What the teacher does.

    def begin_guests(self, controller: str) -> None:
        """Let students be the guests, under a policy of the scenario or the teacher's offers."""
        self.do({"do": "guests", "controller": controller})

    def begin_race(self) -> None:
        """Let every student be the controller."""
        self.do({"do": "race"})

    def ask(self, question: Question, label: str = "") -> None:
        """Ask everybody; a prediction is about the policy with this label."""
        words = ("prompt", "options", "text", "right", "because")
        told = {word: getattr(question, word) for word in words}
        self.do({"do": "ask", "label": label, **told})

    def tell(self, title: str, text: str) -> None:
        """Put a text on all screens."""
        self.do({"do": "tell", "title": title, "text": text})

    def push(self, scenario: Scenario) -> None:
        """Go on with another scenario."""
        self.do({"do": "scenario", "settings": scenario.settings})

    def offer(self, target: int | None, amount: float) -> None:
        """Offer this to every guest from now on, in all rooms."""
        self.do({"do": "offer", "target": target, "amount": amount})

    def freeze(self, frozen: bool) -> None:
        """Stop all phones and clocks, or let them go on."""
        self.do({"do": "freeze", "frozen": frozen})

    def reveal(self, revealed: bool) -> None:
        """Show or hide the truth."""
        self.do({"do": "reveal", "revealed": revealed})

    def end(self) -> None:
        """End the activity as it is; its results stay on the screens."""
        self.do({"do": "end"})

    # Time.

    def connect(self, who: int, is_there: bool) -> None:
        """Note that a phone is there, or gone."""
        (self.present.add if is_there else self.present.discard)(who)

    def tick(self) -> bool:
        """Give turns, and choose for guests whose time is up; True if anything changed."""
        if not isinstance(self.activity, Guests) or self.frozen or self.ended:
            return False
        now, changed = self.clock(), False
        for room in self.activity.rooms:
            if room.is_late(now):
                assert room.turn is not None
                self._choice(room, room.turn.who, room.t, None)
                changed = True
        return self._seat() or changed

    def members(self, room: int) -> list[Student]:
        """The students of a room."""
        return [each for each in self.roster.students if each.room == room]

    def _choice(self, room: GuestRoom, who: int, t: int, arm: int | None) -> Answer:
        now, turn, place = self.clock(), room.turn, self._playing().rooms.index(room)
        seconds = 0.0 if turn is None else max(0.0, now - turn.begun)
        told = {"room": place, "who": who, "t": t, "arm": arm, "seconds": round(seconds, 2)}
        answer = self.do({"do": "choose", **told, "posted": room.posted})
        self._seat()
        return answer  # type: ignore[no-any-return]

    def _seat(self) -> bool:
        if not isinstance(self.activity, Guests) or self.frozen or self.ended:
            return False
        now, changed = self.clock(), False
        for place, room in enumerate(self.activity.rooms):
            here = [each.number for each in self.members(place) if each.number in self.present]
            changed = room.seat(here, now) or changed
        return changed

    def _playing(self) -> Guests:
        if not isinstance(self.activity, Guests) or self.ended:
            raise MarketError("This market is closed.")
        return self.activity

    def _must_run(self) -> None:
        if self.frozen:
            raise MarketError("The teacher has stopped all phones for a moment.")

    def _begin(self, activity: Activity) -> None:
        self.activity = activity
        self.number += 1
        self.frozen = self.revealed = self.ended = False

    # How events happen.

    def _on_join(self, name: str, lock: str) -> Student:
        return self.roster.add(name, lock, len(self.roster) % self.plan.rooms)

    def _on_guests(self, controller: str) -> None:
        rooms = [
            GuestRoom(self.scenario, controller, self.plan.seconds) for _ in range(self.plan.rooms)
        ]
        self.stories = [[] for _ in rooms]
        self._begin(Guests(rooms, controller))

    def _on_race(self) -> None:
        self._begin(Race(ControllerRace(self.scenario)))

    def _on_ask(self, label: str, **told: Any) -> None:
        self._begin(Asked(Question(**told), label))

    def _on_tell(self, title: str, text: str) -> None:
        self._begin(Message(title, text))

    def _on_scenario(self, settings: Mapping[str, Any]) -> None:
        self.scenario = make_scenario(settings)
        self._begin(None)

    def _on_choose(
        self,
        room: int,
        who: int,
        t: int,
        arm: int | None,
        seconds: float,
        posted: tuple[int, float] | None,
    ) -> Answer:
        here = self._playing().rooms[room]
        answer = here.play(who, t, arm, seconds, posted)
        self.stories[room].append(here.story(answer, self.roster.students[who].name))
        return answer

    def _on_send(self, who: int, t: int, arm: int) -> None:
        if not isinstance(self.activity, Race) or self.ended:
            raise MarketError("This market is closed.")
        self.activity.race.send(who, t, arm)

    def _on_answer(self, who: int, option: int) -> None:
        if not isinstance(self.activity, Asked) or self.ended or self.revealed:
            raise MarketError("This question is closed.")
        self.activity.question.answer(who, option)

    def _on_offer(self, target: int | None, amount: float) -> None:
        for room in self._playing().rooms:
            room.stand(StandingOffer(target, amount))

    def _on_freeze(self, frozen: bool) -> None:
        self.frozen = frozen
        if isinstance(self.activity, Guests):
            for room in self.activity.rooms:
                (room.freeze if frozen else room.thaw)(self.clock())

    def _on_reveal(self, revealed: bool) -> None:
        self.revealed = revealed

    def _on_end(self) -> None:
        self.ended = True
