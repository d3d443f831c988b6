"""The ledger: every customer's line, as the market had it, and nothing changed by writing it."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import Trajectory, make_scenario, play, run, simulate
from kcmab_abm.batch import run as batch_run
from kcmab_abm.running import ledger
from kcmab_abm.running.ledger import ledger_name, new_ledger

COLUMNS = [
    "replication",
    "customer",
    "clock",
    "target",
    "offer",
    "arm",
    "reward",
    "payment",
    "regret",
    "seeded",
    "wait",
    "refused",
    "policy",
]
MARKETS = {
    "poisson": {"arrivals": {"process": "poisson", "rate": 3.0}},
    "logit": {"customers": {"behaviour": "logit", "tau": 0.3}},
    "leaving": {"customers": {"behaviour": "outside-option"}, "report_probability": 0.8},
    "changing": {"change": {"kind": "random-walk", "step": 0.05}},
}


def settings_of(record="paths", **changes):
    """A small experiment with two policies."""
    return {
        "horizon": 150,
        "replications": 20,
        "seed": 3,
        "record": record,
        "market": {"arms": {"law": "bernoulli", "means": [0.7, 0.6, 0.4]}},
        "policy": [{"name": "ucb"}, {"name": "greedy", "label": "pays = 0 / a"}],
        **changes,
    }


def read(folder):
    """A ledger as pandas reads it, in order."""
    table = pd.read_parquet(folder / "ledger")
    table["policy"] = table["policy"].astype(str)
    return table.sort_values(["policy", "replication", "customer"], ignore_index=True)


def refused(trajectory, line):
    """The offers that a customer did not take."""
    arms = [trajectory.targets[line], *trajectory.beside[line]]
    offers = [trajectory.offers[line], *trajectory.beside_offers[line]]
    return [
        {"arm": arm, "offer": offer}
        for arm, offer in zip(arms, offers, strict=True)
        if offer > 0 and arm != trajectory.arms[line]
    ]


def assert_lines_are_those_of(lines, trajectory):
    """Some lines of a ledger say what a trajectory says, to the last bit."""
    expected = trajectory.frame().reset_index()
    assert len(lines) == len(expected)
    for column in expected:
        assert lines[column].tolist() == expected[column].tolist()
    assert [list(each) for each in lines["refused"]] == [
        refused(trajectory, line) for line in range(len(trajectory))
    ]


@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("market", MARKETS)
def test_ledger_holds_what_was_played(engine, market, tmp_path, monkeypatch):
    """Every line of every policy and replication is that of the trajectory played alone."""
    monkeypatch.setattr(batch_run, "LONG_BLOCK", 64)  # several stretches a replication
    monkeypatch.setattr(ledger, "GROUP", 100)
    base = settings_of()
    if market != "poisson":
        base["policy"] = [{"name": "ucb"}]
    scenario = make_scenario({**base, "market": {**base["market"], **MARKETS[market]}})
    run(scenario, tmp_path / "out", engine=engine)
    table = read(tmp_path / "out")
    assert list(table.columns) == COLUMNS
    assert len(table) == len(scenario.policies) * 20 * 150
    for (policy, replication), lines in table.groupby(["policy", "replication"]):
        alone = play(scenario, policy, replication, engine="batch")
        assert_lines_are_those_of(lines, alone)


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_offers_beside_the_target_are_in_the_ledger(engine, tmp_path):
    """Where several arms carry offers, all that were turned down are written down."""
    purse = {"also": 2, "misjudgement": 0.1}
    scenario = make_scenario(settings_of(purse=purse, policy=[{"name": "ucb"}]))
    run(scenario, tmp_path / "out", engine=engine)
    table = read(tmp_path / "out")
    alone = play(scenario, "ucb", 7, engine="market")
    lines = table[(table.policy == "ucb") & (table.replication == 7)]
    assert_lines_are_those_of(lines, alone)
    assert max(map(len, lines["refused"])) >= 2
    assert alone.beside.shape == (150, 2)


def test_waiting_customers_are_in_the_ledger(tmp_path):
    """Time in line, and customers who gave up, are written down."""
    market = {
        **settings_of()["market"],
        "capacity": 1,
        "service_time": {"law": "exponential", "mean": 2.0},
        "patience": 3.0,
    }
    scenario = make_scenario(settings_of(market=market, replications=2))
    run(scenario, tmp_path / "out")
    table = read(tmp_path / "out")
    assert_lines_are_those_of(
        table[(table.policy == "ucb") & (table.replication == 1)], play(scenario, "ucb", 1)
    )
    assert (table["wait"] > 0).any()
    assert (table["arm"] == -1).any()


@pytest.mark.parametrize("engine", ["market", "batch"])
def test_recording_changes_nothing(engine, tmp_path):
    """Whatever is recorded, the results are the same to the last bit."""
    scenario = make_scenario(settings_of("curves"))
    expected = simulate(scenario).digest()
    for record in ("curves", "paths", "sample"):
        results = run(scenario.replace(record=record), tmp_path / record, engine=engine)
        assert results.digest() == expected


def test_sample_keeps_the_chosen_replications(tmp_path):
    """Only lines of the chosen replications are kept, and they are the same lines."""
    run(make_scenario(settings_of()), tmp_path / "all")
    run(make_scenario(settings_of("sample", sample=[17, 3])), tmp_path / "some")
    run(make_scenario(settings_of("sample")), tmp_path / "ten")
    whole, some, ten = (read(tmp_path / name) for name in ("all", "some", "ten"))
    chosen = whole[whole.replication.isin([3, 17])].reset_index(drop=True)
    assert some.drop(columns="refused").equals(chosen.drop(columns="refused"))
    assert sorted(ten.replication.unique()) == list(range(10))


def test_curves_leave_no_ledger(tmp_path):
    """Checkpoints only, unless told otherwise."""
    run(make_scenario(settings_of("curves")), tmp_path / "out")
    assert not (tmp_path / "out" / "ledger").exists()


def test_sweep_has_a_ledger_at_every_point(tmp_path):
    """Points are one more partition, counted from 1."""
    scenario = make_scenario(settings_of(sweep={"grid": {"horizon": [20, 40]}}))
    run(scenario, tmp_path / "out")
    table = pd.read_parquet(tmp_path / "out" / "ledger")
    counts = table.groupby("point", observed=True).size()
    assert counts.to_dict() == {1: 2 * 20 * 20, 2: 2 * 20 * 40}
    points = pd.read_csv(tmp_path / "out" / "points.csv")
    assert points.to_dict("list") == {"point": [1, 2], "horizon": [20, 40]}


def test_rows_are_written_in_groups():
    """Lines come together to groups of rows, none of them too large to hold in memory."""
    trajectory = play(make_scenario(settings_of(horizon=70_000)))
    file = io.BytesIO()
    with new_ledger(file) as book:
        for replication in range(5):
            book.write(replication, 0, trajectory)
    found = pq.ParquetFile(file).metadata
    sizes = [found.row_group(place).num_rows for place in range(found.num_row_groups)]
    assert sum(sizes) == 5 * 70_000
    assert max(sizes) == ledger.GROUP
    assert len(sizes) == 5


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_what_is_written_is_read(data):
    """Any lines, in stretches of any length, come back as they were."""
    count = data.draw(st.integers(1, 40))
    rivals = data.draw(st.integers(0, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    trajectory = Trajectory(
        clock=np.cumsum(rng.random(count)),
        targets=rng.integers(0, 5, count),
        offers=rng.random(count) * rng.integers(0, 2, count),
        arms=rng.integers(-1, 5, count),
        rewards=rng.random(count),
        payments=rng.random(count),
        regrets=rng.random(count),
        seeded=rng.random(count) < 0.5,
        waits=rng.random(count),
        beside=rng.integers(-1, 5, (count, rivals)),
        beside_offers=rng.random((count, rivals)) * rng.integers(0, 2, (count, rivals)),
    )
    cuts = sorted({0, count, *data.draw(st.lists(st.integers(1, count), max_size=4))})
    file = io.BytesIO()
    with new_ledger(file) as book:
        for start, end in itertools.pairwise(cuts):
            part = {
                name: getattr(trajectory, name)[start:end]
                for name in trajectory.__dataclass_fields__
            }
            book.write(9, start, Trajectory(**part))
    table = pd.read_parquet(file)
    assert (table["replication"] == 9).all()
    assert_lines_are_those_of(table, trajectory)


@pytest.mark.parametrize("label", ["a/b", "..", "eps = 20", "ü & %", "x" * 80, "C:\\new"])
def test_any_label_makes_a_folder(label, tmp_path):
    """A label becomes the name of one folder, whatever is in it, and is read back as it was."""
    policies = [{"name": "ucb", "label": label}, {"name": "greedy"}]
    run(make_scenario(settings_of(policy=policies, replications=1)), tmp_path / "out")
    assert set(read(tmp_path / "out").policy) == {label, "greedy"}
    assert len(ledger_name(label, 0, 1).split("/")) == 2


def test_ledger_needs_a_folder(tmp_path, capsys):
    """Without --out there is no place for a ledger; the message says what to do."""
    from kcmab_abm.cli.main import BAD_INPUT
    from kcmab_abm.cli.main import run as command

    file = tmp_path / "mine.toml"
    file.write_text(
        'horizon = 10\nrecord = "paths"\n[market]\n'
        'arms = { law = "bernoulli", means = [0.5] }\n[[policy]]\nname = "ucb"\n'
    )
    assert command(["run", str(file)]) == BAD_INPUT
    assert capsys.readouterr().err == (
        f"{file}: record: 'paths' needs a folder for the ledger; give --out DIR, "
        'or set record = "curves"\n'
    )
