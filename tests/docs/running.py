"""Run the examples of a page as a reader would: in one folder, from the top to the bottom."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import shlex
import tomllib
import traceback
from pathlib import Path
from typing import Any

from kcmab_abm import make_scenario
from tests.docs.blocks import Block, blocks_run_by, installs
from tests.docs.services import Services, what_is_missing
from tests.docs.serving import Servers
from tests.docs.shell import newcomers_shell, our_shell

LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
ENVIRONMENT = "python3 -m venv .venv\n. .venv/bin/activate"


class LeftOut(Exception):
    """Why some of a page could not be run here; all the rest of it is true."""


def run_page(page: Path, home: Path, runner: str = "") -> Path:
    """Run the examples of a page in a new folder, which is returned."""
    blocks = blocks_run_by(page, runner)
    missing = [what_is_missing(block.marks.get("needs", "")) for block in blocks]
    with contextlib.ExitStack() as stack:
        session = Session(home, blocks, stack)
        for place, block in enumerate(blocks):
            printed_by = place - 1 if block.kind == "output" else place
            if not missing[printed_by]:
                session.meet(block)
        session.end_section()
    if any(missing):
        raise LeftOut(f"not installed: {', '.join(sorted(set().union(*missing)))}")
    return session.folder


class Session:
    """What the examples of a page have in common: a terminal, Python's names, the last output."""

    def __init__(self, home: Path, blocks: list[Block], stack: contextlib.ExitStack) -> None:
        self._in_process = not installs(blocks)
        self._shell = our_shell(home) if self._in_process else newcomers_shell(home)
        self.folder = self._shell.folder
        self._servers = stack.enter_context(Servers(self._shell, home))
        self._services = stack.enter_context(Services(home))
        stack.enter_context(contextlib.chdir(self.folder))
        self._names: dict[str, Any] = {"__name__": "page"}
        self._said: str | None = None
        self._scenario = ""
        self._section = 0
        if not self._in_process and not any("-m venv" in block.text for block in blocks):
            self._run(blocks[0], ENVIRONMENT)  # which such a page takes for granted

    def meet(self, block: Block) -> None:
        """Do with a block what its marks and its kind ask for."""
        if block.section != self._section:
            self.end_section()
            self._section = block.section
        self._shell.environment |= self._services.variables(block.marks.get("needs", ""))
        if "serves" in block.marks:
            self._said = None
            self._serve(block)
        elif block.name:
            self._write(block)
        elif block.kind == "output":
            self._compare(block)
        elif block.kind == "toml":
            self._check_part(block)
        elif block.kind == "sh":
            self._said = self._run(block, block.text)
        elif block.kind == "python":
            self._said = self._python(block)

    def end_section(self) -> None:
        """Interrupt what a section has left running."""
        self._servers.end()

    def _write(self, block: Block) -> None:
        (self.folder / block.name).write_text(block.text, encoding="utf-8")
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

    def _run(self, block: Block, script: str) -> str:
        code, said, complained = self._shell.run(script)
        if code:
            raise block.error(f"exit code {code} from\n{script}\n{said}{complained}")
        return said

    def _serve(self, block: Block) -> None:
        """Run all lines but the last, which stays up."""
        before, _, last = block.text.rstrip().rpartition("\n")
        self._run(block, before)
        self._servers.start(block, last)

    def _python(self, block: Block) -> str | None:
        if not self._in_process:
            return self._run(block, f"python -c {shlex.quote(block.text)}")
        if block.text.lstrip().startswith(">>>"):
            self._doctest(block)
            return None
        return self._execute(block)

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
        importlib.invalidate_caches()  # or "." would be the folder of an earlier page
        try:
            with contextlib.redirect_stdout(said):
                exec(code, self._names)
        except Exception:
            raise block.error(traceback.format_exc()) from None
        return said.getvalue()


def _merged(whole: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """The table with the entries of another one put into it, tables in tables likewise."""
    tables = {
        key: _merged(whole[key], value)
        for key, value in part.items()
        if isinstance(value, dict) and isinstance(whole.get(key), dict)
    }
    return whole | part | tables
