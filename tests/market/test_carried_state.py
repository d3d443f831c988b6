"""What functions keep outside of memory must not reach the next replication."""

from __future__ import annotations

import itertools

import pytest

from kcmab_abm import behaviour, make_scenario, measure, policy, simulate
from kcmab_abm.errors import PlayError

pytestmark = pytest.mark.usefixtures("_own_catalogue")

LATE = 30  # calls, in the third replication of 10 customers


class Counter:
    """Counts what is asked of it."""

    def __init__(self):
        self.calls = 0

    def next(self):
        """One more."""
        self.calls += 1
        return self.calls


def scenario(**more):
    """Three small replications under the policy or the customers registered last."""
    market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}}
    market["customers"] = {"behaviour": more.pop("behaviour", "greedy")}
    names = {"policy": [{"name": more.pop("policy", "greedy")}]}
    return make_scenario({"horizon": 10, "replications": 5, "market": market, **names, **more})


def refused(given):
    """The error with which the market ends."""
    with pytest.raises(PlayError) as caught:
        simulate(given, engine="market", jobs=1)
    return str(caught.value)


@pytest.mark.parametrize("kind", ["list", "object", "iterator"])
def test_a_policy_that_counts_its_calls_is_refused(kind):
    """Its results would depend on which replications the process has played before."""
    calls, counter, steps = [0], Counter(), itertools.count(1)

    @policy("my-rule")
    def choose_by_list(book):
        """Counts in a list."""
        calls[0] += 1
        return int(calls[0] > LATE)

    @policy("my-other-rule")
    def choose_by_object(book):
        """Counts in an object."""
        return int(counter.next() > LATE)

    @policy("my-third-rule")
    def choose_by_iterator(book):
        """Counts by an iterator, of which nobody can read where it is."""
        return int(next(steps) > LATE)

    name = {"list": "my-rule", "object": "my-other-rule", "iterator": "my-third-rule"}[kind]
    assert refused(scenario(policy=name)) == (
        f"policy {name!r} gave another result when replication 0 was repeated: a function keeps "
        "something outside of memory, such as in a global variable, from one replication to the "
        "next; keep it in memory, which every replication begins anew"
    )


@pytest.mark.parametrize("kind", ["list", "switch", "iterator"])
def test_what_goes_round_is_found(kind):
    """After an even number of replications, each of nine calls, everything is as it was."""
    calls, switch, steps = [0], [False], itertools.cycle([0, 1])

    @policy("my-rule")
    def choose_by_turns(book):
        """Counts in a list, and minds every second call."""
        calls[0] += 1
        return calls[0] % 2

    @policy("my-other-rule")
    def choose_by_switch(book):
        """Turns a switch on and off."""
        switch[0] = not switch[0]
        return int(switch[0])

    @policy("my-third-rule")
    def choose_by_cycle(book):
        """Goes round in an iterator, of which nobody can read where it is."""
        return next(steps)

    name = {"list": "my-rule", "switch": "my-other-rule", "iterator": "my-third-rule"}[kind]
    given = scenario(policy=name, horizon=11, replications=4)
    assert refused(given).startswith(f"policy {name!r} gave another result when replication 0")


def test_customers_and_measures_are_watched_too():
    """Whatever function keeps something, it is found; the message names all that are users'."""
    seen = []

    @behaviour("my-customers")
    def value_with_habits(book, values):
        """Likes an arm more with every customer of all replications."""
        seen.append(0)
        values[:] = book.means
        values[1] += len(seen) / LATE

    @measure("my-count")
    def count_calls():
        """Counts itself."""
        seen.append(0)
        return len(seen)

    assert refused(scenario(behaviour="my-customers")).startswith("behaviour 'my-customers' gave")
    counted = scenario(measures={"count": {"measure": "my-count"}})
    assert refused(counted).startswith("measure 'my-count' gave")


def test_what_changes_nothing_may_be_kept():
    """A list that is filled and never read, or a table of results, leaves a run as it is."""
    heard, roots = [], {}

    @policy("my-rule")
    def choose_and_note(t, book):
        """Notes what was asked, and remembers what was computed."""
        heard.append(t)
        if t not in roots:
            roots[t] = t**0.5
        return int(roots[t] > 2.0)

    @policy("my-plain-rule")
    def choose_plainly(t, book):
        """The same without notes."""
        return int(t**0.5 > 2.0)

    one, other = (
        simulate(scenario(policy=name), engine="market", jobs=1).finals()["regret"].tolist()
        for name in ("my-rule", "my-plain-rule")
    )
    assert one == other
    assert len(roots) == 8
