"""What `kcmab check` says of any file: that it is fine, or what is wrong, soon and in words."""

from __future__ import annotations

import io
import resource
import signal
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from kcmab_abm import Trajectory, load_scenario, play
from kcmab_abm.cli.main import BAD_INPUT, run
from kcmab_abm.scenario.fields import JOINERS

SECONDS = 5  # of work; and several times as long on the clock, since other work goes on
LONGEST_LINE = 400  # beside the file's name
MOST_MEMORY = 2**20  # kilobytes that a check may need beyond what there was
CUSTOMERS = 30  # of those files that are fine after all


class TooLate(BaseException):
    """An answer that did not come in time; no handler of errors may keep it."""


@contextmanager
def deadline(seconds: int) -> Iterator[None]:
    """Stop what takes too long, whether it works or waits."""

    def stop(*_: Any) -> None:
        raise TooLate

    timers = {signal.ITIMER_PROF: signal.SIGPROF, signal.ITIMER_REAL: signal.SIGALRM}
    before = {number: signal.signal(number, stop) for number in timers.values()}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 6 * seconds)
    try:
        yield
    finally:
        for timer in timers:
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def complaint(path: Path) -> str:
    """What is wrong with how a file is checked, or run where it is fine; '' if nothing."""
    memory = _peak_memory()
    try:
        with deadline(SECONDS):
            found = _check(path)
    except TooLate:
        return f"late: no answer after {SECONDS} seconds"
    if _peak_memory() - memory > MOST_MEMORY:
        return f"memory: {(_peak_memory() - memory) // 1024} MB to check it"
    return found


def _check(path: Path) -> str:
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = run(["check", str(path)])
    except Exception as error:
        return f"traceback: {type(error).__name__}: {error}"
    lines = (out.getvalue() + err.getvalue()).removesuffix("\n").split("\n")
    strange = [line for line in lines if not _is_one_line(line, f"{path}: ")]
    if code not in (0, BAD_INPUT) or bool(err.getvalue()) != (code == BAD_INPUT):
        return f"code: {code} and {lines[:3]}"
    if strange:
        return f"lines: {strange[0][:500]!r}"
    return "" if code == BAD_INPUT else _run_small(path)


def _is_one_line(line: str, start: str) -> bool:
    """Whether a line names the file and the place, and a terminal can show it."""
    rest = line.removeprefix(start)
    shown = rest.translate(dict.fromkeys(map(ord, JOINERS)))
    hidden = any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in shown)
    placed = ": " in rest or rest.startswith("not UTF-8 text (byte ")
    return rest != line and placed and len(rest) <= LONGEST_LINE and not hidden


def _run_small(path: Path) -> str:
    """Play the beginning of a file that is fine: what cannot be run should have been refused."""
    scenario = load_scenario(path)
    short = scenario.replace(horizon=min(scenario.horizon, CUSTOMERS), sweep=None)
    for choice in short.policies[:2]:
        try:
            played = play(short, choice.label, engine="market")
        except Exception as error:
            return f"run: {type(error).__name__}: {error}"
        if not all(np.isfinite(getattr(played, part.name)).all() for part in fields(Trajectory)):
            return "run: not all numbers are finite"
    return ""


def _peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
