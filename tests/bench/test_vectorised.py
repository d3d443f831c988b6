"""The NumPy versions that the batch engine is compared with play the same market."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from bench.cases import market_of, means_of
from bench.plain import highest as plain_highest
from bench.plain import run_plain
from bench.vectorised import POLICIES, highest, run_vectorised
from kcmab_abm.batch.run import run_batch
from kcmab_abm.market.run import Replay
from kcmab_abm.model.trajectory import CURVES, Tally
from kcmab_abm.results.statistics import checkpoints

ARMS, HORIZON, REPLICATIONS = 9, 1200, 1500
# Standard errors of a difference: 6e-5 false alarms a comparison, 6e-3 in all of them; the seeds
# are fixed, so that it alarms always or never.
GRACE = 4.0


@pytest.fixture(scope="module", params=itertools.product(POLICIES, [run_plain, run_vectorised]))
def pair(request: pytest.FixtureRequest) -> tuple[Tally, Tally]:
    """The tallies of NumPy and of the batch engine, on independent streams."""
    points = checkpoints(HORIZON)
    rng = np.random.default_rng(7)
    policy, play = request.param
    theirs = play(policy, means_of(ARMS), HORIZON, REPLICATIONS, points, rng)
    scenario = market_of(policy, horizon=HORIZON)
    policy = scenario.policies[0]
    replay = Replay(scenario, policy)
    return theirs, run_batch(scenario, policy, 0, REPLICATIONS, points, replay)


def assert_same_mean(one: np.ndarray, two: np.ndarray) -> None:
    """The means over replications differ by less than the grace."""
    error = math.hypot(one.std(ddof=1), two.std(ddof=1)) / math.sqrt(REPLICATIONS)
    assert abs(one.mean() - two.mean()) <= GRACE * error


@pytest.mark.parametrize("measure", CURVES[:3])
def test_numpy_and_the_batch_engine_agree(pair: tuple[Tally, Tally], measure: str) -> None:
    """Mean regret, realised regret and compensation are the same at the end."""
    place = CURVES.index(measure)
    assert_same_mean(*(tally.curves[:, -1, place] for tally in pair))


@pytest.mark.parametrize("count", ["paid", "late_wrong"])
def test_numpy_counts_customers_as_the_batch_engine_does(
    pair: tuple[Tally, Tally], count: str
) -> None:
    """As many customers are paid, and as many are wrong at the end."""
    assert_same_mean(*(getattr(tally, count) for tally in pair))


@pytest.mark.parametrize("arm", range(ARMS))
def test_numpy_and_the_batch_engine_agree_on_every_arm(pair: tuple[Tally, Tally], arm: int) -> None:
    """Every arm is pulled as often, and paid for as much."""
    assert_same_mean(*(tally.pulls[:, arm] for tally in pair))
    assert_same_mean(*(tally.payments[:, arm] for tally in pair))


def test_numpy_keeps_all_the_accounts(pair: tuple[Tally, Tally]) -> None:
    """Nothing is left out: what does not depend on chance is equal, and all sums add up."""
    theirs, ours = pair
    for name in ("seeded", "targeted", "accepted", "left"):
        np.testing.assert_array_equal(getattr(theirs, name), getattr(ours, name))
    assert (theirs.pulls.sum(axis=1) == HORIZON).all()
    regret, _, compensation, dynamic = theirs.curves[:, -1, :].T
    np.testing.assert_allclose(regret, theirs.pulls @ (0.9 - means_of(ARMS)))
    np.testing.assert_allclose(compensation, theirs.payments.sum(axis=1))
    np.testing.assert_array_equal(dynamic, regret)


def test_ties_are_broken_evenly() -> None:
    """Each of the highest arms of a replication wins as often, and no other ever."""
    values = np.tile(np.array([[1.0], [2.0], [0.5], [2.0], [2.0]]), 3000)
    for winners in (
        highest(values, np.random.default_rng(3)),
        plain_highest(values.T, np.random.default_rng(3)),
    ):
        won = Counter(winners.tolist())
        assert set(won) == {1, 3, 4}
        assert stats.chisquare(list(won.values())).pvalue > 1e-4
