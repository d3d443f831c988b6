"""Run a scenario, on either engine."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Literal

from kcmab_abm.errors import EngineError, MarketError
from kcmab_abm.journal import Journal
from kcmab_abm.market.run import run_market
from kcmab_abm.precision import Precision, Watch
from kcmab_abm.replications import Replications
from kcmab_abm.results import Results, Used
from kcmab_abm.scenario import Scenario
from kcmab_abm.trajectory import Trajectory
from kcmab_abm.workers import Progress
from kcmab_abm.world import Choice

Engine = Literal["auto", "market", "batch"]


def play(
    scenario: Scenario, policy: str | None = None, replication: int = 0, engine: Engine = "auto"
) -> Trajectory:
    """One replication under one policy (the first, unless named), customer by customer.

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
    if choose_engine(scenario, choice, engine).engine == "market":
        return run_market(scenario, choice, replication)
    from kcmab_abm.batch.run import trace_batch

    return trace_batch(scenario, choice, replication)


def simulate(
    scenario: Scenario,
    *,
    engine: Engine = "auto",
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    journal: Journal | None = None,
    watch: Watch | None = None,
) -> Results:
    """Run every policy on the same replications of the market.

    The batch engine spreads replications over `jobs` threads (one a core, unless told), the market
    engine over `jobs` processes (none but this one, unless told); an `executor` from
    `concurrent.futures` takes either. The results are the same to the last bit whatever is chosen.
    `progress` is called now and then with the customers served and their total number. What a
    `journal` holds is not run again, and what is run is written into it. If the scenario asks for a
    precision, replications are added until it is reached; `watch` is called whenever the intervals
    are looked at, with a `Standing` for each.

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
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs must be >= 1, got {jobs}")
    if scenario.sweep is not None:
        raise MarketError(
            f"the scenario has a sweep of {len(scenario.sweep.points):,} points; run it with "
            "kcmab.sweep(scenario) or 'kcmab run', or take the sweep out: "
            "scenario.replace(sweep=None)"
        )
    used = {c.label: choose_engine(scenario, c, engine) for c in scenario.policies}
    work = Replications(
        scenario,
        {label: each.engine for label, each in used.items()},
        jobs=jobs,
        executor=executor,
        progress=progress,
        journal=journal,
    )
    work.run(0, scenario.replications)
    if scenario.precision is not None:
        _run_until_precise(work, scenario.precision, watch)
    return Results(scenario, used, work.runs, work.points)


def _run_until_precise(work: Replications, precision: Precision, watch: Watch | None) -> None:
    """Add replications until all intervals are narrow enough, or there are as many as allowed."""
    while True:
        standings = precision.look(work.runs)
        if watch is not None:
            watch(standings)
        done = standings[0].replications
        if all(each.reached for each in standings) or done >= precision.ceiling:
            return
        work.run(done, precision.following(standings), precision.needed(standings))


def choose_engine(scenario: Scenario, policy: Choice, wanted: Engine) -> Used:
    """The engine that will run this policy: the one asked for, or the fastest that can."""
    if wanted not in ("auto", "market", "batch"):
        raise EngineError(f"no engine {wanted!r}; choose 'auto', 'market' or 'batch'")
    if wanted == "market":
        return Used("market", "asked for")
    # Late, because numba takes as long to import as all the rest together.
    from kcmab_abm.batch.run import why_not

    obstacle = why_not(scenario, policy)
    if obstacle and wanted == "batch":
        raise EngineError(
            f"policy {policy.label!r}: the batch engine cannot run this: {obstacle}; "
            "use engine 'auto' or 'market'"
        )
    if obstacle:
        return Used("market", obstacle)
    return Used("batch", "asked for" if wanted == "batch" else "the fastest that can run this")
