"""Options that several commands share: the user's own Python files, numbers within a range."""

from __future__ import annotations

import math
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from kcmab_abm.errors import MarketError

_PLUGIN = "kcmab_with"


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
    for path in paths:
        if not Path(path).is_file():
            raise MarketError(f"{path}: no such file; --with wants a Python file")
        try:
            _run_file(path)
        except (Exception, SystemExit) as error:
            raise MarketError(f"{path}: {_failure(path, error)}") from error


def _run_file(path: str) -> None:
    """Run a file as a module that stays, always of the same name: kernels on disk refer to it."""
    module = ModuleType(_PLUGIN)
    module.__file__ = path
    sys.modules[_PLUGIN] = module
    exec(compile(Path(path).read_bytes(), path, "exec"), module.__dict__)


def _failure(path: str, error: BaseException) -> str:
    """Where in the user's file it went wrong, and how, on one line."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"line {error.lineno}: {error.msg}"
    steps = traceback.extract_tb(error.__traceback__)
    lines = [step.lineno for step in steps if step.filename == path]
    kind = "" if isinstance(error, MarketError) else f"{type(error).__name__}: "
    place = f"line {lines[-1]}: " if lines else ""
    return place + kind + " ".join(str(error).split())
