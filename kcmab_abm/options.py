"""What several commands share: scenario files and options that change them, own Python files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kcmab_abm.errors import ScenarioError
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


def load_changed(file: str, changes: dict[str, Any], with_sweep: bool = True) -> Any:
    """The scenario of a file, with the settings that options replace."""
    # Late, because the help of a command needs none of it.
    from kcmab_abm.scenario import make_scenario, read_settings

    given = {word: value for word, value in changes.items() if value is not None}
    settings = {**read_settings(file), **given}
    if not with_sweep:
        settings.pop("sweep", None)
    scenario = make_scenario(settings, folder=Path(file).parent, source=f"{file}: ")
    swept = [word for word in given if scenario.sweep and word in scenario.sweep.axes]
    if swept:
        raise ScenarioError(
            [
                f"{file}: sweep: varies {word}, so --{word} has no effect; leave the option out, "
                f"or take {word} out of the sweep"
                for word in swept
            ]
        )
    return scenario
