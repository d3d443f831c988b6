"""Customers of several kinds who stand in line together."""

from __future__ import annotations

from kcmab_abm import make_scenario
from kcmab_abm.market.run import run_market

SLOPE = 0.5


def reports_of(scenario):
    """The visits whose reports came in, in the order in which they did."""
    visits = []

    def listen(place):
        news = place.reports.next
        while True:
            visit, news = yield news
            visits.append(visit)

    run_market(scenario, scenario.policies[0], 0, lambda place: [listen(place)])
    return visits


def test_a_customer_stays_of_her_kind_while_she_waits():
    """Whoever chooses while she stands in line does not change what she says afterwards.

    Only the drifting kind is ever paid here, for the stubborn one goes to the leader.
    """
    kinds = [
        {"behaviour": "drifted-feedback", "slope": SLOPE},
        {"behaviour": "stubborn", "share": 1.0},
    ]
    market = {
        "arms": {"law": "beta", "means": [0.7, 0.5, 0.3], "concentration": 3.0},
        "customers": {"behaviour": "mixture", "of": kinds},
        "capacity": 1,
        "service_time": 2.5,
    }
    settings = {"horizon": 200, "seed": 3, "market": market, "policy": [{"name": "ucb"}]}
    visits = reports_of(make_scenario(settings))
    assert sum(visit.payment > 0.0 and visit.wait > 0.0 for visit in visits) > 20
    assert all(visit.told == visit.reward + SLOPE * visit.payment for visit in visits)
