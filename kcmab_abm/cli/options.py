"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kcmab_abm.catalogue.user_files import bring
from kcmab_abm.errors import ScenarioError

Command = Callable[..., Any]


def option(name: str, kind: Any, help: str, default: Any = None) -> Callable[[Command], Command]:
    """Return an option with a value, whose help shows the default."""
    shown = default is not None
    return click.option(name, type=kind, help=help, default=default, show_default=shown)


_out: dict[str, Any] = {
    "type": click.Path(path_type=Path),
    "help": "Write the results to this new folder.",
}
out_option = click.option("--out", **_out)
required_out_option = click.option("--out", required=True, **_out)
force_option = click.option("--force", is_flag=True, help="Replace existing results.")
jobs_option = option(
    "--jobs",
    click.IntRange(1),
    "Number of threads of the batch engine (default: one per core) or of processes of the market "
    "engine (default: 1).",
)
policy_option = option("--policy", str, "Label or name of the policy (default: the first).")
seed_option = option("--seed", click.IntRange(0), "Override the scenario's seed.")
replications_option = option(
    "--replications", click.IntRange(1), "Override the scenario's number of replications."
)
horizon_option = option(
    "--horizon", click.IntRange(1), "Override the scenario's number of customers per replication."
)


class NumberRange(click.FloatRange):
    """A range of numbers that excludes NaN."""

    def convert(self, value: Any, option: Any, context: Any) -> float:
        """Return the number, or report why it is not allowed."""
        number = float(super().convert(value, option, context))
        if math.isnan(number):
            self.fail(f"{value} is not a number", option, context)
        return number


def with_option(command: Command) -> Command:
    """Add the option that loads Python files of the user."""
    return click.option(
        "--with",
        "plugins",
        multiple=True,
        metavar="FILE.py",
        callback=_run_plugins,
        expose_value=False,
        is_eager=True,
        help="Run this Python file first, to register policies, behaviours, measures and the like.",
    )(command)


def _run_plugins(context: click.Context, option: click.Parameter, paths: tuple[str, ...]) -> None:
    bring(paths)


def scenario_options(command: Command) -> Command:
    """Add the options that change a scenario: --replications, --horizon, --seed and --with."""
    for option in (with_option, seed_option, horizon_option, replications_option):
        command = option(command)
    return command


def load_changed(file: str, changes: dict[str, Any], with_sweep: bool = True) -> Any:
    """Load a scenario file, with top-level settings replaced by those that are not None."""
    # Late, because the help of a command needs none of it.
    from kcmab_abm.scenario.reading import read_settings
    from kcmab_abm.scenario.scenario import make_scenario

    given = {word: value for word, value in changes.items() if value is not None}
    settings = {**read_settings(file), **given}
    if not with_sweep:
        settings.pop("sweep", None)
    scenario = make_scenario(settings, folder=Path(file).parent, source=f"{file}: ")
    if scenario.sweep is not None:
        problems = [
            f"{file}: sweep: varies {word}, so --{word} has no effect; leave the option out, "
            f"or remove {word} from the sweep"
            for word in given
            if word in scenario.sweep.axes
        ]
        if problems:
            raise ScenarioError(problems)
    return scenario
