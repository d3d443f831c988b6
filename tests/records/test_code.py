"""A run is resumed by the code that began it and by no other, however that is written down."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pandas as pd
import pytest

from kcmab_abm import load_scenario
from kcmab_abm import run as run_into
from kcmab_abm.catalogue import user_files as plugins
from kcmab_abm.cli.main import BAD_INPUT, run
from kcmab_abm.running import run_identity

SCENARIO = """
horizon = 40
replications = 4
seed = 3

[market]
arms = { law = "bernoulli", means = [0.9, 0.1] }

[[policy]]
name = "mine"
"""

OWN = '''
import dataclasses, enum, functools, logging, random, threading
from typing import NamedTuple

import numpy as np

from kcmab_abm import Parameter, behaviour, policy, pricing

{above}

@policy("mine")
def choose(t, book, memory, params, rng):
    """Promotes one arm."""
    {before}
    return 0
'''


@pytest.fixture(autouse=True)
def _as_before(_own_catalogue, _small_figure, monkeypatch):
    """The user's files are forgotten after a test, and nothing of an own.py is left in memory."""
    monkeypatch.delitem(sys.modules, "own", raising=False)
    yield
    plugins.bring([])
    sys.modules.pop("own", None)


class Study:
    """A scenario, a file of the user's, and a folder for the results."""

    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "mine.toml"
        self.own = folder / "own.py"
        self.file.write_text(SCENARIO)

    def write(self, above="", before="", **changes):
        """Write the user's file: what stands above the policy, and what it does first."""
        text = OWN.format(above=above, before=before or "pass")
        for old, new in changes.pop("edits", []):
            assert old in text
            text = text.replace(old, new)
        self.own.write_text(text)

    def run(self, *options):
        """Run it from the command line."""
        words = ["--with", str(self.own), "--engine", "market", "--out", str(self.folder / "out")]
        return run(["run", str(self.file), *words, *options])

    def resume(self):
        """Go on, with more replications."""
        return self.run("--resume", "--replications", "8")

    def regrets(self):
        """The regret of every replication."""
        return pd.read_parquet(self.folder / "out" / "finals.parquet").regret.tolist()


@pytest.fixture
def study(tmp_path):
    """A study of the user's."""
    return Study(tmp_path)


