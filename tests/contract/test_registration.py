"""What cannot be a policy, behaviour, pricing rule or law is refused when it is registered."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numba import njit

import kcmab_abm
from kcmab_abm import (
    LawSettings,
    MarketError,
    Parameter,
    ScenarioError,
    behaviour,
    law,
    make_scenario,
    play,
    policy,
    pricing,
)
from kcmab_abm.catalogue.registry import BEHAVIOURS, LAWS, POLICIES, PRICING
from kcmab_abm.catalogue.repeatable import global_randomness
from kcmab_abm.errors import PlayError
from tests.registry import own_catalogue

GENERATOR = np.random.default_rng(1)
DRAWS = [random.random, np.random.rand]


@pytest.fixture(autouse=True)
def _own_catalogue():
    with own_catalogue():
        yield


def choose(t, book, memory, params, rng):
    """Promotes arm 0."""
    return 0


async def choose_later(t, book, memory, params, rng):
    """Promotes arm 0, some time."""
    return 0


def choose_many(t, book, memory, params, rng):
    """Promotes one arm after another."""
    yield 0


class Chooser:
    """A policy that wants to be an object."""

    def __call__(self, t, book, memory, params, rng):
        """Promote arm 0."""
        return 0


@pytest.mark.parametrize("register", [policy, behaviour, pricing])
def test_a_decorator_without_parentheses_is_refused(register):
    """`@policy` alone would register nothing; it says so at once, with an example."""
    with pytest.raises(MarketError, match=rf"@{register.__name__} needs a name in parentheses"):
        register(choose)


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (Chooser, "Chooser is a class"),
        (Chooser(), "a Chooser was given"),
        (functools.partial(choose, t=1), "a partial was given"),
        (max, "max is built in"),
        (choose_later, "choose_later() is async"),
        (choose_many, "choose_many() is a generator"),
        (njit(choose), "choose is compiled already"),
        (3, "3 is not a function"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_what_is_no_plain_function_is_refused(thing, words):
    """Both engines need a plain function; whatever else is given, the advice is to write one."""
    with pytest.raises(MarketError) as caught:
        policy("my-rule")(thing)
    assert str(caught.value).startswith(f"policy 'my-rule': {words}")
    advice = "write a plain function, def choose(t, horizon, book, view, customer, purse,"
    assert advice in str(caught.value)
    assert "my-rule" not in POLICIES.names()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda t, bok: 0, "asks for 'bok'; it may ask for: t, horizon, book, view, customer,"),
        (lambda t, bok: 0, ". Did you mean 'book'?"),
        (lambda t, book, board: 0, "asks for 'board'; it may ask for: t, horizon, book, view,"),
        (lambda gap: 0, "asks for 'gap'"),
        (lambda *args: 0, "has the argument '*args', which cannot be asked for by name"),
        (lambda t, *, rng: 0, "has the argument 'rng', which cannot be asked for by name"),
        (lambda t, /: 0, "has the argument 't', which cannot be asked for by name"),
    ],
)
def test_wrong_arguments_are_refused(function, words):
    """A function that asks for what it cannot be given is refused with what it may ask for."""
    with pytest.raises(MarketError) as caught:
        policy("my-rule")(function)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        lambda t, book, memory, params, rng, pace=3: pace,
        lambda rng, purse, horizon: 0,
        lambda: 0,
    ],
)
def test_functions_ask_for_what_they_need_in_any_order(function):
    """Arguments are found by name, and what has a default harms nobody."""
    policy("my-rule")(function)
    assert POLICIES["my-rule"].act is function


def test_every_function_of_an_entry_is_looked_at():
    """`learn`, `hear`, `report`, `move` and the rest have to fit as well."""
    moments = {"settings": LawSettings, "mean": max, "variance": max}

    def stray(x):
        """Asks for what nobody has."""

    for words, register in {
        r"policy 'my-rule': stray\(\) asks for 'x'; it may ask for: t, arm, reward, book, m": (
            lambda: policy("my-rule", learn=stray)(choose)
        ),
        r"policy 'my-rule': stray\(\) asks for 'x'; it may ask for: t, target, offer, arm, c": (
            lambda: policy("my-rule", answered=stray)(choose)
        ),
        r"behaviour 'my-rule': stray\(\).* for: t, arm, reward, book": (
            lambda: behaviour("my-rule", hear=stray)(lambda board: 0)
        ),
        r"behaviour 'my-rule': stray\(\).* for: reward, payment": (
            lambda: behaviour("my-rule", report=stray)(lambda board: 0)
        ),
        r"pricing rule 'my-rule': stray\(\).* for: t, horizon, arm, gap, book": (
            lambda: pricing("my-rule")(stray)
        ),
        r"pricing rule 'my-rule': stray\(\).* for: t, arm, offer, taken, customer": (
            lambda: pricing("my-rule", answered=stray)(lambda gap: gap)
        ),
        r"law 'my-law': stray\(\).* for: u, row": lambda: law("my-law", **moments)(stray),
        r"law 'my-law': stray\(\).* for: mean, row, moved": (
            lambda: law("my-law", **moments, move=stray)(lambda u, row: u)
        ),
    }.items():
        with pytest.raises(MarketError, match=words):
            register()
    with pytest.raises(MarketError, match=r"law 'my-law': no setting 'atms'. Did you mean 'atoms'"):
        law("my-law", **moments, atms=max)(lambda u, row: u)


def test_the_packages_own_entries_pass():
    """All functions of the package would pass as a user's: their arguments are those expected."""
    for catalogue, register in ((POLICIES, policy), (BEHAVIOURS, behaviour), (PRICING, pricing)):
        for entry in list(catalogue.values()):
            if not entry.compose:
                functions = {word: each for word, each in entry.functions.items() if word != "act"}
                if register is behaviour and "learn" in functions:
                    functions["hear"] = functions.pop("learn")
                named = {**functions, "memory": entry.memory, **entry.parameters}
                if register is policy:
                    named |= {"tables": entry.tables, "needs": entry.needs}
                register(f"my-{entry.name}", **named)(entry.act)
                assert catalogue[f"my-{entry.name}"].act is entry.act
    assert all(global_randomness(law.reward) == "" for law in LAWS.values())


