"""Compiled, a user's function does what Python does, or it is noticed, or it is not compiled."""

from __future__ import annotations

import math
import operator
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit
from numba.core.errors import UnsupportedError

from kcmab_abm import policy
from kcmab_abm.batch.checked import Beyond, Checked
from kcmab_abm.batch.draws import ALLOWED
from kcmab_abm.errors import EngineError, PlayError
from kcmab_abm.running.experiment import choose_engine, play
from tests.engines.test_user_functions import scenario_of

WORD = 2**63
WHOLE = st.one_of(
    st.integers(-WORD, WORD - 1), st.integers(-70, 70), st.sampled_from([WORD - 1, -WORD, 2**53])
)
OPERATIONS = {
    "a + b": operator.add,
    "a - b": operator.sub,
    "a * b": operator.mul,
    "a // b": operator.floordiv,
    "a % b": operator.mod,
    "a / b": operator.truediv,
    "a << b": operator.lshift,
    "a >> b": operator.rshift,
    "a ** b": operator.pow,
    "a ^ b": operator.xor,
    "a < float(b)": lambda a, b: a < float(b),
    "-a": lambda a, b: -a,
    "abs(a)": lambda a, b: abs(a),
}


@cache
def compiled(text, names="a, b"):
    """A function of one line, compiled as users' functions are."""
    scope = {"math": math, "np": np}
    exec(f"def act({names}):\n    return {text}", scope)
    return njit(pipeline_class=Checked, error_model="python", boundscheck=True)(scope["act"])


def python_says(text, a, b):
    """What Python makes of whole numbers, None if it raises; a power is not written out."""
    if text == "a ** b" and b > 200 and abs(a) > 1:
        return math.inf
    if text == "a << b" and b > 200:
        return 0 if a == 0 else math.inf
    try:
        return OPERATIONS[text](a, b)
    except (ValueError, ArithmeticError):
        return None


@pytest.mark.parametrize("text", OPERATIONS)
@settings(max_examples=150, deadline=None)
@given(a=WHOLE, b=WHOLE)
@example(a=-WORD, b=-1)
@example(a=1, b=63)
@example(a=0, b=64)
@example(a=-1, b=64)
@example(a=3, b=-1)
@example(a=3, b=0)
@example(a=WORD - 1, b=WORD - 1)
def test_whole_numbers_are_pythons_or_refused(text, a, b):
    """A result is Python's to the last bit; one beyond 64 bits, or an error, is noticed."""
    expected = python_says(text, a, b)
    try:
        found = compiled(text)(a, b)
    except (Beyond, ZeroDivisionError):
        inexact = "float" in text or "/" in text
        outside = not isinstance(expected, int) or not -WORD < expected < WORD
        assert outside or (inexact and max(abs(a), abs(b)) > 2**53)
    else:
        assert found == expected
        assert isinstance(found, float) == isinstance(expected, float)


@pytest.mark.parametrize("text", ["int(x)", "math.floor(x)", "math.ceil(x)", "round(x)"])
@settings(max_examples=100, deadline=None)
@given(x=st.floats())
@example(x=9.3e18)
@example(x=-9.3e18)
def test_floats_become_pythons_whole_numbers_or_are_refused(text, x):
    """A float of any size, an infinity or NaN."""
    try:
        found = compiled(text, "x")(x)
    except Beyond:
        assert not abs(x) < WORD
    else:
        assert found == eval(text)


@pytest.mark.parametrize(
    "text",
    [
        "math.log(0.0)",
        "math.sqrt(-1.0)",
        "math.exp(1000.0)",
        "np.log(0.0)",
        "0.0 ** -1.0",
        "(0.0 * a) ** (-1.0 - 0.0 * a)",
        "(a - 10.5) ** 0.5",
        "1.0 / 0.0",
        "a // 0",
        "(math.log(0.0), a)[1]",
    ],
)
def test_errors_on_constants_are_noticed(text):
    """What the compiler could work out beforehand, or leave out, raises nevertheless."""
    with pytest.raises((Beyond, ZeroDivisionError)):
        compiled(text)(1, 2)


@pytest.mark.parametrize(
    "text", ["math.sqrt(math.inf)", "math.exp(-1000.0)", "math.log(math.inf)", "math.nan ** 2.0"]
)
def test_infinities_may_be_used(text):
    """What is not finite before need not be afterwards."""
    assert repr(compiled(text)(1, 2)) == repr(eval(text))


WRONG = [-1.0, -1e-9, 1.5, math.inf, -math.inf, math.nan]
LAWS_OF_CHANCE = sorted(name for name, allowed in ALLOWED.items() if allowed)


