"""Choose the engine for a policy."""

from __future__ import annotations

import numpy as np

from kcmab_abm.errors import BeyondCompiled, EngineError
from kcmab_abm.market.run import Replay, run_market
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.results.results import Used
from kcmab_abm.running.options import Engine
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

TRIAL = 64  # customers, those seeded apart, on whom both engines try user-defined functions
LONGEST_TRIAL = 2**14
FEW_ARMS = 256  # above which the interpreted trial takes too long


def choose_engine(scenario: Scenario, policy: Choice, wanted: Engine) -> Used:
    """Return the engine asked for, or the batch engine wherever it can run the policy."""
    if wanted not in ("auto", "market", "batch"):
        raise EngineError(f"no engine {wanted!r}; choose 'auto', 'market' or 'batch'")
    if wanted == "market":
        return Used("market", "asked for")
    obstacle = _obstacle(scenario, policy)
    if obstacle and wanted == "batch":
        raise EngineError(
            f"policy {policy.label!r}: the batch engine cannot run this: {obstacle}; "
            "use engine 'auto' or 'market'"
        )
    if obstacle:
        return Used("market", obstacle)
    return Used("batch", "asked for" if wanted == "batch" else "selected automatically")


def _obstacle(scenario: Scenario, policy: Choice) -> str:
    """Return why the batch engine cannot run this policy; '' if it can.

    User-defined functions are tried on the first customers in both engines, which must agree:
    compiled code may differ in sums of arrays, integers beyond 64 bits or uninitialised memory.
    The market runs first, so that plain errors are reported before anything is compiled.
    """
    # Late, because numba takes long to import.
    from kcmab_abm.batch.run import trace_batch, why_not

    market = scenario.market
    if not scenario.users(policy) or market.needs_market or len(market.arms) > FEW_ARMS:
        return why_not(scenario, policy)
    interpreted = _trial(scenario, policy)
    obstacle = why_not(scenario, policy)
    if obstacle:
        return obstacle
    unlike = f"compiled, {policy.label!r} does not behave as in Python"
    try:
        compiled = trace_batch(scenario, policy, 0, Replay(scenario, policy), len(interpreted))
    except BeyondCompiled as error:
        return f"{unlike}: {error.what}"
    parting = _parting(interpreted, compiled)
    if not parting:
        return ""
    return f"{unlike}, from customer {parting} of replication 0"


def _trial(scenario: Scenario, policy: Choice) -> Trajectory:
    """The first customers in the market; more of them if late or lost reports prolong seeding."""
    served = len(scenario.market.arms) + TRIAL
    while True:
        served = min(served, scenario.horizon)
        run = run_market(scenario, policy, 0, served=served)
        if served in (scenario.horizon, LONGEST_TRIAL) or (~run.seeded).sum() >= TRIAL:
            return run
        served = min(2 * served, LONGEST_TRIAL)


def _parting(one: Trajectory, other: Trajectory) -> int:
    """Return the first customer for whom two trajectories differ; 0 if there is none."""
    for place in range(len(one)):
        for part in ("targets", "offers", "arms", "rewards", "payments", "counts"):
            if np.any(getattr(one, part)[place] != getattr(other, part)[place]):
                return place + 1
    return 0
