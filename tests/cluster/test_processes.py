"""Processes of this machine: the same results, users' own policies, a clean end."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from types import ModuleType

import pytest

from kcmab_abm import MarketError, make_scenario, simulate
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.cli.main import FAILED, run
from kcmab_abm.errors import WorkerError
from kcmab_abm.running import workers
from kcmab_abm.running.processes import Processes, portable, unpack
from tests.cluster.conftest import ROOT
from tests.processes import PATIENCE, interrupt, wait_until

MARKET = """
horizon = 40
replications = 20

[market]
arms = { law = "bernoulli", means = [0.9, 0.5, 0.2] }
"""
MINE = (
    MARKET
    + """
customers = { behaviour = "my-customer" }

[[policy]]
name = "my-rule"
"""
)
GATED = MARKET + '\n[[policy]]\nname = "gated"\n'

MY_RULE = """
from kcmab_abm import policy

STRIDE = 2


@policy("my-rule")
def choose(t, book, memory, params, rng):
    '''Promotes every other arm.'''
    return (STRIDE * t) % len(book.means)
"""
MY_CUSTOMER = """
from kcmab_abm import behaviour, leader


@behaviour("my-customer")
def take(t, book, board, memory, params, rng):
    '''Takes the leader now and then.'''
    return leader(book, rng) if t % 7 == 0 else board.target
"""
DEADLY = """
import multiprocessing
import os

from kcmab_abm import policy


@policy("my-rule")
def choose(t, book, memory, params, rng):
    '''Ends the process that it runs in, unless it is the first one.'''
    if multiprocessing.parent_process() is not None:
        os._exit(1)
    return 0
"""


def written(path, text):
    """The path as the command line takes it, with the text in the file."""
    path.write_text(text)
    return str(path)


def digest_of(folder):
    """The digest of the results in a folder."""
    return json.loads((folder / "manifest.json").read_text())["digest"]


@pytest.mark.usefixtures("_own_files")
def test_processes_give_what_one_gives(tmp_path, capsys):
    """Two processes give what one gives, and know what comes by `--with` from several files."""
    file = written(tmp_path / "mine.toml", MINE + '\n[[policy]]\nname = "ucb"\n')
    plugins = [
        *("--with", written(tmp_path / "rule.py", MY_RULE)),
        *("--with", written(tmp_path / "customer.py", MY_CUSTOMER)),
    ]
    for jobs in ("1", "2"):
        options = ["--engine", "market", "--jobs", jobs, "--out", str(tmp_path / jobs)]
        assert run(["run", file, *plugins, *options]) == 0, capsys.readouterr().err
    assert digest_of(tmp_path / "1") == digest_of(tmp_path / "2")


@pytest.mark.usefixtures("_own_files")
def test_a_process_that_dies_is_told_of(tmp_path, capsys):
    """A worker process that ends by itself ends the run in one line, with exit code 1."""
    file = written(tmp_path / "mine.toml", MARKET + '\n[[policy]]\nname = "my-rule"\n')
    plugin = written(tmp_path / "deadly.py", DEADLY)
    assert run(["run", file, "--with", plugin, "--engine", "market", "--jobs", "2"]) == FAILED
    error = capsys.readouterr().err
    assert error.startswith("a worker process ended itself with exit code 1 in the middle of its")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("function", "given", "words"),
    [
        (os._exit, 3, "ended itself with exit code 3 in the middle of its work"),
        (signal.raise_signal, signal.SIGABRT, "was ended by SIGABRT in the middle of its work"),
        (signal.raise_signal, signal.SIGKILL, r"was killed \(SIGKILL\), .* when memory runs out"),
    ],
    ids=["by itself", "by an error", "by the system"],
)
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_the_message_says_how_a_process_died(function, given, words):
    """Memory is blamed only where the system has killed a process."""
    with Processes(1) as pool, pytest.raises(WorkerError, match=f"a worker process {words}"):
        pool.submit(function, given).result(PATIENCE)


SCRIPT = """
import kcmab_abm as kcmab

STRIDE = 2


@kcmab.policy("by-stride")
def choose(t, book, memory, params, rng):
    return (STRIDE * t) % len(book.means)


