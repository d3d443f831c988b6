"""The command line: its entry point and the commands `run`, `check`, `list` and `schema`."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from kcmab_abm import __version__
from kcmab_abm.cli.class_command import class_command
from kcmab_abm.cli.compare import compare
from kcmab_abm.cli.figure import figure
from kcmab_abm.cli.fit import fit
from kcmab_abm.cli.lab import lab
from kcmab_abm.cli.obedience import obedience
from kcmab_abm.cli.optimum import optimum
from kcmab_abm.cli.options import (
    force_option,
    jobs_option,
    load_changed,
    option,
    out_option,
    scenario_options,
    with_option,
)
from kcmab_abm.cli.paper import bias, bounds, histories, paper, stopping
from kcmab_abm.cli.paths import paths
from kcmab_abm.cli.play import play
from kcmab_abm.cli.verify import verify
from kcmab_abm.errors import DamageError, MarketError, PlayError, ScenarioError, WorkerError

FAILED, BAD_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143
_warn = partial(click.echo, err=True)
_FAILURES = PlayError, WorkerError, DamageError


class Terminated(BaseException):
    """SIGTERM was received."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # titles may not be encodable
    warnings.formatwarning = lambda message, *_: f"warning: {message}\n"  # no source lines
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(_flushed(run(arguments)))


def _flushed(code: int) -> int:
    """Flush the output; return the exit code, or that of a failure if flushing fails."""
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _broken(error)
        # Otherwise Python would flush again at exit and report the error a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _terminate(*_: object) -> None:
    """Stop as after Ctrl-C; a second SIGTERM ends the process at once."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise Terminated


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code.

    0: done, 1: failed while running, 2: bad input, 130: interrupted, 143: terminated.
    """
    try:
        commands.main(arguments, prog_name="kcmab", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _warn("interrupted; results are written whole or not at all")
        return INTERRUPTED
    except Terminated:
        _warn("terminated; results are written whole or not at all")
        return TERMINATED
    except MarketError as error:
        _warn(str(error))
        return FAILED if isinstance(error, _FAILURES) else BAD_INPUT
    except OSError as error:
        return _broken(error)
    except MemoryError as error:
        _warn(f"not enough memory ({error}); reduce the horizon or the number of replications")
        return FAILED
    except click.exceptions.Exit as leave:
        return leave.exit_code
    return 0


def _broken(error: OSError) -> int:
    """Report an error of the operating system, for a named file or for the output."""
    if error.errno == errno.EPIPE:
        return FAILED  # the reader, such as `head`, has closed the pipe
    reason = error.strerror or error
    if error.filename is None:
        _warn(f"the output cannot be written: {reason}")
        return FAILED
    _warn(f"{error.filename}: {reason}; give another name")
    return BAD_INPUT


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
@out_option
@force_option
@click.option(
    "--resume",
    is_flag=True,
    help="Resume an interrupted run, or add replications to a finished one.",
)
@option(
    "--engine",
    click.Choice(["auto", "market", "batch"]),
    "Engine that runs the scenario; 'auto' selects one for each policy.",
    "auto",
)
@jobs_option
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Run on the Dask cluster whose scheduler has this address (tcp://HOST:8786) or wrote "
    "this scheduler file.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="Show this measure instead of regret and compensation; may be given several times.",
)
@click.option("--report", is_flag=True, help="Also write all results into one page, report.html.")
@scenario_options
def run_command(
    file: str,
    out: Path | None,
    force: bool,
    resume: bool,
    engine: Any,
    jobs: int | None,
    dask: str | None,
    measures: tuple[str, ...],
    report: bool,
    **changes: int | None,
) -> None:
    """Run a scenario file and show the results.

    Every policy is run, at every point of the sweep if there is one.

    \b
    Example:
      kcmab run scenarios/figure1.toml --out results
    """
    from kcmab_abm.cli.sweep_tables import print_sweep
    from kcmab_abm.cli.tables import check_measures, print_results, watched
    from kcmab_abm.running.options import RunOptions
    from kcmab_abm.running.resume import check_run_folder
    from kcmab_abm.running.with_options import run_with, simulate_with, sweep_with

    scenario = load_changed(file, changes)
    check_measures(scenario, measures)
    if out is None:
        _check_needs_no_folder(file, scenario, resume, report)
        work: Any = simulate_with if scenario.sweep is None else sweep_with
    else:
        check_run_folder(out, force, resume)
        work = partial(run_with, out=out, force=force, resume=resume, tell=_warn)
    with _cluster(jobs, dask) as executor:
        options = RunOptions(engine, jobs, executor, measures=measures, report=report)
        results: Any = watched(work, scenario, options)
    (print_results if scenario.sweep is None else print_sweep)(results, measures)
    if out is not None:
        files = "figure.png, summary.csv" if scenario.sweep is None else "sweep.csv"
        for name in ("frontier.png", "sensitivity.png", "report.html"):
            files = f"{name}, {files}" if (out / name).exists() else files
        click.echo(f"Written to {out}: {files}, curves.parquet and more.")


@contextmanager
def _cluster(jobs: int | None, dask: str | None) -> Iterator[Executor | None]:
    """Connect to the cluster, if one is asked for."""
    if dask is None:
        yield None
        return
    if jobs is not None:
        raise MarketError(
            "--jobs: sets the workers of this machine, but --dask uses a cluster; give one of them"
        )
    # Late, because Dask takes a third of a second to import.
    from kcmab_abm.running.dask_cluster import cluster

    with cluster(dask, _warn) as executor:
        yield executor
        click.echo(executor.use.told())


def _check_needs_no_folder(file: str, scenario: Any, resume: bool, report: bool) -> None:
    """Refuse options and settings that need --out."""
    for word, is_given in {"resume": resume, "report": report}.items():
        if is_given:
            raise MarketError(f"--{word}: needs the folder of the run; give --out DIR")
    if scenario.record != "curves":
        raise ScenarioError(
            [
                f"{file}: record: {scenario.record!r} needs a folder for the ledger; give --out "
                'DIR, or set record = "curves"'
            ]
        )


@commands.command()
@click.argument("files", nargs=-1, required=True, type=str)
@with_option
def check(files: tuple[str, ...]) -> None:
    """Check scenario files and list all problems.

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
            click.echo(f"{file}: fine: {scenario.size}")
    if problems:
        raise ScenarioError(problems)


@commands.command(name="list")
@click.argument(
    "kind",
    required=False,
    type=click.Choice(
        ["policies", "behaviours", "decisions", "pricing", "disclosures", "measures", "laws"]
    ),
)
@with_option
def list_command(kind: str | None) -> None:
    """List policies, behaviours, decisions, pricing rules, disclosures, measures and laws.

    \b
    Example:
      kcmab list policies
    """
    from kcmab_abm.cli.catalogue_tables import print_catalogue

    print_catalogue(kind)


@commands.command()
@with_option
def schema() -> None:
    """Print the JSON Schema of scenario files, for use in editors.

    \b
    Example:
      kcmab schema > scenario.schema.json
    """
    from kcmab_abm.scenario.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2))


_VIEWS = play, figure, compare, verify, lab, class_command, paths, obedience, fit
_THEORY = paper, bounds, stopping, histories, bias, optimum
for _command in (*_VIEWS, *_THEORY):
    commands.add_command(_command)
