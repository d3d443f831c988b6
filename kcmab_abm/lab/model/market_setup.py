"""The setup of a page: a scenario, the controllers shown, and the number of customers served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kcmab_abm.lab.model.limits import check_scenario, check_settings
from kcmab_abm.lab.model.scenario_source import Source
from kcmab_abm.scenario.scenario import Scenario, make_scenario
from kcmab_abm.scenario.schema import scenario_table
from kcmab_abm.scenario.world import Choice

STARTING: dict[str, Any] = {
    "title": "Nine arms",
    "horizon": 10_000,
    "replications": 1000,
    "seed": 2018,
    "market": {
        "arms": {"law": "bernoulli", "means": [0.4, 0.7, 0.2, 0.9, 0.5, 0.1, 0.8, 0.3, 0.6]}
    },
    "policy": [{"name": "ucb"}, {"name": "modified-ts"}],
}

# Tables that a scenario may leave out because they only repeat the defaults.
_DEFAULT_TABLES: dict[str, Any] = {
    "customers": {"behaviour": "greedy"},
    "disclosure": {"rule": "full"},
    "arrivals": {"process": "slots"},
    "offer": {"rule": "least"},
}


@dataclass(frozen=True)
class Setup:
    """A validated scenario and how the page shows it.

    `left` and `right` are indices into the scenario's policies; `right` is None while only one
    market is shown. `shown` customers have come and gone. `source` is the file that the scenario
    comes from, and `point` the point of its sweep.
    """

    scenario: Scenario
    left: int = 0
    right: int | None = None
    shown: int = 0
    revealed: bool = False
    source: Source | None = None
    point: int = 0

    @property
    def places(self) -> list[int]:
        """The indices of the controllers shown, from left to right."""
        return [self.left] if self.right is None else [self.left, self.right]

    @property
    def policies(self) -> list[Choice]:
        """The controllers shown, from left to right."""
        return [self.scenario.policies[place] for place in self.places]

    @property
    def settings(self) -> dict[str, Any]:
        """The scenario as a file would state it, without settings that equal their defaults."""
        table = scenario_table().model_validate(dict(self.scenario.settings))
        return table.model_dump(exclude_defaults=True)

    def change(self, **changes: Any) -> Setup:
        """Change some of the scenario's top-level settings and return to the first customer."""
        return replace(self, scenario=make_lab_scenario(self.settings | changes), shown=0)

    def replicate(self, replications: int) -> Setup:
        """Set the number of replications for a batch run; the market stays where it is."""
        settings = self.settings | {"replications": replications}
        return replace(self, scenario=make_lab_scenario(settings))


def starting_setup() -> Setup:
    """The setup of a page that was opened without a scenario."""
    return Setup(make_lab_scenario(STARTING))


def make_lab_scenario(settings: Mapping[str, Any]) -> Scenario:
    """Validate settings as those of a scenario file, and check that the page can show them."""
    check_settings(settings)
    scenario = make_scenario(settings)
    check_scenario(scenario)
    return scenario


def shown_settings(setup: Setup) -> dict[str, Any]:
    """The scenario's settings with only those controllers that are shown."""
    settings = setup.settings
    policies = [settings["policy"][place] for place in dict.fromkeys(setup.places)]
    return settings | {"policy": policies}


def without_defaults(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings without tables that only repeat the defaults."""
    trimmed = {
        word: {key: value for key, value in table.items() if _DEFAULT_TABLES.get(key) != value}
        for word, table in settings.items()
        if word in ("market", "purse")
    }
    return {word: value for word, value in (settings | trimmed).items() if value != {}}
