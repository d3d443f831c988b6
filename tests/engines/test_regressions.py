"""What went wrong once: functions that change, packages of constants, odd answers."""

from __future__ import annotations

import enum
import multiprocessing
import subprocess
import sys
import types
from concurrent.futures import ProcessPoolExecutor

import pytest

from kcmab_abm import MarketError, Parameter, ScenarioError, make_scenario, play, policy, simulate
from kcmab_abm.batch.kernels import known_laws
from kcmab_abm.batch.reach import digest
from kcmab_abm.catalogue.registry import LAWS

ARMS = {"law": "bernoulli", "means": [0.9, 0.5, 0.1]}
STRIDE = 1


def step(t):
    """A helper that the tests define again."""
    return t * STRIDE


@policy("fault-helper")
def choose_by_helper(t, book, memory, params, rng):
    """Promotes by a helper and a constant of this module."""
    return step(t) % len(book.means)


@policy("fault-format")
def choose_by_text(t, book, memory, params, rng):
    """Formats a number, which the compiler does not even parse."""
    return len(f"{t:05.1f}") % len(book.means)


@policy("fault-catch")
def choose_and_catch(t, book, memory, params, rng):
    """Catches an exception as an object, which the compiler does not even parse."""
    try:
        return [0, 1][t]
    except IndexError as error:
        return len(error.args)


@policy("fault-sorted")
def choose_sorted(t, book, memory, params, rng):
    """Sorts a range by a key, which the compiler cannot type."""
    return sorted(range(3), key=lambda arm: book.means[arm])[0]


@policy("fault-whole", large=Parameter(2**53, "the largest whole number that is read exactly"))
def choose_by_large_number(t, book, memory, params, rng):
    """Promotes by the last bits of a large whole number."""
    return params.large % 3


@policy("fault-half")
def choose_half(t, book, memory, params, rng):
    """Returns no whole number."""
    return 0.5


def scenario_of(name, customers=None, **changes):
    """A small market."""
    market = {"arms": ARMS, "customers": customers or {"behaviour": "greedy"}}
    shape = {"horizon": 30, "replications": 4, "market": market, "policy": [{"name": name}]}
    return make_scenario({**shape, **changes})


def targets(name, engine):
    """What a policy promotes."""
    return play(scenario_of(name), engine=engine).targets.tolist()


@pytest.mark.parametrize("name", ["fault-format", "fault-catch"])
def test_a_policy_that_numba_does_not_parse_runs_in_the_market(name):
    """Whatever numba's reason to refuse, `auto` falls back and says why."""
    used = simulate(scenario_of(name)).engines[name]
    assert used.engine == "market"
    assert used.reason.startswith(f"numba cannot compile '{name}'")


def test_the_reason_is_numbas_own():
    """The reason names the user's file or line, not a line of the package's kernel."""
    reason = simulate(scenario_of("fault-sorted")).engines["fault-sorted"].reason
    assert "world.horizon" not in reason
    assert "test_regressions.py" in reason or "sorted" in reason.partition(":")[2]


@pytest.mark.slow  # three kernels each
@pytest.mark.parametrize(
    ("name", "value"), [("STRIDE", 2), ("step", lambda t: 0)], ids=["constant", "helper"]
)
def test_what_a_policy_refers_to_may_change_between_two_runs(name, value, monkeypatch):
    """Running again the notebook cell of a helper or constant takes effect in both engines."""
    assert targets("fault-helper", "batch") == targets("fault-helper", "market")
    monkeypatch.setattr(sys.modules[__name__], name, value)
    assert targets("fault-helper", "batch") == targets("fault-helper", "market")


def function_of(source, **scope):
    """The function that a text defines."""
    names = {"__name__": "users_script", **scope}
    exec(source, names)
    return names["rule"]


def test_digest_reads_attributes_of_modules_in_packages():
    """A constant read as package.module.CONSTANT counts."""

    def rule(value):
        package, module = types.ModuleType("users"), types.ModuleType("users.helpers")
        module.SCALE = value
        package.helpers = module
        return function_of("def rule(t): return t * users.helpers.SCALE", users=package)

    assert digest(rule(1)) != digest(rule(2))


def test_digest_reads_enumerations():
    """The values of an enumeration count, since compiled code holds them as constants."""
    one, other = (
        function_of(
            "def rule(t): return t * Pace.SLOW",
            Pace=enum.IntEnum("Pace", {"SLOW": value}, module="users_script"),
        )
        for value in (1, 2)
    )
    assert digest(one) != digest(other)


def laws_in_worker(law):
    """How many laws a worker compiles a kernel for, and whether it knows this one."""
    return len(known_laws((law,))), law is LAWS[law.name]


def test_a_law_sent_to_another_process_is_the_one_known_there():
    """A worker compiles for its own laws, once, and not for every copy it is sent."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = pool.submit(laws_in_worker, LAWS["beta"]).result()
    assert found == (len(LAWS.own_names()), True)


@pytest.mark.slow
def test_whole_numbers_are_whole_in_both_engines():
    """A whole number reaches the compiled policy unrounded, or is refused."""
    assert targets("fault-whole", "batch") == targets("fault-whole", "market")
    with pytest.raises(ScenarioError, match="must be <= 9007199254740992"):
        scenario_of("fault-whole", policy=[{"name": "fault-whole", "large": 2**53 + 1}])
    with pytest.raises(MarketError, match="at most 2"):
        policy("fault-larger", large=Parameter(2**53 + 1))


def test_a_target_that_is_no_whole_number_is_a_play_error():
    """A policy that returns half an arm gets the message of the market, not a TypeError."""
    from kcmab_abm.errors import PlayError

    with pytest.raises(PlayError, match="fault-half"):
        targets("fault-half", "market")


@pytest.mark.parametrize(
    ("module", "catalogue", "name"),
    [
        ("entries.policies.ucb", "POLICIES", "ucb"),
        ("entries.behaviours.greedy", "BEHAVIOURS", "greedy"),
        ("entries.laws.beta", "LAWS", "beta"),
    ],
)
def test_a_module_imported_by_itself_is_still_the_packages_own(module, catalogue, name):
    """Importing a policy's file before anything else does not make it a user's."""
    code = f"""
import kcmab_abm.{module}
from kcmab_abm.catalogue.registry import {catalogue}
print({name!r} in {catalogue}.own_names())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
