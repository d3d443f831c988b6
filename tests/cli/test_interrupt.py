"""Ctrl-C, for real."""

from __future__ import annotations

import os
import time

import pytest

from tests.processes import interrupt

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
from kcmab_abm.running import workers

def heralded(function):
    def call(*arguments, **options):
        print("begun", flush=True)
        return function(*arguments, **options)
    return call

workers.run_chunk = heralded(workers.run_chunk)
workers.run_market = heralded(workers.run_market)
"""


def in_the_middle(process):
    """Wait until the work has begun, and a little longer."""
    assert process.stdout.readline().startswith("begun")
    time.sleep(0.3)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize(("engine", "horizon"), [("batch", 1_000_000_000), ("market", 1_000_000)])
def test_interrupt_stops_at_once_and_leaves_nothing(engine, horizon, tmp_path):
    """Ctrl-C in the middle of a run ends it soon, with exit code 130 and no folder."""
    scenario, herald, out = (tmp_path / name for name in ("long.toml", "herald.py", "out"))
    scenario.write_text(LONG)
    herald.write_text(HERALD)
    command = ["run", str(scenario), "--with", str(herald), "--out", str(out)]
    interrupt([*command, "--engine", engine, "--horizon", str(horizon)], in_the_middle)
    assert sorted(tmp_path.iterdir()) == [herald, scenario]