@pytest.mark.parametrize("name", LAWS_OF_CHANCE)
def test_draws_with_bad_parameters_are_refused(name):
    """What NumPy refuses is refused at once; what is drawn is what NumPy draws."""
    count = ALLOWED[name].__code__.co_argcount
    names = ", ".join("xyz"[:count])
    draw = compiled(f"rng.{name}({names})", f"rng, {names}")
    good = [0.5] * count if name != "triangular" else [0.0, 0.5, 1.0]
    for place in range(count):
        for wrong in WRONG:
            values = [*good[:place], wrong, *good[place + 1 :]]
            one, other = (np.random.default_rng(7) for _ in range(2))
            if not np.isfinite(wrong):  # NumPy itself may go on for ever
                assert ALLOWED[name](*values) is False
                continue
            try:
                expected = getattr(one, name)(*values)
            except ValueError:
                with pytest.raises(Beyond):
                    draw(other, *values)
            else:
                assert draw(other, *values) == expected


def test_tiny_beta_laws_are_refused():
    """Compiled, they are drawn from otherwise; where one parameter is larger, they are not."""
    draw = compiled("rng.beta(x, y)", "rng, x, y")
    with pytest.raises(Beyond):
        draw(np.random.default_rng(7), 1e-5, 1e-5)
    one, other = (np.random.default_rng(7) for _ in range(2))
    for a, b in [(1e-5, 0.05), (0.05, 0.05), (0.3, 1e-300), (2.0, 1e-3), (1e8, 0.2)] * 20:
        assert draw(one, a, b) == other.beta(a, b)


def test_draws_have_defaults_and_names():
    """Parameters that are left out or named are looked at as well."""
    assert compiled("rng.gamma(scale=a, shape=b)", "rng, a, b")(np.random.default_rng(1), 2.0, 3.0)
    with pytest.raises(Beyond):
        compiled("rng.gamma(scale=a, shape=b)", "rng, a, b")(np.random.default_rng(1), -2.0, 3.0)
    assert compiled("rng.normal()", "rng")(np.random.default_rng(1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sum([a, b])", "sum of whole numbers"),
        ("pow(a, b)", "pow of whole numbers"),
        ("a * 0xFFFFFFFFFFFFFFFF", "with a sign and without"),
        ("sorted([a, b], key=lambda x: -x)[0]", "handed on"),
        ("np.random.default_rng", "default_rng"),
    ],
)
def test_what_cannot_be_checked_is_not_compiled(text, words):
    """The market runs it."""
    with pytest.raises(Exception, match=words):
        compiled(text)(1, 2)


def test_what_catches_errors_is_not_compiled():
    """Compiled code would catch other errors than Python."""

    def careful(a):
        try:
            return 1 // a
        except Exception:
            return 0

    with pytest.raises(UnsupportedError, match="try and with"):
        njit(pipeline_class=Checked)(careful)(0)


@policy("test-grows-late")
def choose_what_grows(t, book, memory, params, rng):
    """Goes beyond 64 bits for customer 140."""
    return (10**17 * max(1, t - 47)) % 9


@policy("test-grows-early")
def choose_what_grew(t, book, memory, params, rng):
    """Goes beyond 64 bits for customer 20."""
    return (t**15) % 9


@policy("test-shifts")
def choose_by_shifting(t, book, memory, params, rng):
    """Shifts by a negative number for customer 141."""
    return (1 << max(-1, 140 - t if t > 120 else 1)) % 3


@policy("test-draws-from-nowhere")
def choose_from_nowhere(t, book, memory, params, rng):
    """Draws from a Gamma law that does not exist for customer 141."""
    return 0 if rng.gamma(140.0 - t if t > 120 else 1.0) < 2.0 else 1


@pytest.mark.slow
def test_what_grows_beyond_64_bits_late_ends_in_words():
    """Python goes on, compiled code does not, and says so."""
    scenario = scenario_of(["test-grows-late"], horizon=300)
    play(scenario, engine="market")
    with pytest.raises(
        EngineError, match=r"beyond 64 bits, among customers 1 to 300 of repl.*'mark"
    ):
        play(scenario, engine="batch")


@pytest.mark.slow
def test_what_grows_beyond_64_bits_early_is_run_by_the_market():
    """The trial finds it out."""
    scenario = scenario_of(["test-grows-early"])
    used = choose_engine(scenario, scenario.policies[0], "auto")
    assert used.engine == "market"
    assert "in Python: a whole number beyond 64 bits, among customers 1 to " in used.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"), [("test-shifts", "negative shift"), ("test-draws-from-nowhere", "shape < 0")]
)
def test_late_errors_are_told_in_the_markets_words(name, words):
    """The same line from both engines."""
    said = []
    for engine in ("market", "batch"):
        with pytest.raises(PlayError, match=words) as caught:
            play(scenario_of([name], horizon=300), engine=engine)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert "customer 141 of replication 0" in said[0]
