"""Measures of a scenario's own: the same in both engines, and a column of every table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kcmab_abm as kcmab
from kcmab_abm import MarketError, Parameter, ScenarioError, make_scenario, play, simulate, sweep
from kcmab_abm.catalogue.registry import MEASURES
from kcmab_abm.cli.main import BAD_INPUT, run
from kcmab_abm.errors import OutputError, PlayError
from kcmab_abm.model.arithmetic.elementary import power
from kcmab_abm.results.comparison import compare
from kcmab_abm.running.experiment import run as run_into
from kcmab_abm.running.read_results import read_record
from kcmab_abm.running.verify_results import check
from kcmab_abm.scenario.measures import ENDINGS, TAKEN
from tests.contract.arena import stated
from tests.markets import assert_same

MARKET = {"arms": {"law": "bernoulli", "means": [0.8, 0.6, 0.3]}}
BASE = {
    "horizon": 60,
    "replications": 4,
    "seed": 8,
    "market": MARKET,
    "policy": [{"name": "ucb"}, {"name": "greedy"}],
}
NOISY = {**MARKET, "customers": {"behaviour": "logit", "tau": 0.2}}
TWO = [{"name": "ucb"}, {"name": "modified-ts"}]  # whose kernels for noisy customers others need
OF_CUSTOMERS = [name for name in MEASURES.own_names() if MEASURES[name].kind == "measure"]
OF_RUNS = [name for name in MEASURES.own_names() if MEASURES[name].kind == "run measure"]
LINE = {"capacity": 1, "service_time": 6.5, "patience": 1.5}  # customers wait, and leave


def scenario_with(measures, **changes):
    """A small market that counts these; a name stands for the measure of that name."""
    tables = {name: {"measure": name} for name in measures}
    if isinstance(measures, dict):
        tables = measures
    return make_scenario({**BASE, **changes, "measures": tables})


@pytest.fixture
def _mine(_own_catalogue):
    """The measure of the page "Add a measure", in ten lines."""

    @kcmab.measure("explored", weight=Parameter(1.0, "what each of them counts", ge=0.0))
    def count(arm, payment, seeded, params):
        """The number of customers who took an inferior arm without being paid."""
        if arm > 0 and payment == 0.0 and not seeded:
            return params.weight
        return 0.0


MINE = {"free": {"measure": "explored", "weight": 2.0}, "unequal": {"measure": "gini"}}


@pytest.mark.usefixtures("_mine")
@pytest.mark.parametrize("engine", ["market", "batch"])
def test_a_measure_of_ones_own_is_a_column_of_every_table(engine):
    """Summary, curves, differences, finals: equal to what the trajectories say."""
    scenario = scenario_with(MINE, market=NOISY, policy=TWO)
    results = simulate(scenario, engine=engine)
    runs = [play(scenario, replication=each, engine=engine) for each in range(4)]
    wanted = [2.0 * np.sum((r.arms > 0) & (r.payments == 0.0) & ~r.seeded) for r in runs]
    finals = results.finals()
    assert finals[finals.policy == "ucb"]["free"].tolist() == wanted
    row = results.summary().set_index("policy").loc["ucb"]
    assert row["free"] == np.mean(wanted)
    assert row["free_se"] == pytest.approx(np.std(wanted, ddof=1) / 2.0)
    assert row["free_low"] < row["free"] < row["free_high"]
    assert row["free_median"] == np.median(wanted)
    curves = results.curves().set_index(["policy", "measure"])
    along = curves.loc[("ucb", "free")]
    assert along["customer"].tolist() == results.checkpoints.tolist()
    assert along["mean"].iloc[-1] == row["free"]
    assert along["mean"].is_monotonic_increasing
    paired = results.paired().set_index("measure").loc["free"]
    other = finals[finals.policy == "modified-ts"]["free"].to_numpy()
    assert paired["difference"] == pytest.approx(np.mean(np.array(wanted) - other))


@pytest.mark.usefixtures("_mine")
def test_a_measure_stops_a_run_that_is_precise():
    """A precision may ask for it, and replications are added until its interval is narrow."""
    precision = {"measure": "free", "half_width": 1.5}
    changes = {"replications": 100, "precision": precision, "market": NOISY, "horizon": 30}
    changes["policy"] = [{"name": "ucb"}]
    seen = [
        simulate(scenario_with(MINE, **changes), engine=engine) for engine in ("market", "batch")
    ]
    assert seen[0].replications == seen[1].replications > 100
    assert seen[0].digest() == seen[1].digest()
    table = seen[0].precision()
    assert set(table["measure"]) == {"free"}
    assert (table["half_width"] <= 1.5).all()


@pytest.mark.usefixtures("_mine")
@pytest.mark.parametrize("engine", ["market", "batch"])
def test_a_sweep_has_the_column_and_may_vary_the_measure(engine):
    """Every point has it; twice the weight is twice the sum, with a difference from the first."""
    grid = {"measures.free.weight": [1.0, 2.0]}
    scenario = scenario_with(MINE, market=NOISY, policy=TWO, sweep={"grid": grid})
    results = sweep(scenario, engine=engine)
    table = results.summary().set_index(["measures.free.weight", "policy"])
    assert table.loc[(2.0, "ucb"), "free"] == 2.0 * table.loc[(1.0, "ucb"), "free"] > 0.0
    assert "free" in results.finals()
    assert "free" in set(results.curves()["measure"])
    paired = results.paired().set_index(["measure", "policy"])
    assert paired.loc[("free", "ucb"), "difference"] == table.loc[(1.0, "ucb"), "free"]


def same_in_both(scenario):
    """Results of both engines, which are the same, and so are counts customer by customer."""
    market, batch = (simulate(scenario, engine=engine) for engine in ("market", "batch"))
    assert market.digest() == batch.digest()
    assert_same(play(scenario, engine="market"), play(scenario, engine="batch"))
    return batch


@pytest.mark.usefixtures("_own_catalogue")
def test_the_engines_count_the_same():
    """All measures of customers, over several blocks, with and without arms that change."""

    @kcmab.measure("owed")
    def count(payment):
        """The payments as a debt, of which nothing is -0.0."""
        return -payment

    names = [*OF_CUSTOMERS, "owed"]
    for changes in ({}, {"change": {"kind": "seasonal", "amplitude": 0.1, "period": 50}}):
        few = {"horizon": 1100, "replications": 2, "policy": [{"name": "ucb"}]}
        results = same_in_both(scenario_with(names, market={**MARKET, **changes}, **few))
        assert results.summary()[names].notna().all(axis=None)


def test_measures_of_runs_are_the_same_in_both_engines():
    """In any order with those of customers."""
    names = [*OF_RUNS[:1], "profit", *OF_RUNS[1:], "refused"]
    results = same_in_both(scenario_with(names))
    assert results.summary()[names].notna().all(axis=None)
    assert len(results.curves()) == 2 * (len(results.checkpoints) * 6 + len(OF_RUNS))


@given(st.data())
def test_sums_are_those_of_the_trajectory(data):
    """Whatever is counted, curves have its sums in the order of the customers."""
    names = data.draw(st.lists(st.sampled_from(OF_CUSTOMERS), min_size=1, unique=True))
    gamma = data.draw(st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0))
    tables = {name: {"measure": name} for name in names}
    for name in {"discounted-regret", "discounted-compensation"}.intersection(names):
        tables[name]["gamma"] = gamma
    horizon = data.draw(st.integers(1, 80))
    scenario = scenario_with(tables, horizon=horizon, replications=1, seed=horizon)
    results = simulate(scenario, engine="market")
    run = play(scenario, engine="market")
    weights = np.array([power(gamma, t) for t in range(horizon)])
    by_hand = {
        "profit": run.rewards - run.payments,
        "refused": (run.arms != run.targets) & ~run.seeded,
        "waiting": run.waits,
        "discounted-regret": weights * run.regrets,
        "discounted-compensation": weights * run.payments,
    }
    for place, name in enumerate(names):
        curve = results.runs["ucb"].curves[0, :, 4 + place]
        counts = by_hand.get(name, run.counts[:, place])
        assert curve.tolist() == np.cumsum(counts)[results.checkpoints - 1].tolist()


def test_ranges_are_what_files_were_promised():
    """A file that leaves a parameter out, or uses its range to the ends, stays what it was."""
    gamma = (0.999, {"ge": 0.0, "le": 1.0})
    names = ("discounted-compensation", "discounted-regret")
    found = stated({name: MEASURES[name].parameters for name in MEASURES.own_names()})
    assert found == {(name, "gamma"): gamma for name in names}


def test_measures_by_hand():
    """Two arms, greedy customers: what each measure says of a run that can be followed."""
    market = {"arms": {"law": "bernoulli", "means": [1.0, 0.0]}}
    policy = [{"name": "round-robin"}]
    measures = ["profit", "customer-surplus", "refused", "gini", "paid-share", "last-switch"]
    scenario = scenario_with(measures, market=market, policy=policy, horizon=6)
    run = play(scenario, engine="market")
    assert run.arms.tolist() == [0, 1, 0, 1, 0, 1]  # each customer is paid what she gives up
    assert run.payments.tolist() == [0.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    row = simulate(scenario, engine="market").summary().iloc[0]
    assert row["profit"] == 3.0 - 2.0
    # Of those who chose, each has a value of 1 or a payment of 1.
    assert row["customer-surplus"] == 4.0
    assert row["refused"] == 0.0
    assert row["gini"] == pytest.approx(4 / 6)  # two of six have everything
    assert row["paid-share"] == pytest.approx(2 / 6)
    assert row["last-switch"] == 6.0


def test_fees_are_no_payments():
    """Of four customers one is paid; whoever pays a fee gets as much as those without payment."""
    payments = np.array([-1.0, 2.0, 0.0, -0.5])
    assert MEASURES["paid-share"].act(payments=payments) == 0.25
    assert MEASURES["gini"].act(payments=payments) == pytest.approx(0.75)
    assert MEASURES["gini"].act(payments=np.array([-1.0, -2.0])) == 0.0


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=30))
def test_gini_is_the_mean_difference(payments):
    """Half the mean difference of two customers drawn at random, in units of the mean."""
    given_, total = np.array(payments), sum(payments)
    wanted = np.abs(given_[:, None] - given_).mean() / (2.0 * given_.mean()) if total else 0.0
    assert MEASURES["gini"].act(payments=given_) == pytest.approx(wanted, abs=1e-9)


UTILITIES = [0.1, 0.2, 0.9]
SEVERAL = {
    "tastes": {"behaviour": "tastes"},
    "mixture": {
        "behaviour": "mixture",
        "of": [
            {"behaviour": "greedy"},
            {"behaviour": "recency", "weight": 0.0},
            {"behaviour": "informed", "utilities": UTILITIES},
        ],
    },
}


def asking_for_all(customers):
    """A scenario whose measures ask for kinds and for values."""

    @kcmab.measure("kind-seen")
    def kind_seen(kind):
        """The kinds, as a number."""
        return kind

    measures = {"kind": {"measure": "kind-seen"}, "surplus": {"measure": "customer-surplus"}}
    market = {**MARKET, "customers": SEVERAL[customers]}
    return scenario_with(measures, market=market, policy=[{"name": "ucb"}])


@pytest.mark.slow
@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize("customers", SEVERAL)
def test_the_engines_know_the_same_values_and_kinds(customers):
    """Of customers of several kinds, and of those who draw their values."""
    same_in_both(asking_for_all(customers))


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize("customers", SEVERAL)
def test_values_and_kinds_are_those_of_the_customer(customers):
    """In a mixture the kind that chose, and what her arm was worth to her."""
    run = play(asking_for_all(customers), engine="market")
    kinds, surplus = run.counts.T
    assert (kinds[run.seeded] == -1).all()
    chosen = ~run.seeded
    if customers == "mixture":
        assert set(kinds[chosen]) == {0.0, 2.0}  # as in the file, where one has no weight
        informed = kinds == 2.0
        values = np.array(UTILITIES)[run.arms]
        assert (surplus == values + run.payments)[informed].all()
        assert not (surplus == values + run.payments)[chosen & ~informed].all()
    else:
        assert set(kinds[chosen]) == {0.0}
        assert len(set(surplus[chosen])) > 40  # tastes are drawn anew for every customer


def test_counting_changes_nothing_else():
    """A scenario that counts has the trajectories of one that does not, with values or without."""
    plain = make_scenario(BASE)
    for measures in (OF_CUSTOMERS, OF_RUNS):
        counted = simulate(scenario_with(measures), engine="batch")
        both = [each.finals() for each in (simulate(plain, engine="batch"), counted)]
        pd.testing.assert_frame_equal(both[0], both[1][both[0].columns])


def test_waiting_is_the_time_in_the_line():
    """Where arms serve one at a time, the sum is that of the summary's mean."""
    scenario = scenario_with(["waiting", "refused"], market={**MARKET, **LINE})
    results = simulate(scenario)
    table, finals = results.summary(), results.finals()
    assert (table["waiting"] > 0.0).all()
    assert table["waiting"].tolist() == pytest.approx((60 * table["mean_wait"]).tolist())
    run = play(scenario, policy="ucb")
    away = run.arms != run.targets
    assert finals["refused"][0] == (away & ~run.seeded).sum() < away.sum()


