"""Steps of the lessons as questions to a class."""

from __future__ import annotations

from kcmab_abm.lab.model.classroom.question import Question
from kcmab_abm.lab.model.lessons import all_lessons
from kcmab_abm.lab.model.lessons.lesson import NumberQuestion, Step


def lesson_steps() -> dict[str, Step]:
    """The steps that can be asked, by title; those with a number need a typical wrong one."""
    return {
        f"Lesson {lesson.number}: {step.title}": step
        for lesson in all_lessons()
        for step in lesson.steps
        if step.options() or step.question.mistakes
    }


def question_of(step: Step) -> Question:
    """The question of a step, with its typical wrong answers as options.

    Computing the right answer and its explanation may take some seconds the first time.
    """
    options = list(step.options().values())
    if isinstance(step.question, NumberQuestion):
        places = step.question.places
        numbers = {f"{step.facts[wrong]:.{places}f}" for wrong in step.question.mistakes}
        options = sorted({step.right_answer(), *numbers}, key=float)
    right = options.index(step.right_answer())
    text, because = step.say(step.text), step.explain()
    return Question(step.say(step.question.prompt), options, text, right, because)