def test_a_misspelt_field_is_found_at_once():
    """`params.epz` is refused when it is registered, with the name that was meant."""
    with pytest.raises(MarketError) as caught:

        @policy("my-rule", memory={"score": "arms"}, eps=Parameter(0.1))
        def choose_by_epz(t, book, memory, params, rng):
            return 0 if params.epz > book.means[0] else 1

    assert str(caught.value) == (
        "policy 'my-rule': choose_by_epz() reads params.epz, and params has: eps. "
        "Did you mean 'eps'?"
    )
    with pytest.raises(MarketError, match=r"reads memory.scores, and memory has: score"):
        policy("my-rule", memory={"score": "arms"})(
            lambda t, book, memory, params, rng: memory.scores[0]
        )
    with pytest.raises(MarketError, match=r"reads book.mean, and book has: pulls, totals, means"):
        policy("my-rule")(lambda t, book, memory, params, rng: book.mean[0])


def test_fields_that_are_there_raise_no_alarm():
    """Methods of tuples, names of other variables and reassigned arguments are let through."""

    @policy("my-rule", eps=Parameter(0.1))
    def choose_freely(t, book, memory, params, rng):
        """Reads what is there."""
        values = params._asdict()
        params = np.array([values["eps"]])
        return params.size + params.index if t < 0 else book.count(3)

    assert "my-rule" in POLICIES.names()


MISSPELT = [
    "x = 1; y = params.epz; return x + y",
    "return t + params.epz",
    "return len(f'{t}{params.epz:.3f}{book.means!r}')",
    "return [params.epz * x for x in range(3)][0]",
    "return {x: params.epz for x in range(3)}[0]",
    "return max(params.epz * x for x in range(3))",
    "return (lambda: [(lambda: params.epz) for _ in range(2)])()[0]()",
    "t = len(); " + "; ".join(f"t.x{number}" for number in range(300)) + "; return params.epz",
]
REASSIGNED = [
    "params = np.ones(2); return params.size + params.ndim",
    "params = np.ones(2); t = params.size; return params.ndim + t",
    "params, t = np.ones(2), 3; return params.size + t",
    "t, params = 3, np.ones(2); return params.size + t",
    "t = params = np.ones(2); return params.size + t.size",
    "return (params := np.ones(2)).size + params.ndim",
    "return [params.size for params in [np.ones(2)]][0] + params.eps",
    "return (lambda params: params.size)(np.ones(2)) + params.eps",
    "return (lambda params: [params.size for _ in range(2)])(np.ones(2))[0]",
    "params = np.ones(2); return (lambda: params.size)()",
    "return (lambda: params.eps)() + [params.eps for _ in range(2)][0]",
]


