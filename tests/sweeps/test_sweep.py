"""Sweeps: every point is a simulation of its own, and all of them make one table."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kcmab_abm
from kcmab_abm import MarketError, load_scenario, make_scenario, play, simulate, sweep
from kcmab_abm.cli.main import BAD_INPUT, FAILED, INTERRUPTED, run
from kcmab_abm.errors import EngineError
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.statistics import paired_rows
from kcmab_abm.running import workers

from .conftest import BASE, FILE, with_sweep

TAUS = {"market.customers.tau": [0.0, 0.1, 0.3]}
FILES = [
    "chunks",
    "curves.parquet",
    "figure.png",
    "figure.svg",
    "finals.parquet",
    "frontier.png",
    "frontier.svg",
    "manifest.json",
    "paired.csv",
    "sweep.csv",
    "sweep.json",
]


def swept(engine="market", **sweep_table):
    """The results of the small market's sweep."""
    return sweep(make_scenario(with_sweep(**sweep_table)), engine=engine)


@pytest.fixture(scope="module")
def taus():
    """A sweep over how noisy customers are."""
    return swept(grid=TAUS)


def at(table, **values):
    """The rows of a table with these values, without their columns."""
    for name, value in values.items():
        table = table[table[name] == value]
    return table.drop(columns=list(values)).reset_index(drop=True)


@pytest.mark.parametrize("place", range(3))
def test_point_is_a_simulation_of_its_own(place, taus):
    """The tables of a point are those of the scenario with the setting replaced, bit for bit."""
    tau = TAUS["market.customers.tau"][place]
    customers = {"behaviour": "logit", "tau": tau}
    alone = make_scenario({**BASE, "market": {**BASE["market"], "customers": customers}})
    results = simulate(alone, engine="market")
    assert taus.points[place].digest == results.digest()
    for name in ("summary", "finals", "curves"):
        found = getattr(taus, name)()
        found = at(found[found["market.customers.tau"] == tau].drop(columns="market.customers.tau"))
        pd.testing.assert_frame_equal(found, getattr(results, name)(), check_exact=True)


@settings(max_examples=8)
@given(
    horizon=st.integers(1, 30),
    seed=st.integers(0, 2**62),
    mean=st.floats(0, 1),
    epsilon=st.floats(0.5, 30),
)
def test_any_point_is_a_simulation_of_its_own(horizon, seed, mean, epsilon):
    """Whatever a point sets, it runs as if the file had said so."""
    point = {
        "horizon": horizon,
        "seed": seed,
        "market.arms.means[1]": mean,
        "policy[1].epsilon": epsilon,
    }
    [found] = swept(list=[point]).points
    policies = [{"name": "ucb"}, {"name": "modified-epsilon-greedy", "epsilon": epsilon}]
    arms = {"law": "bernoulli", "means": [0.8, mean, 0.3]}
    market = {**BASE["market"], "arms": arms}
    alone = {**BASE, "horizon": horizon, "seed": seed, "market": market, "policy": policies}
    assert found.digest == simulate(make_scenario(alone), engine="market").digest()


def test_engines_and_workers_agree():
    """Neither the engine, nor the number of threads, nor an executor changes a digest."""
    scenario = make_scenario(with_sweep(grid=TAUS)).replace(policy=[{"name": "ucb"}])
    market = sweep(scenario, engine="market")
    assert (market.engine, sweep(scenario).engine) == ("market", "batch")
    with ThreadPoolExecutor(2) as pool:
        for options in ({"jobs": 1}, {"jobs": 3}, {"executor": pool}):
            assert sweep(scenario, **options).digest() == market.digest()


def test_engines_may_differ_between_points():
    """A point with queues runs on the market engine, the others compiled."""
    points = [{}, {"market.capacity": 1, "market.service_time": 2.0}]
    scenario = make_scenario(with_sweep(list=points)).replace(policy=[{"name": "ucb"}])
    results = sweep(scenario)
    assert results.engine == "mixed"
    assert list(results.table["engine"]) == ["batch", "market"]
    with pytest.raises(EngineError, match=r"sweep point 2 \(market.capacity = 1, .*\): policy"):
        sweep(scenario, engine="batch")


def test_table_begins_with_the_swept_settings(taus):
    """One column a swept setting, then the policy and all columns of a summary."""
    summary = simulate(make_scenario(BASE), engine="market").summary()
    assert list(taus.table.columns) == ["market.customers.tau", *summary.columns]
    assert list(taus.table["market.customers.tau"]) == [0.0, 0.0, 0.1, 0.1, 0.3, 0.3]
    assert list(taus.table["policy"][:2]) == ["ucb", "modified-epsilon-greedy"]
    pd.testing.assert_frame_equal(taus.table, taus.summary())


