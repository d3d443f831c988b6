"""Run a scenario on either engine: `play`, `simulate`, `sweep`, `run`.

The keywords of the public functions go as `RunOptions` to those in `with_options.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from kcmab_abm.market.run import Replay, run_market
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.results.results import Results
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.running.engine_choice import choose_engine
from kcmab_abm.running.journal import Journal
from kcmab_abm.running.options import Engine, Progress, RunOptions, Tell, silent
from kcmab_abm.running.progress import with_progress
from kcmab_abm.running.with_options import run_with, simulate_with, sweep_with
from kcmab_abm.scenario.precision import Watch
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

Player = Callable[[int], Trajectory]  # plays a replication


def play(
    scenario: Scenario, policy: str | None = None, replication: int = 0, engine: Engine = "auto"
) -> Trajectory:
    """Run one replication under one policy and keep every customer.

    Parameters
    ----------
    scenario : Scenario
        The scenario to run.
    policy : str, optional
        The label of the policy; by default the scenario's first policy.
    replication : int
        The number of the replication, counted from 0.
    engine : {"auto", "market", "batch"}
        The engine to use; "auto" selects the batch engine wherever it can run the policy.

    Returns
    -------
    Trajectory
        The offer, choice, reward and payment of every customer.

    Raises
    ------
    EngineError
        If the batch engine is asked for and cannot run the policy.
    PlayError
        If a policy, behaviour or pricing rule fails or breaks the rules of the market.
    ScenarioError
        If the scenario has no such policy.

    Examples
    --------
    >>> from kcmab_abm import make_scenario, play
    >>> scenario = make_scenario({
    ...     "horizon": 6,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "ucb"}],
    ... })
    >>> play(scenario, engine="market").arms
    array([0, 1, 0, 0, 0, 0])
    """
    choice = scenario.policies[0] if policy is None else scenario.policy(policy)
    if replication < 0:
        raise ValueError(f"replication must be >= 0, got {replication}")
    return player(scenario, choice, engine)(replication)


def player(scenario: Scenario, choice: Choice, engine: Engine = "auto") -> Player:
    """Return a function that plays any replication under a policy; the engine is chosen once."""
    if choose_engine(scenario, choice, engine).engine == "market":
        return lambda replication: run_market(scenario, choice, replication)
    from kcmab_abm.batch.run import trace_batch

    replay = Replay(scenario, choice)
    return lambda replication: trace_batch(scenario, choice, replication, replay)


def simulate(
    scenario: Scenario,
    *,
    engine: Engine = "auto",
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: bool | Progress | None = None,
    journal: Journal | None = None,
    watch: Watch | None = None,
) -> Results:
    """Run every policy on the same replications of the market.

    The results are identical to the last bit whichever engine and workers are used.

    Parameters
    ----------
    scenario : Scenario
        The scenario to run, without a sweep. If it asks for a precision, replications are added
        until it is reached.
    engine : {"auto", "market", "batch"}
        The engine to use; "auto" selects one for each policy.
    jobs : int, optional
        Number of threads of the batch engine (default: one per core) or of processes of the market
        engine (default: 1).
    executor : concurrent.futures.Executor, optional
        Does the work instead of threads and processes of this machine.
    progress : bool or callable, optional
        True shows a progress bar, in notebooks as well, and in a log a line every ten seconds. A
        function is called repeatedly with the number of customers served so far and in total.
    journal : Journal, optional
        Finished work on disk: replications in it are not run again, new ones are added to it.
    watch : callable, optional
        Called with a list of `Standing` whenever the precision is checked.

    Returns
    -------
    Results
        Summary, curves and differences, one row per policy.

    Raises
    ------
    MarketError
        If the scenario has a sweep.
    EngineError
        If the batch engine is asked for and cannot run a policy.
    PlayError
        If a policy, behaviour or pricing rule fails or breaks the rules of the market.
    WorkerError
        If workers are lost.

    Examples
    --------
    >>> from kcmab_abm import make_scenario, simulate
    >>> scenario = make_scenario({
    ...     "horizon": 50,
    ...     "replications": 10,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "greedy"}],
    ... })
    >>> simulate(scenario, engine="market").summary()[["policy", "compensation", "acceptance"]]
       policy  compensation  acceptance
    0  greedy           0.0         1.0
    """
    options = RunOptions(engine, jobs, executor, journal=journal, watch=watch)
    with with_progress(options, progress) as options:
        return simulate_with(scenario, options)


def sweep(
    scenario: Scenario,
    *,
    engine: Engine = "auto",
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: bool | Progress | None = None,
    journal: Journal | None = None,
    watch: Watch | None = None,
) -> SweepResults:
    """Simulate a scenario at every point of its sweep.

    Parameters
    ----------
    scenario : Scenario
        The scenario to run, with a sweep.
    engine, jobs, executor, progress, journal, watch
        As for `simulate`.

    Returns
    -------
    SweepResults
        Tables with one row per point and policy.

    Raises
    ------
    MarketError
        If the scenario has no sweep; otherwise as for `simulate`.

    Examples
    --------
    >>> from kcmab_abm import make_scenario, sweep
    >>> scenario = make_scenario({
    ...     "horizon": 50,
    ...     "replications": 10,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
    ...     "policy": [{"name": "greedy"}],
    ...     "sweep": {"grid": {"horizon": [20, 40]}},
    ... })
    >>> sweep(scenario, engine="market").table[["horizon", "policy", "compensation"]]
       horizon  policy  compensation
    0       20  greedy           0.0
    1       40  greedy           0.0
    """
    options = RunOptions(engine, jobs, executor, journal=journal, watch=watch)
    with with_progress(options, progress) as options:
        return sweep_with(scenario, options)


def run(
    scenario: Scenario,
    out: str | Path,
    *,
    force: bool = False,
    resume: bool = False,
    report: bool = False,
    tell: Tell = silent,
    engine: Engine = "auto",
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: bool | Progress | None = None,
    watch: Watch | None = None,
) -> Results | SweepResults:
    """Run a scenario, or its sweep, and write the results into a folder.

    Finished work is kept in `OUT.partial`, which is renamed to `OUT` at the end.

    Parameters
    ----------
    scenario : Scenario
        The scenario to run, with or without a sweep.
    out : str or Path
        The folder for tables, figures and records.
    force : bool
        Replace existing results.
    resume : bool
        Resume an interrupted run, or add replications to a finished one.
    report : bool
        Also write `report.html`: verdicts, tables, figures and settings on one page.
    tell : callable, optional
        Called with a message about every damaged file that is made again.
    engine, jobs, executor, progress, watch
        As for `simulate`.

    Returns
    -------
    Results or SweepResults
        The results; a `SweepResults` if the scenario has a sweep.

    Raises
    ------
    OutputError
        If the folder cannot be written or must not be replaced; otherwise as for `simulate`.

    Examples
    --------
    >>> results = run(scenario, "results", resume=True)  # doctest: +SKIP
    """
    options = RunOptions(engine, jobs, executor, watch=watch, report=report)
    with with_progress(options, progress) as options:
        return run_with(scenario, options, out, force, resume, tell)
