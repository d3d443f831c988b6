"""Where one visitor is in the lessons, and what she has done."""

from __future__ import annotations

from kcmab_abm.lab.lessons import all_lessons
from kcmab_abm.lab.lessons.lesson import Lesson, Step, Verdict

PATIENCE = 2  # wrong answers after which the right one may be seen


class Course:
    """A place among the lessons, marks for the steps that are done, and wrong answers so far."""

    def __init__(self) -> None:
        self.lessons = all_lessons()
        self.lesson: Lesson = self.lessons[0]
        self.place = 0
        self._done: set[Step] = set()
        self._tries: dict[Step, int] = {}

    @property
    def step(self) -> Step:
        """The step that is open."""
        return self.lesson.steps[self.place]

    @property
    def is_last(self) -> bool:
        """Whether the lesson ends with this step."""
        return self.place == len(self.lesson.steps) - 1

    @property
    def may_see(self) -> bool:
        """Whether she has tried often enough to be shown the answer."""
        return self._tries.get(self.step, 0) >= PATIENCE

    def go(self, number: int, place: int = 0) -> None:
        """Open a step of a lesson; what does not exist becomes what is nearest to it."""
        self.lesson = self.lessons[min(max(number, 1), len(self.lessons)) - 1]
        self.place = min(max(place, 0), len(self.lesson.steps) - 1)

    def answer(self, given: str | None) -> Verdict:
        """Check an answer to the open step, and remember how it went."""
        verdict = self.step.check(given)
        if verdict.right:
            self._done.add(self.step)
        elif verdict.counts:
            self._tries[self.step] = self._tries.get(self.step, 0) + 1
        return verdict

    def give_up(self) -> None:
        """She was shown the answer: the step is done too."""
        self._done.add(self.step)

    def marks(self, lesson: Lesson) -> str:
        """The numbers of a lesson's steps that are done, such as '1.2.5'."""
        return ".".join(str(n) for n, step in enumerate(lesson.steps, 1) if step in self._done)

    def recall(self, lesson: Lesson, marks: str) -> None:
        """Mark steps as done that were done on another day; what makes no sense is left out."""
        numbers = marks.split(".")
        self._done |= {step for n, step in enumerate(lesson.steps, 1) if str(n) in numbers}

    def forget(self) -> None:
        """Begin all over, for the next class on the same machine."""
        self._done.clear()
        self._tries.clear()

    def is_done(self, step: Step) -> bool:
        """Whether a step has been answered, or its answer seen."""
        return step in self._done

    def count_done(self, lesson: Lesson) -> int:
        """How many steps of a lesson are done."""
        return sum(step in self._done for step in lesson.steps)

    def next_in(self, lesson: Lesson) -> int:
        """The first step of a lesson that is not done; the first of all if none is left."""
        open_steps = [place for place, step in enumerate(lesson.steps) if step not in self._done]
        return open_steps[0] if open_steps else 0
