"""What every policy of the catalogue keeps to, and a few plays computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln

from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.model.book import record
from tests.contract.arena import (
    Scripted,
    after,
    book_of,
    new_memory,
    promoted,
    stated,
)
from tests.markets import between, rewards

RANGES = {
    ("discounted-ucb", "gamma"): (0.999, {"gt": 0.0, "le": 1.0}),
    ("discounted-ucb", "xi"): (0.6, {"gt": 0.0, "le": 100.0}),
    ("epsilon-greedy", "epsilon"): (20.0, {"gt": 0.0}),
    ("explore-first", "each"): (50, {"ge": 1}),
    ("ipa", "trials"): (0, {"ge": 0}),
    ("kl-ucb", "c"): (0.0, {"ge": 0.0, "le": 10.0}),
    ("kl-ucb", "plus"): (False, {}),
    ("kl-ucb", "price"): (0.0, {"ge": 0.0, "le": 100.0}),
    ("kl-ucb", "remaining"): (False, {}),
    ("kl-ucb", "scale"): (1.0, {"gt": 0.0, "le": 10.0}),
    ("modified-epsilon-greedy", "epsilon"): (20.0, {"gt": 0.0}),
    ("modified-ts", "free_customers"): (1, {"ge": 1, "le": 1000}),
    ("optimal", "price"): (1.0, {"ge": 0.0, "le": 1e6}),
    ("optimal", "prior_a"): (1.0, {"gt": 0.0, "le": 1e6}),
    ("optimal", "prior_b"): (1.0, {"gt": 0.0, "le": 1e6}),
    ("principal-epsilon-greedy", "epsilon"): (100.0, {"gt": 0.0}),
    ("principal-epsilon-greedy", "limit"): (1.0, {"gt": 0.0, "le": 100.0}),
    ("sliding-window-ucb", "window"): (1000, {"ge": 1, "le": 1_000_000}),
    ("sliding-window-ucb", "xi"): (0.6, {"gt": 0.0, "le": 100.0}),
    ("top-two", "beta"): (0.5, {"gt": 0.0, "le": 1.0}),
}


def test_ranges_are_what_files_were_promised():
    """A file that leaves a parameter out, or uses its range to the ends, stays what it was."""
    entries = {name: POLICIES[name].parameters for name in POLICIES.own_names()}
    assert stated(entries) == RANGES


def taught(name, book):
    """The memory of a policy that has heard one report on every arm of the book."""
    entry = POLICIES[name]
    memory = new_memory(entry, len(book.means))
    for arm in range(len(book.means)):
        entry.ask(
            "learn", arm=arm, reward=0.0, book=book, memory=memory, params=None, rng=Scripted()
        )
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


def test_kl_ucb_counts_the_second_logarithm_from_customer_3():
    """Before, ln ln t is negative and left out; from then on c = 10 lifts the bound of few reports.

    One failure against 0.4 of a hundred at t = 2: 0.500 and 0.457. One failure against 0.7 of a
    thousand at t = 3: 0.667 and 0.722, with c = 10 0.870 and 0.729.
    """
    assert promoted(
        "kl-ucb", [2], book_of([0.0, 0.4], [1, 100]), values=(10.0, 1.0, False, False, 0.0)
    ) == [0]
    book = book_of([0.0, 0.7], [1, 1000])
    assert promoted("kl-ucb", [3], book, values=(0.0, 1.0, False, False, 0.0)) == [1]
    assert promoted("kl-ucb", [3], book, values=(10.0, 1.0, False, False, 0.0)) == [0]


def test_kl_ucb_copes_with_reports_beyond_0_and_1():
    """Customers may say more or less than an arm can pay; a record beyond 1 is hard to beat."""
    assert promoted("kl-ucb", [9], book_of([-0.5, 0.5, 1.5], [2, 2, 2])) == [2]
    assert promoted("kl-ucb", [9], book_of([-0.5, -0.25], [200, 200])) == [1]


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
    entry, book = POLICIES[name], book_of([0.0] * arms)
    memory = new_memory(entry, arms)
    for arm in range(arms):
        for _ in range(2000):
            entry.ask(
                "learn",
                arm=arm,
                reward=float(arm == favourite),
                book=book,
                memory=memory,
                params=None,
                rng=Scripted(),
            )
    return memory


@pytest.mark.parametrize("favourite", [0, 1, 2])
def test_ts_promotes_what_it_is_convinced_of(favourite):
    """The posterior decides, not the book, however the leader of the book is called."""
    book, memory = book_of([0.2, 0.8, 0.5]), convinced("ts", 3, favourite)
    chosen = promoted("ts", range(4, 24), book, np.random.default_rng(1), memory)
    assert chosen == [favourite] * 20


def test_ts_learns_by_a_coin():
    """Update counts a success with probability X: for 0 and 1 without a draw."""
    entry, book = POLICIES["ts"], book_of([0.5, 0.5])
    memory, coins = new_memory(entry, 2), Scripted([0.1, 0.29, 0.3, 0.9, 0.0])
    told = [(0, 1.0), (0, 0.0), (1, 0.3), (1, 0.3), (1, 0.3), (1, 0.3), (1, 0.001)]
    successes = []
    for arm, reward in told:
        before = memory.successes[arm]
        entry.ask("learn", arm=arm, reward=reward, book=book, memory=memory, params=None, rng=coins)
        successes.append(memory.successes[arm] - before)
    assert successes == [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    assert memory.failures.tolist() == [1.0, 2.0]
    assert coins.is_used_up


def test_ts_takes_reports_beyond_0_and_1_for_sure():
    """More than 1 counts as a success, less than 0 as a failure, and no coin is tossed for it."""
    entry, book = POLICIES["ts"], book_of([0.5])
    memory = new_memory(entry, 1)
    for reward in (1.5, -0.5, -2.0):
        entry.ask(
            "learn", arm=0, reward=reward, book=book, memory=memory, params=None, rng=Scripted()
        )
    assert (memory.successes.tolist(), memory.failures.tolist()) == ([1.0], [2.0])


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_ts_keeps_what_bounds_a_sample(coins):
    """Share s / (n + 1), weight 2 (n + 1) / v, and the logarithm of B(1 + s, 1 + f)."""
    entry, book = POLICIES["ts"], book_of([0.5])
    memory = new_memory(entry, 1)
    for coin in coins:
        entry.ask(
            "learn",
            arm=0,
            reward=float(coin),
            book=book,
            memory=memory,
            params=None,
            rng=Scripted(),
        )
    ones, zeros = sum(coins), len(coins) - sum(coins)
    share = ones / (len(coins) + 1)
    spread = share * (1 - share) if share > 0.5 else 0.25
    assert memory.share[0] == pytest.approx(share)
    assert memory.weight[0] == pytest.approx(2.0 * (len(coins) + 1) / spread)
    assert memory.log_beta[0] == pytest.approx(float(betaln(1 + ones, 1 + zeros)))


def test_modified_ts_plays_rounds_of_two():
    """The leader of the book, then what the posterior is convinced of, in turn."""
    book, memory = book_of([0.2, 0.8, 0.5]), convinced("modified-ts", 3, 2)
    chosen = promoted("modified-ts", range(4, 9), book, np.random.default_rng(1), memory)
    assert chosen == [1, 2, 1, 2, 1]


def test_modified_ts_samples_before_the_first_of_the_two():
    """What the second customer of a round gets was drawn before the first one reported."""
    entry, book = POLICIES["modified-ts"], book_of([0.2, 0.8])
    memory, rng = convinced("modified-ts", 2, 0), np.random.default_rng(1)
    own = {"book": book, "memory": memory, "params": entry.params((1,)), "rng": rng}
    assert entry.ask("act", t=3, **own) == 1
    for _ in range(100_000):
        entry.ask("learn", arm=1, reward=1.0, **own)
        entry.ask("learn", arm=0, reward=0.0, **own)
    assert entry.ask("act", t=4, **own) == 0
    assert entry.ask("act", t=5, **own) == 1
    assert entry.ask("act", t=6, **own) == 1


def test_modified_ts_reads_the_leader_when_his_customer_comes():
    """The empirical step follows the book of its own moment."""
    entry, book = POLICIES["modified-ts"], book_of([0.2, 0.3])
    memory, rng = convinced("modified-ts", 2, 0), np.random.default_rng(1)
    own = {"book": book, "memory": memory, "params": entry.params((1,)), "rng": rng}
    first = [entry.ask("act", t=t, **own) for t in (3, 4)]
    record(book, 0, 1.0)
    second = [entry.ask("act", t=t, **own) for t in (5, 6)]
    assert first == [1, 0]
    assert second == [0, 0]


@pytest.mark.parametrize("free", [1, 2, 4])
def test_modified_ts_may_have_more_free_customers(free):
    """So many follow the leader, arm 1; then one gets the sample, arm 2."""
    book, memory = book_of([0.2, 0.8, 0.5]), convinced("modified-ts", 3, 2)
    rng = np.random.default_rng(1)
    chosen = promoted("modified-ts", range(4, 19), book, rng, memory, (free,))
    assert chosen == ([*[1] * free, 2] * 15)[:15]


def informed_play(name, visits, book, *values, uniforms=(), horizon=4, start=3):
    """What a policy promotes while some offers for its targets are accepted and some refused."""
    entry = POLICIES[name]
    memory, rng = new_memory(entry, len(book.means), values), Scripted(uniforms)
    own = {"book": book, "memory": memory, "params": entry.params(values), "rng": rng}
    targets = []
    for t, (offer, taken) in enumerate(visits, start):
        targets.append(entry.ask("act", t=t, horizon=horizon, **own))
        arm = targets[-1] if taken else 1 - targets[-1]
        entry.ask("answered", t=t, target=targets[-1], offer=offer, arm=arm, **own)
    assert rng.is_used_up
    return targets


def test_ipa_searches_and_then_nets():
    """Two offers for each of two arms, for 4 customers; then 0.9 - 0.75 against 0.5 - 0.125.

    Arm 0 costs 0.75, the last offer that was accepted; with as many reports on both, arm 1 wins.
    """
    book = book_of([0.9, 0.5], [5, 5])
    visits = [(0.5, False), (0.5, True), (0.75, True), (0.125, True), (0.0, True)]
    assert informed_play("ipa", visits, book, 0) == [0, 1, 0, 1, 1]
    assert informed_play("ipa", visits[:3], book, 1) == [0, 1, 1]


def test_an_arm_that_was_never_accepted_costs_everything():
    """Without an accepted offer an arm is taken to cost 1."""
    book = book_of([0.9, 0.5], [5, 5])
    assert informed_play("ipa", [(0.9, False), (0.45, True), (0.0, True)], book, 1) == [0, 1, 1]


def test_principal_epsilon_greedy_by_hand():
    """It explores on customers 3 and 5 if eps = 2; to 4 and 6 it promotes the best net of its need.

    Arm 1 is accepted for 0.375, so it needs 0.1875, and arm 0 perhaps 0.5. Then arm 1 is refused
    for 0.25 and arm 0 accepted for 0.6: they need 0.3125 and 0.3.
    """
    book = book_of([0.7, 0.5], [5, 5])
    visits = [(0.375, True), (0.25, False), (0.6, True), (0.0, False)]
    chosen = informed_play("principal-epsilon-greedy", visits, book, 2.0, 1.0, uniforms=(0.9, 0.3))
    assert chosen == [1, 1, 0, 0]
