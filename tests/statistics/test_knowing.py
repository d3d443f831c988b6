"""What the docs say of controllers who know, search or charge, with fewer replications.

Every comparison allows five standard errors: a false alarm once in three million, on other seeds.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.statistics import knowing
from tests.statistics.test_findings import high, low

# Kernels that no other test needs.
pytestmark = pytest.mark.slow


def test_search_costs_less_and_less_and_random_search_does_not():
    """Scheid et al.: from 20 000 to 40 000 customers net regret grows by a tenth, or by a half."""
    found = knowing.fifty_arms(20, ("ipa", "eps = 300", "eps = 2000"))

    def growth(name):
        return found[f"{name}, T = 40000"] - found[f"{name}, T = 20000"]

    assert high(growth("ipa")) < 250.0
    for name in ("eps = 300", "eps = 2000"):
        assert low(growth(name) - growth("ipa")) > 1000.0
        assert low(found[f"{name}, T = 40000"] - 4.0 * found["ipa, T = 40000"]) > 0.0
    before = found["ipa, T = 16000"] - found["ipa, T = 8000"]
    assert high(growth("ipa") - 1.41 * before) < 0.0  # slower than the root of T


def test_who_knows_what_is_needed_saves_the_search():
    """The search for the needs of 50 arms costs little: two hundredths of net regret at most."""
    found = knowing.fifty_arms(20, ("ipa", "ipa, who knows"))
    saved = found["ipa, T = 40000"] - found["ipa, who knows, T = 40000"]
    assert high(np.abs(saved)) < 120.0


def test_knowing_her_values_saves_the_margin():
    """Customers with short memories or fear of risk take the same arms for a smaller sum."""
    found = knowing.knowledge(100, ("recency", "risk-averse"))
    for belief, share in (("recency", 0.88), ("risk-averse", 0.96)):
        learned, known = (
            {word: found[f"{belief}, {name}, {word}"] for word in ("regret", "compensation")}
            for name in ("learned margin", "gap of her values")
        )
        assert high(np.abs(known["regret"] - learned["regret"])) < 1.5
        assert high(known["compensation"] - share * learned["compensation"]) < 0.0
        assert found[f"{belief}, gap of her values, acceptance"].min() == 1.0


def test_knowing_her_taste_buys_regret_with_money():
    """With tastes no money is saved: nobody refuses, so ucb pays more and loses less."""
    found = knowing.knowledge(100, ("tastes",))
    blind, known = (
        {word: found[f"tastes, {name}, {word}"] for word in ("regret", "compensation")}
        for name in ("gap of the book", "gap of her values")
    )
    assert low(known["compensation"] - 2.0 * blind["compensation"]) > 0.0
    assert high(known["regret"] - 0.65 * blind["regret"]) < 0.0


def test_fees_help_as_long_as_customers_stay():
    """Who cannot leave pays; who can empties the market."""
    found = knowing.fees(100, (0.0, 0.6))
    stay, leave = (
        found[f"worth {worth}, fees, cost"] - found[f"worth {worth}, no fees, cost"]
        for worth in ("0", "0.6")
    )
    assert high(stay) < -800.0
    assert low(leave) > 1000.0
    assert np.array_equal(found["worth 0, fees, regret"], found["worth 0, no fees, regret"])
    assert low(found["worth 0.6, fees, left"]) > 0.4
