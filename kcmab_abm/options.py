"""Options that several commands share: the user's own Python files, numbers within a range."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

from kcmab_abm.plugins import bring


class NumberRange(click.FloatRange):
    """A range of numbers; not-a-number is outside of every range."""

    def convert(self, value: Any, option: Any, context: Any) -> float:
        """The number, or an error."""
        number = float(super().convert(value, option, context))
        if math.isnan(number):
            self.fail(f"{value} is not a number", option, context)
        return number


def with_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option that brings in what the user has written for the catalogue."""
    return click.option(
        "--with",
        "plugins",
        multiple=True,
        metavar="FILE.py",
        callback=_run_plugins,
        expose_value=False,
        is_eager=True,
        help="Run this Python file first: it may register policies, behaviours, pricing, laws.",
    )(command)


def _run_plugins(context: click.Context, option: click.Parameter, paths: tuple[str, ...]) -> None:
    bring(paths)
