"""History strings of arm 1: the distributions p and q of the lower bound's proof, exactly.

A string of 0s and 1s is the history of arm 1's rewards so far. `p[s]` is the probability that this
history is s when arm i is pulled for the k-th time; `q[s]` is the probability that this pull
happens at s, given that the history reaches s and the pull has not happened before. Both are
mappings over all strings of 1 to T characters.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction

Strings = Mapping[str, Fraction]


def strings(longest: int) -> Iterator[str]:
    """All 0-1 strings of 1 to `longest` characters, short ones first."""
    return itertools.chain.from_iterable(map(_strings_of, range(1, longest + 1)))


def _strings_of(length: int) -> Iterator[str]:
    return map("".join, itertools.product("01", repeat=length))


def likelihood(string: str, mu: Fraction) -> Fraction:
    """P(s, mu): the probability that the first rewards of arm 1 are those of the string."""
    ones = string.count("1")
    return mu**ones * (1 - mu) ** (len(string) - ones)


def p_from_q(q: Strings, mu: Fraction) -> dict[str, Fraction]:
    """Lemma 1: p(s) = P(s, mu) prod_j (1 - q(s_1..s_j)) q(s), over the proper prefixes."""
    p: dict[str, Fraction] = {}
    for string in q:
        survived = likelihood(string, mu)
        for length in range(1, len(string)):
            survived *= 1 - q[string[:length]]
        p[string] = survived * q[string]
    return p


def q_from_p(p: Strings, mu: Fraction) -> dict[str, Fraction]:
    """The definition of q: p(s) as a share of the probability left at s; 1 if none is left."""
    q: dict[str, Fraction] = {}
    for string in p:
        left = likelihood(string, mu)
        for length in range(1, len(string)):
            prefix, rest = string[:length], string[length:]
            left -= p[prefix] * likelihood(rest, mu)
        q[string] = p[string] / left if left > 0 else Fraction(1)
    return q


def emp(q: Strings, mu: Fraction, horizon: int) -> Fraction:
    """Algorithm 5: the expected share of ones in the string at which q stops.

    >>> at_two = {s: Fraction(len(s) == 2) for s in strings(2)}
    >>> emp(at_two, Fraction(1, 2), 2)
    Fraction(1, 2)
    """
    value = {string: _share(string) for string in _strings_of(horizon)}
    for length in range(horizon - 1, 0, -1):
        for string in _strings_of(length):
            go_on = _expected(value, string, mu)
            value[string] = q[string] * _share(string) + (1 - q[string]) * go_on
    return _expected(value, "", mu)


def best_q(mu: Fraction, horizon: int) -> dict[str, Fraction]:
    """The optimal stopping rule as a q of zeros and ones; it stops where it is indifferent."""
    value = {string: _share(string) for string in _strings_of(horizon)}
    q = {string: Fraction(1) for string in strings(horizon)}
    for length in range(horizon - 1, 0, -1):
        for string in _strings_of(length):
            stop, go_on = _share(string), _expected(value, string, mu)
            q[string] = Fraction(stop <= go_on)
            value[string] = min(stop, go_on)
    return q


def _share(string: str) -> Fraction:
    return Fraction(string.count("1"), len(string))


def _expected(value: Strings, string: str, mu: Fraction) -> Fraction:
    """The expected value after one more reward."""
    return mu * value[string + "1"] + (1 - mu) * value[string + "0"]
