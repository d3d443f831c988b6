"""History strings of arm 1: the distributions p and q of the lower bound's proof, exactly.

A string of 0s and 1s is what arm 1 has shown so far. `p[s]` is the probability that it has shown
exactly s when arm i is pulled for the k-th time, `q[s]` that this happens at s given that arm 1 has
shown s and it has not happened before. Both are mappings over all strings of 1 to T characters.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction

Strings = Mapping[str, Fraction]


def strings(longest: int) -> Iterator[str]:
    """All 0-1 strings of 1 to `longest` characters, the short ones first."""
    for length in range(1, longest + 1):
        for letters in itertools.product("01", repeat=length):
            yield "".join(letters)


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
    """The definition of q: what p(s) is of the probability that is left at s; 1 if none is left."""
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

    >>> never = {s: Fraction(len(s) == 2) for s in strings(2)}
    >>> emp(never, Fraction(1, 2), 2)
    Fraction(1, 2)
    """
    value = {s: Fraction(s.count("1"), horizon) for s in strings(horizon) if len(s) == horizon}
    for length in range(horizon - 1, 0, -1):
        for letters in itertools.product("01", repeat=length):
            string = "".join(letters)
            stop = Fraction(string.count("1"), length)
            go_on = mu * value[string + "1"] + (1 - mu) * value[string + "0"]
            value[string] = q[string] * stop + (1 - q[string]) * go_on
    return mu * value["1"] + (1 - mu) * value["0"]


def best_q(mu: Fraction, horizon: int) -> dict[str, Fraction]:
    """The rule of the dynamic programme as a q of zeros and ones: stop where that is no worse."""
    value = {s: Fraction(s.count("1"), horizon) for s in strings(horizon) if len(s) == horizon}
    q = {string: Fraction(1) for string in value}
    for length in range(horizon - 1, 0, -1):
        for letters in itertools.product("01", repeat=length):
            string = "".join(letters)
            stop = Fraction(string.count("1"), length)
            go_on = mu * value[string + "1"] + (1 - mu) * value[string + "0"]
            q[string] = Fraction(stop <= go_on)
            value[string] = min(stop, go_on)
    return {string: q[string] for string in strings(horizon)}
