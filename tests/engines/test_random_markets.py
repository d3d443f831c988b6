"""Random markets: means drawn anew in every replication, the same for all policies and engines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import kcmab_abm as kcmab
from kcmab_abm import MarketError, ScenarioError, make_scenario, play, run, simulate
from kcmab_abm.catalogue.entries import LawSettings
from kcmab_abm.paths import find_paths, obedience, switching_graph
from kcmab_abm.theory.applicable import withheld_in_words, yardstick_table, yardsticks
from kcmab_abm.theory.exact_policies import policy_value
from tests.markets import assert_same
from tests.registry import own_catalogue

UNIFORM = {"law": "bernoulli", "count": 3, "means": {"prior": "uniform"}}
LISTED = {"prior": "list", "markets": [[0.9, 0.5], [0.4, 0.6], [0.1, 0.2]]}
MIXED = [
    {"law": "bernoulli", "count": 2, "means": {"prior": "beta", "a": 0.5, "b": 2.0}},
    {"law": "beta", "means": [0.4], "concentration": 3.0},
    {"law": "beta", "concentration": 4.0, "means": LISTED},
    {"law": "beta", "concentration": 0.5, "count": 1, "means": {"prior": "uniform", "high": 0.5}},
]
GREEDY_UCB = [{"name": "greedy"}, {"name": "ucb"}]
A_FEW = settings.default.max_examples // 8


def scenario_of(arms, policies=("ucb",), market=None, **more):
    """A small scenario with these arms."""
    table = [{"name": name} for name in policies]
    shape = {"horizon": 60, "replications": 20, "seed": 5}
    return make_scenario(
        {**shape, "market": {"arms": arms, **(market or {})}, "policy": table, **more}
    )


def drawn_means(scenario, replications=20):
    """The means of some replications, one row each."""
    return np.array([scenario.drawn(each).market.means for each in range(replications)])


def problem(arms, **more):
    """What is wrong with these arms."""
    with pytest.raises(ScenarioError) as caught:
        scenario_of(arms, **more)
    return str(caught.value)


@pytest.mark.parametrize(
    "market",
    [
        {},
        {"report_probability": 0.6, "ties": "first"},
        {"change": {"kind": "seasonal", "amplitude": 0.2, "period": 30}},
        {"change": {"kind": "piecewise", "at": [20], "means": [[0.2, 0.8, 0.3, 0.4, 0.5, 0.6]]}},
    ],
    ids=["plain", "lost reports", "seasons", "jump"],
)
def test_engines_agree(market):
    """Both engines draw the same markets and give the same trajectories and sums."""
    measures = {"late": {"measure": "discounted-regret"}, "spread": {"measure": "gini"}}
    scenario = scenario_of(MIXED, ("ucb", "greedy"), market, measures=measures, horizon=600)
    for label in ("ucb", "greedy"):
        runs = [play(scenario, label, 3, engine=engine) for engine in ("market", "batch")]
        assert_same(*runs)
    results = [simulate(scenario, engine=engine) for engine in ("market", "batch")]
    assert results[0].digest() == results[1].digest()


@settings(max_examples=A_FEW)
@given(
    count=st.integers(1, 12),
    a=st.floats(1e-3, 1e3),
    b=st.floats(1e-3, 1e3),
    seed=st.integers(0, 2**63 - 1),
    replication=st.integers(0, 10**8 - 1),
)
def test_engines_agree_on_any_beta_prior(count, a, b, seed, replication):
    """The batch engine plays any replication in the market that the market engine draws."""
    arms = {"law": "bernoulli", "count": count, "means": {"prior": "beta", "a": a, "b": b}}
    scenario = scenario_of(arms, seed=seed)
    assert_same(*(play(scenario, None, replication, engine=each) for each in ("market", "batch")))


def test_a_list_of_one_market_is_that_market():
    """Drawing changes nothing else: the digest is that of the market with given means."""
    means = [0.3, 0.8, 0.8]
    arms = {"law": "bernoulli", "means": {"prior": "list", "markets": [means]}}
    given_means = scenario_of({"law": "bernoulli", "means": means})
    for engine in ("market", "batch"):
        assert simulate(scenario_of(arms), engine=engine).digest() == simulate(given_means).digest()


def test_means_depend_on_seed_and_replication_alone():
    """Neither policies, customers, horizon nor other arms change the market of a replication."""
    scenario = scenario_of(UNIFORM)
    means = drawn_means(scenario)
    other = scenario_of(UNIFORM, ("ts",), {"customers": {"behaviour": "logit"}}, horizon=7)
    assert np.array_equal(drawn_means(other), means)
    more = scenario_of([UNIFORM, {"law": "bernoulli", "means": [0.5]}])
    assert np.array_equal(drawn_means(more)[:, :3], means)
    assert len(np.unique(means)) == means.size
    assert not np.isin(drawn_means(scenario.replace(seed=6)), means).any()


def test_policies_meet_the_same_markets():
    """What a customer who takes arm 0 loses is the same under every policy."""
    scenario = scenario_of(UNIFORM, ("ucb", "greedy", "ts"))
    for replication in range(5):
        gaps = scenario.drawn(replication).market.gaps
        for label in ("ucb", "greedy", "ts"):
            trajectory = play(scenario, label, replication)
            assert np.array_equal(trajectory.regrets, gaps[trajectory.arms])


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        ({"prior": "uniform", "low": 0.2, "high": 0.7}, stats.uniform(0.2, 0.5)),
        ({"prior": "beta", "a": 0.5, "b": 3.0}, stats.beta(0.5, 3.0)),
    ],
)
def test_means_have_the_distribution_of_the_prior(prior, law):
    """Kolmogorov and Smirnov's test; a right prior fails one seed in ten thousand."""
    scenario = scenario_of({"law": "bernoulli", "count": 4, "means": prior})
    assert stats.kstest(drawn_means(scenario, 1000).ravel(), law.cdf).pvalue > 1e-4


