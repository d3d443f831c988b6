"""What every behaviour of the catalogue keeps to, and a few choices computed by hand."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.catalogue import BEHAVIOURS
from kcmab_abm.offers import Board
from tests.contract.arena import (
    Crowd,
    Scripted,
    board_of,
    book_of,
    copies,
    defaults,
    fenced,
    new_memory,
)
from tests.markets import BEHAVIOUR_NAMES, between, customer_tables, rewards

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
every_behaviour = pytest.mark.parametrize("name", BEHAVIOUR_NAMES)


def taken(table, visits, arms, seed, first_ties):
    """The arms that customers take, after each arm was seeded once.

    `visits` are target, offer (None: the least), a rival's offer if there is one, reward.
    """
    crowd, rng = Crowd(arms, first_ties, **table), np.random.default_rng(seed)
    for arm in range(arms):
        crowd.hear(arm, 0.5, rng)
    choices = []
    for target, offer, rival, reward in visits:
        board = crowd.board(target, offer, rival)
        before = copies(crowd.book, (board.offers,))
        arm = crowd.take(board, rng)
        choices.append(arm)
        told = crowd.tell(reward, board.offers[arm] if arm >= 0 else 0.0, rng)
        assert copies(crowd.book, (board.offers,)) == before
        if arm >= 0:
            assert told >= reward or told == 1.0
            crowd.hear(int(arm), told, rng)
    return choices


@every_behaviour
@given(data=st.data())
def test_a_behaviour_keeps_the_rules(name, data):
    """Arms are in range, book and board are left alone, memory is not overrun, draws repeat."""
    arms = data.draw(st.integers(1, 9))
    places, offers = st.integers(0, arms - 1), between(0.0, 2.0)
    rivals = st.none() | st.tuples(places, offers)
    visit = st.tuples(places, st.none() | offers, rivals, rewards())
    visits = data.draw(st.lists(visit, min_size=1, max_size=40))
    table = data.draw(customer_tables(name))
    seed, ties = data.draw(st.integers(0, 99)), data.draw(st.booleans())
    choices = taken(table, visits, arms, seed, ties)
    assert all(arm == int(arm) and -1 <= arm < arms for arm in choices)
    assert taken(table, visits, arms, seed, ties) == choices


@every_behaviour
def test_the_name_is_that_of_the_file(name):
    """A behaviour stands in the file of its name, with underscores for hyphens."""
    entry = BEHAVIOURS.find(name)
    assert NAME.fullmatch(name)
    assert entry.kind == "behaviour"
    assert entry.act.__module__ == f"kcmab_abm.behaviours.{name.replace('-', '_')}"


@every_behaviour
def test_the_description_is_a_sentence(name):
    """The docstring begins with one sentence on one line; the citation, if any, is tidy."""
    entry = BEHAVIOURS.find(name)
    assert re.fullmatch(r"[A-Z].{10,90}\.", entry.about)
    assert entry.about == entry.act.__doc__.split("\n")[0]
    assert entry.cites == entry.cites.strip()


@every_behaviour
def test_defaults_are_within_their_range(name):
    """Every parameter has a default that is allowed, and a word on what it means."""
    for parameter in BEHAVIOURS.find(name).parameters.values():
        assert parameter.gt is None or parameter.default > parameter.gt
        assert parameter.ge is None or parameter.default >= parameter.ge
        assert parameter.lt is None or parameter.default < parameter.lt
        assert parameter.le is None or parameter.default <= parameter.le
        assert parameter.about


def choice(name, book, board, uniforms=(), values=None):
    """What one customer takes."""
    entry = BEHAVIOURS.find(name)
    values = defaults(entry) if values is None else values
    rng = Scripted(uniforms)
    memory = new_memory(entry, len(book.means), values)
    arm = entry.act(9, book, board, memory, entry.params(values), rng)
    assert rng.is_used_up
    return arm


def test_greedy_takes_the_least_offer():
    """Indifferent, she takes the target; for less she goes to the leader; for nothing, too."""
    book = book_of([0.75, 0.25, 0.5])
    assert choice("greedy", book, board_of(book, 1)) == 1
    assert choice("greedy", book, board_of(book, 1, 0.6)) == 1
    assert choice("greedy", book, board_of(book, 1, 0.49)) == 0
    assert choice("greedy", book, board_of(book, 2, 0.0)) == 0


def test_greedy_takes_a_target_that_leads_anyway():
    """The target among equal leaders is taken without an offer and without a draw."""
    book = book_of([0.5, 0.5, 0.25])
    assert choice("greedy", book, board_of(book, 0)) == 0
    assert choice("greedy", book, board_of(book, 1)) == 1


def test_greedy_draws_among_rivals_when_she_refuses():
    """Two leaders and an offer too small: one draw decides between them."""
    book = book_of([0.5, 0.25, 0.5])
    assert choice("greedy", book, board_of(book, 1, 0.2), [0.49]) == 0
    assert choice("greedy", book, board_of(book, 1, 0.2), [0.51]) == 2


def test_greedy_compares_offers_on_several_arms():
    """With offers on other arms too, the target must be worth as much as the best of them."""
    book = book_of([0.5, 0.25, 0.25])
    offers = fenced(3)
    offers[1], offers[2] = 0.5, 0.375
    assert choice("greedy", book, Board(2, offers, True)) == 1
    offers[2] = 0.5
    assert choice("greedy", book, Board(2, offers, True)) == 2


def test_logit_shares_by_hand():
    """Worths 0, tau ln 2 and tau ln 4 are taken with chances 1/7, 2/7 and 4/7."""
    tau = 0.2
    book = book_of([0.0, tau * math.log(2), 0.0])
    board = board_of(book, 2, tau * math.log(4))
    picks = [choice("logit", book, board, [u], (tau,)) for u in (0.14, 0.15, 0.42, 0.43, 0.99)]
    assert picks == [0, 1, 1, 2, 2]


def test_logit_without_temperature_is_greedy():
    """With tau = 0 the indifferent customer takes the target, without a draw."""
    book = book_of([0.75, 0.25])
    assert choice("logit", book, board_of(book, 1), values=(0.0,)) == 1
    assert choice("logit", book, board_of(book, 1, 0.4), values=(0.0,)) == 0


def test_logit_between_equals_tosses_a_coin():
    """The least offer leaves two worths equal: half of the customers refuse, at any tau."""
    book = book_of([0.75, 0.25])
    for tau in (5e-324, 1e-6, 1.0, 1e6):
        board = board_of(book, 1)
        assert choice("logit", book, board, [0.49], (tau,)) == 0
        assert choice("logit", book, board, [0.51], (tau,)) == 1
