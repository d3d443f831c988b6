"""A class that is served, and phones made of websockets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from websockets.sync.client import connect

from tests.processes import PATIENCE, free_ports, wait_until

TOKEN = "the-teachers-token"


@dataclass
class Served:
    """A class that is being served; `folder` is where it is recorded."""

    port: int
    folder: Path
    process: subprocess.Popen
    errors: Path

    @property
    def address(self):
        """What browsers open."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def code(self):
        """The room code, from the record."""
        lines = (self.folder / "class.jsonl").read_text().splitlines()
        return json.loads(lines[0])["code"]

    def kill(self):
        """End it without warning."""
        self.process.kill()
        self.process.wait(PATIENCE)


@contextmanager
def served_class(folder, *options, port=None, stop=signal.SIGINT):
    """A class from when it answers until it is stopped."""
    port = port or free_ports(1)[0]
    errors = folder / f"class-{time.monotonic_ns()}.err"
    record = folder / "class"
    command = [sys.executable, "-m", "kcmab_abm", "class", "--port", str(port), "--no-browser"]
    command += ["--host", "127.0.0.1", "--token", TOKEN, "--out", str(record), *options]
    environment = {key: text for key, text in os.environ.items() if "PYTEST" not in key}
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=stderr, env=environment
        ) as process,
    ):
        served = Served(port, record, process, errors)
        try:
            wait_until(lambda: _answers(served), "no class")
            yield served
        finally:
            if process.poll() is None:
                process.send_signal(stop)
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()
    assert "Traceback" not in errors.read_text(), errors.read_text()


def _answers(served):
    assert served.process.poll() is None, served.errors.read_text()
    try:
        with urllib.request.urlopen(f"{served.address}/", timeout=5):
            return True
    except OSError:
        return False


class Phone:
    """A phone: a websocket with a key of its own that keeps the last view."""

    def __init__(self, served, number):
        self.key = f"{number:032d}"
        self.view = {}
        self.problem = ""
        self._open = ExitStack()
        self.reconnect(served)

    def reconnect(self, served):
        """Join, or come back."""
        self.close()
        address = f"ws://127.0.0.1:{served.port}/phone"
        self.socket = self._open.enter_context(connect(address, open_timeout=PATIENCE))
        self.socket.send(json.dumps({"code": served.code, "key": self.key, "name": ""}))

    def look(self, seconds=0.0):
        """Read what has come, and return the view."""
        try:
            while True:
                told = json.loads(self.socket.recv(timeout=seconds))
                seconds = 0.0
                if "problem" in told or "refused" in told:
                    self.problem = told.get("problem") or told["refused"]
                else:
                    self.view = told
        except TimeoutError:
            return self.view

    def send(self, **told):
        """Tap something."""
        self.socket.send(json.dumps(told))

    def close(self):
        """Leave."""
        self._open.close()
