"""Fits: estimates, intervals, comparisons, what is not identified, and scenarios made of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import kcmab_abm as kcmab
from kcmab_abm import MarketError
from kcmab_abm.errors import PlayError
from kcmab_abm.fitting.customers import Customers, pair_table
from kcmab_abm.fitting.observed import observe

from .markets import market, played
from .test_chances import by_hand

NOISY = {"behaviour": "logit", "tau": 0.15}


def test_the_estimate_is_the_highest_likelihood_and_the_interval_its_profile():
    """Found again by other means, from the formula of the logit."""
    run = played(market(NOISY, horizon=150))
    found = kcmab.fit(run, "logit", confidence=0.9)

    def log_likelihood(tau):
        return math.fsum(map(math.log, by_hand(run, tau)))

    best = minimize_scalar(lambda tau: -log_likelihood(tau), bounds=(0.01, 1.0), method="bounded")
    fall = 2.705543454095404 / 2.0  # the 90 % quantile of the chi-squared law

    def excess(tau):
        return -best.fun - fall - log_likelihood(tau)

    assert found.parameters["tau"] == pytest.approx(best.x, rel=1e-3)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-5)
    ends = brentq(excess, 0.02, best.x), brentq(excess, best.x, 2.0)
    assert found.intervals["tau"] == pytest.approx(ends, rel=1e-3)
    assert found.aic == pytest.approx(2.0 + 2.0 * best.fun, abs=1e-4)
    assert found.choices == 147


def test_all_runs_count():
    """The log-likelihood of two runs is the sum of theirs."""
    scenario = market(NOISY)
    runs = [played(scenario, each) for each in range(2)]
    table = {"behaviour": "logit", "tau": 0.2}
    both = kcmab.fit(runs, table, scenario=scenario)
    each = [kcmab.fit(run, table, scenario=scenario).log_likelihood for run in runs]
    assert both.log_likelihood == pytest.approx(math.fsum(each), rel=1e-12)
    assert both.estimates == {}
    assert "nothing to estimate" in repr(both)


def test_customers_without_noise_have_tau_0():
    """The likelihood rises towards 0; the interval has an upper end and says so."""
    run = played(market("greedy", policy="greedy"))
    alone = kcmab.fit(run, ["logit", "greedy"])
    logit, greedy = alone
    (low, high), tau = logit.intervals["tau"], logit.parameters["tau"]
    assert (low, tau) == (0.0, 0.0)
    assert 0.0 < high < 0.2
    assert any("tau: the choices do not bound it from below" in note for note in logit.notes)
    assert greedy.log_likelihood == pytest.approx(0.0, abs=20.0)  # ties are broken at random
    assert greedy.explained > 0.9
    fitted = logit.scenario(market(NOISY)).market.customers
    assert fitted.params.of_1_tau == 0.0


def test_tau_is_not_0_where_greedy_customers_would_have_chosen_otherwise():
    """Noise too small to tell makes her toss a coin when indifferent; without it she never does."""
    run = played(market({"behaviour": "logit", "tau": 1e-5}))
    assert np.any((run.offers > 0.0) & (run.arms != run.targets))  # refused when indifferent
    found, greedy = kcmab.fit(run, ["logit", "greedy"])
    assert 0.0 < found.parameters["tau"] < 1e-4
    assert found.intervals["tau"][0] == 0.0
    assert greedy.log_likelihood == -math.inf
    again = kcmab.fit(run, {"behaviour": "logit", "tau": found.parameters["tau"]})
    assert again.log_likelihood == pytest.approx(found.log_likelihood)


def test_customers_who_never_look_have_no_finite_tau():
    """Choices by the toss of a coin: nothing bounds tau from above."""
    run = played(market({"behaviour": "logit", "tau": 1e6}))
    found = kcmab.fit(run, "logit")
    assert found.parameters["tau"] == found.intervals["tau"][1] == math.inf
    assert any("do not bound it from above" in note for note in found.notes)
    with pytest.raises(MarketError, match="the choices do not tell tau"):
        found.scenario(market(NOISY))


def test_a_flat_likelihood_is_reported():
    """Where all arms are worth the same, noise makes no difference."""
    run = played(market(NOISY, horizon=40))
    nothing = replace(run, rewards=np.zeros(40), offers=np.zeros(40), payments=np.zeros(40))
    found = kcmab.fit(nothing, "logit")
    assert not found.estimates["tau"].is_identified
    assert found.table().identified.tolist() == [False]
    assert any("tau is not identified" in note for note in found.notes)
    with pytest.raises(MarketError, match="the choices do not tell tau; give it a value"):
        found.scenario(market(NOISY))


def test_greedy_customers_are_compared_by_what_they_explain():
    """One choice that they never make, and their likelihood is 0."""
    run = played(market(NOISY))
    found = kcmab.fit(run, ["greedy", "logit"])
    greedy, logit = found
    assert greedy.log_likelihood == -math.inf
    assert greedy.impossible > 0
    assert "are impossible for these customers" in greedy.notes[0]
    assert 0.0 < greedy.explained < 1.0
    assert found.best is logit
    table = found.table()
    assert table.behaviour.tolist() == ["logit", "greedy"]
    assert table.behind.tolist() == [0.0, math.inf]
    assert repr(found) == "Fits(best: logit; greedy, logit)"


def test_a_window_is_found():
    """Customers who read the last few reports are recognised, and how many they read."""
    customers = {"behaviour": "recency", "window": 5, "decision": {"rule": "logit", "tau": 0.05}}
    run = played(market(customers, horizon=400))
    found = kcmab.fit(run, [{"behaviour": "recency", "discount": 1.0}, "logit"])
    recency, logit = found
    assert recency.parameters["window"] == 5
    low, high = recency.intervals["window"]
    assert 1 <= low <= 5 <= high <= 8
    assert found.best is recency
    assert logit.aic - recency.aic > 10.0
    assert recency.parameters["tau"] == pytest.approx(0.05, rel=0.3)


def test_who_reads_everything_has_no_window():
    """The longest window is as good as none, which 0 stands for."""
    run = played(market({"behaviour": "logit", "tau": 0.03}, horizon=300))
    found = kcmab.fit(run, {"behaviour": "recency", "discount": 1.0})
    assert found.intervals["window"][1] == math.inf
    assert found.intervals["window"][0] > 3


def test_scenarios_of_fits_are_the_market_with_other_customers(tmp_path):
    """Written and read again; other settings stay."""
    scenario = market(NOISY, report_probability=0.9)
    found = kcmab.fit(played(scenario), "logit", scenario=scenario)
    found.write(tmp_path / "fitted.toml")
    again = kcmab.load_scenario(tmp_path / "fitted.toml")
    assert again.market.customers.params.of_1_tau == found.parameters["tau"]
    assert again == found.scenario()
    assert again.at({"market.customers": NOISY}) == scenario
    with pytest.raises(MarketError, match="exists; give another name, or --force"):
        found.write(tmp_path / "fitted.toml")
    with pytest.raises(MarketError, match="trajectories do not say"):
        kcmab.fit(played(market(NOISY)), NOISY).scenario()


@pytest.mark.usefixtures("_own_catalogue")
def test_beliefs_of_the_users_own_are_fitted():
    """With a parameter of their own; those that fail are blamed."""

    @kcmab.behaviour("dull", share=kcmab.Parameter(0.5, "of the record", ge=0.0, le=1.0))
    def value(book, values, params):
        """Believes a share of the record."""
        for arm in range(len(values)):
            values[arm] = params.share * book.means[arm]

    @kcmab.behaviour("broken")
    def broken(book, values):
        """Divides by zero."""
        for arm in range(len(values)):
            values[arm] = 1 / (book.pulls[arm] - book.pulls[arm])

    customers = {"behaviour": "dull", "share": 0.3, "decision": {"rule": "logit", "tau": 0.05}}
    run = played(market(customers))
    observed = observe(run)
    free = Customers("dull", observed).free
    assert [each.name for each in free] == ["share", "tau"]
    fixed = kcmab.fit(run, {"behaviour": "dull", "share": 1.0})
    assert fixed.parameters == pytest.approx(kcmab.fit(run, "logit").parameters, rel=1e-3)
    with pytest.raises(PlayError, match="behaviour 'broken' failed with tau = "):
        kcmab.fit(run, "broken")


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("tastes", "drawn at random"),
        ("self-reinforcing", "says which arm a customer takes"),
        ("mixture", "says which arm a customer takes"),
        ("stubborn", "decision 'stubborn': has no function for the chances"),
        ({"behaviour": "optimism", "decision": {"rule": "loyal"}}, "choose among greedy, logit"),
        ({"behaviour": "optimism", "kapa": 1.0}, "kapa"),
        ({"behaviour": "optimism", "kappa": 1000.0}, "kappa"),
        ({"kappa": 1.0}, "with a name under 'behaviour'"),
        ("optimist", "Did you mean 'optimism'"),
        ([], "at least one"),
    ],
)
def test_behaviours_without_a_likelihood_are_refused(behaviour, message):
    """The message says which there are."""
    with pytest.raises(MarketError, match=message):
        kcmab.fit(played(market(horizon=10)), behaviour)


def test_a_level_that_is_none_is_refused():
    """It must be between 0 and 1."""
    with pytest.raises(MarketError, match="confidence: must be between 0 and 1, got 95"):
        kcmab.fit(played(market(horizon=10)), confidence=95)


def test_names_stand_for_pairs():
    """Beliefs get logit; names of decisions are greedy beliefs with them."""
    assert pair_table("optimism")["decision"] == {"rule": "logit"}
    assert pair_table("greedy") == {"behaviour": "greedy", "decision": {"rule": "greedy"}}
    assert pair_table("stubborn") == {"behaviour": "greedy", "decision": {"rule": "stubborn"}}
