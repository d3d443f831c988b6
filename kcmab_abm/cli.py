"""The command line: kcmab run, check, play, list, schema, compare, lab, paths, and the paper's."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from kcmab_abm import __version__
from kcmab_abm.compare.command import compare
from kcmab_abm.errors import MarketError, PlayError, ScenarioError, WorkerError
from kcmab_abm.lab.command import lab
from kcmab_abm.options import load_changed, with_option
from kcmab_abm.paper.commands import bias, bounds, histories, paper, stopping
from kcmab_abm.paths.commands import paths
from kcmab_abm.playing import play

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


def main(arguments: list[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a title that the terminal cannot spell
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run a command: 0 done, 1 failed while running, 2 bad input, 130 interrupted."""
    try:
        commands.main(arguments, prog_name="kcmab", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted; results are written whole or not at all", err=True)
        return INTERRUPTED
    except MarketError as error:
        click.echo(str(error), err=True)
        return FAILED if isinstance(error, PlayError | WorkerError) else BAD_INPUT
    except MemoryError as error:
        click.echo(f"not enough memory ({error}); ask for fewer customers or runs", err=True)
        return FAILED
    except click.exceptions.Exit as leave:
        return leave.exit_code
    return 0


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kcmab")
def commands() -> None:
    """Simulate markets in which a controller pays short-sighted customers to explore.

    \b
    Example:
      kcmab run scenarios/figure1.toml --out results
    """


@commands.command(name="run")
@click.argument("file", type=str)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the results; a new one.")
@click.option("--force", is_flag=True, help="Replace results that are already there.")
@click.option("--resume", is_flag=True, help="Go on with what is already there.")
@click.option("--engine", type=click.Choice(["auto", "market", "batch"]), default="auto")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Threads (batch engine; one a core unless given) or processes (market engine; one).",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Run on a Dask cluster: its scheduler's address, such as tcp://HOST:8786, or file.",
)
@click.option("--replications", type=click.IntRange(1), help="Instead of the file's.")
@click.option(
    "--horizon", type=click.IntRange(1), help="Customers a replication, instead of the file's."
)
@click.option("--seed", type=click.IntRange(0), help="Instead of the file's.")
@with_option
def run_command(
    file: str,
    out: Path | None,
    force: bool,
    resume: bool,
    engine: Any,
    jobs: int | None,
    dask: str | None,
    **changes: int | None,
) -> None:
    """Run every policy of a scenario file, at every point of its sweep, and show what it cost.

    \b
    Example:
      kcmab run scenarios/figure1.toml --out results
    """
    from kcmab_abm.experiment import simulate
    from kcmab_abm.folders import check_run_folder
    from kcmab_abm.output import run
    from kcmab_abm.sweeps import sweep
    from kcmab_abm.tables import print_results, print_sweep, watched

    scenario = load_changed(file, changes)
    if out is None:
        _check_place(file, scenario, resume)
        work: Any = simulate if scenario.sweep is None else sweep
    else:
        check_run_folder(out, force, resume)
        work = partial(run, out=out, force=force, resume=resume, tell=_warn)
    with _workers(jobs, dask) as who:
        results: Any = watched(work, scenario, engine, **who)
    if scenario.sweep is None:
        print_results(results)
    else:
        print_sweep(results)
    if out is not None:
        files = "figure.png, summary.csv" if scenario.sweep is None else "frontier.png, sweep.csv"
        click.echo(f"Written to {out}: {files}, curves.parquet and more.")


@contextmanager
def _workers(jobs: int | None, dask: str | None) -> Iterator[dict[str, Any]]:
    """Who does the work: this machine's cores, or a cluster."""
    if dask is None:
        yield {"jobs": jobs}
        return
    if jobs is not None:
        raise MarketError(
            "--jobs: is for this machine, and --dask has workers of its own; give one of them"
        )
    # Late, because Dask takes a third of a second to import.
    from kcmab_abm.clusters import cluster

    with cluster(dask, _warn) as executor:
        yield {"executor": executor}


def _check_place(file: str, scenario: Any, resume: bool) -> None:
    """What needs a folder, where none is given."""
    if resume:
        raise MarketError("--resume: needs the folder to go on with; give --out DIR")
    if scenario.record != "curves":
        raise ScenarioError(
            [
                f"{file}: record: {scenario.record!r} needs a folder for the ledger; give --out "
                'DIR, or set record = "curves"'
            ]
        )


def _warn(message: str) -> None:
    click.echo(message, err=True)


@commands.command()
@click.argument("files", nargs=-1, required=True, type=str)
@with_option
def check(files: tuple[str, ...]) -> None:
    """Say what is wrong with scenario files, all problems at once.

    \b
    Example:
      kcmab check scenarios/figure1.toml
    """
    problems: list[str] = []
    for file in files:
        try:
            scenario = load_changed(file, {})
        except ScenarioError as error:
            problems.extend(error.problems)
        else:
            points = f", {len(scenario.sweep.points):,} sweep points" if scenario.sweep else ""
            click.echo(
                f"{file}: fine: {len(scenario.policies)} policies, {len(scenario.market.arms)} "
                f"arms, {scenario.replications:,} x {scenario.horizon:,} customers{points}"
            )
    if problems:
        raise ScenarioError(problems)


@commands.command(name="list")
@click.argument(
    "kind", required=False, type=click.Choice(["policies", "behaviours", "pricing", "laws"])
)
@with_option
def list_command(kind: str | None) -> None:
    """Show policies, behaviours, pricing rules and laws with their settings.

    \b
    Example:
      kcmab list policies
    """
    from kcmab_abm.tables import print_catalogue

    print_catalogue(kind)


@commands.command()
@with_option
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors.

    \b
    Example:
      kcmab schema > scenario.schema.json
    """
    from kcmab_abm.forms import json_schema

    click.echo(json.dumps(json_schema(), indent=2))


for _command in (play, compare, lab, paths, paper, bounds, stopping, histories, bias):
    commands.add_command(_command)
