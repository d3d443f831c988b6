"""The choices that a fit explains, from trajectories, results or a ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kcmab_abm.errors import MarketError
from kcmab_abm.market.retrace import retrace
from kcmab_abm.model.seen import Floats, Seen
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.results.results import Results
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.running.experiment import player
from kcmab_abm.running.manifest import check_is_folder
from kcmab_abm.running.read_ledger import Recorded, read_ledger
from kcmab_abm.running.source import open_scenario
from kcmab_abm.scenario.scenario import Scenario

Runs = Trajectory | Sequence[Trajectory] | Results | str | Path
LARGEST = 5 * 10**7  # choices times arms: 400 MB of offers

UNCONFIRMED = (
    "assumes that every customer saw all reports of those before her; if not, give the scenario"
)


@dataclass(frozen=True)
class Observed:
    """The choices, and the market in which they were made.

    `seen` has one entry per run, named by `names`. `scenario` is None if it is not known.
    """

    seen: tuple[Seen, ...]
    names: tuple[str, ...]
    arms: int
    horizon: int
    first_ties: bool
    scenario: Scenario | None
    notes: tuple[str, ...] = ()

    @property
    def choices(self) -> int:
        """The number of choices."""
        return sum(len(each.customers) for each in self.seen)


def observe(
    run: Runs,
    scenario: Scenario | None = None,
    policy: str | None = None,
    replications: Collection[int] | None = None,
) -> Observed:
    """Find out what the customers saw and what they took; parameters as for `fit`."""
    if isinstance(run, SweepResults):
        raise MarketError(
            "a sweep has other settings, and perhaps other customers, at every point; give the "
            "results of one scenario"
        )
    if isinstance(run, Trajectory):
        run = [run]
    if isinstance(run, str | Path):
        check_is_folder(Path(run))
        scenario = scenario or open_scenario(run)
        found = _chosen(read_ledger(run), scenario, policy, replications)
    elif isinstance(run, Results):
        scenario = run.scenario
        found = _replayed(run, policy, replications)
    else:
        numbers = range(len(run)) if replications is None else replications
        if len(numbers) != len(run):
            raise MarketError(
                f"replications: {len(numbers)} numbers for {len(run)} trajectories; give one each"
            )
        pairs = zip(numbers, run, strict=True)
        found = (Recorded("", replication, each) for replication, each in pairs)
    return _observed(list(found), scenario)


def _chosen(
    found: Iterator[Recorded],
    scenario: Scenario,
    policy: str | None,
    replications: Collection[int] | None,
) -> Iterator[Recorded]:
    """The runs of a policy, or of all, that are asked for."""
    label = None if policy is None else scenario.policy(policy).label
    for each in found:
        if label in (None, each.policy) and (
            replications is None or each.replication in replications
        ):
            yield each


def _replayed(
    results: Results, policy: str | None, replications: Collection[int] | None
) -> Iterator[Recorded]:
    """The runs of results, played again."""
    scenario = results.scenario
    chosen = scenario.policies if policy is None else (scenario.policy(policy),)
    numbers = range(results.replications) if replications is None else replications
    _check_size(len(chosen) * len(numbers) * scenario.horizon, len(scenario.market.arms))
    for choice in chosen:
        play, runs = player(scenario, choice), results.runs[choice.label]
        for replication in numbers:
            run = play(replication)
            if np.cumsum(run.payments)[-1] != runs.final("compensation")[replication]:
                raise MarketError(
                    f"policy {choice.label!r}: playing replication {replication} again gave "
                    "another result, so that these are not choices of simulated customers; give "
                    "the folder with their ledger"
                )
            yield Recorded(choice.label, replication, run)


def _check_size(customers: int, arms: int) -> None:
    if customers * arms > LARGEST:
        raise MarketError(
            f"{customers:,} choices among {arms} arms are more than a fit can hold; choose some "
            "with replications"
        )


def _observed(found: list[Recorded], scenario: Scenario | None) -> Observed:
    """What was seen in these runs."""
    if not found:
        raise MarketError("no such runs are recorded; check policy and replications")
    arms = _arms(found)
    if scenario is not None:
        if arms > len(scenario.market.arms):
            raise MarketError(
                f"arm {arms - 1} was promoted or taken, and the scenario has "
                f"{len(scenario.market.arms)} arms; give the scenario that was run"
            )
        arms = len(scenario.market.arms)
    _check_size(sum(len(each.run) for each in found), arms)
    at_once = scenario is None or _is_plain(scenario)
    seen, names = [], []
    for policy, replication, run in found:
        names.append(f"{policy}, replication {replication}".lstrip(", "))
        offers = _offers(run, arms)
        if scenario is not None and not at_once:
            seen.append(retrace(scenario, replication, run, offers))
        else:
            seen.append(_told_at_once(run, offers, arms, names[-1]))
    longest = max(len(each.run) for each in found)
    observed = Observed(
        seen=tuple(seen),
        names=tuple(names),
        arms=arms,
        horizon=longest if scenario is None else max(scenario.horizon, longest),
        first_ties=scenario is not None and scenario.market.ties == "first",
        scenario=scenario,
        notes=(UNCONFIRMED,) if scenario is None else (),
    )
    if not observed.choices:
        raise MarketError("there are no choices: all customers were directed to unreported arms")
    return observed


def _arms(found: list[Recorded]) -> int:
    """The number of arms: every one was promoted or taken before anybody chose."""
    return 1 + max(int(max(each.run.targets.max(), each.run.arms.max())) for each in found)


def _is_plain(scenario: Scenario) -> bool:
    """Whether every customer sees the rewards of all before her."""
    market = scenario.market
    return not (
        market.is_timed
        or market.is_selective
        or market.capacity
        or market.report_probability < 1.0
        or market.customers.entry.report
    )


def _offers(run: Trajectory, arms: int) -> Floats:
    """The offers on all arms, one row per customer."""
    offers = np.zeros((len(run), arms))
    lines = np.flatnonzero(run.targets >= 0)
    offers[lines, run.targets[lines]] = run.offers[lines]
    lines, places = np.nonzero(run.beside >= 0)
    offers[lines, run.beside[lines, places]] = run.beside_offers[lines, places]
    return offers


def _told_at_once(run: Trajectory, offers: Floats, arms: int, name: str) -> Seen:
    """What customers saw if all reports before them were known."""
    directed = np.sort(run.arms[:arms])
    if (
        run.seeded.sum() != min(arms, len(run))
        or not run.seeded[:arms].all()
        or (len(run) >= arms and (directed != np.arange(arms)).any())
    ):
        raise MarketError(
            f"{name}: customers were directed to arms without reports other than once to each at "
            "the start, as if reports were delayed or lost; give the scenario that was run"
        )
    customers = np.flatnonzero(~run.seeded)
    reported = run.arms >= 0
    reporters = np.flatnonzero(reported)
    return Seen(
        reporters=reporters + 1,
        reported=run.arms[reporters],
        told=run.rewards[reporters],
        customers=customers + 1,
        heard=(np.cumsum(reported) - reported)[customers],
        targets=run.targets[customers],
        taken=run.arms[customers],
        offers=offers[customers],
        rivals=bool(run.beside.shape[1] or (offers < 0.0).any()),
        pulls=np.zeros((0, arms), np.int64),
        totals=np.zeros((0, arms)),
        means=np.zeros((0, arms)),
    )
