"""The numbers and figures of the research note.

Every part runs the scenario file that is named beside it in the note, and prints its table; with
`--page`, the table takes the place of the one on the page, and figures are drawn beside the page.

    python scenarios/research_note.py --page docs/research-note.md
    python scenarios/research_note.py --part law --share 0.01
"""

import argparse
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import kcmab_abm as kcmab
from kcmab_abm import theory
from kcmab_abm.figures.optimum import draw_optimum
from kcmab_abm.figures.scales import write_plainly
from kcmab_abm.figures.style import pens, save, styled
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.statistics import half_width, standard_error

HERE = Path(__file__).parent
HORIZONS = (50, 100, 200, 400)
NINE_ARMS = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]


def scenario_of(name, share):
    """A scenario of this folder with a share of its replications, and at least two."""
    scenario = kcmab.load_scenario(HERE / f"{name}.toml")
    return scenario.replace(replications=max(2, round(share * scenario.replications)))


def interval(values, digits=1):
    """The mean of a sample with its 95 % interval."""
    width = half_width(standard_error(values), len(values), 0.95)
    return f"{values.mean():.{digits}f} ± {width:.{digits}f}"


def curve(results, label, customers, measure="compensation"):
    """A measure after so many customers, in every replication."""
    place = int(np.searchsorted(results.checkpoints, customers))
    assert results.checkpoints[place] == customers
    return results.runs[label].curves[:, place, CURVES.index(measure)]


def new_figure(high=6.0):
    """An empty figure and its axes."""
    figure = Figure(figsize=(9.0, high), layout="constrained")
    return figure, figure.subplots()


# The frontier: exact numbers, without simulation.

PLACED = {
    "gittins": ("gittins", {}),
    "kl-ucb, half, remaining": ("kl-ucb", {"scale": 0.5, "plus": True, "remaining": True}),
    "kl-ucb": ("kl-ucb", {}),
    "imed": ("imed", {}),
    "modified-ts, 4 free": ("modified-ts", {"free_customers": 4}),
    "modified-ts": ("modified-ts", {}),
    "ts": ("ts", {}),
    "modified-epsilon-greedy, eps = 1": ("modified-epsilon-greedy", {"epsilon": 1.0}),
    "greedy": ("greedy", {}),
    "ucb": ("ucb", {}),
}


def frontier(share):
    """The exact frontier of two arms, and where policies lie."""
    horizon = 100 if share >= 1.0 else 30
    exact = theory.Frontier(horizon)
    rows = []
    for price in (0.0, 0.1, 1.0, 10.0):
        best = exact.at(price)
        rows += [("optimum", price, best.regret, best.compensation, best.compensation, 1.0)]
    for label, (name, settings) in list(PLACED.items())[: None if share >= 1.0 else 3]:
        value = theory.policy_value(name, horizon, **settings)
        least = exact.least_compensation(value.regret)
        times = value.compensation / least if least > 0.0 else math.inf
        rows += [(label, math.nan, *value, least, times)]
    columns = ["controller", "price", "regret", "compensation", "needed", "times_needed"]
    table = pd.DataFrame(rows, columns=columns)
    shown = [("controller", "regret", "compensation", "needed for this regret", "times as much")]
    for row in table.itertuples():
        label = row.controller if math.isnan(row.price) else f"optimum, price {row.price:g}"
        times = f"{row.times_needed:.1f}" if row.needed > 0.0 else "-"
        numbers = (f"{each:.3f}" for each in (row.regret, row.compensation, row.needed))
        shown += [(label, *numbers, times)]
    return shown, draw_optimum(table, exact.curve(), horizon, "Beta(1, 1)")


def growth(share):
    """How the optimum's compensation grows with the horizon."""
    rows = [("T", "least regret", "its compensation", "price 1: regret", "compensation")]
    for horizon in HORIZONS if share >= 1.0 else HORIZONS[:1]:
        alone, both = (theory.optimum(horizon, price) for price in (0.0, 1.0))
        numbers = (alone.regret, alone.compensation, both.regret, both.compensation)
        rows += [(str(horizon), *(f"{each:.3f}" for each in numbers))]
    return rows, None


