"""The tables of the research note and of the published numbers: rerun, and compared with the page.

Rerun at a reduced size, every part of both scripts has to give the rows that stand on the page.
"""

from __future__ import annotations

import math
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from tests.docs.blocks import ROOT, blocks_run_by

PAGES = {
    "research-note": ["frontier", "growth", "equal-arms", "bounds", "near-optimal", "law"],
    "published-tables": [
        *("sub-sampling", "random-markets", "banditbench", "smpybandits", "small-example"),
    ],
}
PARTS = [(page, part) for page, parts in PAGES.items() for part in parts]
# The rows that a reduced size leaves out: a part stops after the first horizon or policies.
SHORTER = {"growth": 1, "frontier": 7}
NORMAL = 1.96  # half a 95 % interval in standard errors
LIMIT = 5.0  # standard errors: with 40 comparisons, fails once in 40 000 seeds


def rows_of(text, part):
    """The cells of a table between the marks of a part, row by row."""
    table = re.search(f"<!-- begin {part} -->\n(.*?)\n<!-- end {part} -->", text, re.DOTALL)[1]
    lines = [line.strip("| ").split(" | ") for line in table.split("\n") if line]
    return [[cell.strip() for cell in line] for line in lines if not line[0].startswith("---")]


def page_of(page):
    """The text of a page."""
    return (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")


def rerun(page, part, share, folder):
    """The rows of a part as the page's own command finds them, with a share of the replications."""
    (block,) = blocks_run_by(ROOT / "docs" / f"{page}.md", "tests/scenarios/test_pages.py")
    python, script, option, place = shlex.split(block.text)
    assert (python, option, place) == ("python", "--page", f"docs/{page}.md")
    (folder / "docs" / "assets").mkdir(parents=True)
    shutil.copy(ROOT / place, folder / place)
    command = [sys.executable, str(ROOT / script), option, place, "--part", part]
    done = subprocess.run(
        [*command, "--share", str(share)], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return rows_of((folder / place).read_text(encoding="utf-8"), part)


@pytest.mark.parametrize(("page", "part"), PARTS)
def test_every_table_is_on_its_page(page, part):
    """No place is empty, and every figure that the page shows exists."""
    rows = rows_of(page_of(page), part)
    assert len(rows) > 2
    assert len({len(row) for row in rows}) == 1
    for name in re.findall(r"\((assets/[^)]+)\)", page_of(page)):
        assert (ROOT / "docs" / name).exists()


@pytest.mark.slow
@pytest.mark.parametrize(("page", "part"), PARTS)
def test_the_command_of_the_page_computes_its_table(page, part, tmp_path):
    """The rows have the same names; exact numbers are the same, apart from the reduced size."""
    stored, found = rows_of(page_of(page), part), rerun(page, part, 1e-4, tmp_path)
    named = 2 if len(stored[0]) > 5 else 1
    assert [row[:named] for row in found] == [
        row[:named] for row in stored[: SHORTER.get(part, -1) + 1 or None]
    ]


def mean_and_error(cell):
    """The mean of a cell, and its standard error from the interval."""
    mean, half = re.fullmatch(r"(-?[\d.]+) ± ([\d.]+)", cell).groups()
    return float(mean), float(half) / NORMAL


@pytest.mark.slow
@pytest.mark.parametrize("part", ["sub-sampling", "random-markets", "banditbench"])
def test_published_numbers_are_found_again(part, tmp_path):
    """A tenth of the replications agrees with the page, and with what papers published.

    banditbench differs in two of its policies, which the page says.
    """
    stored = rows_of(page_of("published-tables"), part)[1:]
    for before, now in zip(stored, rerun("published-tables", part, 0.1, tmp_path)[1:], strict=True):
        for column in (3, 5):
            (mean, error), (other, width) = map(mean_and_error, (before[column], now[column]))
            assert abs(mean - other) < LIMIT * math.hypot(error, width)
        if part != "banditbench":
            assert abs(float(now[2]) - mean_and_error(now[3])[0]) < 0.2 * float(now[2])
