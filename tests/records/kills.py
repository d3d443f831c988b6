"""Kill a run at random instants, resume it, and compare: `python -m tests.records.kills 20`.

A process of its own that loads everything once and forks every run, so that a kill costs a fraction
of a second. Prints one line of JSON: how many kills hit in which stage of the run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from matplotlib.figure import Figure

from kcmab_abm.cli.main import run
from kcmab_abm.figures import outcome
from kcmab_abm.running import workers

from .conftest import SCENARIO, contents

CHUNKS = 16  # of each of the two policies
LONGER = SCENARIO.replace("horizon = 300", "horizon = 2500")


def child(arguments):
    """Run a command in a copy of this process, silently; its number."""
    number = os.fork()
    if number == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os._exit(run(arguments))
    return number


def killed(arguments, delay):
    """Run a command and kill it after so many seconds; whether it was still running."""
    number = child(arguments)
    time.sleep(delay)
    os.kill(number, signal.SIGKILL)
    _, status = os.waitpid(number, 0)
    if not os.WIFSIGNALED(status):
        assert os.WEXITSTATUS(status) == 0, f"exit code {os.WEXITSTATUS(status)}"
    return os.WIFSIGNALED(status)


def stage(folder):
    """How far a run came before it was killed."""
    partial = folder.with_name(f"{folder.name}.partial")
    if folder.exists():
        return "finished"
    done = len(list(partial.glob("chunks/*.npz")))
    if done == 0:
        return "no chunk"
    return "some chunks" if done < 2 * CHUNKS else "all chunks"


def main(wanted: int, seed: int) -> dict[str, int]:
    """Kill runs until so many kills have hit; every run must end as if nothing had happened."""
    rng = random.Random(seed)
    workers.LEAST, workers.PIECES = 0, CHUNKS
    os.fsync = lambda _: None  # or most would hit the waiting for the disk
    outcome.draw_outcome = lambda _: Figure((1, 1))  # or most kills would hit the drawing
    stages: dict[str, int] = {}
    with TemporaryDirectory() as place:
        file = Path(place) / "mine.toml"
        file.write_text(LONGER)
        whole = Path(place) / "whole"
        # In this process, so that it has compiled and loaded what all others need: most kills would
        # hit the loading.
        assert run(["run", str(file), "--out", str(whole)]) == 0
        expected = contents(whole)
        begin = time.perf_counter()
        os.waitpid(child(["run", str(file), "--out", str(whole), "--force"]), 0)
        longest = time.perf_counter() - begin
        runs = 0
        while sum(stages.values()) < wanted:
            runs += 1
            out = Path(place) / f"out-{runs}"
            command = ["run", str(file), "--out", str(out), "--resume"]
            while killed(command, longest * rng.random()):
                found = stage(out)
                stages[found] = stages.get(found, 0) + 1
            assert contents(out) == expected, f"run {runs} came out differently"
    return stages


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), seed=7)))
