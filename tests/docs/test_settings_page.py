"""docs/scenario-files.md has every setting that a scenario file may have."""

from __future__ import annotations

import re

import pytest

from kcmab_abm.scenario.schema import json_schema
from tests.docs.blocks import ROOT, blocks_of
from tests.registry import own_catalogue

PATH = ROOT / "docs" / "scenario-files.md"
# Other pages have them.
FROM_CATALOGUE = (
    *("policy ", "behaviour ", "decision ", "pricing rule "),
    *("disclosure ", "measure ", "run measure "),
)


def tables():
    """The tables of a scenario file that do not depend on the catalogue, with their keys."""
    with own_catalogue():
        whole = json_schema()
    every = [whole, *whole["$defs"].values()]
    own = [table for table in every if not table["title"].startswith(FROM_CATALOGUE)]
    return {table["title"]: list(table.get("properties", {})) for table in own}


@pytest.mark.parametrize(("table", "keys"), tables().items(), ids=lambda each: str(each)[:20])
def test_every_setting_is_on_the_page(table, keys):
    """A key is named as code somewhere, or set in an example."""
    text = PATH.read_text(encoding="utf-8")
    code = " ".join([*re.findall(r"`([^`\n]+)`", text), *(b.text for b in blocks_of(PATH))])
    assert [key for key in keys if not re.search(rf"\b{key}\b", code)] == []
