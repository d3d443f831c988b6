"""What is reported of a set of runs, recomputed from their trajectories."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from kcmab_abm import behaviour, make_scenario, play, simulate
from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.model.trajectory import (
    CURVES,
    Tally,
    Trajectory,
    empty_tally,
    is_locked_in,
    late_wrong,
    tally,
)
from kcmab_abm.results.statistics import (
    Moments,
    Runs,
    checkpoints,
    half_width,
    joined_digest,
    paired_difference,
    runs_digest,
    standard_error,
    summary_row,
)

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
    before = {name: BEHAVIOURS[name] for name in BEHAVIOURS.names()}
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


def test_checkpoints_of_a_long_run_by_hand():
    """Every fiftieth part of the run, and forty customers of which each is as much later."""
    points = checkpoints(10**6)
    even = {20_000 * (part + 1) for part in range(50)}
    late = {math.ceil(10 ** (6 * step / 39) - 1e-9) for step in range(40)}
    assert points.tolist() == sorted(even | late)


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


@pytest.mark.parametrize("size", [256, 257, 600, 1024])
def test_moments_of_more_than_a_block(size):
    """Blocks whose means differ are merged with the variance between them."""
    table = np.column_stack([np.arange(size) ** 2.0, np.arange(size) // 256])
    moments = Moments(2)
    moments.add(0, table)
    np.testing.assert_allclose(moments.mean, table.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(moments.se, stats.sem(table), rtol=1e-12)


def merged(one, other):
    """Count, mean and sum of squares of two samples together, from those of each."""
    (n, mean, squares), (m, more, spread) = one, other
    gap = more - mean
    return n + m, mean + gap * (m / (n + m)), squares + spread + gap**2 * (n * m / (n + m))


def test_moments_are_merged_in_blocks_of_256():
    """Otherwise sums would round differently, and digests of old runs would no longer hold."""
    rows = np.random.default_rng(1).random((600, 3))
    moments = Moments(3)
    for first, end in itertools.pairwise([0, 100, 101, 400, 600]):
        moments.add(first, rows[first:end])
    blocks = [rows[:256], rows[256:512], rows[512:]]
    parts = [(len(b), b.mean(axis=0), ((b - b.mean(axis=0)) ** 2).sum(axis=0)) for b in blocks]
    count, mean, squares = merged(merged(parts[0], parts[1]), parts[2])
    assert moments.count == count == 600
    assert moments.mean.tolist() == mean.tolist()
    assert moments.squares.tolist() == squares.tolist()
    assert moments.se.tolist() == np.sqrt(squares / 599 / 600).tolist()


def test_two_values_have_an_interval():
    """Two are the fewest of which one can tell a spread: 0 and 2 have a standard error of 1."""
    two, one = np.array([0.0, 2.0]), np.array([3.0])
    assert standard_error(two) == 1.0
    assert half_width(1.0, 2, 0.95) == pytest.approx(12.706, abs=5e-4)
    assert np.isnan(standard_error(one))
    assert np.isnan(half_width(1.0, 1, 0.95))
    moments = Moments(1)
    moments.add(0, two[:, None])
    assert moments.se == [1.0]
    difference = paired_difference(two, -two, 0.95)
    assert (difference["difference"], difference["se"]) == (2.0, 2.0)
    assert difference["variance_saved"] == -1.0


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
        wrong = [settled_on_a_wrong_arm(run) for run in several]
        assert row["locked_in"] == np.mean(wrong)
        low, high = stats.binomtest(sum(wrong), REPLICATIONS).proportion_ci(0.95, "wilson")
        assert (row["locked_in_low"], row["locked_in_high"]) == pytest.approx((low, high))
        assert row["replications"] == REPLICATIONS


def test_a_summary_by_hand():
    """Four runs of ten customers, of which two ended on one wrong arm: all shares and means."""
    runs = Runs(points=1, arms=2)
    runs.grow(4)
    runs.curves[:] = 0.0
    runs.curves[:, 0, CURVES.index("regret")] = [1.0, 2.0, 3.0, 6.0]
    runs.seeded[:] = [2, 2, 2, 4]
    runs.targeted[:] = [8, 8, 8, 6]
    runs.accepted[:] = [4, 8, 2, 1]
    runs.paid[:] = [1, 2, 3, 6]
    runs.left[:] = [0, 1, 2, 5]
    runs.waited[:] = [10.0, 0.0, 30.0, 0.0]
    runs.late_wrong[:] = [5, 0, 4, 5]  # of the last five
    row = summary_row("ucb", runs, horizon=10, cost=0.5, confidence=0.95)
    expected = {
        "policy": "ucb",
        "regret": 3.0,
        "compensation": 0.0,
        "seeding": 1.25,
        "acceptance": 0.5,
        "paid_customers": 3.0,
        "left": 0.2,
        "mean_wait": 1.0,
        "locked_in": 0.5,
        "replications": 4,
    }
    assert {key: row[key] for key in expected} == expected
    assert row["regret_se"] == pytest.approx(math.sqrt(14 / 3 / 4))
    z = stats.norm.ppf(0.975)  # Wilson: half of four, plus or minus this
    half = z / (1 + z**2 / 4) * math.sqrt(0.25 / 4 + z**2 / 64)
    assert row["locked_in_low"] == pytest.approx(0.5 - half)
    assert row["locked_in_high"] == pytest.approx(0.5 + half)


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


def settled_on_a_wrong_arm(run):
    """Lock-in, from its definition: nine in ten of the last customers, one and the same arm."""
    last = min(1000, math.ceil(len(run) / 2))
    late = run.frame().tail(last)
    wrong = late[(late.regret > 0) & (late.arm >= 0) & ~late.seeded]
    return wrong.arm.value_counts().max() / last >= 0.9 if len(wrong) else False


def trajectory(arms, means=(0.9, 0.6, 0.1), seeded=0, regrets=None):
    """A run in which customers took these arms, the first `seeded` of them directed."""
    zeros, nobody = np.zeros(len(arms)), np.empty((len(arms), 0))
    gaps = np.array([*(max(means) - np.array(means)), max(means)])[arms]
    gaps = gaps if regrets is None else regrets
    directed = np.arange(len(arms)) < seeded
    return Trajectory(
        zeros, arms, zeros, arms, zeros, zeros, gaps, directed, zeros, nobody.astype(int), nobody
    )


def test_lock_in_is_judged_by_the_last_thousand():
    """Only customers at the end count, arm by arm; who leaves or takes the best is in no arm's."""
    arms = np.repeat([1, 0, 1, -1, 0, 2], [1500, 300, 100, 50, 500, 50])
    run = trajectory(arms)
    means, horizon = np.array([0.9, 0.6, 0.1]), len(arms)
    assert tally(run, means, np.array([horizon])).late_wrong.tolist() == [[0, 100, 50]]
    assert late_wrong(run).tolist() == [0, 100, 50]


