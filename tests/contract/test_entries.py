"""Every entry of the package passes the checks that everybody's entries can be given."""

from __future__ import annotations

import re

import pytest

from kcmab_abm import MarketError, Parameter, behaviour, law, leader, policy, pricing
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from kcmab_abm.testing import (
    check_behaviour,
    check_decision,
    check_disclosure,
    check_law,
    check_measure,
    check_policy,
    check_pricing,
)
from tests.markets import MIXED, OBSERVED, SELDOM

ENTRIES = [
    (catalogue, name)
    for catalogue in (POLICIES, BEHAVIOURS, DECISIONS, PRICING, DISCLOSURES, MEASURES, LAWS)
    for name in catalogue.own_names()
]
FITTING = {  # settings that have to fit each other
    "social": {"people": 10, "neighbours": 2},
    "recency": {"window": 7},
    "features": {"features": 2},
    "latest": {"window": 5},
    "levels": {"levels": 3, "groups": 3, "size": 4},
    "mixture": {"of": [{"behaviour": each} for each in MIXED]},
}
ARMS = {
    "bernoulli": {"means": [0.0, 0.3, 1.0]},
    "beta": {"means": [0.2, 0.7], "concentration": 3.0},
    "discrete": {"values": [0.0, 0.25, 1.0], "probabilities": [[0.2, 0.3, 0.5]]},
    "empirical": OBSERVED,
    "uniform": {"low": [0.2, 0.5], "high": [0.8, 0.5]},
}
every_entry = pytest.mark.parametrize(
    ("catalogue", "name"), ENTRIES, ids=[f"{each.kind} {name}" for each, name in ENTRIES]
)


@every_entry
def test_the_name_is_that_of_the_file(catalogue, name):
    """An entry stands in the file of its name, with underscores for hyphens."""
    folder, _, file = catalogue[name].module.rpartition(".")
    assert file == name.replace("-", "_")
    assert folder.startswith("kcmab_abm.entries.")


@every_entry
def test_the_description_is_a_sentence(catalogue, name):
    """The docstring begins with one sentence on one line; the citation, if any, is tidy."""
    entry = catalogue[name]
    assert re.fullmatch(r"[A-Z].{10,90}\.", entry.about)
    assert entry.cites == entry.cites.strip()


@pytest.mark.parametrize("name", POLICIES.own_names())
def test_policies_pass_the_checks(name):
    """Arms exist, the book is left alone, memory is not overrun, draws and engines repeat."""
    check_policy(name, engines=name not in SELDOM)


@pytest.mark.slow
@pytest.mark.parametrize("name", SELDOM)
def test_policies_pass_the_checks_in_both_engines(name):
    """Here the others are compiled; by default only their digests are compared."""
    check_policy(name)


@pytest.mark.parametrize("name", BEHAVIOURS.own_names())
def test_behaviours_pass_the_checks(name):
    """The same for customers, and book and board are left alone."""
    check_behaviour(name, **FITTING.get(name, {}))


@pytest.mark.parametrize("name", DECISIONS.own_names())
def test_decisions_pass_the_checks(name):
    """The same for customers who decide by this rule."""
    check_decision(name, examples=10)


@pytest.mark.parametrize("name", PRICING.own_names())
def test_pricing_rules_pass_the_checks(name):
    """The same for offers, which can be paid."""
    check_pricing(name)


@pytest.mark.parametrize("name", DISCLOSURES.own_names())
def test_disclosures_pass_the_checks(name):
    """What is shown can be compared, and the book is left alone."""
    check_disclosure(name, **FITTING.get(name, {}))


@pytest.mark.parametrize("name", MEASURES.own_names())
def test_measures_pass_the_checks(name):
    """What is counted is a number that sums may contain; the engines are compared elsewhere."""
    check_measure(name, engines=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURES.own_names())
def test_measures_pass_the_checks_in_both_engines(name):
    """Each by itself, as a user's is checked."""
    check_measure(name)


@pytest.mark.parametrize("name", LAWS.own_names())
def test_laws_pass_the_checks(name):
    """Rewards are in [0, 1], rise with u, and have the mean and variance that are stated."""
    check_law(name, ARMS[name])


def beyond(t, book):
    """Promotes an arm too many."""
    return t % (len(book.means) + 1)


def scribble(book, rng):
    """Writes to the book."""
    book.totals[0] += 1.0
    return leader(book, rng)


def overrun(t, memory):
    """Reads memory that it does not have."""
    return int(memory.seen[t])


def count(book, counted=[]):  # noqa: B006 (a list that outlives the call is the point)
    """Remembers outside its memory."""
    counted.append(0)
    return len(counted) % min(3, len(book.means))


def mumble(book, rng):
    """Follows the leader"""  # noqa: D400, D415 (that is what is wrong)
    return leader(book, rng)


def fine(book, rng):
    """Follows the leader."""
    return leader(book, rng)


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize(
    ("choose", "more", "words"),
    [
        (beyond, {}, "promoted arm"),
        (scribble, {}, "wrote to the book"),
        (overrun, {"memory": {"seen": "arms"}}, "entry .* of an array"),
        (count, {}, "does not repeat itself"),
        (mumble, {}, "must begin with a sentence"),
        (fine, {"goal": Parameter(2.0, "a goal", le=1.0)}, "the default of goal is 2.0"),
        (fine, {"goal": Parameter(2.0)}, "goal needs a description"),
    ],
)
def test_what_is_wrong_is_found(choose, more, words):
    """Each rule that a policy may break has a check that notices."""
    policy("my-rule", **more)(choose)
    with pytest.raises((AssertionError, IndexError), match=words):
        check_policy(choose, engines=False)


@pytest.mark.usefixtures("_own_catalogue")
def test_behaviours_prices_and_laws_that_are_wrong_are_found():
    """An arm that is none, an offer below 0, a mean that is not that of the rewards."""
    behaviour("my-customer")(lambda t: t)
    with pytest.raises(AssertionError, match="must begin with a sentence"):
        check_behaviour("my-customer", engines=False)

    @pricing("my-price")
    def price(gap):
        """Takes the gap away."""
        return -gap

    with pytest.raises(AssertionError, match="offered -"):
        check_pricing(price, engines=False)

    bernoulli = LAWS["bernoulli"]

    @law(
        "my-law",
        settings=bernoulli.settings,
        mean=lambda row: row[0] / 2,
        variance=bernoulli.variance,
    )
    def reward(u, row):
        """Pays 1 with the probability stated, and 0 otherwise."""
        return 1.0 if u >= 1.0 - row[0] else 0.0

    with pytest.raises(AssertionError, match=r"the mean of its rewards is 0\.3"):
        check_law(reward, ARMS["bernoulli"])


def test_what_is_not_registered_is_refused():
    """A function without its decorator is named in the message."""
    with pytest.raises(TypeError, match="is not registered as a policy"):
        check_policy(fine)
    with pytest.raises(MarketError, match="no policy 'ucv'"):
        check_policy("ucv")
