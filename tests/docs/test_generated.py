"""What pages have from the code is what the code says now."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys

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


def test_the_command_writes_what_has_changed(tmp_path):
    """docs/writing.md names it; it leaves alone what is as it should be."""
    needs_gym()
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("_build"))
    laws = tmp_path / "docs" / "reference" / "laws.md"
    laws.write_text("<!-- made from the code: laws -->\nold\n<!-- end -->\n", encoding="utf-8")
    (block,) = blocks_run_by(ROOT / "docs" / "writing.md", "tests/docs/test_generated.py")
    python, *words = block.text.split()
    assert python == "python"
    command = [sys.executable, *words]
    told = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert told.stdout.splitlines() == ["docs/reference/laws.md: written"]
    assert "## `bernoulli`" in laws.read_text(encoding="utf-8")


def test_a_changed_page_is_noticed(generated):
    """A part with another text, or none, is filled in again."""
    text = "before\n<!-- made from the code: laws -->\nold\n<!-- end -->\nafter\n"
    new = generated.filled(text)
    assert new != text
    assert "## `bernoulli`" in new
    assert new.startswith("before\n")
    assert new.endswith("<!-- end -->\nafter\n")
    assert generated.filled(new) == new
