"""Scenarios, read from a file or made from settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

from kcmab_abm.catalogue.entries import Entry, Law
from kcmab_abm.catalogue.html_table import html_table
from kcmab_abm.errors import ScenarioError
from kcmab_abm.scenario.fields import ScenarioSettings, plain
from kcmab_abm.scenario.measures import NO_MEASURES, Measures
from kcmab_abm.scenario.messages import validated
from kcmab_abm.scenario.paths import changed, fault
from kcmab_abm.scenario.precision import Precision
from kcmab_abm.scenario.purse import PurseRules
from kcmab_abm.scenario.reading import read_settings
from kcmab_abm.scenario.schema import ScenarioTable, scenario_table
from kcmab_abm.scenario.sweep import Sweep
from kcmab_abm.scenario.world import Choice, Market


@dataclass(frozen=True, repr=False)
class Scenario:
    """An experiment: a market, the policies to compare, the horizon and the replications.

    Made by `load_scenario` or `make_scenario`; immutable. `replace` and `at` return variants.

    Attributes
    ----------
    title, horizon, replications, seed, record, sample, precision
        As in the scenario file.
    market : Market
        Arms, customers, arrivals and frictions.
    purse : PurseRules
        The controller's pricing rule and budget.
    policies : tuple of Choice
        The policies to compare, with their labels and parameters.
    measures : Measures
        What is counted beside regret and compensation.
    sweep : Sweep or None
        The settings that are varied, and their values at every point.
    settings : dict
        All settings, including defaults, as JSON values.
    folder : Path
        The folder of files that the scenario reads.
    """

    title: str
    horizon: int
    replications: int
    seed: int
    market: Market
    purse: PurseRules
    policies: tuple[Choice, ...]
    _table: ScenarioTable = field(compare=False)
    folder: Path = field(compare=False)
    sweep: Sweep | None = field(default=None, hash=False)
    _points: tuple[Scenario, ...] = field(default=(), compare=False)
    record: str = "curves"
    sample: tuple[int, ...] = ()
    precision: Precision | None = None
    measures: Measures = NO_MEASURES

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All settings, including defaults, as JSON values."""
        return self._table.model_dump(exclude_none=True)

    def __getstate__(self) -> dict[str, Any]:
        # Other processes may have other entries, and so other tables.
        return {**self.__dict__, "settings": self.settings, "_table": None}

    def __repr__(self) -> str:
        return f"<Scenario {self.title!r}: {self.size}>"

    def _repr_html_(self) -> str:
        laws = dict.fromkeys(arm.law.name for arm in self.market.arms)
        rows = {
            "horizon": f"{self.horizon:,}",
            "replications": f"{self.replications:,}",
            "seed": f"{self.seed}",
            "arms": f"{len(self.market.arms):,} ({', '.join(laws)})",
            "customers": self.market.customers.label,
            "offer": self.purse.offer.label,
            "policies": ", ".join(choice.label for choice in self.policies),
        }
        if self.sweep is not None:
            rows["sweep"] = f"{len(self.sweep.points):,} points: {', '.join(self.sweep.axes)}"
        return html_table(rows, self.title or "Scenario")

    @property
    def size(self) -> str:
        """The size of the experiment in words."""
        points = f", {len(self.sweep.points):,} sweep points" if self.sweep else ""
        policies = "1 policy" if len(self.policies) == 1 else f"{len(self.policies)} policies"
        return (
            f"{policies}, {len(self.market.arms)} arms, {self.replications:,} x "
            f"{self.horizon:,} customers{points}"
        )

    def policy(self, label: str) -> Choice:
        """Return the policy with a label.

        Parameters
        ----------
        label : str
            The label, or the name of the policy if only one has it.

        Returns
        -------
        Choice
            The policy with its parameters.

        Raises
        ------
        ScenarioError
            If there is no such policy.
        """
        found = [choice for choice in self.policies if choice.label == label]
        found = found or [choice for choice in self.policies if choice.entry.name == label]
        if len(found) == 1:
            return found[0]
        labels = [choice.label for choice in self.policies]
        raise ScenarioError([f"no policy labelled {label!r}; this scenario has: {labels}"])

    def drawn(self, replication: int) -> Scenario:
        """Return the scenario of one replication; this one unless its market is random.

        Parameters
        ----------
        replication : int
            The number of the replication, counted from 0.

        Returns
        -------
        Scenario
            A scenario in which the means of the arms are those that this replication draws.

        Examples
        --------
        >>> from kcmab_abm import make_scenario
        >>> arms = {"law": "bernoulli", "count": 2, "means": {"prior": "uniform"}}
        >>> settings = {"horizon": 100, "market": {"arms": arms}, "policy": [{"name": "ucb"}]}
        >>> make_scenario(settings).drawn(0).market.means.round(3)
        array([0.891, 0.616])
        """
        market = self.market.drawn(self.seed, replication)
        return self if market is self.market else replace(self, market=market)

    @property
    def rivals(self) -> int:
        """The number of arms that can carry an offer besides the target."""
        return min(self.purse.also, len(self.market.arms) - 1)

    def records(self, replication: int) -> bool:
        """Return True if the ledger holds every customer of this replication."""
        return self.record == "paths" or (self.record == "sample" and replication in self.sample)

    def watches_purse(self, policy: Choice) -> bool:
        """Return True if the policy or the pricing rule asks for the purse."""
        return any(each.asks_for("purse") for each in (policy.entry, self.purse.offer.entry))

    def users(self, policy: Choice) -> list[Entry | Law]:
        """Return the entries and laws that are user-defined."""
        agents = [policy, self.market.customers, self.purse.offer, self.market.disclosure]
        parts: list[Entry | Law] = [choice.entry for choice in agents]
        parts += [*self.measures.entries, *dict.fromkeys(arm.law for arm in self.market.arms)]
        return [each for each in parts if not each.is_own]

    def points(self) -> tuple[Scenario, ...]:
        """Return the scenarios of the sweep, one per point; none without a sweep."""
        return self._points

    def replace(self, **changes: Unpack[ScenarioSettings]) -> Scenario:
        """Return a copy with some top-level settings replaced.

        Parameters
        ----------
        changes
            New values of top-level settings; None removes one that may be left out.

        Returns
        -------
        Scenario
            A new, checked scenario.

        Raises
        ------
        ScenarioError
            If it cannot be run; `problems` lists everything wrong with it.

        Examples
        --------
        >>> from kcmab_abm import make_scenario
        >>> market = {"arms": {"law": "bernoulli", "means": [0.9, 0.8]}}
        >>> settings = {"horizon": 100, "market": market, "policy": [{"name": "ucb"}]}
        >>> make_scenario(settings).replace(horizon=20)
        <Scenario '': 1 policy, 2 arms, 1,000 x 20 customers>
        """
        return make_scenario({**self.settings, **changes}, folder=self.folder)

    def at(self, point: Mapping[str, Any]) -> Scenario:
        """Return a copy with new values at some paths, as in a sweep.

        Parameters
        ----------
        point : mapping of str to object
            A value for each path, such as ``market.customers.tau`` or ``policy[1].epsilon``
            (entries are counted from 0). NumPy numbers and arrays are accepted. Whole tables are
            replaced first, then settings within them.

        Returns
        -------
        Scenario
            A new, checked scenario. Policies without an explicit label get a new one; at the
            points of a sweep they keep the label that they have in the file.

        Raises
        ------
        ScenarioError
            If a path is invalid or the scenario cannot be run.

        Examples
        --------
        >>> from kcmab_abm import make_scenario
        >>> arms = {"law": "bernoulli", "means": [0.9, 0.8]}
        >>> market = {"arms": arms, "customers": {"behaviour": "logit"}}
        >>> settings = {"horizon": 100, "market": market, "policy": [{"name": "ucb"}]}
        >>> noisy = make_scenario(settings).at({"market.customers.tau": 0.2, "horizon": 1e3})
        >>> noisy.horizon, noisy.market.customers.params.tau
        (1000, 0.2)
        """
        if wrong := [words for path in point if (words := fault(path))]:
            raise ScenarioError(wrong)
        table = validated(scenario_table(), self.settings)
        return validated(type(table), changed(table, plain(point))).build(self.folder)