def choice_of(line):
    """A function to choose with this body."""
    names = {"__name__": "mine", "np": np}
    exec(f"def choose_so(t, book, memory, params, rng): {line}", names)
    return names["choose_so"]


@pytest.mark.parametrize("line", MISSPELT)
def test_a_misspelt_field_is_found_however_it_is_compiled(line):
    """In pairs of steps, f-strings, comprehensions and functions inside, on any Python."""
    with pytest.raises(MarketError, match=r"choose_so\(\) reads params.epz, and params has: eps"):
        policy("my-rule", eps=Parameter(0.1))(choice_of(line))


@pytest.mark.parametrize("line", REASSIGNED)
def test_an_argument_that_is_something_else_by_then_raises_no_alarm(line):
    """Whatever is assigned to the name, or called so inside, may have other fields."""
    policy("my-rule", eps=Parameter(0.1))(choice_of(line))
    assert "my-rule" in POLICIES.names()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"eps": 0.1}, "eps must be a Parameter, such as eps=Parameter(0.1), got 0.1"),
        ({"lern": choose}, "Did you mean 'learn'?"),
        ({"memory": ["score"]}, "memory must be a dictionary of names and lengths"),
    ],
    ids=["number", "misspelt", "list"],
)
def test_settings_of_the_decorator_are_checked(given, words):
    """A plain number, a misspelt word, a list: each is refused with what to write."""
    with pytest.raises(MarketError) as caught:
        policy("my-rule", **given)
    assert words in str(caught.value)


def draws_from_numpy(t, book, memory, params, rng):
    """Draws from NumPy's generator for the whole program."""
    return int(np.random.rand() * 2)


def draws_from_python(t, book, memory, params, rng):
    """Draws from Python's generator for the whole program."""
    return random.randrange(2)


def draws_from_its_own(t, book, memory, params, rng):
    """Draws from a generator of the module."""
    return int(GENERATOR.random() * 2)


def asks_a_helper(t, book, memory, params, rng):
    """Has a helper draw."""
    return draws_from_python(t, book, memory, params, rng)


def imports_late(t, book, memory, params, rng):
    """Imports what it draws from."""
    from random import random as draw

    return int(draw() * 2)


def asks_the_system(t, book, memory, params, rng):
    """Imports a module of many uses, one of which is chance."""
    import os

    return next(os.urandom(1)[0] % 2 for _ in range(1))


def seeds_anew(t, book, memory, params, rng):
    """Imports NumPy and makes a generator of its own, seeded by the system."""
    import numpy

    return int(numpy.random.default_rng().random() * 2)


def asks_who_it_is(t, book, memory, params, rng):
    """Decides by the number of the process."""
    return os.getpid() % 2


def looks_at_the_clock(t, book, memory, params, rng):
    """Decides by the time of day."""
    return int(time.time()) % 2


def hashes_a_text(t, book, memory, params, rng):
    """Decides by the hash of a text, which Python salts anew in every process."""
    return hash("arm") % 2


CHANCY = {
    draws_from_numpy: "draws_from_numpy() reads np.random.rand; draw from rng, the argument",
    draws_from_python: "draws_from_python() reads random.randrange; draw from rng, the argument",
    draws_from_its_own: "draws_from_its_own() reads GENERATOR; draw from rng, the argument",
    asks_a_helper: "draws_from_python() reads random.randrange; draw from rng, the argument",
    imports_late: "imports_late() reads random.random; draw from rng, the argument",
    asks_the_system: "asks_the_system() reads os.urandom; draw from rng, the argument",
    seeds_anew: "seeds_anew() reads numpy.random.default_rng; draw from rng, the argument",
    asks_who_it_is: "asks_who_it_is() reads os.getpid; what it returns differs from process to",
    hashes_a_text: "hashes_a_text() reads hash; what it returns differs from process to process",
    looks_at_the_clock: "looks_at_the_clock() reads time.time; a run must not depend on when",
}