BAD = {
    "a quotient": (lambda t, params: 1.0 / (t - 141), "division by zero"),
    "a text": (lambda t, params: "much" if t == 141 else 1.0, "counted much for"),
    "infinite": (lambda t, params: 1e308 if t == 141 else 1.0, r"counted 1e\+308 for"),
    "undefined": (
        lambda t, params: (t - 141.0) * 1e400 if t == 141 else 1.0,
        "a count is a number from -1e[+]100 to 1e[+]100",
    ),
}


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize("how", BAD)
def test_what_no_sum_can_contain_is_an_error_in_both_engines(how):
    """The message names the measure, the customer and the replication."""
    function, words = BAD[how]
    kcmab.measure("bad")(function)
    # Later than the customers on whom both engines are tried before a run.
    scenario = scenario_with({"wrong": {"measure": "bad"}}, horizon=200)
    said = []
    for engine in ("market", "batch", "auto"):
        if how == "a text" and engine == "batch":
            continue  # numba refuses to compile it
        with pytest.raises(PlayError, match=words) as caught:
            simulate(scenario, engine=engine)
        said.append(str(caught.value))
    assert len(set(said)) == 1
    assert said[0].startswith("measure 'bad'")
    assert "customer 141 of replication 0" in said[0]


@pytest.mark.usefixtures("_own_catalogue")
def test_a_measure_of_runs_that_fails_is_named():
    """In both engines: the measure, the replication, the file and the line."""

    @kcmab.measure("bad", of="run")
    def count(payments):
        """Divides by nothing."""
        return np.float64(1.0) / payments[0]

    said = set()
    for engine in ("market", "batch"):
        with pytest.raises(PlayError) as caught:
            simulate(scenario_with({"wrong": {"measure": "bad"}}), engine=engine)
        said.add(str(caught.value))
    assert len(said) == 1
    assert "run measure 'bad' failed for replication 0 (test_own_measures.py, line" in said.pop()