def test_columns_hold_what_a_file_would_say():
    """Numbers and texts stay what they are; tables are written out; gaps are filled."""
    points = [
        {"horizon": 9, "replications": 2},
        {"market.customers": {"behaviour": "greedy"}, "title": "other"},
        {"policy": [{"name": "greedy"}]},
    ]
    axes = swept(list=points).axes
    assert list(axes["horizon"]) == [9, 30, 30]
    assert list(axes["replications"]) == [2, 3, 3]
    assert list(axes["title"]) == ["A small market", "other", "A small market"]
    assert axes["market.customers"][1] == '{ behaviour = "greedy" }'
    assert axes["market.customers"][0] == '{ behaviour = "logit", tau = 0.1 }'
    assert axes["policies"][2] == '[{ name = "greedy" }]'


def test_swept_replications_have_one_column():
    """The summary's own column of that name gives way, and every run is there."""
    results = swept(grid={"replications": [2, 3]})
    assert list(results.table.columns).count("replications") == 1
    assert list(results.finals().groupby("replications").size()) == [4, 6]


def test_differences_to_the_first_point_are_paired(taus):
    """They are what one gets from the finals by hand, and mirror those between policies."""
    table, finals = taus.paired(), taus.finals()
    row = at(table, **{"market.customers.tau": 0.3, "policy": "ucb", "measure": "regret"}).iloc[0]
    first, second = (
        at(finals, **{"market.customers.tau": tau, "policy": "ucb"})["regret"] for tau in (0.0, 0.3)
    )
    assert row["difference"] == (second - first).mean()
    assert row["interval"] == "paired"
    assert row["low"] <= row["difference"] <= row["high"]
    assert len(table) == 2 * 2 * len(CURVES)


def test_other_seeds_are_not_paired():
    """Points with seeds of their own are independent samples, and said to be."""
    results = swept(list=[{"seed": 1}, {"seed": 2}, {"seed": 1, "horizon": 20}])
    kinds = results.paired().groupby("horizon")["interval"].unique()
    assert [list(kind) for kind in kinds] == [["paired"], ["Welch"]]


def test_digest_is_that_of_the_results(taus):
    """Equal results have equal digests, others have others, also in another order."""
    assert swept(grid=TAUS).digest() == taus.digest()
    turned = {"market.customers.tau": [0.1, 0.0, 0.3]}
    assert swept(grid=turned).digest() != taus.digest()


def test_progress_runs_over_all_points():
    """Progress never goes back, and ends with all customers of all points."""
    seen = []
    scenario = make_scenario(with_sweep(grid={"horizon": [10, 20]}))
    sweep(scenario, engine="market", progress=lambda *now: seen.append(now))
    total = 2 * 3 * (10 + 20)
    assert seen == sorted(seen)
    assert seen[-1] == (total, total)
    assert {all_of_them for _, all_of_them in seen} == {total}


def test_sweeps_are_not_ignored():
    """`simulate` refuses a scenario with a sweep, `sweep` one without; `play` plays the base."""
    scenario = make_scenario(with_sweep(grid={"horizon": [10, 20]}))
    with pytest.raises(MarketError, match=r"2 points; run it with kcmab.sweep\(scenario\)"):
        simulate(scenario)
    with pytest.raises(MarketError, match="has no sweep; give it one"):
        sweep(scenario.replace(sweep=None))
    assert len(play(scenario, engine="market")) == 30


@pytest.fixture
def _breaks_the_rules(_own_catalogue):
    """A policy that is fine for the first customers alone."""

    @kcmab_abm.policy("short-lived")
    def choose(t, book, memory, params, rng):
        """Promotes an arm that is not there to the 15th customer."""
        return 9 if t == 15 else 0


@pytest.mark.usefixtures("_breaks_the_rules")
@pytest.mark.parametrize("how", [{"jobs": 1}, {"jobs": 2}, {"threads": 3}])
def test_failure_names_the_first_point_that_fails(how):
    """A policy that breaks the rules at several points is told with the first, whoever ran what."""
    scenario = make_scenario(with_sweep(grid={"horizon": [5, 10, 20, 30, 25, 40]}))
    scenario = scenario.replace(policy=[{"name": "short-lived"}], replications=40)
    with ThreadPoolExecutor(how.pop("threads", 1)) as pool:
        options = how or {"executor": pool}
        with pytest.raises(kcmab_abm.errors.PlayError) as caught:
            sweep(scenario, engine="market", **options)
    assert str(caught.value).startswith("sweep point 3 (horizon = 20): policy 'short-lived'")


