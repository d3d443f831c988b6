"""Files and names that the pages point to are there."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.docs.blocks import ROOT, pages

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
ROW = re.compile(r"^\| (?P<what>[^|]+?) \| `(?P<file>[^`]+)` \| (?:`(?P<name>\w+)` )?\|$", re.M)
PROMISED = {
    "the indifference rule",
    "the least offer",
    "budget",
    "ties",
    "the 0-1 tape",
    "the accountant",
    "confidence bands",
    "resume",
    "the Dask part",
    "Theorem 2's bound",
    "lesson 3",
}
# A path in backticks, in the repository or in the package; a bare name is a reader's own file.
SOURCE = re.compile(r"`((?:[\w.-]+/)+\w+\.py)`")
BASES = (ROOT, ROOT / "kcmab_abm")
READERS = {
    "kcmab_abm/entries/policies/win_stay.py",
    "kcmab_abm/entries/behaviours/stars.py",
}  # examples


def rows():
    """What, file and name of every row of the table."""
    table = CONTRIBUTING.read_text(encoding="utf-8").partition("## Where things are")[2]
    return [match.group("what", "file", "name") for match in ROW.finditer(table)]


def defines(text, name):
    """Whether a module has a function, class or constant of that name at its top level."""
    return re.search(rf"^(?:def {name}\b|class {name}\b|{name}\b.* = )", text, re.M)


def elsewhere(name):
    """Where a name is defined now, for whoever has to correct the table."""
    modules = sorted((ROOT / "kcmab_abm").rglob("*.py"))
    return [
        str(module.relative_to(ROOT))
        for module in modules
        if name and defines(module.read_text(encoding="utf-8"), name)
    ]


@pytest.mark.parametrize(("what", "file", "name"), rows(), ids=[row[0] for row in rows()])
def test_things_are_where_they_are_said_to_be(what, file, name):
    """Every file of the table exists and defines the name beside it."""
    path = ROOT / file
    assert path.is_file(), f"{what}: no {file}; {name} is in {elsewhere(name)}"
    if name:
        text = path.read_text(encoding="utf-8")
        assert defines(text, name), f"{what}: no {name} in {file}; it is in {elsewhere(name)}"


def test_the_table_has_what_readers_look_for():
    """Nobody has to search for these."""
    found = [what for what, _, _ in rows()]
    assert not [each for each in PROMISED if not any(what.startswith(each) for what in found)]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_exist(page):
    """A path between backticks leads to a file of the repository or of the package."""
    named = set(SOURCE.findall(page.read_text(encoding="utf-8"))) - READERS
    gone = [name for name in named if not any((base / name).exists() for base in BASES)]
    assert gone == []


def test_the_citation_is_of_this_version():
    """CITATION.cff is renewed with every release."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation
