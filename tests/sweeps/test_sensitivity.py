"""Sobol indices: known functions, noise, intervals, and the sweeps that give them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import MarketError, make_scenario, sweep
from kcmab_abm.cli.main import run
from kcmab_abm.results.sensitivity import sobol_indices
from kcmab_abm.scenario.sampling import saltelli_points

from .conftest import FILE, with_sweep

SALTELLI = {"sample": {"design": "saltelli", "points": 8}}
TAU = {"market.customers.tau": {"low": 0.01, "high": 0.5, "log": True}}
EPSILON = {"policy[1].epsilon": {"low": 1.0, "high": 20.0}}


def ishigami(points):
    """The Ishigami function of points in [-pi, pi]^3."""
    x, y, z = points.T
    return np.sin(x) + 7.0 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x)


def estimated(function, settings, base, seed=0, **how):
    """The indices of a function of angles, on our own design."""
    points = np.pi * (2.0 * saltelli_points(settings, base, np.random.default_rng(seed)) - 1.0)
    a, b, *mixed = np.split(function(points), settings + 2)
    return sobol_indices(a, b, np.array(mixed), **{"resamples": 2, **how})


def test_the_ishigami_function():
    """The indices are known; the third setting matters only together with the first."""
    found = estimated(ishigami, 3, 2**13)
    assert found.first == pytest.approx([0.3139, 0.4424, 0.0], abs=0.005)
    assert found.total == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.005)


@given(slopes=st.lists(st.floats(-5.0, 5.0), min_size=2, max_size=5), shift=st.floats(-9.0, 9.0))
def test_settings_that_only_add_up_have_equal_indices(slopes, shift):
    """Without interactions the shares are those of the squares of the slopes."""
    slopes = np.array([3.0, *slopes])
    found = estimated(lambda points: points @ slopes + shift, len(slopes), 2**10)
    shares = slopes**2 / (slopes**2).sum()
    assert found.first == pytest.approx(shares, abs=0.03)
    assert found.total == pytest.approx(shares, abs=0.03)


def noisy(points, replications, rng, common):
    """The Ishigami function with noise as large as its own spread, for every replication."""
    shape = (1, replications) if common else (len(points), replications)
    return ishigami(points)[:, None] + rng.normal(0.0, 4.0, shape) * (1.0 + points[:, 1:2] ** 2 / 9)


@pytest.mark.parametrize("common", [True, False], ids=["common noise", "independent noise"])
def test_noise_of_replications_is_taken_out(common):
    """Means over ten noisy runs have larger indices; the estimates average to the true ones.

    Within 4 standard errors of the mean over 30 designs: one false alarm in 1,500 seeds for each
    of three indices.
    """
    found, plain = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        found.append(
            estimated(lambda points, rng=rng: noisy(points, 10, rng, common), 3, 256, seed).total
        )
        plain.append(
            estimated(
                lambda points, rng=rng: noisy(points, 10, rng, common).mean(axis=1), 3, 256, seed
            ).total
        )
    error = np.std(found, axis=0) / np.sqrt(len(found))
    away = np.abs(np.mean(found, axis=0) - [0.5576, 0.4424, 0.2437])
    assert (away < 4.0 * error + 0.01).all()
    if not common:
        assert np.mean(plain, axis=0)[2] > 0.2437 + 10.0 * error[2]


def test_intervals_hold():
    """Of 95 % intervals, at least 90 % hold the index: fewer than 85 of 100 is one in 10^4."""
    truth = {"first": [0.3139, 0.4424, 0.0], "total": [0.5576, 0.4424, 0.2437]}
    held = {kind: np.zeros(3) for kind in truth}
    for seed in range(100):
        found = estimated(ishigami, 3, 128, seed, resamples=200)
        for kind, values in truth.items():
            low, high = getattr(found, f"{kind}_low"), getattr(found, f"{kind}_high")
            held[kind] += (low <= values) & (np.array(values) <= high)
    assert min(held["first"].min(), held["total"].min()) >= 85


def test_results_that_do_not_vary_have_no_indices():
    """Nothing can be explained where nothing varies."""
    found = estimated(lambda points: np.ones(len(points)), 2, 16)
    assert np.isnan([found.first, found.total, found.first_low, found.total_high]).all()


@pytest.fixture(scope="module")
def swept():
    """A sweep of the noise of customers and of the epsilon of the second policy."""
    settings = with_sweep(**SALTELLI, **TAU, **EPSILON)
    return sweep(make_scenario({**settings, "replications": 12}), engine="market")


def test_a_sweep_has_indices(swept):
    """One row per policy and setting; epsilon is nothing to a policy that has none."""
    table = swept.sensitivity("compensation")
    assert list(table["setting"]) == [*TAU, *EPSILON] * 2
    assert set(table["policy"]) == {"ucb", "modified-epsilon-greedy"}
    ucb = table[(table["policy"] == "ucb") & (table["setting"] == "policy[1].epsilon")].iloc[0]
    assert ucb["first"] == ucb["total"] == 0.0
    pd.testing.assert_frame_equal(table, swept.sensitivity("compensation"))


def test_indices_come_from_the_runs_of_the_points(swept):
    """The table is what the estimator makes of the costs of single runs."""
    finals = swept.finals()
    runs = finals[finals["policy"] == "ucb"]["regret"].to_numpy().reshape(32, 12)
    a, b, *mixed = np.split(runs, 4)
    found = sobol_indices(a, b, np.array(mixed))
    rows = swept.sensitivity()[:2]
    assert rows["first"].to_numpy() == pytest.approx(found.first)
    assert rows["total_high"].to_numpy() == pytest.approx(found.total_high)


def test_other_designs_and_measures_are_refused(swept):
    """The message says what is needed."""
    with pytest.raises(MarketError, match=r"no measure 'regrets'\. Did you mean 'regret'"):
        swept.sensitivity("regrets")
    for design in (
        {"grid": {"market.customers.tau": [0.1, 0.2]}},
        {"sample": {"design": "sobol", "points": 2}, **TAU},
    ):
        other = sweep(make_scenario(with_sweep(**design)), engine="market")
        with pytest.raises(MarketError, match="needs a sweep with the design 'saltelli'"):
            other.sensitivity()


def test_numbers_of_replications_must_agree():
    """Runs of different points cannot be paired if there are more of some."""
    table = {**SALTELLI, **TAU, "replications": {"low": 2, "high": 9}}
    results = sweep(make_scenario(with_sweep(**table)), engine="market")
    with pytest.raises(MarketError, match="same number of replications"):
        results.sensitivity()


@pytest.mark.usefixtures("_small_figures")
def test_a_run_writes_the_indices(tmp_path, capsys):
    """The command prints the indices and writes a table and a figure."""
    text = (
        '[sweep]\nsample = { design = "saltelli", points = 2 }\n'
        '"market.customers.tau" = { low = 0.0, high = 0.5 }\n'
        '"policy[1].epsilon" = { low = 1.0, high = 9.0 }\n'
    )
    (tmp_path / "mine.toml").write_text(FILE + text)
    folder = tmp_path / "out"
    assert (
        run(["run", str(tmp_path / "mine.toml"), "--engine", "market", "--out", str(folder)]) == 0
    )
    printed = capsys.readouterr().out
    assert "with interactions" in printed
    assert "sensitivity.png" in printed
    rows = json.loads((folder / "sensitivity.json").read_bytes())
    assert [row["measure"] for row in rows] == ["regret"] * 4 + ["compensation"] * 4
    assert (folder / "sensitivity.png").exists()