@pytest.mark.usefixtures("_own_catalogue")
def test_a_measure_that_draws_is_refused():
    """A count must not depend on chance, however well it is hidden."""

    @kcmab.measure("lucky")
    def count(t):
        """Draws behind everybody's back."""
        return eval("np.random.rand()")

    with pytest.raises(PlayError, match=r"measure 'lucky' drew from np\.random"):
        simulate(scenario_with({"luck": {"measure": "lucky"}}), engine="market")


@pytest.mark.usefixtures("_own_catalogue")
def test_what_cannot_be_compiled_runs_in_the_market():
    """And the reason names the measure."""

    @kcmab.measure("worded")
    def count(arm):
        """Counts letters."""
        return len({0: "none"}.get(arm, f"{arm:03d}"))

    results = simulate(scenario_with({"letters": {"measure": "worded"}}))
    assert results.engine == "market"
    assert "numba cannot compile 'worded'" in results.engines["ucb"].reason
    assert results.summary()["letters"].notna().all()


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize(
    ("function", "of", "words"),
    [
        (lambda bok: 0.0, "customer", "asks for 'bok'; it may ask for: t, horizon, target"),
        (lambda payment: 0.0, "run", "asks for 'payment'; it may ask for: .* Did you mean 'paymen"),
        (lambda arm: 0.0, "market", "of must be 'customer' or 'run', got 'market'"),
        (3, "customer", "3 is not a function"),
    ],
)
def test_mistakes_are_told_when_a_measure_is_registered(function, of, words):
    """Whatever a function cannot be given is refused with what it can."""
    with pytest.raises(MarketError, match=words):
        kcmab.measure("mine", of=of)(function)


