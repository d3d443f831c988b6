"""Compiled kernels are kept on disk, and never run when what they were made of has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import numpy as np
import pytest

from kcmab_abm.batch.reach import Opaque, digest, reachable

pytestmark = pytest.mark.slow  # every test compiles, some of them in several processes

SCRIPT = """
import json

import kcmab_abm as kcmab
from rules import step


@kcmab.policy("user-rule")
def choose(t, book, memory, params, rng):
    '''Promotes arms by a rule of another file.'''
    return step(t) % len(book.means)


scenario = kcmab.make_scenario({
    "horizon": 12,
    "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.5, 0.1]}},
    "policy": [{"name": "user-rule"}],
})
runs = {engine: kcmab.play(scenario, engine=engine) for engine in ("market", "batch")}
print(json.dumps({engine: run.targets.tolist() for engine, run in runs.items()}))
"""

RULES = """
STRIDE = {stride}


def double(t):
    return t * {factor}


def step(t):
    return double(t) + STRIDE
"""


def run_script(folder, cache, stride=1, factor=1, warns="error"):
    """The targets that the user's script prints, engine by engine, in a process of its own."""
    (folder / "rules.py").write_text(RULES.format(stride=stride, factor=factor))
    (folder / "script.py").write_text(SCRIPT)
    environment = {
        **os.environ,
        "KCMAB_CACHE_DIR": str(cache),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(folder),
    }
    done = subprocess.run(
        [sys.executable, "-W", warns, folder / "script.py"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def expected(stride=1, factor=1):
    """What both engines must do: three customers seeded, then the rule."""
    rule = [(t * factor + stride) % 3 for t in range(4, 13)]
    return {engine: [0, 1, 2, *rule] for engine in ("market", "batch")}


def snapshot(folder):
    """Every file below a folder, with its time and content."""
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the user's script is and its kernels are kept."""
    return tmp_path_factory.mktemp("user")


@pytest.fixture(scope="module")
def first(folder):
    """The kernels on disk after the script's first run."""
    assert run_script(folder, folder / "kernels") == expected()
    return snapshot(folder / "kernels")


def test_a_second_process_compiles_nothing(folder, first):
    """The kernel of an earlier process is used as it is: no file is added or changed."""
    assert run_script(folder, folder / "kernels") == expected()
    assert snapshot(folder / "kernels") == first
    assert any(path.name.startswith("advance-") for path in first)


@pytest.mark.parametrize("edit", [{"factor": 2}, {"stride": 2}], ids=["helper", "constant"])
def test_an_edit_in_another_file_takes_effect(folder, first, edit):
    """Editing a helper of a helper, or a constant that it reads, is seen by both engines."""
    assert run_script(folder, folder / "kernels", **edit) == expected(**edit)
    assert first.items() <= snapshot(folder / "kernels").items()


def test_a_cache_folder_that_cannot_be_made(tmp_path):
    """Where kernels cannot be kept they are compiled for the moment, and the run goes on."""
    (tmp_path / "file").write_text("in the way")
    assert run_script(tmp_path, tmp_path / "file" / "below", warns="default") == expected()
    assert (tmp_path / "file").read_text() == "in the way"


PLAIN = """
LIMIT = 3


def innermost(t):
    return t + 1


def inner(t):
    return innermost(t) * LIMIT


def rule(t, start=0):
    return inner(t) - start + 7
"""


def function_of(source, name="rule", **scope):
    """The function that a text defines."""
    names = {"__name__": "users_script", **scope}
    exec(textwrap.dedent(source), names)
    return names[name]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("+ 7", "+ 8"),
        ("start=0", "start=1"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("t + 1", "t + 2"),
        ("innermost(t) *", "innermost(t) -"),
        ("- start", "+ start"),
    ],
)
def test_digest_changes_with_all_that_a_function_does(old, new):
    """Constants, defaults, helpers of helpers and what they read all count."""
    assert old in PLAIN
    assert digest(function_of(PLAIN.replace(old, new))) != digest(function_of(PLAIN))


def test_digest_is_the_same_for_the_same_text():
    """Defining the same functions again changes nothing, nor does the line they stand on."""
    assert digest(function_of("\n\n" + PLAIN)) == digest(function_of(PLAIN))


def test_digest_ignores_what_is_not_referred_to():
    """Other names of the module may change."""
    assert digest(function_of("OTHER = 1\n" + PLAIN)) == digest(function_of(PLAIN))


def adder(step):
    """A closure over a number."""

    def rule(t):
        return t + step

    return rule


def test_digest_sees_into_closures():
    """The value of an enclosing variable counts, and only its value."""
    assert digest(adder(1)) == digest(adder(1))
    assert digest(adder(1)) != digest(adder(2))
    assert digest(adder(1)) != digest(adder(1.0))


def test_digest_follows_functions_in_closures():
    """A function among the enclosing variables counts with all that it reads."""
    source = "def rule(t): return helper(t)"
    one, other = (function_of(source, helper=adder(step)) for step in (1, 2))
    assert digest(one) != digest(other)


def test_digest_reads_inner_functions():
    """The body of a lambda inside the function counts."""
    one, other = (function_of(f"def rule(t): return (lambda x: x + {step})(t)") for step in (1, 2))
    assert digest(one) != digest(other)


@pytest.mark.parametrize(
    "values",
    [
        (np.zeros(2000), np.append(np.zeros(1999), 1.0)),
        (np.zeros(3), np.zeros(3, np.int64)),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        ((1, (2, 3)), (1, (2, 4))),
        (True, 1),
        ("one", "two"),
        (np.float32(1), np.float64(1)),
        (np.int8, np.int16),
    ],
)
def test_digest_reads_constants_of_every_kind(values):
    """Arrays count by dtype, shape and every entry; tuples by their entries; types by name."""
    one, other = (function_of("def rule(t): return TABLE", TABLE=value) for value in values)
    assert digest(one) != digest(other)


def module_with(**names):
    """A module of the user's that holds these names."""
    module = types.ModuleType("users_module")
    module.__dict__.update(names)
    return module


@pytest.mark.parametrize("values", [(1, 2), (adder(1), adder(2))], ids=["number", "function"])
def test_digest_reads_attributes_of_modules(values):
    """What a function reads from a module of the user's counts."""
    source = "def rule(t): return helpers.step"
    one, other = (function_of(source, helpers=module_with(step=value)) for value in values)
    assert digest(one) != digest(other)


def test_digest_refuses_what_it_cannot_read():
    """An object of an unknown kind may hide anything, so nothing built on it is kept."""
    opaque = function_of("def rule(t): return THING", THING=Opaque("anything"))
    with pytest.raises(Opaque):
        digest(opaque)


def test_reachable_finds_each_function_once():
    """Functions that call each other in a circle are found, each once, libraries left out."""
    source = """
    import math

    def rule(t): return back(t) + math.sqrt(t) + numpy_function(t)

    def back(t): return rule(t - 1) if t else forth(t)

    def forth(t): return back(t)
    """
    names = [each.__name__ for each in reachable(function_of(source, numpy_function=np.median))]
    assert sorted(names) == ["back", "forth", "rule"]
