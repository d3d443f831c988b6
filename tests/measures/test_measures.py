"""What is reported of a set of runs, recomputed from their trajectories."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from kcmab_abm import behaviour, make_scenario, play, simulate
from kcmab_abm.catalogue import BEHAVIOURS
from kcmab_abm.measures import Moments, checkpoints
from kcmab_abm.trajectory import LATE, Trajectory, tally

MEANS = np.array([0.7, 0.5, 0.5, 0.2])
MEASURES = ("regret", "realised_regret", "compensation", "dynamic_regret")
QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
HORIZON, REPLICATIONS, COST = 120, 7, 0.25


def leave_now_and_then(t, book, board, memory, params, rng):
    """Every fifth customer leaves, others take the target or toss a coin."""
    if t % 5 == 0:
        return -1
    return board.target if rng.random() < 0.7 else int(rng.random() * len(book.means))


@pytest.fixture(scope="module")
def scenario():
    """A market in which everything happens: refusals, departures, lost reports, seeding."""
    before = {name: BEHAVIOURS.find(name) for name in BEHAVIOURS.names()}
    behaviour("moody")(leave_now_and_then)
    yield make_scenario(
        {
            "horizon": HORIZON,
            "replications": REPLICATIONS,
            "seed": 11,
            "market": {
                "arms": {"law": "beta", "means": MEANS.tolist(), "concentration": 2.0},
                "customers": {"behaviour": "moody"},
                "seeding_cost": COST,
                "report_probability": 0.6,
            },
            "policy": [{"name": "ucb"}, {"name": "modified-ts"}, {"name": "greedy"}],
        }
    )
    BEHAVIOURS._items.clear()
    BEHAVIOURS._items.update(before)


@pytest.fixture(scope="module")
def results(scenario):
    """The results of that market."""
    return simulate(scenario, engine="market")


@pytest.fixture(scope="module")
def runs(scenario):
    """The trajectories of that market, one list a policy."""
    return {
        choice.label: [play(scenario, choice.label, each, "market") for each in range(REPLICATIONS)]
        for choice in scenario.policies
    }


def steps(run, measure):
    """What each customer adds to a measure."""
    if measure in ("regret", "dynamic_regret"):
        return np.where(run.arms >= 0, MEANS.max() - MEANS[run.arms], MEANS.max())
    return MEANS.max() - run.rewards if measure == "realised_regret" else run.payments


def finals(runs, measure):
    """The measure at the end of each run."""
    return np.array([steps(run, measure).sum() for run in runs])


def interval(values, confidence=0.95):
    """Student's interval for the mean."""
    half = stats.t.ppf(0.5 + confidence / 2, len(values) - 1) * stats.sem(values)
    return values.mean() - half, values.mean() + half


@given(st.integers(1, 200) | st.integers(1, 10**9))
def test_checkpoints_increase_to_the_horizon(horizon):
    """Checkpoints are at most ninety customers, in increasing order, the last one included."""
    points = checkpoints(horizon)
    assert points[0] >= 1
    assert points[-1] == horizon
    assert (np.diff(points) > 0).all()
    assert min(horizon, 40) <= len(points) <= 90


def test_checkpoints_of_a_short_run_are_all_customers():
    """A run of up to fifty customers is read at each of them."""
    for horizon in range(1, 51):
        assert checkpoints(horizon).tolist() == list(range(1, horizon + 1))


tables = arrays.arrays(
    np.float64, st.tuples(st.integers(1, 30), st.integers(1, 3)), elements=st.floats(-1e3, 1e3)
)


@given(tables, st.lists(st.integers(0, 30), max_size=5))
def test_moments_do_not_depend_on_chunks(table, cuts):
    """Mean and standard error over chunks of any size are those over all rows at once."""
    moments = Moments(table.shape[1])
    edges = sorted({0, len(table), *(cut for cut in cuts if cut < len(table))})
    for start, end in itertools.pairwise(edges):
        moments.add(start, table[start:end])
    assert moments.count == len(table)
    np.testing.assert_allclose(moments.mean, table.mean(axis=0), rtol=1e-12, atol=1e-9)
    if len(table) == 1:
        assert np.isnan(moments.se).all()
    else:
        np.testing.assert_allclose(moments.se, stats.sem(table), rtol=1e-9, atol=1e-9)


