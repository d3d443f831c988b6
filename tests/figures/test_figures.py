"""Every figure of every scenario and command can be read: no markup, nothing covered or cut."""

from __future__ import annotations

import shutil

import pytest

from kcmab_abm import load_scenario, make_scenario, simulate, sweep
from kcmab_abm.figures.bounds import draw_bounds
from kcmab_abm.figures.curves import draw_paper_figure
from kcmab_abm.figures.frontier import draw_frontier
from kcmab_abm.figures.outcome import draw_outcome
from kcmab_abm.figures.settings import draw_settings
from kcmab_abm.figures.stopping import draw_boundary
from kcmab_abm.paper.study import PLOTS, paper_scenario
from tests.sampling import sampled_pairs

from .gallery import FOLDER, SCENARIOS, drawn_by, pictures_of, small
from .looking import complaints

FIGURE1 = FOLDER / "figure1.toml"
TINY = {"horizon": 40, "replications": 4}
LOW = "market.arms.means[0]"
STRANGE = r"$a_1^2$ \alpha {x} _y_ " + "long-label-" * 4 + " 80 letters"
STRANGER = r"\mathdefault{10} $5 and 3$, a label that is as long as labels may be, 80 letters"


def look_at(figures, written=""):
    """Assert that nothing is wrong with figures, by their names."""
    assert figures
    found = {name: complaints(figure, written) for name, figure in figures.items()}
    assert not any(found.values()), {name: each for name, each in found.items() if each}


def market_of(arms=3, policies=("ucb", "greedy"), **changes):
    """A small market; policies by name, or as tables."""
    means = [round(0.9 - 0.8 * arm / arms, 3) for arm in range(arms)]
    tables = [each if isinstance(each, dict) else {"name": each} for each in policies]
    settings = {
        "title": "A market",
        "horizon": 40,
        "replications": 4,
        "market": {"arms": {"law": "bernoulli", "means": means}},
        "policy": tables,
    }
    return make_scenario({**settings, **changes})


def sweep_figures(scenario):
    """What is drawn of a sweep: always at least one of the two."""
    swept = sweep(scenario, engine="market")
    figures = {"settings": draw_settings(swept), "frontier": draw_frontier(swept)}
    return {name: figure for name, figure in figures.items() if figure is not None}


def run_figures(path, folder):
    """The figures of `kcmab run`."""
    more = {
        "hide-or-pay": {"replications": 2, "horizon": 5000},  # whose ticks have four digits
    }.get(path.stem, {})
    return drawn_by("run", small(path, folder, **more), "--out", folder / "results")


def test_figures_of_a_run():
    """Curves above, the spread of the runs below; and the same curves with their bounds."""
    results = simulate(load_scenario(FIGURE1).replace(**TINY), engine="market")
    look_at({"outcome": draw_outcome(results), "bounds": draw_bounds(results)})


def test_bounds_of_a_market_that_few_bounds_cover():
    """The title says what is missing, in several lines."""
    market = {"arms": {"law": "bernoulli", "means": [0.6, 0.6, 0.1]}, "report_probability": 0.5}
    purse = {"budget": 5.0, "also": 1}
    policies = ["ucb", "modified-epsilon-greedy", "modified-ts"]
    scenario = market_of(3, policies).replace(market=market, purse=purse, **TINY)
    look_at({"bounds": draw_bounds(simulate(scenario, engine="market"))})


def test_figures_of_a_sweep():
    """Heat maps of two settings, with colours on a logarithmic scale, and a frontier."""
    grid = {"horizon": [2, 20, 200], LOW: [0.5, 0.95]}
    look_at(sweep_figures(market_of(sweep={"grid": grid})))


def test_points_of_equal_regret_are_not_cut():
    """Where only payments differ, the frontier's markers need room above."""
    offers = [{"rule": "least"}, {"rule": "fixed-margin", "margin": 0.1}]
    scenario = market_of(policies=("ucb",), sweep={"grid": {"purse.offer": offers}})
    swept = sweep(scenario.replace(replications=1), engine="market")
    (panel,) = draw_frontier(swept).get_axes()
    (regret,) = swept.table["regret"].unique()
    assert panel.get_ylim()[1] == pytest.approx(1.1 * regret)


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_figures_of_every_scenario(path, tmp_path):
    """What `kcmab run` draws of a scenario of the library."""
    look_at(run_figures(path, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["figure1", "figure2", "figure3", "unlucky-start", "herding"])
def test_figures_of_the_commands_about_the_paper(name, tmp_path):
    """`bounds`, `histories` and `bias` of the scenarios that stand still."""
    path = small(FOLDER / f"{name}.toml", tmp_path)
    covered = name != "herding"  # no bound is about customers who follow the crowd
    for command in ("bounds",) * covered + ("histories", "bias"):
        look_at(drawn_by(command, path, "--out", tmp_path / command))


def test_the_audit_of_obedience(tmp_path):
    """One panel per policy, one line per recommended arm."""
    path = small(FOLDER / "obey-or-not.toml", tmp_path)
    look_at(drawn_by("obedience", path, "--points", 4, "--out", tmp_path / "audit"))


@pytest.mark.parametrize(
    ("mu", "horizon", "shown"),
    [(0.9, 600, 400), pytest.param(0.5, 3, 3, marks=pytest.mark.slow)],
)
def test_the_stopping_problem(mu, horizon, shown):
    """Boundary and value, of a long game and of a short one."""
    look_at({"stopping": draw_boundary(mu, horizon, shown)})


@pytest.mark.parametrize(
    ("mu", "horizon"), sampled_pairs((0.0, 0.01, 0.3, 0.999, 1.0), (1, 2, 50, 1000))
)
def test_stopping_problems_of_all_kinds(mu, horizon):
    """Coins that never fall on one side and fair ones, for very short games and long ones."""
    look_at({"stopping": draw_boundary(mu, horizon, 400)})


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize("horizon", [2, 30])
def test_the_exact_optimum(horizon, tmp_path):
    """The frontier and the policies, also where nobody is ever paid."""
    look_at(drawn_by("optimum", "--horizon", horizon, "--out", tmp_path / "optimum"))


@pytest.mark.slow
@pytest.mark.parametrize("law", ["bernoulli", "beta"])
def test_figures_of_the_paper(law):
    """The three figures that `kcmab paper` draws."""
    curves = simulate(paper_scenario(law, 60, 4, 1), engine="market").curves()
    for plot in PLOTS:
        shown = curves[curves["policy"].isin(plot.policies)]
        title = f"Figure {plot.number}: {plot.title}, {law.capitalize()} rewards"
        look_at({"paper": draw_paper_figure(shown, list(plot.policies), title)})


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [each for each in SCENARIOS if each.stem != "random-markets"],
    ids=lambda path: path.stem,
)
def test_paths_of_every_scenario(path, tmp_path):
    """Tree, switches and lattice of the first policy of every scenario with arms to follow."""
    look_at(drawn_by("paths", small(path, tmp_path), "--out", tmp_path / "paths"))