def test_a_list_is_drawn_market_by_market():
    """All arms of a table have the means of one market, and all markets are equally likely."""
    means = drawn_means(scenario_of({"law": "bernoulli", "means": LISTED}), 900)
    chosen = [LISTED["markets"].index(row) for row in means.tolist()]
    counts = np.bincount(chosen, minlength=3)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_means_beyond_what_the_law_allows_are_clipped():
    """A Beta prior has mass near 0 and 1, where Beta rewards are not defined."""
    arms = {"law": "beta", "count": 4, "concentration": 2.0, "means": {"prior": "beta", "a": 0.01}}
    means = drawn_means(scenario_of(arms), 50)
    assert means.min() == 0.001


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_of_markets(tmp_path, suffix):
    """One row per market; arms are named by the columns."""
    table = pd.DataFrame({"id": ["x", "y"], "b": [0.25, 0.5], "a": [0.75, 1.0]})
    path = tmp_path / f"markets.{suffix}"
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    prior = {"prior": "file", "file": str(path), "columns": ["a", "b"]}
    scenario = scenario_of({"law": "bernoulli", "means": prior})
    assert [arm.name for arm in scenario.market.arms] == ["a", "b"]
    assert {tuple(row) for row in drawn_means(scenario).tolist()} == {(0.75, 0.25), (1.0, 0.5)}
    prior["columns"] = ["a", "c"]
    assert "no column 'c'" in problem({"law": "bernoulli", "means": prior})
    table.assign(a=[0.5, 1.5]).to_csv(tmp_path / "bad.csv", index=False)
    prior |= {"file": str(tmp_path / "bad.csv"), "columns": ["a"]}
    assert "row 2: 'a' must be from 0 to 1" in problem({"law": "bernoulli", "means": prior})