ENDS = {
    "one wrong arm": ([1] * 20, True),
    "nine in ten on one wrong arm": ([1] * 12 + [0] + [1] * 7, True),
    "eight in ten on one wrong arm": ([1] * 12 + [0, 2] + [1] * 6, False),
    "one wrong arm after another": ([1] * 15 + [2] * 5, False),
    "turns": ([0, 1, 2, 1] * 5, False),
    "the best arm": ([1] * 10 + [0] * 10, False),
    "nobody stays": ([1] * 10 + [-1] * 10, False),
    "nine of the last ten leave": ([1] * 11 + [-1] * 9, False),
}


@pytest.mark.parametrize("name", ENDS)
def test_lock_in_is_one_wrong_arm(name):
    """Nine in ten of the last customers on one and the same wrong arm, and nothing else."""
    arms, locked = ENDS[name]
    assert is_locked_in(late_wrong(trajectory(np.array(arms))).max(), len(arms)) == locked
    assert settled_on_a_wrong_arm(trajectory(np.array(arms))) == locked


def test_directed_customers_lock_nothing_in():
    """In a market as short as its seeding nobody has chosen anything."""
    assert late_wrong(trajectory(np.array([0, 1]), seeded=2)).tolist() == [0]
    assert late_wrong(trajectory(np.array([0, 1, 1]), seeded=2)).tolist() == [0, 1]


def test_an_arm_that_moves_is_wrong_while_another_is_better():
    """Customers on an arm that was the best until lately are not locked in on it."""
    arms = np.ones(40, int)
    for wrong, locked in {20: True, 18: True, 17: False, 0: False}.items():
        regrets = np.where(np.arange(40) >= 40 - wrong, 0.3, 0.0)
        run = trajectory(arms, regrets=regrets)
        assert is_locked_in(late_wrong(run).max(), 40) == locked


@given(st.lists(st.integers(-1, 2), min_size=1, max_size=60), st.integers(0, 5))
def test_lock_in_equals_its_definition(arms, seeded):
    """Whatever customers did: the counts say what the definition says."""
    run = trajectory(np.array(arms), seeded=seeded)
    assert is_locked_in(late_wrong(run).max(), len(arms)) == settled_on_a_wrong_arm(run)


WANDERERS = {
    "logit customers who wander": ({"behaviour": "logit", "tau": 100.0}, "greedy", False),
    "round robin": ({"behaviour": "greedy"}, "round-robin", False),
    "logit customers who hardly err": ({"behaviour": "logit", "tau": 0.001}, "greedy", True),
    "greedy customers": ({"behaviour": "greedy"}, "greedy", True),
}


@pytest.mark.parametrize("name", WANDERERS)
def test_who_wanders_is_not_locked_in(name):
    """Random choices and turns end on no arm; greed ends on a wrong one in some markets."""
    customers, policy, some = WANDERERS[name]
    arms = {"law": "bernoulli", "means": [0.9, 0.5, 0.3, 0.1]}
    market = {"arms": arms, "customers": customers}
    scenario = small(horizon=300, market=market, policy=[{"name": policy}])
    share = simulate(scenario, engine="market").summary()["locked_in"][0]
    assert 0.0 < share < 0.4 if some else share == 0.0


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


def digest_of(label="ucb", **changes):
    """The digest of two runs of nothing, apart from these changes of their sums."""
    runs = Runs(points=1, arms=2)
    runs.grow(2)
    runs.add(0, empty_tally(2, 1, 2)._replace(**changes))
    return runs_digest({label: runs})


@pytest.mark.parametrize("name", Tally._fields)
def test_a_digest_depends_on_every_number(name):
    """One more in the last place of any sum, or another label, is another digest."""
    array = getattr(empty_tally(2, 1, 2), name).copy()
    assert digest_of(**{name: array}) == digest_of()
    array[(-1,) * array.ndim] += 1
    assert digest_of(**{name: array}) != digest_of() != digest_of("ts")


def test_a_digest_of_points_depends_on_all_of_them():
    """And on their order."""
    digests = ["ab", "cd", "ef"]
    assert joined_digest(digests) == joined_digest(iter(digests))
    others = [digests[:2], digests[1:], digests[::-1], []]
    assert joined_digest(digests) not in map(joined_digest, others)
