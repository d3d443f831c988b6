"""What pages have from the code is what the code says now."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from tests.docs.blocks import ROOT, blocks_run_by
from tests.extras import leave_out

REFERENCE = ROOT / "docs" / "reference"
CATALOGUES = {
    "policies": POLICIES,
    "behaviours": BEHAVIOURS,
    "decisions": DECISIONS,
    "pricing": PRICING,
    "disclosures": DISCLOSURES,
    "measures": MEASURES,
    "laws": LAWS,
}
PAGES = [*(f"reference/{kind}" for kind in CATALOGUES), "reference/commands", "reference/python"]
PAGES += ["model"]


@pytest.fixture(scope="module")
def generated():
    """The script that fills in the pages."""
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    try:
        return importlib.import_module("generated")
    finally:
        sys.path.pop(0)


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize("name", PAGES)
def test_the_page_was_made_after_the_last_change(generated, name):
    """Its text is what would be written now."""
    if name == "reference/python":
        needs_gym()
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert text == generated.filled(text), "run python docs/_ext/generated.py"


def needs_gym():
    """Leave a test out where the library that environments are made with is missing."""
    try:
        importlib.import_module("gymnasium")
    except ModuleNotFoundError:
        leave_out("needs gymnasium: install the extra 'gym'")


def test_these_are_all_pages_with_such_parts(generated):
    """No other page has a part that nobody compares."""
    names = [str(page.relative_to(ROOT / "docs").with_suffix("")) for page in generated.pages()]
    assert sorted(names) == sorted(PAGES)


@pytest.mark.parametrize("kind", CATALOGUES)
def test_the_reference_has_every_entry_and_no_other(kind):
    """Each has a heading of its own, which can be read where no site is built."""
    lines = (REFERENCE / f"{kind}.md").read_text(encoding="utf-8").split("\n")
    found = [line.strip("# `") for line in lines if line.startswith("## ")]
    assert found == CATALOGUES[kind].own_names()


def test_the_command_that_is_told_writes_them(generated):
    """docs/writing.md names this script."""
    (block,) = blocks_run_by(ROOT / "docs" / "writing.md", "tests/docs/test_generated.py")
    assert block.text.split() == ["python", str(script(generated))]


def script(module):
    """Where a module is, from the root of the repository."""
    return Path(module.__file__).relative_to(ROOT)


def test_a_changed_page_is_noticed(generated):
    """A part with another text, or none, is filled in again."""
    text = "before\n<!-- made from the code: laws -->\nold\n<!-- end -->\nafter\n"
    new = generated.filled(text)
    assert new != text
    assert "## `bernoulli`" in new
    assert new.startswith("before\n")
    assert new.endswith("<!-- end -->\nafter\n")
    assert generated.filled(new) == new
