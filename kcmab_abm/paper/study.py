"""The experiments of Section 5: nine arms, the paper's policies, Bernoulli and Beta rewards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kcmab_abm.results.results import Results
from kcmab_abm.running.experiment import simulate
from kcmab_abm.running.options import Progress
from kcmab_abm.running.shared_runs import SharedRuns
from kcmab_abm.scenario.scenario import Scenario, make_scenario

MEANS = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
LAWS = ("bernoulli", "beta")

UCB = "ucb"
TS = "ts"
MODIFIED_TS = "modified-ts"
GREEDY = "greedy"
EPSILONS = (10, 15, 20)


def epsilon_label(epsilon: int) -> str:
    """The label of modified epsilon-greedy with this exploration constant."""
    return f"modified-epsilon-greedy, eps = {epsilon}"


@dataclass(frozen=True)
class Plot:
    """One figure of the paper: its number, title and policies."""

    number: int
    title: str
    policies: tuple[str, ...]


PLOTS = (
    Plot(1, "Three policies", (UCB, epsilon_label(20), MODIFIED_TS)),
    Plot(2, "Thompson sampling and its modification", (TS, MODIFIED_TS)),
    Plot(3, "Modified epsilon-greedy", tuple(epsilon_label(each) for each in EPSILONS)),
)


def paper_scenario(
    law: str, horizon: int, runs: int, seed: int, concentration: float = 4.0
) -> Scenario:
    """The paper's market with Bernoulli or Beta rewards and all policies of its figures."""
    arms: dict[str, object] = {"law": law, "means": MEANS}
    if law == "beta":
        arms["concentration"] = concentration
    epsilons = [
        {"name": "modified-epsilon-greedy", "label": epsilon_label(each), "epsilon": float(each)}
        for each in EPSILONS
    ]
    return make_scenario(
        {
            "title": f"The paper's nine arms, {law.capitalize()} rewards",
            "horizon": horizon,
            "replications": runs,
            "seed": seed,
            "market": {"arms": arms},
            "policy": [{"name": UCB}, *epsilons, *({"name": n} for n in (MODIFIED_TS, TS, GREEDY))],
        }
    )


def run_study(
    scenarios: dict[str, Scenario],
    jobs: int | None = None,
    progress: Progress | None = None,
    shared: Mapping[str, SharedRuns] | None = None,
) -> dict[str, Results]:
    """Run the market under every law, with a single progress count; `shared` keeps the runs."""
    sizes = [s.horizon * s.replications * len(s.policies) for s in scenarios.values()]
    total, before = sum(sizes), 0
    results = {}
    for (law, scenario), size in zip(scenarios.items(), sizes, strict=True):
        report = None if progress is None else _shifted(progress, before, total)
        journal = shared[law] if shared else None
        results[law] = simulate(scenario, jobs=jobs, progress=report, journal=journal)
        before += size
    return results


def _shifted(progress: Progress, before: int, total: int) -> Progress:
    return lambda done, _: progress(before + done, total)