@pytest.mark.parametrize(
    ("policy", "horizon", "prior"),
    [
        ("greedy", 100, {"a": 1.0, "b": 1.0}),
        ("ucb", 100, {"a": 1.0, "b": 1.0}),
        ("ts", 100, {"a": 1.0, "b": 1.0}),
        ("ucb", 40, {"a": 0.5, "b": 3.0}),
    ],
)
def test_bayes_regret_and_compensation_are_the_exact_ones(policy, horizon, prior):
    """Within five standard errors of the exact values: a false alarm in a million of seeds."""
    arms = {"law": "bernoulli", "count": 2, "means": {"prior": "beta", **prior}}
    scenario = scenario_of(arms, (policy,), horizon=horizon, replications=20_000)
    exact = policy_value(policy, horizon, **prior)
    [row] = simulate(scenario).summary().to_dict("records")
    for measure in ("regret", "compensation"):
        away = abs(row[measure] - getattr(exact, measure))
        assert away <= 5.0 * row[f"{measure}_se"] + 1e-12, (measure, row[measure], exact)


def test_recorded_runs_resume_and_verify(tmp_path):
    """The ledger has the regret of each replication's own market, whichever engine wrote it."""
    for engine in ("market", "batch"):
        scenario = scenario_of(UNIFORM, record="paths", replications=4)
        run(scenario, tmp_path / engine, engine=engine)
        again = run(scenario.replace(replications=6), tmp_path / engine, engine=engine, resume=True)
        assert again.replications == 6
        found = pd.read_parquet(tmp_path / engine / "ledger")
        for replication in range(6):
            customers = found[found["replication"] == replication]
            trajectory = play(scenario, None, replication)
            assert np.array_equal(customers["regret"].to_numpy(), trajectory.regrets)


def test_sweeps_vary_priors_and_pair_their_points():
    """Points with the same arms meet the same markets."""
    axes = {"market.arms.count": [2, 4], "policy[0].name": ["greedy", "ucb"]}
    points = scenario_of(UNIFORM, sweep={"grid": axes}).points()
    assert [len(point.market.arms) for point in points] == [2, 2, 4, 4]
    assert np.array_equal(drawn_means(points[0]), drawn_means(points[2])[:, :2])
    listed = {"market.arms.means": [{"prior": "uniform"}, {"prior": "beta", "a": 2.0}]}
    assert len(scenario_of(UNIFORM, sweep={"grid": listed}).points()) == 2


def test_an_open_market_has_the_arms_of_its_replication():
    """Stepping a random market gives the trajectory of `play`, and forks are alike."""
    scenario = scenario_of(UNIFORM)
    market = kcmab.open_market(scenario, "ucb", replication=3)
    for _ in range(10):
        market.step()
    copy = market.fork()
    while not copy.is_over:
        copy.step()
    assert_same(copy.trajectory(), play(scenario, None, 3))


def test_environments_play_random_markets():
    """Episodes of an environment are the replications of the scenario, in the market engine."""
    pytest.importorskip("gymnasium")
    scenario = scenario_of(UNIFORM)
    env = kcmab.gym.make(scenario)
    for replication in range(3):
        env.reset()
        gaps = scenario.drawn(replication).market.gaps
        for target in (0, 1, 2, 1):
            info = env.step(target)[4]
            assert info["regret"] == gaps[info["arm"]]
    with pytest.raises(MarketError, match="means are drawn anew in every replication"):
        kcmab.gym.make(scenario, engine="batch")


def test_whatever_needs_one_market_says_so():
    """Bounds name the premise that fails; tools that need one market refuse."""
    scenario = scenario_of(UNIFORM, ("ucb", "modified-ts", "modified-epsilon-greedy"))
    assert not list(yardsticks(scenario))
    assert "the bounds assume one market" in " ".join(withheld_in_words(scenario))
    results = simulate(scenario, engine="market")
    assert yardstick_table(results).empty
    assert results.arms()["mean"].isna().all()
    assert results.arms()["pulls"].sum() == pytest.approx(3 * 60)
    for tool in (switching_graph, find_paths):
        with pytest.raises(MarketError, match=r"market\.arms: means are drawn anew"):
            tool(scenario)
    with pytest.raises(MarketError, match="no arm has one true mean"):
        _ = scenario.market.means


