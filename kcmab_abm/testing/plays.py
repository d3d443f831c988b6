"""Policies, behaviours and so on played by hand; a rule that is broken is an error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kcmab_abm.catalogue.entries import Entry, Number
from kcmab_abm.model.book import clear, is_legible, record
from kcmab_abm.model.budget import new_purse
from kcmab_abm.model.customer import STRANGER
from kcmab_abm.testing.fences import Crowd, copies, fenced_tables, new_book, new_memory

CONTEXT = {"customer": STRANGER, "purse": new_purse(math.inf, math.inf, 0, math.inf, False)}

Steps = list[Any]


def promoted(
    entry: Entry,
    rewards: list[float],
    arms: int,
    values: tuple[Number, ...],
    seed: int,
    first_ties: bool,
) -> Steps:
    """The arms that a policy promotes while every customer takes the target."""
    book, memory = new_book(arms, first_ties), new_memory(entry, arms, values)
    given = dict(zip(entry.parameters, values, strict=True))
    common: dict[str, Any] = {
        "book": book,
        "view": book,
        "tables": fenced_tables(entry, arms, {**given, "horizon": len(rewards)}),
        "memory": memory,
        "params": entry.params(values),
        "rng": np.random.default_rng(seed),
        "horizon": len(rewards),
        **CONTEXT,
    }
    chosen = []
    for t, reward in enumerate(rewards, 1):
        before = copies(book)
        arm = t - 1 if t <= arms else entry.ask("act", t=t, **common)
        assert int(arm) == arm in range(arms), (
            f"policy {entry.name!r} promoted arm {arm} to customer {t}; arms are 0..{arms - 1}"
        )
        if entry.answered is not None and t > arms:
            entry.ask("answered", t=t, target=arm, offer=0.0, arm=arm, **common)
        assert copies(book) == before, f"policy {entry.name!r} wrote to the book"
        chosen.append(int(arm))
        record(book, int(arm), reward)
        before = copies(book)
        if entry.learn is not None:
            entry.ask("learn", t=t, arm=int(arm), reward=reward, **common)
        assert copies(book) == before, f"policy {entry.name!r} wrote to the book"
    return chosen


def taken(crowd: Crowd, visits: list[tuple[Any, ...]], seed: int) -> Steps:
    """The arms that customers take and what they report, after one report on each arm."""
    rng, arms = np.random.default_rng(seed), len(crowd.book.means)
    whose = f"behaviour {crowd.entry.name!r}"
    for arm in range(arms):
        crowd.hear(arm, 0.5, rng)
    steps = []
    for target, offer, rival, reward in visits:
        board = crowd.board(target, offer, rival)
        before = copies(crowd.book, (board.offers,))
        arm = crowd.take(board, rng)
        assert -1 <= arm < arms, f"{whose} took arm {arm}; arms are 0..{arms - 1}, or -1 to leave"
        told = crowd.tell(reward, float(board.offers[arm]) if arm >= 0 else 0.0, rng)
        assert math.isfinite(told), f"{whose} reported {told}"
        assert copies(crowd.book, (board.offers,)) == before, f"{whose} wrote to book or board"
        steps.append((arm, told))
        if arm >= 0:
            crowd.hear(arm, told, rng)
    return steps


def priced(
    entry: Entry, visits: list[tuple[float, bool]], values: tuple[Number, ...], seed: int
) -> Steps:
    """The offers for some gaps; the rule hears whether each was taken."""
    book = new_book(3)
    for arm in range(3):
        record(book, arm, 0.5)
    common: dict[str, Any] = {
        "memory": new_memory(entry, 3, values),
        "params": entry.params(values),
        "rng": np.random.default_rng(seed),
        "horizon": len(visits),
        "arm": 1,
        "book": book,
        **CONTEXT,
    }
    offers = []
    for t, (gap, taken) in enumerate(visits, 1):
        offer = entry.ask("act", t=t, gap=gap, **common)
        assert 0.0 <= offer < math.inf, (
            f"pricing rule {entry.name!r} offered {offer}; an offer is a finite number >= 0"
        )
        if entry.answered is not None:
            entry.ask("answered", t=t, offer=offer, taken=taken, **common)
        offers.append(float(offer))
    return offers


def disclosed(
    entry: Entry, arms: int, rewards: list[float], values: tuple[Number, ...], seed: int
) -> Steps:
    """What each customer sees who comes after one report on every arm, and reports herself."""
    book, view = new_book(arms), new_book(arms)
    rng = np.random.default_rng(seed)
    common: dict[str, Any] = {
        "book": book,
        "memory": new_memory(entry, arms, values),
        "params": entry.params(values),
        "rng": rng,
    }
    whose, steps = f"disclosure {entry.name!r}", []
    for t, reward in enumerate([0.5] * arms + rewards, 1):
        arm = t - 1 if t <= arms else t * t % arms
        before = copies(book)
        if t > arms:
            clear(view)
            entry.ask("act", t=t, view=view, **common)
            assert is_legible(view), f"{whose} showed {copies(view)} to customer {t}"
            steps.append(copies(view))
        assert copies(book) == before, f"{whose} wrote to the book"
        record(book, arm, reward)
        before = copies(book)
        if entry.learn is not None:
            entry.ask("learn", t=t, arm=arm, reward=reward, **common)
        assert copies(book) == before, f"{whose} wrote to the book"
    return steps


def counted(rng: np.random.Generator) -> dict[str, Any]:
    """A customer as measures see her, who may have left or been directed to an arm."""
    horizon, target = int(rng.integers(1, 2000)), int(rng.integers(3))
    arm, seeded = int(rng.integers(-1, 3)), bool(rng.random() < 0.1)
    offer = float(rng.choice([0.0, 2.0 * rng.random()]))
    return {
        "t": int(rng.integers(1, horizon + 1)),
        "horizon": horizon,
        "target": target,
        "offer": offer,
        "arm": target if seeded else arm,
        "payment": offer if arm == target and not seeded else 0.0,
        "reward": float(rng.choice([0.0, 1.0, rng.random()])) if arm >= 0 else 0.0,
        "regret": float(rng.choice([0.0, rng.random()])),
        "wait": float(rng.choice([0.0, 10.0 * rng.random()])),
        "kind": -1 if seeded else int(rng.integers(3)),
        "value": 0.0 if seeded or arm < 0 else float(rng.normal()),
        "seeded": seeded,
    }
