"""The examples of docs/records.md, run as a reader would run them."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

from kcmab_abm.cli import run

PAGE = Path(__file__).parents[2] / "docs" / "records.md"


def blocks(kind):
    """The code of a kind on the page, block by block."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_examples_show_what_they_say(tmp_path, monkeypatch):
    """The scenario runs, the ledger is read by DuckDB and pandas with the output on the page."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(blocks("toml")[0])
    first, *later = [shlex.split(line) for line in blocks("sh")]
    assert run(first[1:]) == 0
    page = doctest.DocTestParser().get_doctest(
        "\n".join(blocks("python")), {}, PAGE.name, str(PAGE), 0
    )
    told: list[str] = []
    found = doctest.DocTestRunner(verbose=False).run(page, out=told.append)
    assert found.attempted >= 8
    assert found.failed == 0, "".join(told)
    assert all(run(command[1:]) == 0 for command in later)
