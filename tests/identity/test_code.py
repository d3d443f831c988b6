"""Functions that do the same have one digest; functions that do anything else have another."""

from __future__ import annotations

import dataclasses
import enum
import functools
import logging
import sys
import textwrap
import types
from typing import NamedTuple

import numba
import numpy as np
import pytest

from kcmab_abm.catalogue.identity.fingerprint import Opaque, fingerprint


def rule_of(source, module="mine", **scope):
    """The function `rule` that a text defines."""
    names = {"__name__": module, **scope}
    exec(compile(textwrap.dedent(source), f"{module}.py", "exec"), names)
    return names["rule"]


BASE = '''
import functools, math
import numpy as np

LIMIT = 3
TABLE = {"a": [1.0, 2.0], "b": {"x", "y"}}

def decorated(function):
    @functools.wraps(function)
    def wrapper(*given):
        return function(*given) + 1
    return wrapper

class Base:
    share = 0.5
    def worth(self, t):
        return t * self.share

class Tool(Base):
    """Something to work with."""
    __slots__ = ("size",)
    def __init__(self, size=2):
        self.size = size
    @property
    def double(self):
        return self.size * 2
    @staticmethod
    def idle():
        return 10
    def worth(self, t):
        return super().worth(t) + self.double

TOOL = Tool()

@decorated
def innermost(t):
    return t + 100

@functools.lru_cache(maxsize=None)
def cached(t):
    return t + 200

half = functools.partial(pow, 2)

def inner(t, *, scale=300):
    """Calls another."""
    total = 0
    for each in [x * 400 for x in range(t)]:
        total += each
    return innermost(total) * LIMIT + scale

def rule(t, start=500):
    """The rule."""
    key = lambda x: x + 600
    def nested(x):
        return key(x) - 700
    value = inner(t) - start + nested(t) + cached(t) + half(t) + math.sqrt(t) + np.log(t)
    if t in {7, 8, 9}:
        return TOOL.worth(t) + Tool.idle()
    try:
        return value + TABLE["a"][0]
    except ValueError:
        return -1
'''

CHANGES = [
    ("LIMIT = 3", "LIMIT = 3.0"),
    ("2.0]", "2.5]"),
    ('"y"}', '"z"}'),
    ("(*given) + 1", "(*given) + 2"),
    ("share = 0.5", "share = 0.25"),
    ("t * self.share", "t / self.share"),
    ("size=2", "size=3"),
    ("self.size * 2", "self.size * 4"),
    ("return 10", "return 11"),
    ("+ self.double", "- self.double"),
    ("Tool(Base)", "Tool(Other)"),
    ("TOOL = Tool()", "TOOL = Tool(5)"),
    ("t + 100", "t + 101"),
    ("@decorated\n", "\n"),
    ("t + 200", "t + 201"),
    ("pow, 2", "pow, 3"),
    ("pow, 2", "divmod, 2"),
    ("scale=300", "scale=301"),
    ("x * 400", "x * 401"),
    ("innermost(total)", "cached(total)"),
    ("start=500", "start=501"),
    ("x + 600", "x + 601"),
    ("key(x) - 700", "key(x) - 701"),
    ("math.sqrt", "math.cbrt"),
    ("np.log", "np.log2"),
    ("math.sqrt", "np.sqrt"),
    ("{7, 8, 9}", "{7, 8, 10}"),
    ("except ValueError", "except KeyError"),
    ("return -1", "return -2"),
    ('TABLE["a"]', 'TABLE["c"]'),
]

OTHER = """
class Other:
    share = 0.5
    def worth(self, t):
        return -t
"""


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_every_change_of_what_is_done_counts(old, new):
    """Whatever is edited in a function, or in anything that it reads, the digest is another."""
    assert BASE.count(old) >= 1
    assert fingerprint(rule_of(OTHER + BASE.replace(old, new))) != fingerprint(rule_of(BASE))