def test_everything_happens(runs):
    """The market that the other tests look at has all kinds of customers in it."""
    every = [run for several in runs.values() for run in several]
    assert any(run.seeded.sum() > len(MEANS) for run in every)
    assert any((run.arms == -1).any() for run in every)
    assert any((~run.seeded & (run.arms != run.targets)).any() for run in every)
    assert any((run.payments > 0).any() for run in every)


@pytest.mark.parametrize("measure", MEASURES)
def test_summary_means_and_errors(measure, results, runs):
    """Means, standard errors and intervals are those of the trajectories' sums."""
    summary = results.summary().set_index("policy")
    for label, several in runs.items():
        values, row = finals(several, measure), summary.loc[label]
        found = row[[measure, f"{measure}_se", f"{measure}_low", f"{measure}_high"]]
        expected = [values.mean(), stats.sem(values), *interval(values)]
        np.testing.assert_allclose(found.astype(float), expected, atol=1e-12)


@pytest.mark.parametrize("measure", ["regret", "compensation"])
def test_summary_quantiles(measure, results, runs):
    """The spread is that of the runs themselves."""
    summary = results.summary().set_index("policy")
    for label, several in runs.items():
        found = summary.loc[label, [f"{measure}_{name}" for name in QUANTILES]].astype(float)
        expected = np.quantile(finals(several, measure), list(QUANTILES.values()))
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_summary_counts(results, runs):
    """Seeding, acceptance, paid customers and lock-ins are counted as documented."""
    summary = results.summary().set_index("policy")
    for label, several in runs.items():
        row = summary.loc[label]
        asked = [~run.seeded for run in several]
        taken = [each & (run.arms == run.targets) for each, run in zip(asked, several, strict=True)]
        assert row["seeding"] == pytest.approx(
            COST * np.mean([run.seeded.sum() for run in several])
        )
        assert row["acceptance"] == np.sum(taken) / np.sum(asked)
        assert row["paid_customers"] == np.mean([(run.payments > 0).sum() for run in several])
        wrong = [np.mean(steps(run, "regret") > 0) > 0.5 for run in several]
        assert row["locked_in"] == np.mean(wrong)
        low, high = stats.binomtest(sum(wrong), REPLICATIONS).proportion_ci(0.95, "wilson")
        assert (row["locked_in_low"], row["locked_in_high"]) == pytest.approx((low, high))
        assert row["replications"] == REPLICATIONS


def test_summary_takes_another_confidence(results, runs):
    """Intervals are as wide as the confidence asked for makes them."""
    row = results.summary(confidence=0.5).set_index("policy").loc["ucb"]
    expected = interval(finals(runs["ucb"], "regret"), 0.5)
    assert (row["regret_low"], row["regret_high"]) == pytest.approx(expected)


