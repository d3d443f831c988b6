"""The command `kcmab optimum`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from kcmab_abm.cli.options import NumberRange, force_option, option, out_option, with_option
from kcmab_abm.cli.paper import write_table

_PRICES = (0.0, 0.1, 1.0, 10.0, 100.0)


@click.command()
@option("--horizon", click.IntRange(2), "Number of customers, the first two included.", 100)
@click.option(
    "--price",
    "prices",
    type=NumberRange(0, 1e6),
    multiple=True,
    default=_PRICES,
    show_default=True,
    help="Price of compensation; repeat it for several points of the frontier.",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME",
    help="Policy to compare with the frontier, with its default settings; repeat it for several "
    "(default: all that have an exact value).",
)
@option("--a", NumberRange(0, 1e6, min_open=True), "First parameter of the Beta prior.", 1.0)
@option("--b", NumberRange(0, 1e6, min_open=True), "Second parameter of the Beta prior.", 1.0)
@with_option
@out_option
@force_option
def optimum(
    horizon: int,
    prices: tuple[float, ...],
    policies: tuple[str, ...],
    a: float,
    b: float,
    out: Path | None,
    force: bool,
) -> None:
    """Compute the least regret and compensation of two Bernoulli arms.

    Regret and compensation are exact expectations, where the means are drawn from a Beta prior.
    For every price, the least possible regret + price x compensation is a point of the frontier.
    The compensation of a policy is compared with the least that any controller pays whose regret is
    no higher.

    \b
    Example:
      kcmab optimum --horizon 100 --price 0 --price 1
    """
    from kcmab_abm.cli.tables import print_frame
    from kcmab_abm.figures.optimum import draw_optimum
    from kcmab_abm.running.results_folder import check_folder
    from kcmab_abm.theory.frontier import Frontier

    if out is not None:
        check_folder(out, force)
    names, refused = _policies(policies, horizon)
    frontier = Frontier(horizon, a, b)
    values, drawn = _values(frontier, names, bool(policies))
    refused += drawn
    table = _compared(frontier, sorted(set(prices)), values)
    prior = f"Beta({a:g}, {b:g})"
    print_frame(f"Two Bernoulli arms, means from {prior}, {horizon:,} customers", table, 3)
    if refused:
        click.echo(f"Without an exact value: {', '.join(sorted(refused))}; simulate these.")
    if out is not None:
        settings = {"horizon": horizon, "prices": list(prices), "a": a, "b": b}
        settings["policies"] = list(values)
        figure = draw_optimum(table, frontier.curve(), horizon, prior)
        write_table(out, force, table, figure, settings)


def _policies(given: tuple[str, ...], horizon: int) -> tuple[list[str], list[str]]:
    """The policies to compare, and those of the catalogue that have no exact value."""
    from kcmab_abm.catalogue.registry import POLICIES, unknown
    from kcmab_abm.errors import MarketError, UnknownNameError
    from kcmab_abm.theory.exact_policies import why_no_exact_value

    for name in given:
        if name not in POLICIES:
            raise UnknownNameError(f"--policy: {unknown('policy', name, list(POLICIES))}")
    long = {
        name: needs.horizon
        for name, entry in POLICIES.items()
        if (needs := entry.needs) and needs.horizon < horizon
    }
    for name in long.keys() & set(given):
        raise MarketError(f"--policy: {name!r} needs a horizon of at most {long[name]:,}")
    if given:
        return list(dict.fromkeys(given)), []
    refused = [name for name in POLICIES if name in long or why_no_exact_value(name)]
    return [name for name in POLICIES if name not in refused], refused


def _values(frontier: Any, names: list[str], asked: bool) -> tuple[dict[str, Any], list[str]]:
    """The exact values of policies, and which turn out to have none; that is an error if asked."""
    from kcmab_abm.errors import EngineError
    from kcmab_abm.running.progress import progress_bar
    from kcmab_abm.theory.exact_policies import policy_value

    values: dict[str, Any] = {}
    refused: list[str] = []
    with progress_bar("policies") as show:
        for done, name in enumerate(names):
            show(done, len(names), doing=name)
            try:
                values[name] = policy_value(name, frontier.horizon, frontier.a, frontier.b)
            except EngineError:
                if asked:
                    raise
                refused.append(name)
    return values, refused


def _compared(frontier: Any, prices: list[float], values: dict[str, Any]) -> Any:
    """One row per price and one per policy."""
    import pandas as pd

    from kcmab_abm.running.progress import progress_bar

    rows: list[tuple[str, float, float, float, float, float]] = []
    total = len(prices) + len(values)
    with progress_bar("frontier") as show:
        for price in prices:
            best = frontier.at(price)
            rows.append(("optimum", price, best.regret, best.compensation, best.compensation, 1.0))
            show(len(rows), total)
        for name, value in values.items():
            needed = frontier.least_compensation(value.regret)
            rows.append((name, math.nan, *value, needed, _ratio(value.compensation, needed)))
            show(len(rows), total)
    columns = ["controller", "price", "regret", "compensation", "needed", "times_needed"]
    return pd.DataFrame(rows, columns=columns)


def _ratio(paid: float, needed: float) -> float:
    """How many times what is needed is paid; not a number where neither is anything."""
    if needed > 0.0:
        return paid / needed
    return math.inf if paid > 0.0 else math.nan
