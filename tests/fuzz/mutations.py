"""Scenario files spoilt at random: bytes, numbers, texts, lines, tables."""

from __future__ import annotations

import re
from collections.abc import Callable

from numpy.random import Generator

NUMBERS = [
    *("0", "-0.0", "-1", "1", "2", "0.5", "5e-324", "1e-400", "1e308", "1e309", "-1e309", "nan"),
    *("inf", "-inf", "1e12", "1e-12", "10000", "99999", "100000000000", "9007199254740993"),
    *("9223372036854775808", "1_0", "0b1", "true", "2018-01-01", "12:00:00"),
    "1979-05-27T07:32:00Z",
    "1" + "0" * 30,
    "9" * 5000,
    "0x" + "f" * 5000,
]
TEXTS = [
    *(
        "ucb",
        "greedy",
        "beta",
        "trace",
        "empirical",
        "logit",
        "social",
        "mixture",
        "random-walk",
        "levels",
        ".",
        "%",
    ),
    *("=1+1", "-1", "@a", "a/../b", "/dev/zero", "/dev/stdin", "\u00e9", "a\\nb", "a\\tb"),
    *("\\u0000[31m", "\\u001b[31m", "\\u202e[31m", "\\u2028[31m", "\\u007f[31m", "\\u0085[31m"),
    "\\u200d[31m",
    "",
    " ",
    "a" * 81,
    "a" * 20_000,
    "\U0001f600" * 80,
]
VALUES = [
    *("[]", "{}", "[[]]", "[{}]"),
    "{ a = 1 }",
    "[" * 300 + "]" * 300,
    "[" + "0.5, " * 3000 + "0.5]",
    f"[{', '.join(str(each) for each in range(1, 9000))}]",
    "{ " + "a." * 15 + "a = 1 }",
]

_NUMBER = re.compile(r"(?<![\w.\"'])[-+]?\d[\d_.]*(?:e[-+]?\d+)?(?![\w.\"'])")
_TEXT = re.compile(r"\"[^\"\n]*\"")
_VALUE = re.compile(r"(?<== )[^,\n]+")
_WORD = re.compile(r"[a-z_-]{3,}")

RICH = """title = "Everything"
horizon = 40
replications = 100
seed = 7
record = "sample"
sample = [0, 3]
precision = { measure = "regret", half_width = 0.5, between = ["one", "two"], ceiling = 200 }

[market]
arms = [{ law = "bernoulli", means = [0.9, 0.1] }, { law = "beta", alpha = [1.0], beta = [2.0] }]
change = { kind = "random-walk", step = 0.01, low = 0.05, high = 0.95 }
arrivals = { process = "poisson", rate = 2.0 }
disclosure = { rule = "full" }
ties = "first"
seeding_cost = 0.5
report_delay = { law = "exponential", mean = 1.0 }
service_time = { law = "uniform", low = 0.5, high = 2.0 }
report_probability = 0.5
capacity = [1, 2, 3]
patience = 4.0

[market.customers]
behaviour = "mixture"
visible = true
of = [
  { behaviour = "social", people = 20, graph = "small-world", neighbours = 4, rewired = 0.2 },
  { behaviour = "social", people = 5, graph = "edges", edges = [[0, 1], [2, 4]], weight = 0.2 },
  { behaviour = "features", outcomes = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], weight = 0.5 },
  { behaviour = "drifted-feedback", slope = 2.0, ceiling = 0.5, clip = true },
  { behaviour = "self-reinforcing", alpha = 2.0, theta = 0.5 },
  { behaviour = "recency", window = 10, discount = 0.9 },
]

[purse]
offer = { rule = "learned-margin", goal = 0.9, step = 0.1 }
cap = 1.0
budget = 5.0
period = 4
period_budget = 1.0
when_short = "pay-rest"
also = 1
misjudgement = 0.1
knows = "book"
fees = true

[[policy]]
name = "sliding-window-ucb"
label = "one"
window = 30
xi = 0.7

[[policy]]
name = "modified-epsilon-greedy"
label = "two"
epsilon = 5.0

[measures]
kept = { measure = "profit" }
late = { measure = "discounted-regret", gamma = 0.99 }
unequal = { measure = "gini" }

[sweep]
grid = { "purse.cap" = [0.5, 1.0], "policy[1].epsilon" = [1.0, 2.0] }
"""


def mutated(rng: Generator, text: str, other: str) -> bytes:
    """A file with one to four faults; `other` is one to borrow lines from."""
    data = text
    for _ in range(int(rng.integers(1, 5))):
        mutation = MUTATIONS[int(rng.integers(len(MUTATIONS)))]
        data = mutation(rng, data, other) or data
    raw = data.encode("utf-8", "surrogatepass")
    return _spoilt_bytes(rng, raw) if rng.random() < 0.1 else raw


def _spoilt_bytes(rng: Generator, raw: bytes) -> bytes:
    """Some bytes replaced, taken out or put in; or the rest cut off."""
    spoilt = bytearray(raw)
    for _ in range(int(rng.integers(1, 6))):
        place = int(rng.integers(len(spoilt) or 1))
        spoilt[place : place + int(rng.integers(3))] = rng.bytes(int(rng.integers(3)))
    return bytes(spoilt[: int(rng.integers(len(spoilt) + 1))] if rng.random() < 0.2 else spoilt)


def _replacing(pattern: re.Pattern[str], choices: list[str], quotes: str = "") -> Mutation:
    """One place that fits a pattern gets another content."""

    def mutate(rng: Generator, text: str, other: str) -> str:
        found = list(pattern.finditer(text))
        if not found:
            return text
        spot = found[int(rng.integers(len(found)))]
        new = choices[int(rng.integers(len(choices)))]
        return f"{text[: spot.start()]}{quotes}{new}{quotes}{text[spot.end() :]}"

    return mutate


def _other_word(rng: Generator, text: str, other: str) -> str:
    """A word of the file in another one's place."""
    words = _WORD.findall(text) + _WORD.findall(other)
    return _replacing(_WORD, words or [""])(rng, text, other)


def _lines(rng: Generator, text: str, other: str) -> str:
    """A line taken out, doubled, put elsewhere, or borrowed."""
    lines, foreign = text.split("\n"), other.split("\n")
    one, place = int(rng.integers(len(lines))), int(rng.integers(len(lines)))
    kind = int(rng.integers(4))
    if kind == 0:
        del lines[one]
    elif kind == 1:
        lines.insert(place, lines[one])
    elif kind == 2:
        lines[one], lines[place] = lines[place], lines[one]
    else:
        lines.insert(place, foreign[int(rng.integers(len(foreign)))])
    return "\n".join(lines)


def _nudged(rng: Generator, text: str, other: str) -> str:
    """A number a few powers of ten away, or with its sign changed."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    spot = found[int(rng.integers(len(found)))]
    sign = "-" if rng.random() < 0.1 else ""
    power = f"e{int(rng.integers(-30, 31))}" if rng.random() < 0.5 else "0" * int(rng.integers(6))
    digits = spot[0].lstrip("+-").partition("e")[0]
    return f"{text[: spot.start()]}{sign}{digits}{power}{text[spot.end() :]}"


Mutation = Callable[[Generator, str, str], str]
MUTATIONS: list[Mutation] = [
    _replacing(_NUMBER, NUMBERS),
    _replacing(_NUMBER, NUMBERS),
    _replacing(_TEXT, TEXTS, '"'),
    _replacing(_VALUE, [*VALUES, *NUMBERS, *(f'"{each}"' for each in TEXTS)]),
    _other_word,
    _lines,
    _nudged,
    _nudged,
]