SAME = [
    ('"""The rule."""', '"""Another docstring."""'),
    ('    """The rule."""\n', ""),
    ('    """Something to work with."""\n', "\n\n    # a comment\n"),
    ("def rule(t, start", "OTHER = object()\n\ndef rule(t, start"),
    ("def rule(t, start=500)", "def rule(t: int, start: float = 500) -> float"),
    ("    value = inner", "    # why\n    value = inner"),
    ("value", "result"),
    ("total", "amount"),
    ("LIMIT", "CEILING"),
    ("innermost", "deepest"),
    ("import numpy as np", "import numpy as numerics; np = numerics"),
    ("import functools, math\n", "math = __import__('math'); import functools\n"),
    ("TOOL = Tool()", "TOOL = object(); TOOL = Tool()"),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_changes_nothing_does_not_count(old, new):
    """Docstrings, comments, annotations, names of variables, other things in the file."""
    assert old in BASE
    assert fingerprint(rule_of(BASE.replace(old, new))) == fingerprint(rule_of(BASE))


SYNTAX = '''
SCALE = 2.0
WEIGHTS = [1, 2, 3]

def rule(t, book, params):
    """What Python 3.12, 3.13 and 3.14 compile in ways of their own."""
    a, b = params.eps, book.means
    total = sum([SCALE * x + 300 for x in WEIGHTS if x != 7])
    table = {k: v * 1.5 for k, v in enumerate(b)}
    label = f"{t:>10.3f} and {total!r} of {a=}"
    def inner(x, y=2.5):
        """Inside."""
        z: int = 4
        return x * y + a + z
    if t is None or t == 5 and not total:
        return inner(1)
    with book as held:
        t += len(label)
    try:
        t += table[0]
    except (KeyError, IndexError) as error:
        t -= 1
    finally:
        t += 0.125
    match t:
        case 1 | 2: return 9
        case {"a": q}: return q
    return any(x > SCALE for x in b) + (lambda q: q + 77)(t)
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SCALE = 2.0", "SCALE = 2.5"),
        ("[1, 2, 3]", "[1, 2, 4]"),
        ("params.eps", "params.epz"),
        ("a, b =", "b, a ="),
        ("+ 300", "+ 301"),
        ("x != 7", "x != 8"),
        (" if x != 7", ""),
        ("* 1.5", "* 1.25"),
        ("10.3f", "10.4f"),
        (" and {total", " or {total"),
        ("total!r", "total!s"),
        ("{a=}", "{a}"),
        ("y=2.5", "y=2.25"),
        ("z: int = 4", "z: int = 5"),
        ("is None", "is not None"),
        ("t == 5", "t == 6"),
        ("not total", "total"),
        ("inner(1)", "inner(2)"),
        ("inner(1)", "inner(1000)"),
        ("IndexError", "ValueError"),
        ("t -= 1", "t -= 2"),
        ("0.125", "0.25"),
        ("1 | 2", "1 | 3"),
        ('"a": q', '"b": q'),
        ("x > SCALE", "x < SCALE"),
        ("q + 77", "q + 78"),
    ],
)
def test_every_change_counts_however_it_is_compiled(old, new):
    """In comprehensions that are inlined, in f-strings, in steps that do two things at once."""
    assert old in SYNTAX
    assert fingerprint(rule_of(SYNTAX.replace(old, new))) != fingerprint(rule_of(SYNTAX))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("What Python", "How Python"),
        ('        """Inside."""\n', ""),
        ("z: int = 4", "z = 4"),
        ("total", "amount"),
        ("label", "words"),
        ("table", "entries"),
        ("inner", "nested"),
        ("as held", "as kept"),
        ("as error", "as wrong"),
        ("SCALE", "FACTOR"),
        ("    match t", "\n    # why\n    match t"),
    ],
)
def test_names_and_docstrings_do_not_count_however_it_is_compiled(old, new):
    """The same holds for what changes nothing."""
    assert old in SYNTAX
    assert fingerprint(rule_of(SYNTAX.replace(old, new))) == fingerprint(rule_of(SYNTAX))


def test_the_module_and_the_line_do_not_count_but_for_machine_code():
    """The same text elsewhere is the same function; for the cache on disk it is another."""
    one, other = rule_of(BASE, "mine"), rule_of("\n\n" + BASE, "__main__")
    assert fingerprint(one) == fingerprint(other)
    assert fingerprint(one, with_places=True) != fingerprint(other, with_places=True)


def test_what_was_replaced_counts_as_its_replacement():
    """A helper that somebody reassigns counts as what it is now, and again as before."""
    rule = rule_of(BASE)
    before = fingerprint(rule)
    original = rule.__globals__["inner"]
    rule.__globals__["inner"] = lambda t: t
    assert fingerprint(rule) != before
    rule.__globals__["inner"] = original
    assert fingerprint(rule) == before


def test_what_a_function_fills_counts_with_what_is_in_it():
    """A list that functions add to is read as it is when the digest is taken."""
    rule = rule_of("SEEN = []\ndef rule(t):\n    SEEN.append(t)\n    return len(SEEN)")
    before = fingerprint(rule)
    rule(1)
    assert fingerprint(rule) != before


def test_functions_that_call_each_other_come_to_an_end():
    """Mutual recursion, also through classes and containers, has a digest."""
    source = """
    def rule(t): return odd(t) + TABLE[0](t) + Tool().use(t)
    def odd(t): return t and even(t - {step})
    def even(t): return odd(t - 1)
    TABLE = [rule, odd]
    class Tool:
        def use(self, t): return rule(t - 1) + Tool.size
        size = {step}
    """
    digests = [fingerprint(rule_of(source.format(step=step))) for step in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def module_of(name, **names):
    """A module of the user's that holds these names."""
    module = types.ModuleType(name)
    module.__dict__.update(names)
    return module


def test_attributes_of_modules_are_followed():
    """What is read as package.module.name counts, and other names of the modules do not."""

    def digest(value, other=0):
        inner = module_of("users.helpers", SCALE=value, OTHER=other, t=logging.getLogger())
        source = "def rule(t): return t * users.helpers.SCALE"
        return fingerprint(rule_of(source, users=module_of("users", helpers=inner)))

    assert digest(1) == digest(1, other=2)
    assert digest(1) != digest(2)


def test_what_is_imported_late_is_followed():
    """`from helpers import scale` inside a function counts by what it brings."""

    def digest(source, value):
        sys.modules["users_helpers"] = module_of("users_helpers", scale=value)
        try:
            return fingerprint(rule_of(source))
        finally:
            del sys.modules["users_helpers"]

    late = "def rule(t):\n    from users_helpers import scale\n    return scale"
    assert digest(late, 1) == digest(late, 1)
    assert digest(late, 1) != digest(late, 2)
    with pytest.raises(Opaque, match="'users_helpers', the module users_helpers as a whole"):
        digest("def rule(t):\n    import users_helpers\n    return users_helpers.scale", 1)
    with pytest.raises(Opaque, match=r"'users_helpers\.scale', which has not been imported"):
        fingerprint(rule_of(late))
    assert fingerprint(rule_of("def rule(t):\n    import math\n    return math.pi"))


def adder(step):
    """A closure over a value."""

    def rule(t):
        return t + (lambda x: x + step)(t)

    return rule


def test_closures_count_by_what_they_hold():
    """The value of an enclosing variable counts, also for a function inside, and a function's."""
    assert fingerprint(adder(1)) == fingerprint(adder(1))
    assert fingerprint(adder(1)) != fingerprint(adder(1.0))
    assert fingerprint(adder(adder(1))) != fingerprint(adder(adder(2)))


@pytest.mark.parametrize(
    "options", [{"fastmath": True}, {"error_model": "numpy"}, {"cache": False}]
)
def test_compiled_helpers_count_by_their_code_and_options(options):
    """A function that the user compiles counts as what it was compiled from, and how."""

    def digest(step, **options):
        return fingerprint(
            rule_of("def rule(t): return f(t)", f=numba.njit(**options)(adder(step)))
        )

    assert digest(1) == digest(1)
    assert digest(1) != digest(2)
    assert (digest(1, **options) == digest(1)) == (options == {"cache": False})


def kinds(size, method):
    """Classes of several sorts, made twice."""

    class Named(NamedTuple):
        """A named tuple with a method and a default."""

        t: int = size

        def double(self):
            """Twice or thrice."""
            return self.t * method

    @dataclasses.dataclass(order=True)
    class Data:
        """A dataclass with a method."""

        t: int = size
        notes: list = dataclasses.field(default_factory=list)

        def double(self):
            """Twice or thrice."""
            return self.t * method

    class Pace(enum.IntEnum):
        """An enumeration with a method."""

        SLOW = size

        def double(self):
            """Twice or thrice."""
            return self * method

    return Named, Data, Pace


@pytest.mark.parametrize("place", range(3))
def test_classes_count_by_what_is_in_them(place):
    """Fields, defaults, members and methods of classes count, and those of their objects."""
    same, again = (kinds(1, 2)[place] for _ in range(2))
    for size, method in ((3, 2), (1, 3)):
        other = kinds(size, method)[place]
        assert fingerprint(same) == fingerprint(again) != fingerprint(other)
        value = (1,)
        assert fingerprint(same(*value)) == fingerprint(again(*value))
        if (place, size) != (2, 3):
            assert fingerprint(same(*value)) != fingerprint(other(*value))


LOGGER = logging.getLogger("mine")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def rule(t): return log", "rule() uses 'log', an object of class logging.Logger"),
        ("def rule(t): return log.level", "rule() uses 'log', an object of class logging.Logger"),
        ("def rule(t): return (lambda: log)()", "rule() uses 'log', an object of"),
        ("def rule(t, to=log): return to", "rule() uses an object of class logging.Logger"),
        ("def rule(t): return help(t)\ndef help(t): return log", "help() uses 'log', an object"),
        ("T = [{1: (log,)}]\ndef rule(t): return T", "rule() uses 'T', an object of class logging"),
        ("def rule(t): return A().f()\nclass A:\n def f(self): return log", "f() uses 'log'"),
        ("class A:\n log = log\ndef rule(t): return A()", "rule() uses 'A', an object of class"),
        ("N = 0\ndef rule(t):\n global N\n N += 1\n return N", "rule() uses 'N', and changes it"),
        ("def rule(t): return eval('t + 1')", "rule() uses 'eval', by which it can read"),
        ("def rule(t): return globals()['X']", "rule() uses 'globals', by which it can read"),
        ("def rule(t): return open('a').read()", "rule() uses 'open', by which it can read"),
        ("import mine\ndef rule(t): return mine", "rule() uses 'mine', the module mine as a whole"),
        ("def rule(t): return rule.__doc__", "rule() uses the attribute __doc__"),
        ("import os\ndef rule(t): return os.environ['A']", "rule() uses 'os.environ', an object"),
        ("S = set()\ndef rule(t): return S\nS.add(rule)", "nested too deeply, or a set that"),
    ],
)
def test_what_cannot_be_read_is_named(source, words, monkeypatch):
    """The message says which function uses what, and why that has no digest."""
    monkeypatch.setitem(sys.modules, "mine", module_of("mine"))
    with pytest.raises(Opaque) as caught:
        fingerprint(rule_of(source, log=LOGGER))
    assert words in str(caught.value)


def test_a_variable_of_the_function_around_that_is_changed_has_no_digest():
    """A counter in a closure depends on what has been run; one inside the function does not."""
    source = """
    def around():
        count = 0
        def rule(t):
            nonlocal count
            count += 1
            return count
        return rule
    rule = around()
    """
    with pytest.raises(Opaque, match=r"rule\(\) uses 'count', and changes it"):
        fingerprint(rule_of(source))
    inside = """
    def rule(t):
        count = 0
        def more():
            nonlocal count
            count += 1
        more()
        return count
    """
    assert fingerprint(rule_of(inside))


def test_what_libraries_offer_counts_by_its_name():
    """Functions, classes and distributions of installed packages, however they were imported."""
    sources = [
        "from scipy.stats import norm\ndef rule(t): return norm.ppf(t)",
        "from scipy.stats import expon as norm\ndef rule(t): return norm.ppf(t)",
        "from scipy import stats\ndef rule(t): return stats.norm.ppf(t)",
        "from scipy import stats\ndef rule(t): return stats.expon.ppf(t)",
        "from scipy.special import betaincinv\ndef rule(t): return betaincinv(t, t, t)",
        "import collections\ndef rule(t): return collections.Counter(t)",
        "import numpy as np\ndef rule(t): return np.random.default_rng(t).integers(np.pi)",
    ]
    digests = [fingerprint(rule_of(source)) for source in sources]
    assert len(set(digests)) == len(digests)
    assert digests == [fingerprint(rule_of(source)) for source in sources]


def test_a_library_that_somebody_patched_counts_as_patched(monkeypatch):
    """A function put into a library's module counts by its code."""
    rule = rule_of("import math\ndef rule(t): return math.sqrt(t)")
    before = fingerprint(rule)
    monkeypatch.setattr("math.sqrt", adder(1))
    assert fingerprint(rule) != before


def test_large_tables_of_functions_are_read_to_the_end():
    """An array in a dictionary in a closure counts to its last number."""
    table = {"numbers": np.zeros(5000)}
    before = fingerprint(functools.partial(adder(table), 1))
    table["numbers"][2500] = 1e-9
    assert fingerprint(functools.partial(adder(table), 1)) != before