# Regret and compensation decouple.


def equal_arms(share):
    """Compensation of two equal arms, where regret is 0."""
    results = kcmab.simulate(scenario_of("equal-arms", share))
    horizons = (10**4, 10**5, 10**6)
    heads = [f"T = {horizon:,}".replace(",", " ") for horizon in horizons]
    rows = [("policy", *heads, "growth per tenfold T")]
    for label in results.runs:
        paid = [curve(results, label, horizon) for horizon in horizons]
        ratio = math.sqrt(paid[2].mean() / paid[0].mean())
        rows += [(label, *(interval(each) for each in paid), f"{ratio:.2f}")]
    return rows, equal_arms_figure(results)


def equal_arms_figure(results):
    """Compensation against the number of customers, both on logarithmic scales."""
    with styled():
        figure, axes = new_figure()
        for label, pen in zip(results.runs, pens(len(results.runs)), strict=True):
            paid = results.runs[label].curves[:, :, CURVES.index("compensation")]
            width = half_width(paid.std(axis=0, ddof=1) / math.sqrt(len(paid)), len(paid), 0.95)
            mean = paid.mean(axis=0)
            shown = results.checkpoints >= 100
            axes.plot(
                results.checkpoints[shown],
                mean[shown],
                color=pen.colour,
                ls=pen.dashes,
                label=label,
            )
            axes.fill_between(
                results.checkpoints[shown],
                (mean - width)[shown],
                (mean + width)[shown],
                color=pen.colour,
                alpha=0.2,
                lw=0,
            )
        ends = np.array([100.0, 1e6])
        axes.plot(
            ends, 0.3 * np.sqrt(ends), color="0.5", lw=1, label="0.3 times the square root of T"
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            write_plainly(axis)
        axes.set_xlabel("customers")
        axes.set_ylabel("compensation")
        axes.set_title("Two equal arms: the regret is 0")
        axes.legend()
    return figure


# Lower bounds.


def bounds(share):
    """Growth of compensation per unit of ln T, and what the lower bounds say of it."""
    results = kcmab.simulate(scenario_of("lower-bounds", share))
    scenario = results.scenario
    anytime, aware = (
        bound(NINE_ARMS, scenario.horizon) / math.log(scenario.horizon)
        for bound in (theory.anytime_compensation_slope, theory.compensation_slope)
    )
    rows = [("bound or policy", "compensation per unit of ln T, from T = 100 000 to 1 000 000")]
    rows += [("lower bound, T unknown to the policy", f"{anytime:.2f}")]
    rows += [("lower bound, T known to the policy", f"{aware:.2f}")]
    for label in results.runs:
        grown = curve(results, label, 10**6) - curve(results, label, 10**5)
        rows += [(label, interval(grown / math.log(10)))]
    return rows, None


# Policies that explore less.

MARKETS = {
    "paper, Bernoulli": {"law": "bernoulli", "means": NINE_ARMS},
    "paper, Beta": {"law": "beta", "means": NINE_ARMS, "concentration": 4.0},
    "hard": {"law": "bernoulli", "means": [0.5, *[0.45] * 8]},
    "random": {"law": "bernoulli", "count": 9, "means": {"prior": "uniform"}},
}


def near_optimal(share):
    """Regret and compensation, and their differences from modified Thompson sampling's."""
    rows = [("market", "policy", "regret", "compensation", "less than modified-ts", "locked in")]
    for name, arms in MARKETS.items():
        scenario = scenario_of("near-optimal", share).at({"market.arms": arms})
        results = kcmab.simulate(scenario)
        base = results.runs["modified-ts"]
        for label, run in results.runs.items():
            costs = [run.final(word) for word in ("regret", "compensation")]
            saved = (
                interval(base.final(word) - cost)
                for word, cost in zip(("regret", "compensation"), costs, strict=True)
            )
            stuck = f"{run.locked_in(scenario.horizon).mean():.2%}"
            less = " and ".join(saved) if run is not base else ""
            rows += [(name, label, *map(interval, costs), less, stuck)]
    return rows, None


# Figure 3 and the law of the rewards.

LAWS = {
    "Bernoulli": {"law": "bernoulli", "means": NINE_ARMS},
    "Beta, concentration 4": {"law": "beta", "means": NINE_ARMS, "concentration": 4.0},
}


def law(share):
    """Paired differences between exploration constants, for two laws with the same means."""
    rows = [("rewards", "constants", "regret", "compensation", "locked in")]
    bars = {}
    for name, arms in LAWS.items():
        scenario = scenario_of("figure3", 20 * share).at({"market.arms": arms})
        results = kcmab.simulate(scenario)
        labels = list(results.runs)
        for one, other in ((0, 1), (1, 2), (0, 2)):
            runs = [results.runs[labels[each]] for each in (one, other)]
            regret, paid = (
                runs[0].final(word) - runs[1].final(word) for word in ("regret", "compensation")
            )
            stuck = " and ".join(f"{run.locked_in(scenario.horizon).mean():.2%}" for run in runs)
            constants = f"{labels[one][6:]} less {labels[other][6:]}"
            rows += [(name, constants, interval(regret), interval(paid, 2), stuck)]
            bars[name, constants] = regret
    return rows, law_figure(bars)


def law_figure(bars):
    """The differences in regret with their intervals."""
    with styled():
        figure, axes = new_figure(4.5)
        for place, ((name, _), values) in enumerate(bars.items()):
            pen = pens(2)[list(LAWS).index(name)]
            width = half_width(standard_error(values), len(values), 0.95)
            axes.errorbar(
                values.mean(), -place, xerr=width, fmt=pen.marker, color=pen.colour, capsize=4, ms=8
            )
        axes.axvline(0.0, color="0.4", lw=1)
        axes.set_yticks(
            [-place for place in range(len(bars))],
            [f"{name}: {constants}" for name, constants in bars],
        )
        axes.set_xlabel("difference in regret, 95 % interval")
        axes.set_title("Does less exploration cost regret?")
    return figure


PARTS = {
    "frontier": frontier,
    "growth": growth,
    "equal-arms": equal_arms,
    "bounds": bounds,
    "near-optimal": near_optimal,
    "law": law,
}


def as_markdown(rows):
    """A table in Markdown."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def put_on_page(page, part, table):
    """Replace the table between the marks of a part."""
    marks = f"<!-- begin {part} -->\n", f"\n<!-- end {part} -->"
    pattern = re.compile(f"{re.escape(marks[0])}.*?{re.escape(marks[1])}", re.DOTALL)
    text = page.read_text(encoding="utf-8")
    if not pattern.search(text):
        raise SystemExit(f"{page} has no place for {part!r}: {marks[0]}...{marks[1]}")
    page.write_text(pattern.sub(lambda _: f"\n{table}\n".join(marks), text), encoding="utf-8")


def main(parts, about):
    """Compute the parts asked for, all by default, and print them or put them on the page."""
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, formatter_class=shape)
    parser.add_argument("--part", choices=parts, action="append", help="a part, instead of all")
    parser.add_argument("--share", type=float, default=1.0, help="share of the replications")
    parser.add_argument("--page", type=Path, help="the page that takes the tables")
    options = parser.parse_args()
    for part in options.part or parts:
        rows, figure = parts[part](options.share)
        table = as_markdown(rows)
        print(f"{part}:\n\n{table}\n", flush=True)
        if options.page:
            put_on_page(options.page, part, table)
            if figure:
                save(figure, options.page.parent / "assets", f"note-{part}", ("png",))


if __name__ == "__main__":
    main(PARTS, __doc__)