@pytest.mark.parametrize("name", sorted(TAKEN))
def test_no_measure_takes_the_name_of_a_column(name):
    """What is a column already is refused."""
    with pytest.raises(ScenarioError, match=r"measures\.\S+: '\w+' is already a column of the res"):
        scenario_with({name: {"measure": "profit"}})


def test_all_columns_are_taken():
    """The list knows the columns of every table, and the settings that a sweep makes columns."""
    plain = make_scenario({**BASE, "sweep": {"grid": {"seed": [1, 2]}}})
    results = sweep(plain, engine="market")
    tables = (results.summary(), results.finals(), results.paired(), results.precision())
    columns = {column for table in tables for column in table}
    of_policies = {"low", "high", "se", "difference", "variance_saved", "interval", "second"}
    of_policies |= {"first_runs", "second_runs", "mean", "half_width", "wanted", "reached"}
    assert columns - TAKEN <= of_policies | {"confidence"}  # tables in which measures are rows
    assert {*plain.settings, "measures"} - TAKEN <= {"policy"}


def test_names_that_clash_are_refused():
    """A measure must not be called like another one's interval."""
    for ending in ENDINGS[1:]:
        with pytest.raises(ScenarioError) as caught:
            scenario_with({f"a{ending}": {"measure": "profit"}, "a": {"measure": "refused"}})
        assert f"'a{ending}' is already a column of measures.a{ending}" in str(caught.value)


