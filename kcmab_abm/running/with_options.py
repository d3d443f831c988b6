"""Simulate a scenario or its sweep, in memory or into a folder, with all options as one object."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from kcmab_abm.errors import MarketError
from kcmab_abm.results.points import axes_table, point_results
from kcmab_abm.results.results import Results
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.running.journal import Journal
from kcmab_abm.running.load_results import Reader
from kcmab_abm.running.manifest import write_manifest
from kcmab_abm.running.options import Engine, RunOptions, Tell, silent
from kcmab_abm.running.resume import WORK, lasting_folder, remove_all_but
from kcmab_abm.running.run_all import Part, run_all
from kcmab_abm.running.write_results import manifest, write_results, write_sweep
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.sweep import point_name


def simulate_with(scenario: Scenario, options: RunOptions) -> Results:
    """Simulate a scenario without a sweep."""
    if scenario.sweep is not None:
        raise MarketError(
            f"the scenario has a sweep of {len(scenario.sweep.points):,} points; run it with "
            "kcmab.sweep(scenario) or 'kcmab run', or remove the sweep: "
            "scenario.replace(sweep=None)"
        )
    [results] = run_all([Part(scenario)], options, lambda results: results)
    return results


def sweep_with(scenario: Scenario, options: RunOptions) -> SweepResults:
    """Simulate a scenario at every point of its sweep."""
    plan = scenario.sweep
    if plan is None:
        raise MarketError(
            "the scenario has no sweep; give it one, such as scenario.replace(sweep={'grid': "
            "{'horizon': [100, 1000]}}), or run kcmab.simulate(scenario)"
        )
    parts = [
        Part(each, number, point_name(number, plan.shown[number - 1]))
        for number, each in enumerate(scenario.points(), 1)
    ]
    points = run_all(parts, options, point_results)
    again = partial(_again, scenario, options.engine, options.jobs)
    return SweepResults(scenario, axes_table(plan, points), tuple(points), again)


def _again(scenario: Scenario, engine: Engine, jobs: int | None, number: int) -> Results:
    """Run a point of a sweep again, which gives the same results."""
    return simulate_with(scenario.points()[number - 1], RunOptions(engine, jobs))


def run_with(
    scenario: Scenario,
    options: RunOptions,
    out: str | Path,
    force: bool = False,
    resume: bool = False,
    tell: Tell = silent,
) -> Results | SweepResults:
    """Run a scenario or its sweep into a folder."""
    with lasting_folder(Path(out), force, resume, tell) as folder:
        journal = Journal(folder, tell)
        options = replace(options, journal=journal)
        results: Results | SweepResults
        if scenario.sweep is None:
            results = simulate_with(scenario, options)
            remove_all_but(WORK, folder)
            write_results(results, folder, options.measures)
        else:
            results = sweep_with(scenario, options)
            remove_all_but(WORK, folder)
            write_sweep(results, folder, tell, options.measures)
        if options.report:
            # Late, because few runs need what turns Markdown into HTML.
            from kcmab_abm.running.run_report import write_report

            write_report(results, folder)
        write_manifest(folder, manifest(results), journal.digests)
    if isinstance(results, SweepResults):
        # Absolute, as the working folder may change.
        told = {**manifest(results), "files": journal.digests}
        reader = Reader(Path(out).absolute(), scenario, told)
        results = replace(results, _open=reader.read)
    return results
