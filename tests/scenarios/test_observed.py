"""Arms and arrivals from CSV and Parquet files."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kcmab_abm import MarketError, ScenarioError, make_scenario, play, run, simulate, sweep
from kcmab_abm.running.source import open_scenario
from kcmab_abm.scenario import columns
from kcmab_abm.theory import divergence
from tests.markets import OBSERVED, assert_same, between, observed, seeds
from tests.sweeps.conftest import small_figures

FALSE_ALARM = 1e-6  # of the test of frequencies, over all seeds
LOG = "product,rating,when\n10,1,0\n9,5,1\n9,3,1\n10,4.5,2.5\n9,3,7\n"
ARMS = {"law": "empirical", "file": "log.csv", "arm": "product", "reward": "rating"}
ARMS |= {"range": [1.0, 5.0]}
TIMES = {"process": "trace", "file": "log.csv", "time": "when"}
samples = st.lists(
    st.sampled_from([0.0, -0.0, 0.1, 1.0, 1.0 - 2.0**-53]) | between(0.0, 1.0),
    min_size=1,
    max_size=40,
)


def scenario(arms, folder=".", horizon=5, **more):
    """A market with these arms."""
    base = {"horizon": horizon, "replications": 3, "policy": [{"name": "ucb"}]}
    market = {"arms": arms, **more.pop("market", {})}
    return make_scenario({**base, "market": market, **more}, folder=folder)


@pytest.fixture
def folder(tmp_path):
    """A folder with a log."""
    (tmp_path / "log.csv").write_text(LOG)
    return tmp_path


@given(samples)
def test_moments_and_atoms_are_those_of_the_file(sample):
    """NumPy finds the same mean, variance and shares."""
    [arm] = scenario(observed([sample])).market.arms
    assert arm.mean == pytest.approx(np.mean(sample), abs=1e-12)
    assert arm.variance == pytest.approx(np.var(sample), abs=1e-12)
    shares = {value: count / len(sample) for value, count in Counter(sample).items()}
    assert arm.law.atoms(arm.row) == pytest.approx(shares)
    assert divergence(arm, arm) == pytest.approx(0.0, abs=1e-12)


@given(sample=samples, uniform=st.integers(0, 2**53 - 1).map(lambda whole: whole * 2.0**-53))
def test_rewards_are_the_quantiles_of_the_file(sample, uniform):
    """The reward is the least one that more than a share u of them do not exceed; never -0."""
    [arm] = scenario(observed([sample])).market.arms
    found = arm.law.reward(uniform, arm.row)
    shares = {value: np.mean(np.array(sample) <= value) for value in sample}
    assert found == min(value for value in sample if uniform < shares[value])
    assert np.signbit(found) == 0
    assert arm.law.reward(0.0, arm.row) == min(sample)
    assert arm.law.reward(1.0 - 2.0**-53, arm.row) == max(sample)


def test_a_step_belongs_to_the_higher_reward():
    """The quantile function is continuous from the right."""
    [arm] = scenario(observed([[0.1, 0.2, 0.3, 0.4]])).market.arms
    assert [arm.law.reward(u, arm.row) for u in (0.0, 0.25, 0.5, 0.75)] == [0.1, 0.2, 0.3, 0.4]
    below = [np.nextafter(u, 0.0) for u in (0.25, 0.5, 0.75)]
    assert [arm.law.reward(u, arm.row) for u in below] == [0.1, 0.2, 0.3]


@settings(max_examples=20)
@given(several=st.lists(samples, min_size=1, max_size=4), seed=seeds)
def test_engines_agree(several, seed):
    """Interpreted and compiled runs are equal bit for bit."""
    made = scenario(observed(several), horizon=60, seed=seed)
    assert_same(*(play(made, engine=engine) for engine in ("market", "batch")))


@pytest.mark.parametrize("seed", range(3))
def test_rewards_are_as_frequent_as_in_the_file(seed):
    """Pearson's test, which rejects a correct law once in a million seeds."""
    values, counts = [0.0, 0.125, 0.5, 0.75, 1.0], [1, 7, 2, 40, 10]
    made = scenario(observed([np.repeat(values, counts).tolist()]), horizon=20_000, seed=seed)
    found = Counter(play(made, engine="batch").rewards.tolist())
    expected = 20_000 * np.array(counts) / sum(counts)
    assert set(found) <= set(values)
    test = stats.chisquare([found[value] for value in values], expected)
    assert test.pvalue > FALSE_ALARM


def test_arms_are_in_order_and_have_names(folder):
    """Whole numbers are sorted as such, everything else as text; one reward is enough."""
    nine, ten = scenario(ARMS, folder).market.arms
    assert (nine.name, ten.name) == ("9", "10")
    assert nine.row == (2.0, 0.5, 1.0, 2 / 3, 1.0)
    assert ten.row == (2.0, 0.0, 0.875, 0.5, 1.0)
    (folder / "log.csv").write_text('product,rating\nb,5\n10,1\n"a\nc",1\n')
    assert [arm.name for arm in scenario(ARMS, folder).market.arms] == ["10", "a\nc", "b"]


def test_the_order_of_the_rows_does_not_matter(folder):
    """Shuffled rows make the same market."""
    before = scenario(ARMS, folder)
    pd.read_csv(folder / "log.csv").iloc[::-1].to_csv(folder / "log.csv", index=False)
    assert scenario(ARMS, folder) == before


def test_equal_shares_make_equal_arms():
    """However many rewards there are: the gap between such arms is exactly 0."""
    few, many = scenario(observed([[0.1, 0.7, 0.7], [0.7, 0.7, 0.1] * 50])).market.arms
    assert few.row == many.row