market = {"arms": {"law": "bernoulli", "means": [0.9, 0.1, 0.3]}}
policies = [{"name": "by-stride"}, {"name": "greedy"}]
scenario = kcmab.make_scenario(
    {"horizon": 30, "replications": 80, "market": market, "policy": policies}
)
digests = [kcmab.simulate(scenario, engine="market", jobs=jobs).digest() for jobs in (1, 2)]
print("same" if digests[0] == digests[1] else "different")
"""


@pytest.mark.parametrize(
    "way",
    [
        "as a file",
        pytest.param("as text", marks=pytest.mark.slow),
        pytest.param("on standard input", marks=pytest.mark.slow),
    ],
)
def test_functions_of_a_script_get_to_the_processes(way, tmp_path):
    """A script needs no guard: processes get its functions, and do not run it once more."""
    file = written(tmp_path / "script.py", SCRIPT)
    words = {"as a file": [file], "as text": ["-c", SCRIPT], "on standard input": ["-"]}[way]
    done = subprocess.run(
        [sys.executable, *words],
        input=SCRIPT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (done.stdout, done.stderr) == ("same\n", "")


@pytest.fixture
def homeless(_own_catalogue, monkeypatch):
    """A module that no other process can import."""
    module = ModuleType("homeless")
    monkeypatch.setitem(sys.modules, "homeless", module)
    return module


def scenario_of(policy, replications=20):
    """A small market with one policy."""
    market = {"arms": {"law": "bernoulli", "means": [0.9, 0.5, 0.2]}}
    settings = {"horizon": 40, "market": market, "policy": [{"name": policy}]}
    return make_scenario({**settings, "replications": replications})


@pytest.mark.parametrize("pool", [False, True], ids=["own processes", "user's executor"])
def test_functions_of_a_module_that_cannot_be_imported(pool, homeless):
    """They travel by value, to our processes and to those of an executor."""
    exec(MY_RULE, homeless.__dict__)
    scenario = scenario_of("my-rule")
    here = simulate(scenario, engine="market").digest()
    entry = POLICIES["my-rule"]
    if pool:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
            assert simulate(scenario, engine="market", executor=executor).digest() == here
    else:
        assert simulate(scenario, engine="market", jobs=2).digest() == here
    assert POLICIES["my-rule"] is entry


def test_processes_have_what_this_process_has(homeless):
    """A constant that was changed since the function was registered is changed there, too."""
    exec(MY_RULE, homeless.__dict__)
    scenario = scenario_of("my-rule")
    before = simulate(scenario, engine="market").digest()
    homeless.STRIDE = 1
    after = simulate(scenario, engine="market", jobs=2).digest()
    assert after == simulate(scenario, engine="market").digest() != before


def test_what_cannot_be_sent_is_named(homeless):
    """The message names the policy and what is the matter with it, and blames no memory."""
    homeless.LOCK = threading.Lock()
    exec(MY_RULE.replace("return", "LOCK.locked()\n    return"), homeless.__dict__)
    scenario = scenario_of("my-rule")
    words = r"^policy 'my-rule' cannot be sent to another process \(cannot pickle '_thread.lock'"
    with pytest.raises(MarketError, match=words):
        simulate(scenario, engine="market", jobs=2)
    assert simulate(scenario, engine="market", jobs=1).replications == 20


def test_what_cannot_be_imported_is_named():
    """A process that lacks a module says which, and what to do."""
    parcel = pickle.dumps(json.JSONDecoder).replace(b"json.decoder", b"json.missing")
    with pytest.raises(WorkerError, match=r"cannot import .* 'json.missing'.*--with"):
        unpack(parcel)


def test_a_parcel_is_unpacked_once(homeless):
    """All chunks of a scenario find the same functions, whose kernels need not be looked for."""
    exec(MY_RULE, homeless.__dict__)
    parcel = workers.pack_scenario(scenario_of("my-rule"))
    first, second = (unpack(parcel)[1].policies[0].entry for _ in range(2))
    assert first is second
    assert first.act is not POLICIES["my-rule"].act


class Awkward(Exception):
    """An error that cannot be unpickled."""

    def __init__(self, one, other):
        super().__init__(f"{one} and {other}")


def test_errors_that_no_other_process_can_read_are_told():
    """They arrive in words; all others arrive as they are, with where they came from."""
    assert str(portable(Awkward(1, 2))) == "Awkward in a worker process: 1 and 2"
    error = KeyError("x")
    assert portable(error) is error
    assert "in a worker process" in error.__notes__[0]
    rules = MarketError("mine")
    assert not hasattr(portable(rules), "__notes__")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_interrupt_ends_processes_quietly(tmp_path, gate):
    """Ctrl-C, which the terminal sends to all processes, ends them at once and without a word."""
    gate.shut()
    file = written(tmp_path / "gated.toml", GATED)
    command = ["run", file, "--with", str(gate.plugin), "--engine", "market", "--jobs", "2"]
    output = interrupt(
        [*command, "--replications", "200"],
        lambda _: wait_until(lambda: len(list(tmp_path.glob("begun-*"))) == 2),
        group=True,
    )
    assert output == ""
