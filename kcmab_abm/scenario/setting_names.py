"""The names of settings in figures and tables, from the descriptions in the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from kcmab_abm.errors import MarketError
from kcmab_abm.scenario.messages import validated
from kcmab_abm.scenario.paths import steps
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.schema import scenario_table

_CLAUSE = re.compile(r"[;:(]")  # ends the first part of a description
_MOST_POINTS = 64  # in which a setting is looked for that the file itself lacks
_MOST_WORDS = 9  # of a description that names a setting


def setting_name(scenario: Scenario, path: str) -> str:
    """What a setting means and how a scenario file calls it.

    Parameters
    ----------
    scenario : Scenario
        The scenario, with or without a sweep; if it has one, any of its points may have the
        setting.
    path : str
        The path of the setting.

    Returns
    -------
    str
        Such as "noise of customers, tau"; the last words of the path if nothing describes it.

    Examples
    --------
    >>> from kcmab_abm import make_scenario
    >>> arms = {"law": "bernoulli", "means": [0.9, 0.8]}
    >>> market = {"arms": arms, "customers": {"behaviour": "logit"}}
    >>> settings = {"horizon": 100, "market": market, "policy": [{"name": "ucb"}]}
    >>> scenario = make_scenario(settings)
    >>> setting_name(scenario, "market.customers.tau")
    'noise of customers, tau'
    >>> setting_name(scenario, "market.arms.means[0]")
    'mean of arm 0'
    """
    way = steps(path)
    *_, last = way
    if isinstance(last, int):
        parent = str(way[-2]) if len(way) > 1 else "entry"
        return f"mean of arm {last}" if parent == "means" else f"{_spaced(parent)} {last}"
    about = next(filter(None, (_described(each, way) for each in _variants(scenario))), "")
    clause = _CLAUSE.split(about)[0].split(", ")[0].strip().removeprefix("the ")
    clause = clause.removeprefix("true if ")
    word = _spaced(last)
    if way[0] == "policy" and len(way) > 2 and len(scenario.policies) > 1:
        word = f"{word} of {scenario.policies[int(way[1])].label}"
    if not clause or len(clause.split()) > _MOST_WORDS:
        return word
    return clause if word == clause else f"{clause}, {word}"


def find_setting(paths: Sequence[str], given: str) -> str:
    """The one of these paths that is meant: all of it, or only its last words.

    >>> find_setting(["horizon", "market.customers.tau"], "tau")
    'market.customers.tau'
    """
    found = [path for path in paths if path == given]
    found = found or [path for path in paths if path.endswith(f".{given}")]
    if len(found) != 1:
        raise MarketError(
            f"{given!r} is not the path of one swept setting; give one of: {', '.join(paths)}"
        )
    return found[0]


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """The last word of each path where no other path ends in it, else as much as is needed.

    >>> short_names(["market.customers.tau", "policy[0].epsilon", "policy[1].epsilon"])
    {'market.customers.tau': 'tau', 'policy[0].epsilon': 'policy[0].epsilon', \
'policy[1].epsilon': 'policy[1].epsilon'}
    """
    names = {}
    for path in paths:
        words = path.split(".")
        endings = [".".join(words[-count:]) for count in range(1, len(words) + 1)]
        alone = (
            each
            for each in endings
            if sum(other == each or other.endswith(f".{each}") for other in paths) == 1
        )
        names[path] = next(alone, path)
    return names


def tidy_names(paths: Sequence[str]) -> dict[str, str]:
    """Short names that are identifiers, for the columns of a table.

    >>> tidy_names(["market.customers.tau", "market.arms.means[0]"])
    {'market.customers.tau': 'tau', 'market.arms.means[0]': 'means_0'}
    """
    return {
        path: re.sub(r"\W+", "_", name).strip("_").lower()
        for path, name in short_names(paths).items()
    }


def _variants(scenario: Scenario) -> Iterator[Scenario]:
    yield scenario
    yield from scenario.points()[:_MOST_POINTS]


def _described(scenario: Scenario, way: Sequence[str | int]) -> str:
    """The description of a setting in the schema of the tables that a scenario has; '' if none."""
    here: Any = validated(scenario_table(), scenario.settings)
    about = ""
    for step in way:
        if isinstance(step, int):
            if not isinstance(here, list) or step >= len(here):
                return ""
            here = here[step]
        elif isinstance(here, BaseModel) and step in type(here).model_fields:
            about = type(here).model_fields[step].description or ""
            here = here.__dict__[step]
        elif isinstance(here, dict) and step in here:  # measures, by the names of their columns
            about, here = "", here[step]
        else:
            return ""
    is_table = isinstance(here[0] if here and isinstance(here, list) else here, BaseModel)
    return "" if is_table else about  # what is told of a table is how to write it


def _spaced(word: str) -> str:
    return word.replace("_", " ").replace("-", " ")
