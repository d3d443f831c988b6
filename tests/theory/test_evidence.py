"""What recorded histories show of the proofs."""

from __future__ import annotations

import numpy as np
import pytest

from kcmab_abm import Trajectory, make_scenario
from kcmab_abm.paper.evidence import biases, histories, means_before, stopped_means
from kcmab_abm.paper.study import paper_scenario


def trajectory(arms: list[int], rewards: list[float]) -> Trajectory:
    """A trajectory with these pulls, and nothing else of interest."""
    zeros, nobody = np.zeros(len(arms)), np.empty((len(arms), 0))
    return Trajectory(
        clock=zeros, targets=np.array(arms), offers=zeros, arms=np.array(arms),
        rewards=np.array(rewards), payments=zeros, regrets=zeros, seeded=zeros > 0, waits=zeros,
        beside=nobody.astype(np.int64), beside_offers=nobody,
    )  # fmt: skip


def test_means_before_a_customer_leave_her_out() -> None:
    """The mean of an arm at customer t is over the customers before t; none gives NaN."""
    run = trajectory([0, 1, 0, 0, 1], [1.0, 0.0, 0.0, 1.0, 1.0])
    means = means_before(run, 0, np.array([0, 1, 3, 5]))
    assert np.isnan(means[0])
    assert means[1:].tolist() == [1.0, 0.5, 2 / 3]


def test_a_run_that_ends_early_counts_with_its_last_mean() -> None:
    """The k-th pull of arm i is looked up; if it never came, arm 1's mean at the end counts."""
    run = trajectory([0, 1, 0, 1, 0], [1.0, 0.0, 0.0, 1.0, 0.0])
    means, reached = stopped_means(run, best=0, other=1, pulls=np.array([1, 2, 3]))
    assert means.tolist() == [1.0, 0.5, 1 / 3]
    assert reached.tolist() == [True, True, False]


@pytest.mark.parametrize("mu", [0.9, 0.6])
def test_no_policy_makes_arm_1_look_worse_than_the_programme(mu: float) -> None:
    """E[m_1(t_i(k))] >= DP(mu_1, T) for every policy and k (5 standard errors of grace)."""
    scenario = make_scenario(
        {
            "horizon": 500,
            "replications": 300,
            "seed": 3,
            "market": {"arms": {"law": "bernoulli", "means": [mu, mu - 0.1, 0.2]}},
            "policy": [
                {"name": name}
                for name in ("greedy", "ucb", "ts", "modified-ts", "modified-epsilon-greedy")
            ],
        }
    )
    table = histories(scenario, most=20)
    assert (table["mean"] + 5 * table["se"] >= table["stopping_value"]).all()
    assert (table["mean"] < mu + 5 * table["se"]).all()
    greedy = table[table["policy"] == "greedy"]
    assert (greedy["mean"] < mu - 5 * greedy["se"]).sum() > 10


def test_without_choice_there_is_no_bias() -> None:
    """Round robin pulls whatever it sees, so its means are unbiased (5 standard errors)."""
    scenario = make_scenario(
        {
            "horizon": 400,
            "replications": 300,
            "seed": 4,
            "market": {"arms": {"law": "bernoulli", "means": [0.7, 0.4]}},
            "policy": [{"name": "round-robin"}, {"name": "greedy"}],
        }
    )
    table = biases(scenario, points=5)
    fair = table[table["policy"] == "round-robin"]
    assert (fair["mean"].abs() <= 5 * fair["se"]).all()
    greedy = table[(table["policy"] == "greedy") & (table["customer"] == 400)]
    assert (greedy["mean"] < -5 * greedy["se"]).all()


def test_greedy_customers_are_not_the_worst_stopping_rule() -> None:
    """Arm 1's mean goes less than half of the way to DP by pull 2, and 80 % later on."""
    scenario = paper_scenario("bernoulli", horizon=2000, runs=2000, seed=4)
    table = histories(scenario.replace(policy=[{"name": "greedy"}]), most=20).set_index("pull")
    apart = table["best_mean"] - table["stopping_value"]
    way, error = (table["best_mean"] - table["mean"]) / apart, table["se"] / apart
    assert 0.29 - 4 * error[2] < way[2] < 0.29 + 4 * error[2] < 0.5
    assert 0.80 - 4 * error[20] < way[20] < 0.80 + 4 * error[20] < 1.0