def test_the_audit_of_obedience_averages_over_the_prior():
    """A target of unknown arms is worth following by as much as its mean exceeds the other's."""
    arms = {"law": "bernoulli", "means": {"prior": "list", "markets": [[0.9, 0.4]]}}
    market = {"disclosure": {"rule": "target-only"}}
    one = obedience(scenario_of(arms, ("greedy",), market), points=2)
    other = obedience(
        scenario_of({"law": "bernoulli", "means": [0.9, 0.4]}, ("greedy",), market), points=2
    )
    pd.testing.assert_frame_equal(one, other)


def test_customers_with_fixed_utilities_have_no_net_regret_here():
    """Net regret is measured from one market's best arm."""
    customers = {"behaviour": "informed", "utilities": [0.1, 0.2, 0.3]}
    results = simulate(scenario_of(UNIFORM, market={"customers": customers}), engine="market")
    assert "net_regret" not in results.summary()
    with pytest.raises(MarketError, match="arms whose means are given"):
        results.net_regret("ucb")


@pytest.fixture
def empty_catalogue():
    """What a test registers is forgotten."""
    with own_catalogue():
        yield


@pytest.mark.usefixtures("empty_catalogue")
def test_own_laws_draw_their_means_in_the_market_engine():
    """A law from another file that can be moved to a mean has random means, without kernels."""

    class Settings(LawSettings):
        means: list[float]

        def rows(self):
            return [(each,) for each in self.means]

    def move(mean, row, moved):
        moved[0] = mean

    @kcmab.law(
        "steady-pay",
        settings=Settings,
        mean=lambda row: float(row[0]),
        variance=lambda row: 0.0,
        move=move,
    )
    def reward(u, row):
        """Pays its mean, always."""
        return row[0]

    arms = {"law": "steady-pay", "count": 3, "means": {"prior": "uniform"}}
    results = simulate(scenario_of(arms, ("greedy",)))
    assert results.engines["greedy"].engine == "market"
    assert "random means" in results.engines["greedy"].reason
    assert results.finals()["regret"].to_numpy() == pytest.approx(
        [(3 * means.max() - means.sum()) for means in drawn_means(scenario_of(arms))]
    )


@pytest.mark.parametrize(
    ("arms", "words"),
    [
        (UNIFORM | {"law": "discrete", "values": [0, 1]}, "use bernoulli, beta"),
        ({"law": "bernoulli", "means": {"prior": "uniform"}}, "count: required with this prior"),
        (UNIFORM | {"means": {"prior": "unifrm"}}, "no prior 'unifrm'. Did you mean 'uniform'?"),
        (UNIFORM | {"means": {}}, "market.arms.means.prior: required, but missing"),
        (UNIFORM | {"means": {"prior": "beta", "c": 1}}, "no setting 'c'"),
        (UNIFORM | {"means": {"prior": "uniform", "low": 0.7, "high": 0.3}}, "low <= high"),
        (UNIFORM | {"law": "beta", "concentration": 2.0, "means": {"prior": "uniform", "low": 0}},
         "from 0.001 to 0.999"),
        (UNIFORM | {"law": "beta"}, "give means and concentration"),
        (UNIFORM | {"count": 0}, "market.arms.count: must be >= 1"),
        (UNIFORM | {"shape": 1}, "no setting 'shape'"),
        ({"law": "bernoulli", "means": {"prior": "list", "markets": [[0.5], [0.1, 0.2]]}},
         "as many means"),
        ({"law": "bernoulli", "count": 3, "means": LISTED}, "number of arms in a market, 2"),
        ({"law": "bernoulli", "means": {"prior": "file", "file": "none.csv", "columns": ["a"]}},
         "no such file"),
    ],
)  # fmt: skip
def test_bad_priors_are_refused(arms, words):
    """The message says where, what was found and what is allowed."""
    assert words in problem(arms)


def test_walls_of_a_random_walk_must_hold_the_prior():
    """Means that could begin outside the walls are refused."""
    walk = {"kind": "random-walk", "step": 0.01, "low": 0.2}
    assert "begins anywhere from 0 to 1" in problem(UNIFORM, market={"change": walk})
    inside = UNIFORM | {"means": {"prior": "uniform", "low": 0.3}}
    assert scenario_of(inside, market={"change": walk}).drawn(0).market.means.min() >= 0.3
