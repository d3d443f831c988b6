"""What customers saw is reconstructed exactly, or the fit is refused."""

from __future__ import annotations

import numpy as np
import pytest

from kcmab_abm import MarketError, SweepResults, Trajectory, behaviour, make_scenario, run, simulate
from kcmab_abm.fitting.observed import observe
from kcmab_abm.market.retrace import retrace
from kcmab_abm.model.offers import best_deal

from .markets import market, played

FRICTIONS = {
    "delays": {"report_delay": {"law": "exponential", "mean": 7.0}, "service_time": 0.5},
    "lost reports": {"report_probability": 0.4},
    "stars": {"disclosure": {"rule": "stars"}},
    "target only": {"disclosure": {"rule": "target-only"}, "report_delay": 3.0},
    "queues": {"capacity": 1, "service_time": 1.5, "arrivals": {"process": "poisson"}},
}


def offers_of(run, arms=3):
    """The offers on all arms, one row per customer."""
    offers = np.zeros((len(run), arms))
    offers[np.arange(len(run)), run.targets] = run.offers
    return offers


def same(one, other):
    """Whether two records of what was seen agree in everything."""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_plain_market_needs_no_replay():
    """What is computed from the record is what the market shows."""
    scenario = market()
    run = played(scenario)
    (direct,) = observe(run, scenario).seen
    replayed = retrace(scenario, 0, run, offers_of(run))
    assert same(direct[:9], replayed[:9])
    for choice, heard in enumerate(direct.heard):
        told = direct.told[:heard][direct.reported[:heard] == 1]
        assert replayed.pulls[choice, 1] == len(told)
        assert replayed.means[choice, 1] == told.sum() / len(told)


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.usefixtures("_own_catalogue")
def test_frictions_are_reconstructed(friction):
    """A spy among the customers notes what she sees; the fit finds the same."""
    noted = []

    @behaviour("spy")
    def take(t, book, board, rng):
        """Notes what she sees."""
        noted.append((t, *book.pulls.tolist(), *book.means.tolist()))
        return best_deal(book.means, 0.7, book, board, rng)

    scenario = market("spy", **FRICTIONS[friction])
    run = played(scenario)
    noted.clear()
    run = played(scenario)
    (seen,) = observe(run, scenario).seen
    rows = zip(seen.customers, seen.pulls, seen.means, strict=True)
    assert [(t, *pulls, *means) for t, pulls, means in rows] == noted[-len(seen.customers) :]
    assert seen.taken.tolist() == run.arms[~run.seeded].tolist()


def test_reports_that_differ_from_rewards_are_reconstructed():
    """Customers of the package who exaggerate do so by what they were paid."""
    scenario = market({"behaviour": "drifted-feedback", "slope": 0.5})
    run = played(scenario)
    (seen,) = observe(run, scenario).seen
    assert seen.told.tolist() == (run.rewards + 0.5 * run.payments).tolist()
    assert run.payments.any()


def test_a_record_of_another_run_is_refused():
    """Another replication earns other rewards."""
    scenario = market(report_probability=0.5)
    with pytest.raises(MarketError, match="replication 1: not a run of this scenario: customer"):
        observe(played(scenario), scenario, replications=[1])


def test_a_bare_trajectory_says_what_is_assumed():
    """And is refused if it shows that reports were late."""
    (note,) = observe(played(market())).notes
    assert "assumes that every customer saw all reports" in note
    late = played(market(report_delay=5.0))
    with pytest.raises(MarketError, match="as if reports were delayed or lost; give the scenario"):
        observe(late)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"capacity": 1, "service_time": 2.0, "when_full": "leave"}, "not what they chose"),
        (
            {
                "customers": {
                    "behaviour": "mixture",
                    "of": [
                        {"behaviour": "drifted-feedback", "decision": {"rule": "logit"}},
                        {"behaviour": "greedy"},
                    ],
                }
            },
            "nobody knows what the others saw",
        ),
    ],
)
def test_what_the_record_does_not_tell_is_refused(more, message):
    """The message names the setting."""
    scenario = market(**{"customers": "greedy", **more})
    with pytest.raises(MarketError, match=message):
        observe(played(scenario), scenario)


@pytest.mark.parametrize("more", [{}, FRICTIONS["lost reports"]], ids=["plain", "lost reports"])
def test_ledger_results_and_trajectories_agree(tmp_path, more):
    """Three ways to the same choices."""
    scenario = market(horizon=40, **more)
    results = run(scenario, tmp_path / "results", engine="market")
    runs = [played(scenario, replication) for replication in range(3)]
    ways = [
        observe(tmp_path / "results"),
        observe(results),
        observe(runs, scenario),
    ]
    for way in ways:
        assert way.choices == ways[0].choices >= 100
        assert all(map(same, way.seen, ways[0].seen))
    assert len(observe(tmp_path / "results", replications=range(2)).seen) == 2


def test_offers_beside_the_target_are_in_the_ledger(tmp_path):
    """Those refused are listed, and that taken was paid."""
    settings = {**market(horizon=60).settings, "purse": {"also": 1}}
    scenario = make_scenario(settings)
    run(scenario, tmp_path / "results", engine="market")
    direct = observe([played(scenario, each) for each in range(3)], scenario)
    recorded = observe(tmp_path / "results")
    for one, other in zip(direct.seen, recorded.seen, strict=True):
        assert np.array_equal(one.offers, other.offers)
        assert (one.offers > 0.0).sum(axis=1).max() == 2


def test_choices_that_were_not_simulated_are_not_played_again():
    """Results of other customers under the same scenario are refused."""
    plain, other = market(horizon=60), market("greedy", horizon=60)
    results = simulate(plain, engine="market")
    object.__setattr__(results, "scenario", other)
    with pytest.raises(MarketError, match="gave another result"):
        observe(results)


def test_what_is_no_run_is_refused(tmp_path):
    """Folders without a ledger, sweeps, wrong counts, runs without choices."""
    scenario = market(horizon=10).replace(record="curves")
    run(scenario, tmp_path / "bare", engine="market")
    with pytest.raises(MarketError, match="has no ledger"):
        observe(tmp_path / "bare")
    with pytest.raises(MarketError, match="no such folder"):
        observe(tmp_path / "nowhere")
    with pytest.raises(MarketError, match="2 numbers for 1 trajectories"):
        observe(played(scenario), scenario, replications=[0, 1])
    short = played(scenario)
    first = {word: getattr(short, word)[:3] for word in Trajectory.__dataclass_fields__}
    with pytest.raises(MarketError, match="there are no choices"):
        observe(Trajectory(**first))
    with pytest.raises(MarketError, match="results of one scenario"):
        observe(SweepResults(scenario, None, ()))
