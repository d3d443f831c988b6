"""Policies that duel, draw or commit, computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.entries.policies.besa import sampled_total
from kcmab_abm.entries.policies.rb_sda import most_reported
from kcmab_abm.entries.policies.top_two import challenger, transport
from kcmab_abm.entries.policies.tsallis_inf import fill_chances
from tests.contract.arena import Scripted, after, book_of, new_memory, promoted
from tests.markets import between, rewards


def test_explore_first_commits_for_ever():
    """Two customers for each of three arms, then the leader of that moment, come what may."""
    book = book_of([0.2, 0.8, 0.5])
    memory = new_memory(POLICIES["explore-first"], 3)
    chosen = promoted("explore-first", range(4, 9), book, memory=memory, values=(2,))
    assert chosen == [0, 1, 2, 1, 1]
    book = book_of([0.9, 0.1, 0.5])
    assert promoted("explore-first", [9, 10], book, memory=memory, values=(2,)) == [1, 1]


def test_explore_first_commits_by_a_draw_if_arms_tie():
    """One draw at the time of the commitment, and none later."""
    book = book_of([0.8, 0.8])
    assert promoted("explore-first", [5, 6, 7], book, Scripted([0.6]), values=(2,)) == [1, 1, 1]


FIVE = [(0, 1.0), (0, 0.0), (0, 1.0), (0, 1.0), (1, 0.0)]


def test_besa_compares_as_many_reports():
    """Arm 0 paid 1, 0, 1, 1, and arm 1 nothing once. One report of arm 0 is drawn, after a shuffle.

    The second one, 0, ties: the arm with fewer reports wins. It is then the first of the four, and
    the draw that found it finds a 1.
    """
    book, memory = after("besa", FIVE, 2)
    coins = Scripted([0.9, 0.3, 0.9, 0.3])
    assert promoted("besa", [6, 7], book, coins, memory) == [1, 0]
    assert np.array(memory.rewards).tolist()[:4] == [1.0, 0.0, 1.0, 1.0]


def test_besa_compares_records_of_one_length_at_once():
    """Arms with as many reports duel without a draw, unless they tie."""
    book, memory = after("besa", [(0, 1.0), (1, 0.0)], 2)
    assert promoted("besa", [3], book, Scripted([0.0]), memory) == [0]
    book, memory = after("besa", [(0, 1.0), (1, 1.0)], 2)
    assert promoted("besa", [3, 4], book, Scripted([0.9, 0.4, 0.9, 0.6]), memory) == [0, 1]


def test_besa_plays_a_tournament():
    """Of three arms the last one of the order passes to the second round."""
    book, memory = after("besa", [(0, 0.2), (1, 0.9), (2, 0.5)], 3)
    for shuffle in ([0.9, 0.9, 0.9], [0.0, 0.0, 0.0], [0.4, 0.0, 0.5]):
        assert promoted("besa", [4], book, Scripted(shuffle), memory) == [1]


@given(st.lists(rewards(), min_size=2, max_size=12), st.data())
def test_besa_draws_without_replacement(told, data):
    """What is drawn is part of what was told, and nothing is lost."""
    book, memory = after("besa", [(0, each) for each in told], 1)
    rng, count = np.random.default_rng(1), data.draw(st.integers(1, len(told)))
    total = sampled_total(0, count, book, memory, rng)
    kept = np.array(memory.rewards).tolist()[: len(told)]
    assert sorted(kept) == sorted(told)
    assert total == pytest.approx(math.fsum(kept[:count]))


def test_rb_sda_duels_with_blocks_of_the_leader():
    """Arm 0 paid 1, 0, 1, 1: blocks of one are worth that. Arm 1 paid nothing, once.

    It wins against the second block only. Without a winner the leader is promoted.
    """
    book, memory = after("rb-sda", FIVE, 2)
    assert promoted("rb-sda", [6], book, Scripted([0.1]), memory) == [0]
    assert promoted("rb-sda", [6], book, Scripted([0.3, 0.0]), memory) == [1]


def test_rb_sda_promotes_all_winners_before_the_next_round():
    """Two winners in random order, without a further duel in between."""
    told = [(0, 0.0), (0, 1.0), (0, 0.0), (1, 0.5), (2, 0.6), (3, 0.0)]
    book, memory = after("rb-sda", told, 4)
    coins = Scripted([0.1, 0.1, 0.5, 0.6, 0.9])  # three duels, then who is first, then the other
    assert promoted("rb-sda", [7, 8], book, coins, memory) == [2, 1]
    assert memory.winners[0] == 0.0


def test_the_leader_of_rb_sda_has_most_reports():
    """Reports decide, then the record, then a draw."""
    assert most_reported(book_of([0.9, 0.1, 0.2], [2, 3, 3]), Scripted()) == 2
    tie = book_of([0.5, 0.5], [2, 2])
    assert [most_reported(tie, Scripted([u])) for u in (0.6, 0.4)] == [0, 1]


def test_tsallis_inf_is_uniform_at_first_and_learns_from_its_own_choices():
    """Four arms without losses have 1/4 each. A loss of 1 counts four times, and only if promoted.

    The rate is 2 / sqrt(t).
    """
    entry = POLICIES["tsallis-inf"]
    book, memory = book_of([0.5] * 4), new_memory(entry, 4)
    chosen = promoted("tsallis-inf", [5, 6], book, Scripted([0.3, 0.6]), memory)
    assert chosen == [1, 2]
    for t, arm, reward in [(5, 1, 0.0), (6, 3, 0.0), (7, 2, 0.0)]:
        entry.ask("learn", t=t, arm=arm, reward=reward, memory=memory)
    assert memory.loss.tolist() == pytest.approx([0.0, 4.0, 0.0, 0.0])


@given(st.lists(between(0.0, 1e4), min_size=1, max_size=9), st.integers(1, 10**6))
def test_the_chances_of_tsallis_inf_add_up(losses, t):
    """They are 4 / (rate (L - x))^2 for one x below all losses, and fall with the loss."""
    entry = POLICIES["tsallis-inf"]
    memory, rate = new_memory(entry, len(losses)), 2.0 / math.sqrt(t)
    for arm, loss in enumerate(losses):
        memory.loss[arm] = loss
    assert fill_chances(rate, memory) == pytest.approx(1.0, abs=1e-8)
    x = [loss - 2.0 / (rate * math.sqrt(w)) for loss, w in zip(losses, memory.weight, strict=True)]
    assert x == pytest.approx([x[0]] * len(x), rel=1e-6, abs=1e-6)
    order = sorted(range(len(losses)), key=lambda arm: losses[arm])
    assert sorted(memory.weight, reverse=True) == [memory.weight[arm] for arm in order]


def test_transport_by_hand():
    """1 of 1 against 0 of 1: both halves, 2 ln 2. 3/4 against 1/4 of four each: 8 KL(3/4, 1/2)."""
    assert transport(0, 1, book_of([1.0, 0.0])) == pytest.approx(2 * math.log(2))
    kl = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    assert transport(0, 1, book_of([0.75, 0.25], [4, 4])) == pytest.approx(8 * kl)
    assert transport(1, 0, book_of([0.75, 0.25])) == 0.0


@given(st.lists(st.tuples(rewards(), st.integers(1, 50)), min_size=2, max_size=6))
def test_the_challenger_is_the_nearest(records):
    """The bound that spares divergences spares none that matters."""
    book = book_of(*map(list, zip(*records, strict=True)))
    memory = new_memory(POLICIES["top-two"], len(records))
    first = int(np.argmax(book.means))
    chosen = challenger(first, book, memory, np.random.default_rng(1))
    costs = {arm: transport(first, arm, book) for arm in range(len(records)) if arm != first}
    assert costs[chosen] == min(costs.values())


def test_top_two_promotes_the_sample_or_its_challenger():
    """With beta = 1 it is Thompson sampling; else the next arm challenges a sure winner."""
    told = [(0, 1.0), (1, 0.0), (2, 0.0)] * 400 + [(2, 1.0)] * 40
    book, memory = after("top-two", told, 3)
    rng = np.random.default_rng(1)
    assert promoted("top-two", range(5, 25), book, rng, memory, (1.0,)) == [0] * 20
    chosen = promoted("top-two", range(5, 405), book, rng, memory, (0.5,))
    assert set(chosen) == {0, 2}
    assert abs(chosen.count(0) - 200) < 60  # 6 standard deviations
