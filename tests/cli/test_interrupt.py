"""Ctrl-C, for real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from kcmab_abm.cli import INTERRUPTED

LONG = """
horizon = 1_000_000_000
replications = 100

[market]
arms = { law = "bernoulli", means = [0.9, 0.1] }

[[policy]]
name = "ucb"
"""
# Says when the work has begun: only then has the signal something to interrupt.
HERALD = """
from kcmab_abm import workers

def heralded(function):
    def call(*arguments, **options):
        print("begun", flush=True)
        return function(*arguments, **options)
    return call

workers.run_chunk = heralded(workers.run_chunk)
workers.run_market = heralded(workers.run_market)
"""
PATIENCE = 20.0  # seconds; on an idle machine it takes a tenth of one


def listen_to_signals():
    """Undo what a shell does to processes in the background: let Ctrl-C come through."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize(("engine", "horizon"), [("batch", 1_000_000_000), ("market", 1_000_000)])
def test_interrupt_stops_at_once_and_leaves_nothing(engine, horizon, tmp_path):
    """Ctrl-C in the middle of a run ends it soon, with exit code 130 and no folder."""
    scenario, herald, out = (tmp_path / name for name in ("long.toml", "herald.py", "out"))
    scenario.write_text(LONG)
    herald.write_text(HERALD)
    command = [sys.executable, "-m", "kcmab_abm", "run", str(scenario), "--with", str(herald)]
    options = ["--out", str(out), "--engine", engine, "--horizon", str(horizon)]
    with subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_signals,
    ) as process:
        try:
            assert process.stdout.readline().startswith("begun")
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == INTERRUPTED
    assert error.strip() == "interrupted; results are written whole or not at all"
    assert sorted(tmp_path.iterdir()) == [herald, scenario]