@pytest.mark.parametrize("types", [{}, {"product": "category"}, {"rating": "float32"}])
def test_parquet_is_like_csv(folder, types):
    """The same table in the other format makes the same market, whatever its name."""
    made = scenario(ARMS, folder, market={"arrivals": TIMES})
    table = pd.read_csv(folder / "log.csv", dtype={"product": str}).astype(types)
    table.to_parquet(folder / "log.csv")
    again = scenario(ARMS, folder, market={"arrivals": TIMES})
    assert again.market == made.market
    assert made.market.arrivals.times == (0.0, 1.0, 1.0, 2.5, 7.0)


def test_parquet_that_cannot_be_used_is_refused(folder):
    """Missing values, numbers that are none and too many rows are named."""
    table = pd.read_csv(folder / "log.csv")
    table.assign(rating=table["rating"].where(table.index != 2)).to_parquet(folder / "log.csv")
    with pytest.raises(ScenarioError, match="row 3: 'rating' must "):
        scenario(ARMS, folder)
    table.assign(rating=pd.Timestamp(0)).to_parquet(folder / "log.csv")
    with pytest.raises(ScenarioError, match="row 1: 'rating' must be a number, got '1970"):
        scenario(ARMS, folder)
    table.assign(product=[[1]] * 5).to_parquet(folder / "log.csv")
    with pytest.raises(ScenarioError, match=r"log\.csv': cannot be read: '.*list"):
        scenario(ARMS, folder)


def test_what_is_too_large_is_refused(folder, monkeypatch):
    """Files by their size, tables by their rows, markets by their numbers."""
    monkeypatch.setattr(columns, "MOST_ROWS", 4)
    with pytest.raises(ScenarioError, match="must have 1 to 4 rows, got 5"):
        scenario(ARMS, folder)
    monkeypatch.undo()
    monkeypatch.setattr("kcmab_abm.scenario.market_table.LARGEST_MEMORY", 9)
    with pytest.raises(ScenarioError, match=r"market\.arms: 2 arms with up to 5 numbers are too"):
        scenario(ARMS, folder)
    with (folder / "log.csv").open("wb") as file:
        file.truncate(10**12)  # takes no room on the disk
    with pytest.raises(ScenarioError, match="must be at most 256,000,000 bytes"):
        scenario(ARMS, folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_pipes_and_devices_are_refused(tmp_path):
    """What may never end is not read."""
    os.mkfifo(tmp_path / "log.csv")
    with pytest.raises(ScenarioError, match="is a pipe or a device"):
        scenario(ARMS, tmp_path)
    with pytest.raises(ScenarioError, match="is a pipe or a device"):
        scenario({**ARMS, "file": "/dev/zero"}, tmp_path)


def test_a_sweep_reads_the_file_once(folder, monkeypatch):
    """Also beside arms with tables; the file itself can be swept."""
    reads = []
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: reads.append(self) or read(self))
    arms = [ARMS, {"law": "beta", "means": [0.5], "concentration": 2.0}]
    made = scenario(arms, folder, sweep={"grid": {"seed": [1, 2, 3]}})
    assert len(made.points()) == 3
    assert len(reads) == 1
    (folder / "other.csv").write_text(LOG.replace("9,5", "9,1"))
    swept = scenario(ARMS, folder, sweep={"grid": {"market.arms.file": ["log.csv", "other.csv"]}})
    means = [point.market.arms[0].mean for point in swept.points()]
    assert means == pytest.approx([2 / 3, 1 / 3])
    assert len(sweep(swept, engine="market").table) == 2


def test_a_run_is_resumed_only_with_the_same_file(folder, monkeypatch):
    """More replications equal a longer run; with another file they are refused."""
    small_figures(monkeypatch)
    made, out = scenario(ARMS, folder), folder / "out"
    run(made, out, engine="market")
    longer = made.replace(replications=6)
    resumed = run(longer, out, engine="market", resume=True)
    assert resumed.digest() == simulate(longer, engine="market").digest()
    (folder / "log.csv").write_text(LOG.replace("9,5", "9,4"))
    with pytest.raises(MarketError, match="different numbers for arms"):
        run(made.replace(replications=7), out, engine="market", resume=True)


def test_results_are_replayed_with_a_copy_of_the_file(folder, monkeypatch):
    """The manifest names the file, which results do not contain."""
    small_figures(monkeypatch)
    run(scenario(ARMS, folder), folder / "out", engine="market")
    with pytest.raises(ScenarioError, match=r"log\.csv': no such file; results do not contain"):
        open_scenario(folder / "out")
    (folder / "out" / "log.csv").write_text(LOG)
    assert open_scenario(folder / "out").market == scenario(ARMS, folder).market


def test_a_worker_needs_no_file(folder):
    """A scenario that was sent elsewhere has all rewards."""
    made = scenario(ARMS, folder)
    sent = pickle.dumps(made)
    (folder / "log.csv").unlink()
    assert_same(play(pickle.loads(sent), engine="market"), play(made, engine="market"))


def test_a_trace_without_a_column_is_a_list_of_times(folder):
    """What worked before columns still does, also in a file with that name."""
    (folder / "log.csv").write_text("1\n2\n2\n4\n8\n")
    arrivals = {"process": "trace", "file": "log.csv"}
    made = scenario({"law": "bernoulli", "means": [0.5]}, folder, market={"arrivals": arrivals})
    assert made.market.arrivals.times == (1.0, 2.0, 2.0, 4.0, 8.0)


def test_the_contract_file_has_three_arms():
    """The file that other tests use."""
    names = [arm.name for arm in scenario({"law": "empirical", **OBSERVED}).market.arms]
    assert names == ["coffee", "tea", "water"]
