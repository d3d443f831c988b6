"""Runs tests in forks of a process that has imported the libraries, but none of the package.

Every line of its input asks for one run, as JSON: the arguments of `pytest.main`, and the seconds
that it may take. The answer is a line with pytest's exit code, or "timeout".
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time

LIBRARIES = [
    *("hypothesis", "matplotlib.figure", "networkx", "numba", "numpy", "pandas", "pyarrow.parquet"),
    *("pydantic", "pytest", "rich.table", "scipy.stats", "simpy"),
]
PAUSE = 0.02  # seconds
PROFILE = "mutation"


def run(arguments: list[str]) -> None:
    """Run tests in this process, which ends with pytest's exit code."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    code = 1
    try:
        _do_not_shrink()
        code = int(importlib.import_module("pytest").main(arguments))
    finally:
        os._exit(code)


def _do_not_shrink() -> None:
    """Let hypothesis stop at the first example that fails: nobody reads it."""
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        PROFILE,
        max_examples=25,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        phases=[Phase.explicit, Phase.generate],
    )


def outcome(child: int, seconds: float) -> str:
    """The exit code of a child, or that it took too long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return str(os.waitstatus_to_exitcode(status))
        time.sleep(PAUSE)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def serve() -> None:
    """Answer every line until the input ends."""
    for name in LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            run(asked["arguments"])
        print(outcome(child, asked["seconds"]), flush=True)


if __name__ == "__main__":
    serve()
