"""Confidence intervals cover what they should as often as they should."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy import stats

from kcmab_abm import make_scenario, simulate

EXPERIMENTS = 400
FALSE_ALARM = 1e-6  # the chance that correct intervals leave the bounds, for each measure
BERNOULLI = {"law": "bernoulli", "means": [0.8, 0.4]}
UNIFORM = {"law": "uniform", "low": [0.0, 0.0], "high": [1.0, 1.0]}
WORSE = 0.2 * 0.4 + (0.8 * 0.4 + 0.2 * 0.6) / 2  # greedy takes arm 1 after one pull of each

# In every market the expectation is known: of round robin's regret because nothing is random in
# its pulls; of its one offer because it is the positive part of X_1 - X_0, uniform both; of
# greedy's third pull by the four outcomes of the first two.
MARKETS = {
    "realised_regret": ("round-robin", BERNOULLI, 40, 20, 20 * 0.4),
    "compensation": ("round-robin", UNIFORM, 3, 60, 1 / 6),
    "regret": ("greedy", BERNOULLI, 3, 60, 0.4 * (1 + WORSE)),
}


@pytest.mark.parametrize("measure", MARKETS)
def test_intervals_cover_the_expectation(measure):
    """The 95 % and the 60 % interval cover the exact expectation in about that many experiments.

    The bounds are those that a binomial count leaves once in a million times. The true coverage of
    Student's interval is a little off its name for these small samples, far less than the bounds.
    """
    policy, arms, horizon, replications, exact = MARKETS[measure]
    scenario = make_scenario(
        {
            "horizon": horizon,
            "replications": replications,
            "market": {"arms": arms},
            "policy": [{"name": policy}],
        }
    )
    experiments = [simulate(replace(scenario, seed=seed), jobs=1) for seed in range(EXPERIMENTS)]
    for confidence in (0.95, 0.6):
        rows = [results.summary(confidence).iloc[0] for results in experiments]
        covered = sum(row[f"{measure}_low"] <= exact <= row[f"{measure}_high"] for row in rows)
        low, high = stats.binom.interval(1 - FALSE_ALARM, EXPERIMENTS, confidence)
        assert low <= covered <= high
