"""One visitor's progress in the lessons."""

from __future__ import annotations

from kcmab_abm.lab.model.lessons import all_lessons
from kcmab_abm.lab.model.lessons.lesson import Lesson, Step, Verdict

TRIES = 2  # wrong answers after which the right one may be shown


class LessonProgress:
    """The open step, the steps done, and the wrong answers so far."""

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
        """True if the open step is the last of its lesson."""
        return self.place == len(self.lesson.steps) - 1

    @property
    def may_see(self) -> bool:
        """True if she has tried often enough to see the answer."""
        return self._tries.get(self.step, 0) >= TRIES

    def go(self, number: int, place: int = 0) -> None:
        """Open a step of a lesson, or the nearest one that exists."""
        self.lesson = self.lessons[min(max(number, 1), len(self.lessons)) - 1]
        self.place = min(max(place, 0), len(self.lesson.steps) - 1)

    def answer(self, given: str | None) -> Verdict:
        """Check an answer to the open step and record the outcome."""
        verdict = self.step.check(given)
        if verdict.right:
            self._done.add(self.step)
        elif verdict.counts:
            self._tries[self.step] = self._tries.get(self.step, 0) + 1
        return verdict

    def give_up(self) -> None:
        """Mark the open step as done because she has been shown the answer."""
        self._done.add(self.step)

    def marks(self, lesson: Lesson) -> str:
        """The numbers of the steps done in a lesson, such as '1.2.5'."""
        return ".".join(str(n) for n, step in enumerate(lesson.steps, 1) if step in self._done)

    def recall(self, lesson: Lesson, marks: str) -> None:
        """Mark steps that were done on an earlier visit; invalid marks are ignored."""
        numbers = marks.split(".")
        self._done |= {step for n, step in enumerate(lesson.steps, 1) if str(n) in numbers}

    def forget(self) -> None:
        """Clear all progress, for example for the next class on the same machine."""
        self._done.clear()
        self._tries.clear()

    def is_done(self, step: Step) -> bool:
        """Return True if a step was answered, or its answer shown."""
        return step in self._done

    def count_done(self, lesson: Lesson) -> int:
        """The number of steps done in a lesson."""
        return sum(step in self._done for step in lesson.steps)

    def next_in(self, lesson: Lesson) -> int:
        """The index of the first step not done yet; 0 if all are done."""
        open_steps = [place for place, step in enumerate(lesson.steps) if step not in self._done]
        return open_steps[0] if open_steps else 0