@pytest.mark.parametrize("measure", MEASURES)
def test_curves_are_sums_up_to_the_checkpoints(measure, results, runs):
    """At every checkpoint the curves show the sums so far: mean, interval, quantiles."""
    table = results.curves()
    points = checkpoints(HORIZON)
    for label, several in runs.items():
        curve = table[(table["policy"] == label) & (table["measure"] == measure)]
        sums = np.array([np.cumsum(steps(run, measure))[points - 1] for run in several])
        assert curve["customer"].tolist() == points.tolist()
        np.testing.assert_allclose(curve["mean"], sums.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(curve["se"], stats.sem(sums), atol=1e-12)
        half = stats.t.ppf(0.975, REPLICATIONS - 1) * stats.sem(sums)
        np.testing.assert_allclose(curve["low"], sums.mean(axis=0) - half, atol=1e-12)
        np.testing.assert_allclose(curve["high"], sums.mean(axis=0) + half, atol=1e-12)
        quantiles = np.quantile(sums, list(QUANTILES.values()), axis=0)
        np.testing.assert_allclose(curve[list(QUANTILES)].to_numpy().T, quantiles, atol=1e-12)


def test_paired_differences(results, runs):
    """Every pair of policies is compared run by run, on the same tapes."""
    table = results.paired()
    pairs = list(itertools.combinations(runs, 2))
    assert list(zip(table["policy"], table["other"], strict=True))[:: len(MEASURES)] == pairs
    for row in table.to_dict("records"):
        one = finals(runs[row["policy"]], row["measure"])
        other = finals(runs[row["other"]], row["measure"])
        assert row["difference"] == pytest.approx((one - other).mean())
        assert row["se"] == pytest.approx(stats.sem(one - other))
        assert (row["low"], row["high"]) == pytest.approx(interval(one - other))
        apart = one.var(ddof=1) + other.var(ddof=1)
        assert row["variance_saved"] == pytest.approx(1 - (one - other).var(ddof=1) / apart)


def test_arms_are_counted(results, runs):
    """Pulls and payments of every arm add up over the trajectories."""
    table = results.arms()
    for label, several in runs.items():
        rows = table[table["policy"] == label]
        pulls = np.array([[(run.arms == arm).sum() for arm in range(4)] for run in several])
        paid = np.array(
            [[run.payments[run.arms == arm].sum() for arm in range(4)] for run in several]
        )
        np.testing.assert_allclose(rows["mean"], MEANS)
        np.testing.assert_allclose(rows["pulls"], pulls.mean(axis=0))
        np.testing.assert_allclose(rows["pulls_se"], stats.sem(pulls))
        np.testing.assert_allclose(rows["compensation"], paid.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(rows["compensation_se"], stats.sem(paid), atol=1e-12)


def test_finals_list_every_run(results, runs):
    """Every replication has a row of its own."""
    table = results.finals()
    assert table["replication"].tolist() == [*range(REPLICATIONS)] * len(runs)
    for label, several in runs.items():
        rows = table[table["policy"] == label]
        for measure in MEASURES:
            np.testing.assert_allclose(rows[measure], finals(several, measure), atol=1e-12)
        assert rows["seeding"].tolist() == [COST * run.seeded.sum() for run in several]


def test_lock_in_is_judged_by_the_last_thousand():
    """Only customers at the end count, and those who left count as on a wrong arm."""
    arms = np.repeat([1, 0, 1, -1, 0], [500, 300, 100, 50, 550])
    means, horizon = np.array([0.9, 0.1]), len(arms)
    zeros, gaps = np.zeros(horizon), np.array([0.0, 0.8, 0.9])[arms]
    nobody = np.empty((horizon, 0))
    run = Trajectory(
        zeros, arms, zeros, arms, zeros, zeros, gaps, zeros > 0, zeros, nobody.astype(int), nobody
    )
    assert horizon == LATE + 500
    assert tally(run, means, np.array([horizon])).late_wrong.tolist() == [150]


def small(**changes):
    """A market of two arms and few customers."""
    settings = {
        "horizon": 3,
        "replications": 40,
        "market": {"arms": {"law": "bernoulli", "means": [0.8, 0.4]}},
        "policy": [{"name": "ucb"}, {"name": "ts"}],
    }
    return make_scenario({**settings, **changes})


def test_single_replication_has_no_errors():
    """One run gives means but no standard errors, and no warning."""
    results = simulate(small(replications=1), engine="market")
    summary = results.summary()
    uncertain = [f"{measure}_{what}" for measure in MEASURES for what in ("se", "low", "high")]
    assert summary[uncertain].isna().all(axis=None)
    assert summary[list(MEASURES)].notna().all(axis=None)
    assert results.curves()[["se", "low", "high"]].isna().all(axis=None)
    assert results.paired()[["se", "low", "high", "variance_saved"]].isna().all(axis=None)
    assert results.arms()[["pulls_se", "compensation_se"]].isna().all(axis=None)


@pytest.mark.parametrize("horizon", [1, 2])
def test_seeding_alone_has_no_acceptance(horizon):
    """If nobody comes after the seeding there is no share of those who accept, and no warning."""
    summary = simulate(small(horizon=horizon), engine="market").summary()
    assert summary["acceptance"].isna().all()
    assert (summary["compensation"] == 0).all()


def test_equal_policies_are_equal():
    """Two policies that do the same differ by nothing, and pairing saves all variance."""
    policies = [{"name": "greedy", "label": label} for label in ("one", "other")]
    table = simulate(small(policy=policies), engine="market").paired()
    assert (table[["difference", "se"]] == 0).all(axis=None)
    assert table["variance_saved"].dropna().tolist() == [1, 1, 1]
