"""What stays up until it is interrupted: whether it answers, and how it ends."""

from __future__ import annotations

import getpass
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Self
from urllib.parse import SplitResult, urlsplit

from filelock import FileLock

from tests.docs.blocks import Block, PageError
from tests.docs.shell import LONGEST, Shell

PATIENCE = 60  # seconds to answer and to end; on an idle machine it takes two
INTERRUPTED = 130

_ADDRESS = re.compile(r"\b\w+://[\w.:\[\]-]+:\d+[^\s'\"]*(?=[\s'\"])")
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)


class Servers:
    """The servers of a page: started, checked, and interrupted where their section ends."""

    def __init__(self, shell: Shell, home: Path) -> None:
        self._shell, self._home = shell, home
        self._running: list[Server] = []
        self._locks: dict[str, FileLock] = {}

    def start(self, block: Block, command: str) -> None:
        """Start one more, and see whether it does what the page says."""
        self._lock(Path(command.split()[0]).name)
        self._running.append(Server(block, command, self._shell, self._home))
        self._running[-1].check()

    def end(self) -> None:
        """Interrupt all of them, the last one first."""
        while self._running:
            self._running.pop().end()
        while self._locks:
            self._locks.popitem()[1].release()

    def _lock(self, program: str) -> None:
        """Keep a program from two pages at once: it takes the port which the pages name."""
        if program not in self._locks:
            name = f"kcmab-pages-{getpass.getuser()}-{program}.lock"
            self._locks[program] = FileLock(Path(tempfile.gettempdir()) / name)
            self._locks[program].acquire()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._running:  # something else went wrong
            server.kill()
        for lock in self._locks.values():
            lock.release()


class Server:
    """A command that does not end by itself, started as a reader would."""

    def __init__(self, block: Block, command: str, shell: Shell, home: Path) -> None:
        self._block, self._title, self._command = block, block.marks["serves"], command
        self._opened = home / "address"  # which the browser writes
        self._opened.unlink(missing_ok=True)
        self._log = home / f"line-{block.line}.log"
        with self._log.open("w") as log:
            self._process = shell.start(command, log, log)

    def check(self) -> None:
        """Wait until it has said an address that answers, with the page that was promised."""
        self._await(lambda: _ADDRESS.search(self._said()), "it said no address", LONGEST)
        address = self._address()
        self._await(lambda: _listens(address), f"nobody answers at {address.geturl()}", PATIENCE)
        if not self._title:
            return
        try:
            found = title_of(address)
        except OSError as error:  # it listened, and hung up: it may be ending
            self._await(lambda: False, f"no page at {address.geturl()} ({error})", PATIENCE)
        if found != self._title:
            raise self._error(f"{address.geturl()} is not {self._title!r} but {found!r}")
        if address.query and title_of(address._replace(query="")) == self._title:
            raise self._error("who does not have the token is let in as well")
        if "--no-browser" not in self._command:
            self._await(self._opened.exists, "no browser was asked to open it", PATIENCE)

    def end(self) -> None:
        """Press Ctrl-C; it ends quietly, and nothing of it stays."""
        os.killpg(self._process.pid, signal.SIGINT)
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise self._error("Ctrl-C does not end it") from None
        finally:
            self.kill()
        if code not in (0, INTERRUPTED, -signal.SIGINT):
            raise self._error(f"exit code {code} after Ctrl-C")
        # Dask's workers always complain when they are interrupted.
        if self._title and "Traceback" in self._said():
            raise self._error("a traceback")
        if "--no-browser" in self._command and self._opened.exists():
            raise self._error("a browser was asked to open it")

    def kill(self) -> None:
        """End it and whatever it has started, however they are."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _address(self) -> SplitResult:
        """The first address that it has printed, on this machine whatever it is called there."""
        parts = urlsplit(_ADDRESS.findall(self._said())[0])
        return parts._replace(netloc=f"127.0.0.1:{parts.port}")

    def _said(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def _await(self, condition: Callable[[], object], complaint: str, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if self._process.poll() is not None:
                raise self._error(f"it ended with exit code {self._process.returncode}")
            if time.monotonic() > end:
                raise self._error(f"{complaint} within {seconds} s")
            time.sleep(0.1)

    def _error(self, message: str) -> PageError:
        return self._block.error(f"{message}\n{self._command}\n{self._said()}")


def title_of(address: SplitResult) -> str:
    """The title of a page, asked for by a visitor who comes for the first time."""
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
    )
    try:
        with opener.open(address.geturl(), timeout=LONGEST) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return f"status {refused.code}"
    found = _TITLE.search(text)
    return found[1].strip() if found else ""


def _listens(address: SplitResult) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", address.port), timeout=PATIENCE):
            return True
    except OSError:
        return False
