"""Run the examples of a page as a reader would: in one folder, from the top to the bottom."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import traceback
from pathlib import Path
from typing import Any

from kcmab_abm import make_scenario
from tests.docs.blocks import ROOT, Block, blocks_of

LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
LONGEST = 300  # seconds that one block may take


def run_page(page: Path, folder: Path) -> int:
    """Run all examples of a page in a folder; how many blocks there were."""
    shutil.copytree(ROOT / "scenarios", folder / "scenarios")
    session = Session(folder)
    blocks = blocks_of(page)
    with contextlib.chdir(folder):
        for block in blocks:
            session.meet(block)
    return len(blocks)


class Session:
    """What the examples of a page have in common: a folder, Python's names, the last output."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, Any] = {"__name__": "page"}
        self._said: str | None = None
        self._scenario = ""

    def meet(self, block: Block) -> None:
        """Do with a block what its kind asks for."""
        if block.not_run:
            _check_only(block)
        elif block.name:
            self._write(block)
        elif block.kind == "output":
            self._compare(block)
        elif block.kind == "toml":
            self._check_part(block)
        elif block.kind == "sh":
            self._said = self._shell(block)
        elif block.kind == "python" and block.text.lstrip().startswith(">>>"):
            self._said = None
            self._doctest(block)
        elif block.kind == "python":
            self._said = self._execute(block)

    def _write(self, block: Block) -> None:
        (self._folder / block.name).write_text(block.text, encoding="utf-8")
        if block.kind == "toml":
            self._scenario = block.text

    def _compare(self, block: Block) -> None:
        if self._said is None:
            raise block.error("output with no python or sh block before it that could print it")
        checker, said = doctest.OutputChecker(), self._said
        if not checker.check_output(block.text, said, LOOSE):
            raise block.error(f"the page says\n{block.text}\nand the program says\n{said}")
        self._said = None

    def _check_part(self, block: Block) -> None:
        """A part of a scenario file, together with the file that the page wrote last."""
        try:
            whole = _merged(tomllib.loads(self._scenario), tomllib.loads(block.text))
            make_scenario(whole)
        except ValueError as error:
            raise block.error(f"together with the file above: {error}") from None

    def _shell(self, block: Block) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        # A page that runs pytest is not to hear how this run was asked for.
        kept = {key: text for key, text in os.environ.items() if "PYTEST" not in key}
        # Files, because what a block leaves running would keep a pipe open.
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            shell = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", block.text],
                cwd=self._folder,
                env={**kept, "PATH": path, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                code = shell.wait(LONGEST)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(shell.pid, signal.SIGKILL)
            out.seek(0)
            err.seek(0)
            said, complained = out.read(), err.read()
        if code:
            raise block.error(f"exit code {code} from\n{block.text}\n{said}{complained}")
        return said

    def _doctest(self, block: Block) -> None:
        place = str(block.page)
        examples = doctest.DocTestParser().get_doctest(
            block.text, self._names, block.page.name, place, block.line - 1
        )
        told: list[str] = []
        runner = doctest.DocTestRunner(verbose=False, optionflags=LOOSE)
        if runner.run(examples, out=told.append, clear_globs=False).failed:
            raise block.error("".join(told))
        self._names.update(examples.globs)

    def _execute(self, block: Block) -> str:
        code = compile("\n" * (block.line - 1) + block.text, str(block.page), "exec")
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                exec(code, self._names)
        except Exception:
            raise block.error(traceback.format_exc()) from None
        return said.getvalue()


def _check_only(block: Block) -> None:
    """A block that cannot run here must at least be well written."""
    try:
        if block.kind == "python":
            compile(block.text, str(block.page), "exec")
        elif block.kind == "toml":
            tomllib.loads(block.text)
    except (SyntaxError, tomllib.TOMLDecodeError) as error:
        raise block.error(str(error)) from None
    if block.kind == "sh":
        done = subprocess.run(["bash", "-n"], input=block.text, text=True, capture_output=True)
        if done.returncode:
            raise block.error(done.stderr)


def _merged(whole: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """The table with the entries of another one put into it, tables in tables likewise."""
    tables = {
        key: _merged(whole[key], value)
        for key, value in part.items()
        if isinstance(value, dict) and isinstance(whole.get(key), dict)
    }
    return whole | part | tables