def test_folder_holds_the_promised_files(mine, tmp_path, capsys):
    """`kcmab run` writes tables, figures and a manifest that says how to run it again."""
    out = tmp_path / "out"
    assert run(["run", str(mine), "--out", str(out), "--engine", "market"]) == 0
    assert "market.customers.tau" in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == FILES
    results = sweep(load_scenario(mine), engine="market")
    pd.testing.assert_frame_equal(pd.read_csv(out / "sweep.csv"), results.table, check_exact=True)
    assert json.loads((out / "sweep.json").read_text()) == results.table.to_dict("records")
    for name in ("finals", "curves"):
        found = pd.read_parquet(out / f"{name}.parquet")
        pd.testing.assert_frame_equal(found, getattr(results, name)(), check_exact=True)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["digest"] == results.digest()
    assert sweep(make_scenario(manifest["scenario"]), engine="market").digest() == results.digest()
    assert (manifest["seed"], manifest["engine"], len(manifest["engines"])) == (4, "market", 2)


def test_check_counts_the_points(mine, capsys):
    """The check command says how many points there are."""
    assert run(["check", str(mine)]) == 0
    assert "3 x 30 customers, 2 sweep points" in capsys.readouterr().out


def test_options_apply_to_the_base(mine, capsys):
    """Options replace settings of the base, at every point."""
    options = ["--horizon", "7", "--replications", "2", "--engine", "market"]
    assert run(["run", str(mine), *options]) == 0
    assert "2 points, each 2 runs of 7 customers" in capsys.readouterr().out


def test_option_for_a_swept_setting_is_refused(tmp_path, capsys):
    """An option that the sweep would override is one clear message."""
    path = tmp_path / "mine.toml"
    path.write_text(FILE + '[sweep]\ngrid = { "horizon" = [5, 6] }\n')
    assert run(["run", str(path), "--horizon", "7", "--seed", "2"]) == BAD_INPUT
    assert capsys.readouterr().err == (
        f"{path}: sweep: varies horizon, so --horizon has no effect; leave the option out, "
        "or remove horizon from the sweep\n"
    )
    assert run(["play", str(path), "--customers", "3"]) == 0
    assert "3 customers: regret" in capsys.readouterr().out


@pytest.mark.usefixtures("_small_figures")
@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), INTERRUPTED), (MemoryError("big"), FAILED)]
)
def test_interrupted_sweep_goes_on(error, code, mine, tmp_path, monkeypatch):
    """Whatever stops a sweep at a later point: there are no results, and it goes on from there."""
    left = [None, None, error]  # the first point has two chunks, one for each policy
    command = ["run", str(mine), "--engine", "market", "--out", str(tmp_path / "out")]

    def stop(*arguments, **options):
        if (found := left.pop(0)) is not None:
            raise found
        return run_chunk(*arguments, **options)

    run_chunk = workers.run_chunk
    with monkeypatch.context() as patch:
        patch.setattr(workers, "run_chunk", stop)
        assert run(command) == code
    assert sorted(path.name for path in tmp_path.iterdir()) == [mine.name, "out.partial"]
    assert run([*command, "--resume"]) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["digest"] == sweep(load_scenario(mine), engine="market").digest()


def test_long_tables_are_cut_on_the_terminal(tmp_path, capsys):
    """Of many rows the terminal shows some, and says where the others are."""
    path = tmp_path / "mine.toml"
    seeds = ", ".join(map(str, range(60)))
    path.write_text(FILE + f'[sweep]\ngrid = {{ "seed" = [{seeds}] }}\n')
    assert run(["run", str(path), "--horizon", "3", "--engine", "market"]) == 0
    assert "and 20 more rows; --out DIR writes all of them" in capsys.readouterr().out


def test_pairs_of_policies_are_as_before():
    """Differences between policies are means of differences, with Student's interval."""
    runs = simulate(make_scenario(BASE), engine="market").runs
    [row, *_] = paired_rows(runs, 0.95)
    gap = runs["ucb"].final("regret") - runs["modified-epsilon-greedy"].final("regret")
    assert row["difference"] == gap.mean()
    assert np.isclose(row["high"] - row["low"], 2 * 4.302652729911275 * gap.std(ddof=1) / 3**0.5)
