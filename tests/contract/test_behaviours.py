"""What every behaviour of the catalogue keeps to, and a few choices computed by hand."""

from __future__ import annotations

import math

from kcmab_abm.catalogue.registry import BEHAVIOURS
from kcmab_abm.model.offers import Board
from tests.contract.arena import (
    Scripted,
    board_of,
    book_of,
    defaults,
    fenced,
    new_memory,
)


def choice(name, book, board, uniforms=(), values=None):
    """What one customer takes."""
    entry = BEHAVIOURS[name]
    values = defaults(entry) if values is None else values
    rng = Scripted(uniforms)
    memory = new_memory(entry, len(book.means), values)
    arm = entry.ask(
        "act", t=9, book=book, board=board, memory=memory, params=entry.params(values), rng=rng
    )
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
