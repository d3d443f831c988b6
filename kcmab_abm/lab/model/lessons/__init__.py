"""The lessons: every module in this folder with a `LESSON`, and its texts in a TOML file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from kcmab_abm.lab.model.lessons.lesson import Lesson


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """All lessons, in the order of their numbers.

    >>> [lesson.number for lesson in all_lessons()]
    [1, 2, 3, 4, 5, 6]
    """
    modules = [
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    ]
    lessons = [module.LESSON for module in modules if hasattr(module, "LESSON")]
    return tuple(sorted(lessons, key=lambda lesson: lesson.number))