def test_an_animation():
    """The first customers and the last, in a market of a few arms."""
    for figure in pictures_of(load_scenario(FIGURE1).replace(**TINY), "ucb", [1, 12, 40]):
        look_at({"animation": figure})


@pytest.mark.slow
@pytest.mark.parametrize("arms", [1, 2, 6, 12, 13, 40])
def test_animations_of_few_arms_and_many(arms):
    """Some thousand customers, at the beginning and at the end, with a long label."""
    scenario = market_of(arms, [{"name": "ucb", "label": STRANGE}], horizon=3000)
    for figure in pictures_of(scenario, STRANGE, [1, 2, 999, 3000]):
        look_at({"animation": figure}, STRANGE)


@pytest.mark.slow
def test_differences(tmp_path):
    """`compare`, of two runs and of two sweeps."""
    for name in ("figure1", "how-much-exploration"):
        folder = tmp_path / name
        folder.mkdir()
        path = small(FOLDER / f"{name}.toml", folder)
        for seed in (1, 2):
            drawn_by("run", path, "--seed", seed, "--out", folder / f"seed-{seed}")
        look_at(drawn_by("compare", folder / "seed-1", folder / "seed-2", "--out", folder / "c"))
        shutil.rmtree(folder)


def labelled(count, label=STRANGE):
    """So many policies, with long labels full of signs."""
    names = [f"{place}{label}"[:80] for place in range(count)]
    return [{"name": "ucb", "label": name} for name in names], " ".join(names)


@pytest.mark.parametrize(
    ("count", "label"), sampled_pairs((1, 2, 4, 12), (STRANGE, STRANGER, "short"))
)
def test_labels_and_titles_of_all_kinds(count, label, tmp_path):
    """Dollars, underscores and braces are what they are; long labels fit, many labels too."""
    policies, written = labelled(count, label)
    title = f"{STRANGER} {STRANGE} a title of 200 letters"[:200]
    scenario = market_of(3, policies, title=title)
    results = simulate(scenario, engine="market")
    written = f"{written} {title}"
    look_at({"outcome": draw_outcome(results), "bounds": draw_bounds(results)}, written)
    grids = (
        {"purse.budget": [0.0, 1.0]},
        {"horizon": [10, 20], "market.ties": ["random", "first"]},
    )
    for grid in grids:
        look_at(sweep_figures(scenario.replace(sweep={"grid": grid})), written)


@pytest.mark.parametrize(("arms", "horizon"), sampled_pairs((1, 2, 9, 100), (1, 2, 9, 11, 300)))
def test_markets_of_all_sizes(arms, horizon):
    """One customer or hundreds, one arm or a hundred: short axes, constants, single points."""
    scenario = market_of(arms, horizon=horizon, replications=1 + horizon % 4)
    results = simulate(scenario, engine="market")
    look_at({"outcome": draw_outcome(results), "bounds": draw_bounds(results)})


GRIDS = {
    "huge": {"horizon": [1, 1000]},
    "tiny": {"purse.budget": [1e-7, 1e-3, 1.0]},
    "a decade": {"purse.budget": [0.2, 0.5]},
    "many values": {"purse.budget": [place / 7 for place in range(30)]},
    "log values": {"purse.budget": [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.5, 1.0, 2.0, 10.0]},
    "heat, wide": {"horizon": [2, 20, 400], LOW: [0.5, 0.95]},
    "heat, large": {"purse.budget": [float(b) for b in range(12)], LOW: [0.1, 0.2, 0.3, 0.4]},
    "worlds": {"horizon": [5, 10, 20], "purse.budget": [0.0, 0.5, 1.0, 2.0]},
    "constant": {LOW: [0.3], "market.arms.means[1]": [0.3, 0.4]},
    "tables": {"market.customers": [{"behaviour": "greedy"}, {"behaviour": "logit", "tau": 0.1}]},
}


@pytest.mark.parametrize(
    ("name", "policies"),
    sampled_pairs(list(GRIDS), [("ucb",), ("ucb", "greedy", "modified-ts", "ts")]),
)
def test_sweeps_of_all_kinds(name, policies):
    """Values tiny and huge, few and many, on scales of less than a decade and of several."""
    look_at(sweep_figures(market_of(3, policies, sweep={"grid": GRIDS[name]})))