@pytest.mark.usefixtures("_own_catalogue", "_small_figure")
def test_another_measure_is_another_run(tmp_path):
    """A run with other measures, other settings or other code of them is not resumed."""

    def known_as(amount):
        kcmab.measure("mine")(lambda reward: amount * reward)

    known_as(1.0)
    mine = {"kept": {"measure": "mine"}, "late": {"measure": "discounted-regret", "gamma": 0.9}}
    run_into(scenario_with(mine), tmp_path / "out", engine="market")
    run_into(scenario_with(mine), tmp_path / "out", engine="market", resume=True)
    other = {**mine, "late": {**mine["late"], "gamma": 0.8}}
    with pytest.raises(OutputError, match="was started with measures"):
        run_into(scenario_with(other), tmp_path / "out", engine="market", resume=True)
    known_as(2.0)
    with pytest.raises(OutputError, match="was started with different code of measure mine"):
        run_into(scenario_with(mine), tmp_path / "out", engine="market", resume=True)


@pytest.mark.usefixtures("_small_figure")
def test_folders_with_measures_are_verified_and_compared(tmp_path):
    """Measures of runs and customers in any order are read back as they were written."""
    measures = ["last-switch", "profit", "gini", "refused"]
    for name, seed in (("one", 1), ("other", 1)):
        horizon = 40 if name == "one" else 50
        scenario = scenario_with(measures, seed=seed, horizon=horizon)
        results = run_into(scenario, tmp_path / name, engine="batch")
        assert check(tmp_path / name).problems == []
        finals = pd.read_parquet(tmp_path / name / "finals.parquet")
        pd.testing.assert_frame_equal(finals, results.finals())
        assert (finals["profit"] < 0.9 * horizon).all()
        assert finals["gini"].between(0.0, 1.0).all()
    both = [read_record(tmp_path / name) for name in ("one", "other")]
    table = compare(*both).table.set_index(["policy", "measure"])
    assert set(measures) <= set(table.index.get_level_values("measure"))
    assert table.loc[("ucb", "profit"), "difference"] > 0.0


