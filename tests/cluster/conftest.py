"""A real Dask cluster on this machine, and a policy that waits until it is told to go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from kcmab_abm.catalogue import user_files as plugins
from tests.processes import wait_until

ROOT = Path(__file__).parents[2]

GATED = """
import time
from multiprocessing import current_process
from pathlib import Path

from kcmab_abm import policy

FOLDER = Path({folder!r})


@policy("gated")
def choose(t, book, memory, params, rng):
    '''Promotes arms in turn; says who it is and waits at the gate while that is shut.'''
    if t == 10:
        (FOLDER / f"begun-{{current_process().pid}}").touch()
        while (FOLDER / "shut").exists():
            time.sleep(0.01)
    return t % len(book.means)
"""


class Cluster:
    """A scheduler and its workers, each in a process of its own."""

    def __init__(self, folder):
        self._folder = folder
        self.file = folder / "scheduler.json"
        self._processes = []
        # Whatever happens to these tests, nothing of the cluster lasts for long.
        self.scheduler = self._start(
            "dask_scheduler", "--scheduler-file", self.file, "--port", 0, "--idle-timeout", "300s"
        )
        self.address = wait_until(self._address)

    def start_worker(self):
        """One more worker, with a thread."""
        options = ["--no-nanny", "--nthreads", 1, "--memory-limit", 0, "--death-timeout", 30]
        place = ["--local-directory", self._folder]
        return self._start("dask_worker", self.address, *options, *place)

    def close(self):
        """End whatever still runs."""
        for process in reversed(self._processes):
            process.kill()  # they have nothing to put in order, and would take seconds to do so
            process.wait()

    def _start(self, module, *options):
        words = [f"distributed.cli.{module}", *options, "--host", "127.0.0.1", "--no-dashboard"]
        with (self._folder / f"{len(self._processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *map(str, words)],
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        self._processes.append(process)
        return process

    def _address(self):
        try:
            return json.loads(self.file.read_text())["address"]
        except (FileNotFoundError, ValueError):  # not there, or not whole
            return None


def new_cluster(folder, workers):
    """A cluster with so many workers."""
    cluster = Cluster(folder)
    for _ in range(workers):
        cluster.start_worker()
    return cluster


@pytest.fixture(autouse=True)
def _many_chunks(_small_chunks):
    """Something to do for every worker."""


@pytest.fixture(autouse=True)
def _small_figures(monkeypatch):
    """Figures that are drawn in no time."""
    for name in ("outcome.draw_outcome", "settings.draw_settings", "frontier.draw_frontier"):
        monkeypatch.setattr(f"kcmab_abm.figures.{name}", lambda _: Figure((1, 1)))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two workers, which all tests share."""
    cluster = new_cluster(tmp_path_factory.mktemp("cluster"), 2)
    yield cluster
    cluster.close()


@pytest.fixture
def lonely_scheduler(tmp_path):
    """A scheduler without workers."""
    cluster = new_cluster(tmp_path, 0)
    yield cluster
    cluster.close()


class Gate:
    """The file with the policy that waits, and what it waits for."""

    def __init__(self, folder):
        self._folder = folder
        self.plugin = folder / "gated.py"
        self.plugin.write_text(GATED.format(folder=str(folder)))

    def shut(self):
        """Let whoever comes wait."""
        (self._folder / "shut").touch()

    def open(self):
        """Let everybody through."""
        (self._folder / "shut").unlink(missing_ok=True)

    def has_begun(self, process):
        """Whether this process is at the gate, or was."""
        return (self._folder / f"begun-{process.pid}").exists()


@pytest.fixture
def gate(tmp_path):
    """The policy that waits, through which everybody is let at the end."""
    gate = Gate(tmp_path)
    yield gate
    gate.open()


@pytest.fixture
def _own_files(_own_catalogue):
    """The user's files that a test brings are forgotten after it."""
    yield
    plugins.bring([])
