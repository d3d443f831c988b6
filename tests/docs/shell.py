"""A terminal for the commands of a page."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from bench.newcomer.terminal import browser_of, strangers
from tests.docs.blocks import ROOT
from tests.repository import copy_repository

LONGEST = 900  # seconds that one block may take: it may install, and compile, on a busy machine
BASH = ("bash", "-euo", "pipefail", "-c")
QUICKLY = {"PIP_NO_COMPILE": "0"}  # which is pip's way to write yes
ONLY_THERE = {"PIP_REQUIRE_VIRTUALENV": "1"}  # a page that forgets to activate harms nobody


class Shell:
    """A folder and variables: what one script exports, the next one finds."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.environment = folder, environment

    def run(self, script: str) -> tuple[int, str, str]:
        """Run a script to its end: its exit code, what it printed and what it complained of."""
        # Files, because what a script leaves running would keep a pipe open.
        with (
            tempfile.TemporaryFile("w+") as out,
            tempfile.TemporaryFile("w+") as err,
            tempfile.TemporaryFile("w+") as variables,
        ):
            keep = f"trap 'env -0 >&{variables.fileno()}' EXIT\n"
            process = self.start(keep + script, out, err, variables.fileno())
            try:
                code = process.wait(LONGEST)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            said, complained, exported = (_all_of(file) for file in (out, err, variables))
        self.environment = dict(line.split("=", 1) for line in exported.split("\0") if line)
        return code, said, complained

    def start(
        self, script: str, out: IO[str], err: IO[str], *shared: int
    ) -> subprocess.Popen[bytes]:
        """Start a script, in a group of processes of its own."""
        return subprocess.Popen(
            [*BASH, script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            pass_fds=shared,
        )


def _all_of(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def our_shell(home: Path) -> Shell:
    """A folder with the scenarios, and the environment that runs the tests."""
    folder = _new_folder(home)
    shutil.copytree(ROOT / "scenarios", folder / "scenarios")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ours = {"PATH": path, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    return Shell(folder, _undisturbed(dict(os.environ)) | ours | {"BROWSER": browser_of(home)})


def newcomers_shell(home: Path) -> Shell:
    """A copy of the repository, and no environment yet; what is in the user's caches may help."""
    folder = _new_folder(home)
    copy_repository(folder)
    return Shell(folder, _undisturbed(strangers(home)) | QUICKLY | ONLY_THERE)


def _new_folder(home: Path) -> Path:
    """Where the page is followed, with room beside it."""
    folder = home / "here"
    folder.mkdir()
    return folder


def _undisturbed(environment: dict[str, str]) -> dict[str, str]:
    """What a page runs is not to hear that tests run it; and a terminal shows lines at once."""
    kept = {key: text for key, text in environment.items() if "PYTEST" not in key}
    return kept | {"PYTHONUNBUFFERED": "1"}
