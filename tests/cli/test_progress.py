"""Progress that Python asks for: a function, lines in a log, a bar on a terminal."""

from __future__ import annotations

import io
import re

from kcmab_abm import make_scenario, run, simulate, sweep
from kcmab_abm.running import progress

SETTINGS = {
    "horizon": 20,
    "replications": 5,
    "market": {"arms": {"law": "bernoulli", "means": [0.8, 0.4]}},
    "policy": [{"name": "ucb"}],
}
SWEPT = {**SETTINGS, "sweep": {"grid": {"purse.budget": [0.0, 1.0]}}}


def test_a_log_gets_lines(capsys, tmp_path):
    """A script without a terminal says how far it is, at the end that it is done."""
    for work in (
        lambda: simulate(make_scenario(SETTINGS), engine="market", progress=True),
        lambda: sweep(make_scenario(SWEPT), engine="market", progress=True),
        lambda: run(make_scenario(SETTINGS), tmp_path / "run", engine="market", progress=True),
    ):
        work()
        output = capsys.readouterr()
        assert output.out == ""
        assert re.search(r"customers served.*: 100% of (1|2)00\n$", output.err), output.err


def test_silence_is_the_default(capsys):
    """Nothing is shown unless it is asked for; a function is called with numbers."""
    told = []
    for each in (None, False, lambda done, total: told.append((done, total))):
        simulate(make_scenario(SETTINGS), engine="market", progress=each)
    assert told[-1] == (100, 100)
    output = capsys.readouterr()
    assert output.out + output.err == ""


def test_a_log_is_not_flooded(monkeypatch, capsys):
    """One line every ten seconds, and the last one."""
    clock = iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    show = progress._Paced("serving", progress._Log())
    for done in range(100):
        show(done + 1, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        f"serving: {done}% of 100" for done in (1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 100)
    ]


def test_a_terminal_gets_a_bar(monkeypatch, capsys):
    """The one of the command line, which disappears."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    with progress.progress_bar("serving", wanted=True) as show:
        show(1, 2)
    assert "serving" in terminal.getvalue()
