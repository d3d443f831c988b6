"""What every policy of the catalogue keeps to, and a few plays computed by hand."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.book import record
from kcmab_abm.catalogue import POLICIES
from tests.contract.arena import (
    Scripted,
    book_of,
    copies,
    defaults,
    new_book,
    new_memory,
)
from tests.markets import POLICY_NAMES, between, numbers_within, rewards

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
every_policy = pytest.mark.parametrize("name", POLICY_NAMES)


def drawn_values(data, entry):
    """Parameters of the policy, from their ranges."""
    return tuple(data.draw(numbers_within(each)) for each in entry.parameters.values())


def targets(entry, reports, arms, values, seed, first_ties=False):
    """The arms that a policy promotes while everybody takes them; `reports` are the rewards."""
    book, memory = new_book(arms, first_ties), new_memory(entry, arms, values)
    params, rng = entry.params(values), np.random.default_rng(seed)
    chosen = []
    for t, reward in enumerate(reports, 1):
        before = copies(book)
        arm = t - 1 if t <= arms else entry.act(t, book, memory, params, rng)
        assert copies(book) == before
        chosen.append(arm)
        record(book, int(arm), reward)
        before = copies(book)
        if entry.learn is not None:
            entry.learn(int(arm), reward, book, memory, params, rng)
        assert copies(book) == before
    return chosen


@every_policy
@given(data=st.data())
def test_a_policy_keeps_the_rules(name, data):
    """Arms are in range, the book is left alone, memory is not overrun, draws are repeatable."""
    entry = POLICIES.find(name)
    arms = data.draw(st.integers(1, 9))
    reports = data.draw(st.lists(rewards(), min_size=arms, max_size=40))
    values, seed = drawn_values(data, entry), data.draw(st.integers(0, 99))
    ties = data.draw(st.booleans())
    chosen = targets(entry, reports, arms, values, seed, ties)
    assert all(arm == int(arm) and 0 <= arm < arms for arm in chosen)
    assert targets(entry, reports, arms, values, seed, ties) == chosen


@every_policy
def test_the_name_is_that_of_the_file(name):
    """A policy stands in the file of its name, with underscores for hyphens."""
    entry = POLICIES.find(name)
    assert NAME.fullmatch(name)
    assert entry.kind == "policy"
    assert entry.act.__module__ == f"kcmab_abm.policies.{name.replace('-', '_')}"


@every_policy
def test_the_description_is_a_sentence(name):
    """The docstring begins with one sentence on one line; the citation, if any, is tidy."""
    entry = POLICIES.find(name)
    assert re.fullmatch(r"[A-Z].{10,90}\.", entry.about)
    assert entry.about == entry.act.__doc__.split("\n")[0]
    assert entry.cites == entry.cites.strip()


@every_policy
def test_defaults_are_within_their_range(name):
    """Every parameter has a default that is allowed, and a word on what it means."""
    for parameter in POLICIES.find(name).parameters.values():
        assert parameter.gt is None or parameter.default > parameter.gt
        assert parameter.ge is None or parameter.default >= parameter.ge
        assert parameter.lt is None or parameter.default < parameter.lt
        assert parameter.le is None or parameter.default <= parameter.le
        assert parameter.about


@every_policy
def test_one_arm_is_no_choice(name):
    """In a market of one arm every policy promotes it."""
    entry = POLICIES.find(name)
    assert targets(entry, [0.5] * 20, 1, defaults(entry), 0) == [0] * 20


def promoted(name, steps, book, rng=None, memory=None, values=None):
    """What a policy promotes to the customers `steps`, with the book as it stands."""
    entry = POLICIES.find(name)
    values = defaults(entry) if values is None else values
    memory = new_memory(entry, len(book.means), values) if memory is None else memory
    rng = Scripted() if rng is None else rng
    arms = [entry.act(t, book, memory, entry.params(values), rng) for t in steps]
    assert not isinstance(rng, Scripted) or rng.is_used_up
    return arms


def taught(name, book):
    """The memory of a policy that has heard one report on every arm of the book."""
    entry = POLICIES.find(name)
    memory = new_memory(entry, len(book.means))
    for arm in range(len(book.means)):
        entry.learn(arm, 0.0, book, memory, None, Scripted())
    return memory


def test_greedy_promotes_the_leader():
    """The best record wins, without a draw; a tie takes one draw."""
    assert promoted("greedy", [4, 5, 6], book_of([0.2, 0.8, 0.5])) == [1, 1, 1]
    tie = book_of([0.8, 0.2, 0.8])
    assert promoted("greedy", [4, 5, 6], tie, Scripted([0.0, 0.49, 0.5])) == [0, 0, 2]


def test_round_robin_goes_round():
    """Customer t gets arm t modulo N."""
    assert promoted("round-robin", range(4, 11), book_of([0.2, 0.8, 0.5])) == [0, 1, 2, 0, 1, 2, 0]


def test_epsilon_greedy_by_its_coins():
    """With eps = 2: customer 4 explores below 1/2, customer 8 below 1/4; a second draw picks."""
    coins = Scripted([0.49, 0.99, 0.5, 0.24, 0.34, 0.26])
    book = book_of([0.2, 0.8, 0.5])
    assert promoted("epsilon-greedy", [4, 4, 8, 8], book, coins, values=(2.0,)) == [2, 1, 1, 1]


def test_modified_epsilon_greedy_by_its_coins():
    """Explorations take arms 1, 2, 3, 1 in turn, with the leader in between."""
    coins = Scripted([0.1, 0.9, 0.1, 0.9, 0.1, 0.1])
    book = book_of([0.2, 0.3, 0.9])
    chosen = promoted("modified-epsilon-greedy", [4] * 6, book, coins, values=(2.0,))
    assert chosen == [0, 2, 1, 2, 2, 0]


@pytest.mark.parametrize("t", [1, 2, 19, 20])
def test_epsilon_above_t_always_explores(t):
    """The probability is min(1, eps/t): up to customer eps every customer explores."""
    book = book_of([0.2, 0.3, 0.9])
    chosen = promoted("modified-epsilon-greedy", [t], book, Scripted([0.999999]), values=(20.0,))
    assert chosen == [0]


def test_ucb_weighs_records_and_ignorance():
    """Means 0.5 and 0.4, pulls 10 and 2: the second leads at t = 13, 1.216 against 2.002.

    With pulls 10 and 8 and means 0.9 and 0.4 the first leads, 1.616 against 1.201.
    """
    few = book_of([0.5, 0.4], [10, 2])
    assert promoted("ucb", [13], few, memory=taught("ucb", few)) == [1]
    many = book_of([0.9, 0.4], [10, 8])
    assert promoted("ucb", [13], many, memory=taught("ucb", many)) == [0]


def test_ucb_turns_where_natural_logarithms_say():
    """Means 0.9 and 0.2, pulls 8 and 2: the bounds cross where sqrt(ln t) = 1.4, at t = 7.1."""
    book = book_of([0.9, 0.2], [8, 2])
    memory = taught("ucb", book)
    assert promoted("ucb", [6, 7, 8, 9], book, memory=memory) == [0, 0, 1, 1]


def test_ucb_is_random_among_equals():
    """Arms with equal means and pulls tie, and one draw decides."""
    book = book_of([0.5, 0.5, 0.5], [3, 3, 3])
    memory, coins = taught("ucb", book), Scripted([0.1, 0.4, 0.9])
    assert promoted("ucb", [10, 10, 10], book, coins, memory) == [0, 1, 2]


def test_kl_ucb_on_arms_with_closed_forms():
    """KL(0, q) gives 1 - t^(-1/n), KL(1/2, q) gives (1 + sqrt(1 - t^(-2/n))) / 2.

    One failure against two of four: 0.750 and 0.854 at t = 4, 0.938 and 0.933 at t = 16.
    """
    book = book_of([0.0, 0.5], [1, 4])
    assert promoted("kl-ucb", [4, 16], book) == [1, 0]


def test_kl_ucb_cannot_exceed_a_perfect_record():
    """An arm that always paid has bound 1; two of them tie."""
    assert promoted("kl-ucb", [9], book_of([0.9, 1.0], [1, 8])) == [1]
    tie = book_of([1.0, 0.0, 1.0], [1, 1, 8])
    assert promoted("kl-ucb", [9, 9], tie, Scripted([0.4, 0.6])) == [0, 2]


def test_kl_ucb_spares_no_arm_that_could_win():
    """The arm with the highest bound wins wherever it stands among arms with lower ones."""
    records = {0.0: 1, 0.5: 4, 0.8: 400}
    for order in ([0.0, 0.5, 0.8], [0.8, 0.5, 0.0], [0.5, 0.0, 0.8]):
        book = book_of(order, [records[mean] for mean in order])
        assert order[promoted("kl-ucb", [16], book)[0]] == 0.0
        assert order[promoted("kl-ucb", [4], book)[0]] == 0.5


def after(name, reports, arms, values):
    """The book and the memory of a policy that has heard these reports, arm by arm."""
    entry, book = POLICIES.find(name), new_book(arms)
    memory = new_memory(entry, arms, values)
    for arm, reward in reports:
        record(book, arm, reward)
        entry.learn(arm, reward, book, memory, entry.params(values), Scripted())
    return book, memory


def test_sliding_window_ucb_forgets_what_left_the_window():
    """Reports 1, 1, 0, 0 of arm 0 and then 1/2 of arm 1, window 3: 0 of two against 1/2 of one."""
    reports = [(0, 1.0), (0, 1.0), (0, 0.0), (0, 0.0), (1, 0.5)]
    book, memory = after("sliding-window-ucb", reports, 2, (3, 0.6))
    assert promoted("sliding-window-ucb", [6], book, memory=memory, values=(3, 0.6)) == [1]
    book, memory = after("sliding-window-ucb", reports[:2] + reports[-1:], 2, (3, 0.01))
    assert promoted("sliding-window-ucb", [4], book, memory=memory, values=(3, 0.01)) == [0]


def test_sliding_window_ucb_comes_back_to_what_it_forgot():
    """An arm that is no longer in the window comes first, however good the other is."""
    reports = [(0, 0.0), *[(1, 1.0)] * 4]
    book, memory = after("sliding-window-ucb", reports, 2, (4, 0.6))
    assert promoted("sliding-window-ucb", [6], book, memory=memory, values=(4, 0.6)) == [0]


def test_discounted_ucb_lets_reports_fade():
    """With gamma 1/2 reports 1, 0 of arm 0 weigh 1/4 and 1/2 before a 0.4 of arm 1, which weighs 1.

    Means 1/3 and 0.4, n = 1.75; both bounds are 2 sqrt(xi ln 1.75 / n_i). With xi = 1 they are
    2.06 and 1.90; with xi = 0.0001 they are 0.351 and 0.415.
    """
    reports = [(0, 1.0), (0, 0.0), (1, 0.4)]
    for xi, arm in ((1.0, 0), (0.0001, 1)):
        book, memory = after("discounted-ucb", reports, 2, (0.5, xi))
        assert promoted("discounted-ucb", [4], book, memory=memory, values=(0.5, xi)) == [arm]


def forgetful(data):
    """Random reports of three arms, each at least once."""
    more = st.lists(st.tuples(st.integers(0, 2), rewards()), max_size=30)
    return [*enumerate(data.draw(st.tuples(*[rewards()] * 3))), *data.draw(more)]


def assert_highest(name, values, reports, index):
    """The policy computes the index as defined, and promotes an arm that has the highest."""
    book, memory = after(name, reports, 3, values)
    chosen = promoted(name, [len(reports) + 1], book, np.random.default_rng(1), memory, values)[0]
    assert memory.index.tolist() == pytest.approx(list(index), abs=1e-9)
    assert index[chosen] >= max(index) - 1e-9


@given(st.data(), st.integers(1, 40), between(0.01, 3.0))
def test_sliding_window_ucb_reads_the_last_reports(data, window, xi):
    """The bound is m + sqrt(xi ln min(t, window) / n), over the last `window` reports."""
    reports = forgetful(data)
    scale = xi * np.log(min(len(reports) + 1, window))
    index = []
    for arm in range(3):
        seen = [reward for each, reward in reports[-window:] if each == arm]
        index.append(np.mean(seen) + np.sqrt(scale / len(seen)) if seen else np.inf)
    assert_highest("sliding-window-ucb", (window, xi), reports, index)


@given(st.data(), st.just(1.0) | between(0.3, 1.0), between(0.01, 3.0))
def test_discounted_ucb_weighs_by_age(data, gamma, xi):
    """The bound is m + 2 sqrt(xi ln n / n_i), a report of age k weighing gamma^k."""
    reports = forgetful(data)
    ages = gamma ** np.arange(len(reports))[::-1].astype(float)
    arms, gains = np.array([arm for arm, _ in reports]), np.array([gain for _, gain in reports])
    counts = np.array([ages[arms == arm].sum() for arm in range(3)])
    means = np.array([(ages * gains)[arms == arm].sum() for arm in range(3)]) / counts
    index = means + 2 * np.sqrt(xi * np.log(max(1.0, ages.sum())) / counts)
    assert_highest("discounted-ucb", (gamma, xi), reports, index)


def convinced(name, arms, favourite):
    """The memory of a Thompson sampler that has seen one arm pay always and the others never."""
    entry, book = POLICIES.find(name), book_of([0.0] * arms)
    memory = new_memory(entry, arms)
    for arm in range(arms):
        for _ in range(2000):
            entry.learn(arm, float(arm == favourite), book, memory, None, Scripted())
    return memory


@pytest.mark.parametrize("favourite", [0, 1, 2])
def test_ts_promotes_what_it_is_convinced_of(favourite):
    """The posterior decides, not the book, however the leader of the book is called."""
    book, memory = book_of([0.2, 0.8, 0.5]), convinced("ts", 3, favourite)
    chosen = promoted("ts", range(4, 24), book, np.random.default_rng(1), memory)
    assert chosen == [favourite] * 20


def test_ts_learns_by_a_coin():
    """Update counts a success with probability X: for 0 and 1 without a draw."""
    entry, book = POLICIES.find("ts"), book_of([0.5, 0.5])
    memory, coins = new_memory(entry, 2), Scripted([0.29, 0.3, 0.9])
    for arm, reward in [(0, 1.0), (0, 0.0), (1, 0.3), (1, 0.3), (1, 0.3)]:
        entry.learn(arm, reward, book, memory, None, coins)
    assert memory.successes.tolist() == [1.0, 1.0]
    assert memory.failures.tolist() == [1.0, 2.0]
    assert coins.is_used_up


def test_modified_ts_plays_rounds_of_two():
    """The leader of the book, then what the posterior is convinced of, in turn."""
    book, memory = book_of([0.2, 0.8, 0.5]), convinced("modified-ts", 3, 2)
    chosen = promoted("modified-ts", range(4, 9), book, np.random.default_rng(1), memory)
    assert chosen == [1, 2, 1, 2, 1]


def test_modified_ts_samples_before_the_first_of_the_two():
    """What the second customer of a round gets was drawn before the first one reported."""
    entry, book = POLICIES.find("modified-ts"), book_of([0.2, 0.8])
    memory, rng = convinced("modified-ts", 2, 0), np.random.default_rng(1)
    assert entry.act(3, book, memory, None, rng) == 1
    for _ in range(100_000):
        entry.learn(1, 1.0, book, memory, None, rng)
        entry.learn(0, 0.0, book, memory, None, rng)
    assert entry.act(4, book, memory, None, rng) == 0
    assert entry.act(5, book, memory, None, rng) == 1
    assert entry.act(6, book, memory, None, rng) == 1


def test_modified_ts_reads_the_leader_when_his_customer_comes():
    """The empirical step follows the book of its own moment."""
    entry, book = POLICIES.find("modified-ts"), book_of([0.2, 0.3])
    memory, rng = convinced("modified-ts", 2, 0), np.random.default_rng(1)
    first = [entry.act(t, book, memory, None, rng) for t in (3, 4)]
    record(book, 0, 1.0)
    second = [entry.act(t, book, memory, None, rng) for t in (5, 6)]
    assert first == [1, 0]
    assert second == [0, 0]
