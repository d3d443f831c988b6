"""A copy of the repository in which modules are replaced by mutants and their tests are run."""

from __future__ import annotations

import compileall
import json
import py_compile
import subprocess
import sys
from pathlib import Path

from tests.mutation.modules import Module
from tests.mutation.server import PROFILE
from tests.repository import copy_repository

PASSED = "0"  # pytest's exit code
SECONDS = 120.0  # for one file of tests; a mutant that loops for ever does not end in it
# The conftest of the whole suite imports what only the page needs.
OPTIONS = [
    *("--noconftest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-o", "addopts="),
    *(
        "--assert=plain",
        f"--hypothesis-profile={PROFILE}",
        "-m",
        "not slow and not exhaustive",
        "-x",
        "-q",
    ),
]


class Trial:
    """A place to try mutants in; the work tree is never touched."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repository"
        copy_repository(self.root)
        # Checked by content: a mutant may be as long as the original and as old, to the second.
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        for part in ("kcmab_abm", "tests"):
            compileall.compile_dir(self.root / part, quiet=2, invalidation_mode=mode)
        self.server = subprocess.Popen(
            [sys.executable, "-m", "tests.mutation.server"],
            cwd=self.root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """End the server."""
        self.server.communicate()

    def outcome(self, module: Module, mutant: str | None = None) -> str:
        """Whether a mutant is "killed", has "survived" or met the "timeout"; None: no mutation."""
        path = self.root / module.path
        original = path.read_text(encoding="utf-8")
        path.write_text(original if mutant is None else mutant, encoding="utf-8")
        try:
            for file, names in module.tests:
                code = self._run([*OPTIONS, file, "-k", names])
                if code != PASSED:
                    return code if code == "timeout" else "killed"
            return "survived"
        finally:
            path.write_text(original, encoding="utf-8")

    def _run(self, arguments: list[str]) -> str:
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.write(json.dumps({"arguments": arguments, "seconds": SECONDS}) + "\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline().strip()
        if not answer:
            raise RuntimeError("the process that runs the tests has ended")
        return answer