def scenario():
    """A small market under the policy registered last."""
    market = {"arms": {"law": "bernoulli", "means": [0.5, 0.4]}}
    return make_scenario({"horizon": 20, "market": market, "policy": [{"name": "my-rule"}]})


@pytest.mark.parametrize("function", CHANCY, ids=lambda function: function.__name__)
def test_chance_from_elsewhere_is_refused(function):
    """What draws from anything but `rng` cannot be repeated, and makes no scenario."""
    policy("my-rule")(function)
    with pytest.raises(ScenarioError) as caught:
        scenario()
    assert str(caught.value).startswith(f"policy 'my-rule': {CHANCY[function]}")


@pytest.mark.parametrize(
    "line",
    [
        "x = 3; return np.random.rand() + x",
        "return f'{np.random.rand():.3f}'",
        "return [np.random.rand() for _ in range(3)]",
        "return max(np.random.rand() for _ in range(3))",
        "; ".join(f"np.x{number}" for number in range(300)) + "; return np.random.rand()",
    ],
    ids=["pair", "f-string", "comprehension", "generator", "many names"],
)
def test_chance_is_found_however_it_is_compiled(line):
    """In pairs of steps, f-strings, comprehensions and behind hundreds of names, on any Python."""
    assert global_randomness(choice_of(line)).startswith("choose_so() reads np.random.rand;")


def test_rng_and_plain_numpy_raise_no_alarm():
    """`rng.random()` is not the module `random`, and sleeping is no clock."""

    @policy("my-rule")
    def choose_by_rng(t, book, memory, params, rng):
        """Draws as it should."""
        import os.path

        import numpy

        time.sleep(0.0)
        assert os.sep
        assert numpy.random
        assert isinstance(rng, np.random.Generator)
        return int(rng.random() * np.sqrt(4.0))

    scenario()


def test_chance_that_cannot_be_seen_is_noticed():
    """A library that draws from NumPy's generator by itself is noticed when the market runs."""

    @policy("my-rule")
    def choose_by_eval(t, book, memory, params, rng):
        """Hides what it draws from."""
        return int(eval("np.random.rand()") * 2)

    with pytest.raises(PlayError) as caught:
        play(scenario(), engine="market")
    assert str(caught.value) == (
        "policy 'my-rule' drew from np.random in replication 0, which cannot be repeated; "
        "draw from rng, the argument, instead"
    )


def test_draws_of_other_threads_are_not_blamed_on_a_policy():
    """A thread beside the market may draw from the generators of the process."""
    heard = []

    @policy("my-rule")
    def choose_while_others_draw(t, book, memory, params, rng):
        """Has another thread draw during its first replication."""
        if not heard:
            heard.append(t)
            for draw in DRAWS:
                thread = threading.Thread(target=draw)
                thread.start()
                thread.join()
        return 0

    run = play(scenario(), engine="market")
    assert len(heard) == 1
    assert (run.targets[2:] == 0).all()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            "@policy\ndef choose(t, book, memory, params, rng):\n    return 0",
            "@policy needs a name",
        ),
        ("@policy('x')\nclass Rule:\n    pass", "policy 'x': Rule is a class"),
        (
            "@policy('x')\ndef choose(t, bok):\n    return 0",
            "choose() asks for 'bok'; it may ask for: t, horizon, book",
        ),
        ("@policy('x', eps=1)\ndef choose(t):\n    return 0", "eps must be a Parameter"),
    ],
)
def test_the_command_tells_it_in_one_line(tmp_path, lines, words):
    """`kcmab list --with own.py` ends with code 2 and one line that names file and line."""
    own = tmp_path / "own.py"
    own.write_text(f"from kcmab_abm import policy\n\n\n{lines}\n", encoding="utf-8")
    command = [sys.executable, "-m", kcmab_abm.__name__, "list", "policies", "--with", str(own)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"{own}: line 4: ")
    assert words in done.stderr