def load_scenario(path: str | Path) -> Scenario:
    """Read and check a scenario file.

    Parameters
    ----------
    path : str or Path
        A TOML file; see the page on scenario files for its settings.

    Returns
    -------
    Scenario
        The scenario in the file.

    Raises
    ------
    ScenarioError
        If the file cannot be read or run; `problems` lists everything wrong with it.
    """
    return make_scenario(read_settings(path), folder=Path(path).parent, source=f"{path}: ")


def make_scenario(
    settings: Mapping[str, Any], *, folder: str | Path = ".", source: str = ""
) -> Scenario:
    """Make a scenario from settings with the structure of a scenario file.

    Parameters
    ----------
    settings : mapping
        The settings as nested dictionaries and lists; NumPy numbers and arrays are accepted.
    folder : str or Path
        The folder of the files that the scenario reads.
    source : str
        The prefix of every line of an error, such as the name of a file.

    Returns
    -------
    Scenario
        The scenario.

    Raises
    ------
    ScenarioError
        If it cannot be run; `problems` lists everything wrong with it.

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> market = {"arms": {"law": "bernoulli", "means": [0.9, 0.8]}}
    >>> policies = [{"name": "ucb"}, {"name": "modified-ts"}]
    >>> make_scenario({"title": "Two arms", "horizon": 1e4, "market": market, "policy": policies})
    <Scenario 'Two arms': 2 policies, 2 arms, 1,000 x 10,000 customers>
    """
    try:
        return validated(scenario_table(), plain(settings)).build(Path(folder))
    except ScenarioError as error:
        raise ScenarioError([source + problem for problem in error.problems]) from None
