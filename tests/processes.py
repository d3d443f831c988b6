"""Programs that tests start: ports for them, waiting for what they do, interrupting them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from kcmab_abm.cli.main import INTERRUPTED

PATIENCE = 60.0  # seconds; on an idle machine everything here takes a second or two


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens on, all different."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def wait_until(condition: Callable[[], Any], complaint: str = "it never came to that") -> Any:
    """Wait until the condition holds, but not for ever, and return what it returned."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{complaint}: gave up after {PATIENCE:g} s")
        time.sleep(0.01)
    return found


def interrupt(
    words: list[str], begun: Callable[[subprocess.Popen[str]], object], group: bool = False
) -> str:
    """Run `kcmab`, press Ctrl-C when `begun` returns, and hand back what it printed.

    It must end with the exit code of an interruption and one line that says so. With `group` the
    signal goes to its child processes too, as a terminal sends it.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "kcmab_abm", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=group,
        preexec_fn=_listen_to_signals,
    ) as process:
        try:
            begun(process)
            (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
            output, error = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == INTERRUPTED
    assert error.strip() == "interrupted; results are written whole or not at all"
    return output


def _listen_to_signals() -> None:
    """Undo what a shell does to processes in the background: let Ctrl-C come through."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