@pytest.mark.usefixtures("_small_figure")
def test_folders_with_different_measures_say_so(tmp_path):
    """What only one folder counts is named, not compared."""
    for name, measures in (("one", ["profit", "gini"]), ("other", ["profit", "refused"])):
        run_into(scenario_with(measures), tmp_path / name, engine="market")
    found = compare(*(read_record(tmp_path / name) for name in ("one", "other")))
    assert set(found.table["measure"]) >= {"profit", "regret"}
    assert not set(found.table["measure"]) & {"gini", "refused"}
    assert f"measures only in {tmp_path / 'one'}: gini" in found.notes
    assert f"measures only in {tmp_path / 'other'}: refused" in found.notes


FILE = """
horizon = 40
replications = 3
market = { arms = { law = "bernoulli", means = [0.8, 0.3] } }

[[policy]]
name = "ucb"

[measures]
kept = { measure = "profit" }
unequal = { measure = "gini" }
"""


@pytest.mark.parametrize("swept", ["", '\n[sweep]\ngrid = { "seed" = [1, 2] }\n'])
def test_the_command_shows_measures(swept, tmp_path, capsys, monkeypatch):
    """By default beside regret and compensation; with --measure in their place, drawn as well."""
    drawn = []
    for name in ("outcome.draw_outcome", "settings.draw_settings"):
        monkeypatch.setattr(
            f"kcmab_abm.figures.{name}", lambda _, *measures: drawn.append(measures)
        )
    monkeypatch.setattr("kcmab_abm.figures.style.save", lambda *_: None)
    path = tmp_path / "mine.toml"
    path.write_text(FILE + swept)
    assert run(["run", str(path), "--engine", "market"]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("regret", "compensation", "kept", "unequal"))
    chosen = ["--measure", "unequal", "--measure", "realised_regret"]
    out = ["--out", str(tmp_path / "out")]
    assert run(["run", str(path), "--engine", "market", *chosen, *out]) == 0
    shown = capsys.readouterr().out
    assert "unequal" in shown
    assert "realised regret" in shown
    assert "kept" not in shown
    assert "compensation" not in shown
    assert drawn == [("unequal", "realised_regret")]
    assert run(["run", str(path), "--measure", "unequl"]) == BAD_INPUT
    assert "--measure: no measure 'unequl'. Did you mean 'unequal'?" in capsys.readouterr().err


@pytest.mark.parametrize("chosen", [("kept",), ("kept", "regret", "unequal")])
def test_figures_show_what_is_chosen(chosen):
    """A panel for each measure, of a run and of both kinds of sweep."""
    from kcmab_abm.figures.outcome import draw_outcome
    from kcmab_abm.figures.settings import draw_settings

    measures = {"kept": {"measure": "profit"}, "unequal": {"measure": "gini"}}
    scenario = scenario_with(measures)
    figure = draw_outcome(simulate(scenario, engine="market"), *chosen)
    titles = [axes.get_title() for axes in figure.axes]
    assert [title for title in titles if "at the end" in title] == [
        f"{each.capitalize()} at the end, run by run" for each in chosen
    ]
    for grid in ({"seed": [1, 2]}, {"seed": [1, 2], "horizon": [20, 30]}):
        results = sweep(scenario_with(measures, sweep={"grid": grid}), engine="market")
        assert draw_settings(results, *chosen) is not None
