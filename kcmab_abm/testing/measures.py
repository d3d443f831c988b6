"""The checks of measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kcmab_abm.catalogue.entries import Entry, Number
from kcmab_abm.catalogue.registry import MEASURES
from kcmab_abm.running.experiment import play
from kcmab_abm.scenario.measures import COUNTS, is_count
from kcmab_abm.scenario.scenario import make_scenario
from kcmab_abm.testing.engines import MARKETS, check_engines
from kcmab_abm.testing.lookup import check_description, found
from kcmab_abm.testing.numbers import number, numbers
from kcmab_abm.testing.plays import counted


def check_measure(
    measure: str | Callable[..., float],
    *,
    examples: int = 50,
    seed: int = 0,
    engines: bool = True,
) -> None:
    """Check that a measure keeps the rules.

    It counts a finite number for any customer, or any run, depends on nothing but what it asks for,
    and does the same in both engines.

    Parameters
    ----------
    measure : str or callable
        A name, or the function that was decorated with `measure`.
    examples, seed, engines
        As for `check_policy`.

    Raises
    ------
    AssertionError
        If a rule is broken; the message says which one.

    Examples
    --------
    >>> from kcmab_abm.testing import check_measure
    >>> check_measure("profit", engines=False)
    """
    entry = found(MEASURES, measure)
    check_description(entry)
    for example in range(examples if entry.kind == "measure" else MARKETS):
        rng = np.random.default_rng([seed, example])
        values = tuple(number(rng, each) for each in entry.parameters.values())
        if entry.kind == "measure":
            given = counted(rng)
            counts = [entry.ask("act", params=entry.params(values), **given) for _ in range(2)]
        else:
            counts = [_of_run(entry, values, example) for _ in range(2)]
        for each in counts:
            assert is_count(each), f"{entry.kind} {entry.name!r} counted {each}; {COUNTS}"
        assert counts[0] == counts[1], f"{entry.kind} {entry.name!r} does not repeat itself"
    if engines:
        check_engines(
            seed,
            lambda rng: {
                "market": {"customers": {"behaviour": "recency", "window": 5}},
                "measures": {"checked": {"measure": entry.name, **numbers(rng, entry)}},
            },
        )


def _of_run(entry: Entry, values: tuple[Number, ...], seed: int) -> float:
    """The measure of a short run."""
    table: dict[str, Any] = dict(zip(entry.parameters, values, strict=True))
    scenario = make_scenario(
        {
            "horizon": 1 + 30 * seed,
            "seed": seed,
            "market": {"arms": {"law": "bernoulli", "means": [0.6, 0.4]}},
            "policy": [{"name": "ucb"}],
            "measures": {"checked": {"measure": entry.name, **table}},
        }
    )
    run = play(scenario, engine="market")
    return scenario.measures.of_run(run, scenario.horizon, 0)[0]
