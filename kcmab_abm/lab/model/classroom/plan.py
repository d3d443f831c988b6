"""What the teacher decides when she opens a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.classroom.roster import new_code
from kcmab_abm.scenario.scenario import Scenario, make_scenario

Event = dict[str, Any]
MOST_ROOMS = 20
SECONDS = 20.0  # that a guest has to choose


@dataclass(frozen=True)
class Plan:
    """What the teacher decided when she opened the class.

    `seconds` are those that a guest has; students type `names` only if she asks for them.
    """

    scenario: Scenario
    rooms: int = 1
    seconds: float = SECONDS
    names: bool = False
    code: str = field(default_factory=new_code)

    def __post_init__(self) -> None:
        if not 1 <= self.rooms <= MOST_ROOMS:
            raise MarketError(f"A class has 1 to {MOST_ROOMS} rooms, not {self.rooms}.")

    def table(self) -> Event:
        """The plan as JSON values."""
        settings = self.scenario.settings
        others = {"rooms": self.rooms, "seconds": self.seconds, "names": self.names}
        return {"scenario": settings, **others, "code": self.code}

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Plan:
        """The plan that a table describes."""
        return cls(**{**table, "scenario": make_scenario(table["scenario"])})
