"""Output that cannot be written, and names that the system refuses: one line, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kcmab_abm.cli.main import BAD_INPUT, FAILED, run
from tests.extras import leave_out, missing

LONG = "x" * 300
ALMOST = "x" * 250  # fits, but `.partial` behind it does not


def start(*arguments, **streams):
    """The program as a terminal starts it, with other streams."""
    command = [sys.executable, "-m", "kcmab_abm", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **streams)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is always full")
@pytest.mark.parametrize("command", ["check", "play"])
def test_a_full_disk_behind_the_output(mine, command):
    """What was to be printed and could not be is a failure, told in one line."""
    with open("/dev/full", "w") as full, start(command, mine, stdout=full) as process:
        said = process.stderr.read()
    assert process.returncode == FAILED
    assert said == "the output cannot be written: No space left on device\n"


def test_a_reader_who_has_seen_enough(mine):
    """`kcmab schema | head` ends quietly, though not with success: nobody read it all."""
    with start("schema", stdout=subprocess.PIPE) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (FAILED, "")


@pytest.mark.parametrize("command", ["check", "run"])
def test_no_output_at_all(mine, command):
    """Whoever closes the output wants the work without the words."""
    options = ["--engine", "market"] if command == "run" else []
    words = [sys.executable, "-m", "kcmab_abm", command, str(mine), *options]
    closing = f"import os; os.close(1); os.execv({sys.executable!r}, {words!r})"
    done = subprocess.run([sys.executable, "-c", closing], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words",
    [
        ["run", "FILE", "--engine", "market", "--out", LONG],
        ["run", "FILE", "--engine", "market", "--out", ALMOST],
        ["run", "FILE", "--engine", "market", "--out", ALMOST, "--resume"],
        ["run", "FILE", "--with", LONG],
        ["run", LONG],
        ["check", LONG],
        ["play", LONG],
        ["play", "FILE", "--animate", f"{LONG}.gif"],
        ["compare", LONG, LONG],
        ["paths", LONG],
        ["bounds", "FILE", "--out", LONG],
        ["stopping", "--out", LONG],
        ["paper", "--out", LONG],
        ["lab", LONG],
    ],
    ids=lambda words: " ".join(word.strip("x") for word in words),
)
def test_names_that_are_too_long(mine, words, capsys, monkeypatch):
    """A name that no file can have is bad input, wherever it is given."""
    if words[0] == "lab" and missing("nicegui"):
        leave_out("needs nicegui: install the extra 'lab'")
    monkeypatch.chdir(mine.parent)
    assert run([str(mine) if word == "FILE" else word for word in words]) == BAD_INPUT
    out, said = capsys.readouterr()
    assert out == ""
    assert "File name too long" in said
    assert said.count("\n") == 1
    assert sorted(path.name for path in mine.parent.iterdir()) == ["mine.toml"]
