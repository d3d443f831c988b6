"""A question to the class: options to tap, answers as a histogram."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from kcmab_abm.errors import MarketError

MOST_OPTIONS = 8


@dataclass
class Question:
    """A question with options; `right` is the place of the right one, -1 if none is known."""

    prompt: str
    options: list[str]
    text: str = ""
    right: int = -1
    because: str = ""
    answers: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.prompt.strip():
            raise MarketError("Type a question.")
        if not 2 <= len(self.options) <= MOST_OPTIONS or not all(map(str.strip, self.options)):
            raise MarketError(f"A question has 2 to {MOST_OPTIONS} options, one per line.")

    def check(self, option: int) -> None:
        """Refuse an option that does not exist."""
        if not 0 <= option < len(self.options):
            raise MarketError("There is no such answer.")

    def answer(self, who: int, option: int) -> None:
        """Note an answer; the last one of a student counts."""
        self.check(option)
        self.answers[who] = option

    def counts(self) -> list[int]:
        """How many chose each option."""
        found = Counter(self.answers.values())
        return [found[place] for place in range(len(self.options))]
