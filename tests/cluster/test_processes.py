"""Processes of this machine: the same results, users' own policies, a clean end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from kcmab_abm.cli import FAILED, INTERRUPTED, run
from tests.cluster.conftest import PATIENCE, wait_until

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
    assert error.startswith("a worker process ended in the middle of its work")
    assert error.count("\n") == 1


def listen_to_signals():
    """Undo what a shell does to processes in the background: let Ctrl-C come through."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_interrupt_ends_processes_quietly(tmp_path, gate):
    """Ctrl-C, which the terminal sends to all processes, ends them at once and without a word."""
    gate.shut()
    file = written(tmp_path / "gated.toml", GATED)
    command = [sys.executable, "-m", "kcmab_abm", "run", file, "--with", str(gate.plugin)]
    with subprocess.Popen(
        [*command, "--engine", "market", "--jobs", "2", "--replications", "200"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=listen_to_signals,
    ) as process:
        try:
            wait_until(lambda: len(list(tmp_path.glob("begun-*"))) == 2)
            os.killpg(process.pid, signal.SIGINT)
            output, error = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == INTERRUPTED
    assert output == ""
    assert error.strip() == "interrupted; results are written whole or not at all"
