"""Equal values have one digest in every process; values that differ in anything have another."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import io
import json
import logging
import math
import os
import random
import re
import struct
import subprocess
import sys
import threading
import types
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm.catalogue.identity.fingerprint import Opaque, fingerprint

NAN, OTHER_NAN = (
    struct.unpack("<d", struct.pack("<Q", bits))[0] for bits in (0x7FF8 << 48, -8 % 2**64)
)


class Colour(enum.Enum):
    """An enumeration with a method."""

    RED = 1
    BLUE = 2

    def paid(self):
        """What it is worth."""
        return self.value * 0.1


class Pair(NamedTuple):
    """A named tuple."""

    left: object
    right: object = 0


@dataclasses.dataclass
class Box:
    """A dataclass with a default that is made anew."""

    content: object
    notes: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class Slim:
    """A dataclass with slots."""

    content: object


class Plain:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Words(list):
    """A list with an attribute."""


LARGE = np.zeros(5000)
CHANGED = np.append(np.zeros(4999), 1e-300)

DIFFERENT = [
    (1, 1.0),
    (1, True),
    (0, False),
    (0.0, -0.0),
    (NAN, OTHER_NAN),
    (0.1, math.nextafter(0.1, 1)),
    (1.0, 1 + 0j),
    ("1", b"1"),
    ("ab", ("a", "b")),
    (("a", "b"), ["a", "b"]),
    (((1,), 2), ((1, 2),)),
    ((), None),
    ({1, 2}, frozenset({1, 2})),
    ({1, 2}, {1, 2, 3}),
    ({1}, {1.0}),
    ({1: 2}, {2: 1}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (np.float64(1), 1.0),
    (np.float64(1), np.float32(1)),
    (np.int64(1), np.uint64(1)),
    (LARGE, CHANGED),
    (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)),
    (np.zeros((4, 4)), np.asfortranarray(np.zeros((4, 4)))),
    (np.array([1, "a"], object), np.array([1, "b"], object)),
    (np.dtype("f8"), np.dtype(">f8")),
    (Colour.RED, Colour.BLUE),
    (Colour.RED, 1),
    (Pair(1), (1, 0)),
    (Pair(LARGE), Pair(CHANGED)),
    (Box(LARGE), Box(CHANGED)),
    (Box(1), Box(1, [2])),
    (Slim(LARGE), Slim(CHANGED)),
    (Slim(1), Box(1)),
    (Plain(a=1), Plain(b=1)),
    (Plain(a=LARGE), Plain(a=CHANGED)),
    (Words([1]), [1]),
    (Words([1]), Words([2])),
    (range(3), range(4)),
    (slice(1, 2), slice(1, 3)),
    (bytearray(b"a"), b"a"),
    (array.array("d", [1.0]), array.array("f", [1.0])),
    (collections.deque([1], 3), collections.deque([1], 4)),
    (collections.OrderedDict(a=1), {"a": 1}),
    (collections.defaultdict(int), collections.defaultdict(float)),
    (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    (fractions.Fraction(1, 3), fractions.Fraction(2, 3)),
    (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)),
    (re.compile("a"), re.compile("a", re.IGNORECASE)),
    (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2)),
    (types.MappingProxyType({"a": 1}), types.MappingProxyType({"a": 2})),
    (functools.partial(max, 1), functools.partial(max, 2)),
    (functools.partial(max, 1), functools.partial(min, 1)),
    (math.sin, math.cos),
    (np.sin, np.cos),
    (np.median, np.mean),
    (math.sin, np.sin),
    (int, float),
    (np.int8, np.int16),
    ([].append, [1].append),
    (math, np),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
@pytest.mark.parametrize("inside", ["itself", "dictionary", "tuple", "object"])
def test_values_that_differ_have_different_digests(one, other, inside):
    """However little two values differ, and however deep, their digests do."""
    wrap = {
        "itself": lambda value: value,
        "dictionary": lambda value: {"table": {"deep": [value]}},
        "tuple": lambda value: ((value,),),
        "object": lambda value: Box(Plain(held=value)),
    }[inside]
    assert fingerprint(wrap(one)) != fingerprint(wrap(other))


def test_the_order_of_attributes_and_of_sets_says_nothing():
    """Sets and objects that were filled in another order are the same."""
    words = [f"word {k}" for k in range(100)]
    assert fingerprint(set(words)) == fingerprint({*words[50:], *words})
    assert fingerprint(Plain(a=1, b=2)) == fingerprint(Plain(b=2, a=1))


def test_circles_come_to_an_end():
    """What contains itself has a digest, and one that depends on what else is in it."""

    def circle(value):
        box = Box(value)
        box.notes += [box, [box.notes]]
        return box

    assert fingerprint(circle(1)) == fingerprint(circle(1))
    assert fingerprint(circle(1)) != fingerprint(circle(2))


def test_what_is_shared_is_told_from_what_is_equal():
    """Two places that hold one list change together, which two lists do not."""
    shared = [1]
    assert fingerprint([shared, shared]) != fingerprint([[1], [1]])
    assert fingerprint([shared, shared]) == fingerprint([[1]] * 2)


def deep_list():
    """Lists in lists, too many for Python to walk."""
    outer = []
    for _ in range(100_000):
        outer = [outer]
    return outer


def generator():
    """Numbers, one after another."""
    yield 1


@pytest.mark.parametrize(
    "value",
    [
        logging.getLogger(),
        logging.getLogger("mine"),
        random.Random(1),
        np.random.default_rng(1),
        threading.Lock(),
        io.StringIO("text"),
        generator(),
        iter([1]),
        object(),
        os.environ,
        np.frompyfunc(abs, 1, 1),
        memoryview(b"a"),
        np.ma.array([1.0]),
        np.zeros(1, [("a", object)]),
        ValueError("text"),
        types.ModuleType("mine"),
        deep_list(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_read_has_no_digest(value):
    """An object whose content is out of sight, or may change, is refused: alone and inside."""
    for wrapped in (value, [value], {"a": (value,)}, Plain(a=value)):
        with pytest.raises(Opaque):
            fingerprint(wrapped)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.sampled_from(Colour),
    st.floats(width=32, allow_nan=False).map(np.float32),
)
KEYS = st.one_of(st.integers(), st.text(max_size=5))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
        st.sets(SCALARS, max_size=4),
        st.frozensets(SCALARS, max_size=4),
        st.lists(st.floats(allow_nan=False), max_size=4).map(np.array),
        inner.map(Box),
        inner.map(Slim),
        inner.map(lambda value: Plain(held=value)),
        st.tuples(inner, inner).map(lambda both: Pair(*both)),
    ),
    max_leaves=12,
)


def rebuilt(value):
    """The same content in new objects, sets and attributes filled in the opposite order."""
    kind = type(value)
    if kind in (list, tuple):
        return kind(rebuilt(each) for each in value)
    if kind in (set, frozenset):
        return kind(sorted(value, key=repr, reverse=True))
    if kind is dict:
        return {rebuilt(key): rebuilt(each) for key, each in value.items()}
    if kind is Pair:
        return Pair(*map(rebuilt, value))
    if kind is Box:
        return Box(rebuilt(value.content), rebuilt(value.notes))
    if kind is Slim:
        return Slim(rebuilt(value.content))
    if kind is Plain:
        return Plain(**{name: rebuilt(each) for name, each in reversed(vars(value).items())})
    return value.copy() if kind is np.ndarray else value


@given(VALUES)
def test_a_value_that_is_built_again_has_its_digest(value):
    """The digest depends on the content, not on the objects that hold it."""
    assert fingerprint(rebuilt(value)) == fingerprint(value)


def changed(value, place, new):
    """The value with the scalar at this place replaced, and how many scalars were passed."""
    kind = type(value)
    parts = None
    if kind in (list, tuple):
        parts = list(value)
    elif kind is dict:
        parts = list(value.values())
    elif kind is Pair:
        parts = list(value)
    elif kind in (Box, Slim):
        parts = [value.content]
    elif kind is Plain:
        parts = [value.held]
    if not parts:
        return (new, 1) if place == 0 else (value, 1)
    passed = 0
    for k, part in enumerate(parts):
        parts[k], count = changed(part, place - passed, new)
        passed += count
    if kind is dict:
        return dict(zip(value, parts, strict=True)), passed
    if kind is Plain:
        return Plain(held=parts[0]), passed
    return (kind(parts) if kind in (list, tuple) else kind(*parts)), passed


@given(VALUES, st.integers(0, 20), SCALARS)
def test_any_single_change_changes_the_digest(value, place, new):
    """Whatever scalar, array or set is replaced by something else: the digest is another."""
    _, count = changed(value, -1, None)
    other, _ = changed(value, place % count, new)
    same = _content(other) == _content(value)
    assert (fingerprint(other) == fingerprint(value)) == same


def _content(value):
    """A text that is the same for equal values of equal types, written independently."""
    kind = type(value)
    name = kind.__name__
    if kind in (list, tuple, Pair):
        return f"{name}({', '.join(map(_content, value))})"
    if kind in (set, frozenset):
        return f"{name}({sorted(map(_content, value))})"
    if kind is dict:
        return f"dict({[(_content(k), _content(v)) for k, v in value.items()]})"
    if kind in (Box, Slim):
        return f"{name}({_content(value.content)})"
    if kind is Plain:
        return f"Plain({_content(value.held)})"
    if kind is np.ndarray:
        return f"array({value.tolist()!r})"
    return f"{name} {value!r}"


SAMPLE = """
import json

from tests.identity.test_values import DIFFERENT, Box, Colour, Pair, fingerprint

words = [f"word {k}" for k in range(50)]
values = [set(words), frozenset(words), {"a": set(words)}, Box(Pair(set(words), Colour.RED))]
for pair in DIFFERENT:
    values += pair
print(json.dumps([fingerprint(value) for value in values]))
"""


@pytest.mark.slow
def test_other_processes_and_hash_seeds_agree():
    """A digest is the same in processes that put the words of a set in another order."""
    found = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SAMPLE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert found[0] == found[1]
