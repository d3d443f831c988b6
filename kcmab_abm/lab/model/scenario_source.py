"""The scenario file behind a setup: its question, its sweep, and what of it the lab leaves out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.model.limits import MOST_CUSTOMERS, MOST_POINTS, check_settings
from kcmab_abm.scenario.messages import validated
from kcmab_abm.scenario.paths import with_values, written
from kcmab_abm.scenario.schema import scenario_table
from kcmab_abm.scenario.sweep import Sweep, SweepTable

LONGEST_VALUE = 60  # characters of a value next to the slider
_COMMENT = re.compile(r"#[ \t]?(.*)")


@dataclass(frozen=True)
class Source:
    """The settings of a file as they were given, and the question in its first comment."""

    settings: Mapping[str, Any] = field(hash=False)
    question: str = ""

    @cached_property
    def base(self) -> dict[str, Any]:
        """The settings without what only `kcmab run` can do."""
        kept = {key: value for key, value in self.settings.items() if key not in _RUN_ONLY}
        return kept | ({"horizon": MOST_CUSTOMERS} if self._is_long(kept) else {})

    @cached_property
    def sweep(self) -> Sweep | None:
        """The sweep in the file, if it has one."""
        if "sweep" not in self.settings:
            return None
        check_settings(self.settings)
        table = validated(SweepTable, self.settings["sweep"])
        if table.count() > MOST_POINTS:
            raise ScenarioError(
                [
                    f"sweep: the lab allows at most {MOST_POINTS:,} points, got "
                    f"{table.count():,}; use 'kcmab run'"
                ]
            )
        return table.build(validated(scenario_table(), self.base))

    @property
    def points(self) -> int:
        """The number of points on the slider; 0 without a sweep."""
        return 0 if self.sweep is None else len(self.sweep.points)

    def at(self, point: int) -> dict[str, Any]:
        """The settings at a point of the sweep; without a sweep, `base`."""
        if self.sweep is None:
            return self.base
        settings = with_values(self.base, self.sweep.points[point])
        return settings | ({"horizon": MOST_CUSTOMERS} if self._is_long(settings) else {})

    def values(self, point: int) -> list[tuple[str, str]]:
        """The settings varied and their values at a point, in words."""
        if self.sweep is None:
            return []
        told = ((path, written(value)) for path, value in self.sweep.shown[point].items())
        return [
            (path, word if len(word) <= LONGEST_VALUE else f"{word[:LONGEST_VALUE]} …")
            for path, word in told
        ]

    @property
    def notes(self) -> list[str]:
        """What the lab does not do with this file, one sentence each."""
        found = []
        if self._is_long(self.settings):
            found.append(
                f"The file has {self.settings['horizon']:,} customers; the lab shows the first "
                f"{MOST_CUSTOMERS:,} of a market of that length."
            )
        if "precision" in self.settings:
            found.append(
                "Batch runs in the lab have a fixed number of replications; only “kcmab run” adds "
                "replications until the precision in the file is reached."
            )
        return found

    @staticmethod
    def _is_long(settings: Mapping[str, Any]) -> bool:
        horizon = settings.get("horizon")
        return type(horizon) is int and horizon > MOST_CUSTOMERS


_RUN_ONLY = ("sweep", "precision")


def question_in(text: str) -> str:
    r"""The first paragraph of the comment with which a file begins; '' if there is none.

    >>> question_in("# Who pays,\n# and why?\n#\n# Result: ...\nhorizon = 5")
    'Who pays, and why?'
    """
    words = []
    for line in text.splitlines():
        found = _COMMENT.fullmatch(line)
        if not found or not found[1].strip():
            break
        words.append(found[1].strip())
    return " ".join(words)
