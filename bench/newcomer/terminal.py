"""A fresh machine: a clone of the repository, and a terminal for typing commands."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 1200.0  # seconds that one line may take
_DONE = "newcomer: exit code"
_OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
_CACHE = "KCMAB_CACHE_DIR"


class Terminal:
    """A shell that keeps its folder and activated environment between commands."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self._shell = subprocess.Popen(
            ["bash", "--norc"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def type(self, command: str) -> tuple[int, str]:
        """Run a command to its end and return its exit code and output."""
        self._send(f"eval {shlex.quote(command)} </dev/null; printf '\\n{_DONE} %d\\n' $?")
        assert self._shell.stdout is not None
        printed: list[str] = []
        watch = threading.Timer(LONGEST, self._end)
        watch.start()
        try:
            for line in self._shell.stdout:
                if line.startswith(_DONE):
                    return int(line.removeprefix(_DONE)), "".join(printed)
                printed.append(line)
        finally:
            watch.cancel()
        return 1, "".join(printed) + f"the terminal closed, or {LONGEST:.0f} s were over\n"

    def leave_running(self, command: str, log: Path) -> None:
        """Run a command that does not end by itself, with its output in a file."""
        quoted, file = shlex.quote(command), shlex.quote(str(log))
        self._send(f"eval {quoted} </dev/null >{file} 2>&1 &")

    def close(self) -> None:
        """End the shell and all processes in it."""
        self._end()
        with self._shell:  # waits, and closes the pipes
            pass

    def _end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._shell.pid, signal.SIGTERM)

    def _send(self, line: str) -> None:
        assert self._shell.stdin is not None
        print(line, file=self._shell.stdin, flush=True)


@contextmanager
def fresh_terminal(home: Path) -> Iterator[Terminal]:
    """A terminal in a new clone, with empty download and compilation caches."""
    clone = home / ROOT.name
    command = ["git", "clone", "--quiet", str(ROOT), str(clone)]
    subprocess.run(command, check=True, env=environment_of(home))
    terminal = Terminal(clone, environment_of(home))
    try:
        yield terminal
    finally:
        terminal.close()


def environment_of(home: Path) -> dict[str, str]:
    """The environment variables of a new machine with empty caches."""
    kept = {name: value for name, value in strangers(home).items() if name != _CACHE}
    return kept | {"XDG_CACHE_HOME": str(home / "cache")}


def strangers(home: Path) -> dict[str, str]:
    """The environment variables without those of the environment running this script."""
    own = str(Path(sys.executable).parent) if sys.prefix != sys.base_prefix else ""
    path = [folder for folder in os.environ["PATH"].split(os.pathsep) if folder != own]
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    return kept | {"PATH": os.pathsep.join(path), "BROWSER": browser_of(home)}


def browser_of(home: Path) -> str:
    """A fake browser that writes the requested address into `address`."""
    browser = home / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {shlex.quote(str(home / "address"))}\n')
    browser.chmod(0o755)
    return f"{browser} %s"
