"""Worker processes end with the process that started them, whatever ends it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import psutil
import pytest

from kcmab_abm.cli.main import TERMINATED
from tests.cluster.test_processes import GATED, written
from tests.processes import PATIENCE, wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")

GONE = 20.0  # seconds; on an idle machine it takes a tenth of one


@contextmanager
def start(tmp_path, gate, *options):
    """A run with two worker processes."""
    file = written(tmp_path / "gated.toml", GATED)
    command = [sys.executable, "-m", "kcmab_abm", "run", file, "--with", str(gate.plugin)]
    with subprocess.Popen(
        [*command, "--engine", "market", "--jobs", "2", "--replications", "200", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def family(process):
    """The process and all that it has started so far."""
    return [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]


def end(process, how):
    """Send a signal, and wait until nothing of the family runs; what was said on the terminal."""
    found = family(process)
    process.send_signal(how)
    _, error = process.communicate(timeout=PATIENCE)
    # Those that were just being started may have been missed.
    left = psutil.wait_procs(found, timeout=GONE)[1]
    for each in left:
        each.kill()
    assert not left, f"still there {GONE:g} s later: {left}"
    return error


@pytest.mark.parametrize(
    "how",
    [
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
def test_workers_end_with_their_parent(how, tmp_path, gate):
    """Killed in the middle of its work, a run leaves no process behind."""
    gate.shut()
    with start(tmp_path, gate) as process:
        wait_until(lambda: len(list(tmp_path.glob("begun-*"))) == 2)
        assert len(family(process)) >= 3
        error = end(process, how)
    if how == signal.SIGTERM:
        assert process.returncode == TERMINATED
        assert error == "terminated; results are written whole or not at all\n"
    else:
        assert process.returncode == -how


def test_a_terminated_run_keeps_what_was_finished(tmp_path, gate):
    """SIGTERM ends a run as Ctrl-C does: no process is left, what is finished is kept."""
    out = tmp_path / "out"
    options = ["--out", str(out), "--replications", "4000"]
    with start(tmp_path, gate, *options) as process:
        wait_until(lambda: len(list(tmp_path.glob("out.partial/chunks/*.npz"))) > 2)
        error = end(process, signal.SIGTERM)
    assert process.returncode == TERMINATED
    assert error.splitlines()[0] == f"{out}.partial: finished work is kept; resume it with --resume"
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_at_any_moment(how, tmp_path, gate):
    """Ended at ten moments, from when its workers start, a run leaves no process behind."""
    gate.shut()
    rng = random.Random(3)
    for _ in range(10):
        with start(tmp_path, gate) as process:
            wait_until(lambda process=process: len(family(process)) >= 3)
            time.sleep(rng.random() * 3)
            end(process, how)