UNREADABLE = {
    "root logger": ("LOG = logging.getLogger()", "LOG.debug('here')", "'LOG', an object of class"),
    "logger": ("LOG = logging.getLogger('a')", "LOG.debug('here')", "'LOG', an object of class"),
    "lock": ("LOCK = threading.Lock()", "LOCK.locked()", "'LOCK', an object of class _thread.lock"),
    "inside a table": ("T = {'a': [random.Random(1)]}", "T['a']", "'T', an object of class random"),
    "in a helper": (
        "LOG = logging.getLogger()\ndef tell(t): LOG.debug(t)",
        "tell(t)",
        "tell() uses 'LOG', an object of class logging.RootLogger",
    ),
    "counter": ("COUNT = 0", "global COUNT; COUNT += 1", "choose() uses 'COUNT', and changes it"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_cannot_be_compared_is_run_but_not_resumed(study, kind, capsys):
    """With an object that nobody can look into, a run is finished but never gone on with."""
    above, before, words = UNREADABLE[kind]
    study.write(above, before)
    assert study.run() == 0, capsys.readouterr().err
    first = study.regrets()
    for edits in ([], [("return 0", "return 1")]):
        study.write(above, before, edits=edits)
        assert study.resume() == BAD_INPUT
        error = capsys.readouterr().err
        assert "cannot be resumed: policy mine: " in error
        assert words in error
        assert "pass its content as a parameter, or give --force to start again" in error
        assert error.count("\n") == 1
    assert study.regrets() == first


def test_force_begins_again_with_what_cannot_be_compared(study):
    """The way out that the message names is one."""
    above, before, _ = UNREADABLE["root logger"]
    study.write(above, before)
    assert study.run() == 0
    first = study.regrets()
    study.write(above, before, edits=[("return 0", "return 1")])
    assert study.run("--force") == 0
    assert study.regrets() != first


READABLE = {
    "object": (
        "class Tool:\n    def __init__(self, arm): self.arm = arm\n    def go(self): return 1\n"
        "TOOL = Tool(3)",
        "TOOL.go()",
        [("Tool(3)", "Tool(4)"), ("return 1\n", "return 2\n"), ("return 0", "return 1")],
    ),
    "array in a dictionary": (
        "T = {'a': np.zeros(5000)}\nT['a'][2500] = 1.0",
        "T['a']",
        [("= 1.0", "= 2.0")],
    ),
    "array in a named tuple": (
        "class T(NamedTuple):\n    a: object\nT0 = T(np.arange(5000.0))",
        "T0.a",
        [("np.arange(5000.0)", "np.arange(5000.0) * (np.arange(5000) != 2500)")],
    ),
    "array in a dataclass": (
        "@dataclasses.dataclass\nclass T:\n    a: object\nT0 = T(np.arange(5000.0))",
        "T0.a",
        [("np.arange(5000.0)", "np.arange(5000.0) * (np.arange(5000) != 2500)")],
    ),
    "set of words": ("T = {'a', 'b', 'c', 'd', 'e'}", "'a' in T", [("'e'}", "'f'}")]),
    "enumeration": (
        "class Pace(enum.Enum):\n    SLOW = 1\n    FAST = 2",
        "Pace.SLOW",
        [("SLOW = 1", "SLOW = 3")],
    ),
    "partial": ("F = functools.partial(max, 1)", "F(t)", [("max, 1", "max, 2")]),
    "cached": (
        "@functools.lru_cache\ndef f(t): return t + 1",
        "f(t)",
        [("t + 1", "t + 2")],
    ),
    "nothing": ("", "", [("return 0", "return 1"), ("return 0", "return 0.0")]),
}


@pytest.mark.parametrize("kind", READABLE)
def test_code_that_was_changed_is_refused(study, kind, capsys):
    """Whatever is changed of what the policy does or reads, the old run is not gone on with."""
    above, before, edits = READABLE[kind]
    study.write(above, before)
    assert study.run() == 0, capsys.readouterr().err
    for edit in edits:
        study.write(above, before, edits=[edit])
        assert study.resume() == BAD_INPUT
        assert "was started with different code of policy mine" in capsys.readouterr().err
    study.write(above, before, edits=[("Promotes one arm.", "Says it otherwise.")])
    assert study.resume() == 0, capsys.readouterr().err
    assert len(study.regrets()) == 8


@pytest.mark.slow
def test_hash_seeds_do_not_matter(study):
    """A policy that reads sets of words is resumed by a process that orders them otherwise."""
    study.write("T = {'a', 'b', 'c', 'd', 'e'}\nD = {'x': frozenset(T)}", "'a' in T and D['x']")
    words = [str(study.file), "--with", str(study.own), "--engine", "market"]
    words += ["--out", str(study.folder / "out"), "--resume", "--replications"]
    for seed, count in (("1", "1"), ("2", "2")):
        done = subprocess.run(
            [sys.executable, "-m", "kcmab_abm", "run", *words, count],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


NOTEBOOK = """
from kcmab_abm import policy
@policy("mine")
def choose(t, book, memory, params, rng):
    for each in [np.sqrt(4.0), math.floor(t)]:
        helper(each)
    return 0
"""
CELLS = ["import math\nimport numpy as np", "def helper(x):\n    return x", NOTEBOOK]


def test_python_goes_on_with_what_the_command_line_began(study, monkeypatch, capsys):
    """The same functions by `--with own.py`, `import own` and cells of a notebook are the same."""
    study.own.write_text("\n".join(CELLS))
    assert study.run() == 0, capsys.readouterr().err
    monkeypatch.syspath_prepend(study.folder)
    __import__("own")
    scenario = load_scenario(study.file)
    run_into(scenario.replace(replications=6), study.folder / "out", resume=True, engine="market")
    names = {"__name__": "__main__"}
    for number, cell in enumerate(CELLS):
        exec(compile(cell, f"<cell {number}>", "exec"), names)
    scenario = load_scenario(study.file)
    run_into(scenario.replace(replications=8), study.folder / "out", resume=True, engine="market")
    assert len(study.regrets()) == 8
    exec(compile("def helper(x):\n    return -x", "<cell 4>", "exec"), names)
    with pytest.raises(Exception, match="was started with different code of policy mine"):
        run_into(scenario, study.folder / "out", resume=True, engine="market")


PARTS = """
import numpy as np
from kcmab_abm import LawSettings, Parameter, behaviour, law, policy, pricing

def learn(arm, reward, book, memory, params, rng):
    memory.score[arm] += 1.0

def start(arms, given):
    return np.full(arms, 2.0)

@policy("mine", learn=learn, memory={"score": "arms", "begin": start}, share=Parameter(0.5))
def choose(t, book, memory, params, rng):
    return 0

def hear(t, arm, reward, book, memory, params, rng):
    memory.heard[0] += 3.0

def report(reward, payment, memory, params, rng):
    return reward + 0.0

@behaviour("mine", hear=hear, report=report, memory={"heard": 1}, pace=Parameter(4.0))
def take(t, book, board, memory, params, rng):
    return board.target if t > 5 else 0

def seen(t, offer, taken, memory, params, rng):
    memory.last[0] = offer + 6.0

@pricing("mine", answered=seen, memory={"last": 1})
def price(t, gap, memory, params, rng):
    return gap + 0.07

class Scales(LawSettings):
    scales: list[float]

    def rows(self):
        return [(scale * 0.8,) for scale in self.scales]

def move(mean, row, moved):
    moved[0] = mean * 1.9

@law(
    "mine",
    settings=Scales,
    mean=lambda row: row[0] * 0.51,
    variance=lambda row: 0.02,
    move=move,
    within=(0.011, 0.99),
)
def reward(u, row):
    return row[0] * u * 0.99
"""
WHOLE = """
horizon = 30
replications = 2

[market]
arms = { law = "mine", scales = [0.9, 0.5] }
customers = { behaviour = "mixture", of = [
    { behaviour = "mine", weight = 1.0 }, { behaviour = "greedy", weight = 2.0 } ] }
change = { kind = "random-walk", step = 0.01, low = 0.0, high = 1.0 }

[purse]
offer = { rule = "mine" }

[[policy]]
name = "mine"
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("+= 1.0", "+= 1.5", "different code of policy mine"),
        ("arms, 2.0", "arms, 2.5", "different numbers for policy mine"),
        ("Parameter(0.5)", "Parameter(0.6)", "policy = [{"),
        ("return 0\n", "return 1\n", "different code of policy mine"),
        ("+= 3.0", "+= 3.5", "different code of behaviour mixture"),
        ("reward + 0.0", "reward + 1e-9", "different code of behaviour mixture"),
        ("t > 5", "t > 6", "different code of behaviour mixture"),
        ("Parameter(4.0)", "Parameter(4.5)", "market = {"),
        ("offer + 6.0", "offer + 6.5", "different code of pricing rule mine"),
        ("gap + 0.07", "gap + 0.08", "different code of pricing rule mine"),
        ("scale * 0.8", "scale * 0.7", "different numbers for arms"),
        ("mean * 1.9", "mean * 1.8", "different code of law mine"),
        ("row[0] * 0.51", "row[0] * 0.52", "different numbers for arms"),
        ("0.011", "0.012", "different numbers for arms"),
        ("u * 0.99", "u * 0.98", "different code of law mine"),
        ("lambda row: 0.02", "lambda row: 0.03", ""),
        ("def move(mean, row", "# moved\n\ndef move(mean, row", ""),
    ],
)
def test_every_part_that_decides_counts(study, old, new, words):
    """Functions, starting memory, parameters, rows and ranges of every kind; not the variance."""
    study.file.write_text(WHOLE)
    assert old in PARTS
    found = []
    for text in (PARTS, PARTS.replace(old, new)):
        study.own.write_text(text)
        plugins.bring([str(study.own)])
        found.append(run_identity.run_identity(load_scenario(study.file), {"mine": "market"}))
    assert (found[0] == found[1]) == (not words)
    assert words in run_identity.difference(*found)


def test_the_journal_says_what_was_not_read(study):
    """`run.json` names what could not be compared, for whoever wonders later."""
    study.write("LOG = logging.getLogger()", "LOG.debug('here')")
    assert study.run() == 0
    kept = json.loads((study.folder / "out" / "chunks" / "run.json").read_text())
    assert kept["functions"]["policy mine"].startswith("unread: choose() uses 'LOG'")
