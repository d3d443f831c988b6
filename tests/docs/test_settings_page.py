"""docs/scenario-files.md has every setting that a scenario file may have."""

from __future__ import annotations

import re

import pytest

from kcmab_abm.forms import keys_by_place, scenario_form
from tests.docs.blocks import ROOT, blocks_of
from tests.registry import own_catalogue

PATH = ROOT / "docs" / "scenario-files.md"
FROM_CATALOGUE = {("policy",), ("market", "customers"), ("purse", "offer")}  # other pages have them


def places():
    """The tables of a scenario file that do not depend on the catalogue, with their keys."""
    with own_catalogue():
        every = keys_by_place(scenario_form()).items()
    return {place: keys for place, keys in every if not FROM_CATALOGUE & prefixes(place)}


def prefixes(place):
    """A place and all places that it lies in."""
    return {place[:length] for length in range(1, len(place) + 1)}


@pytest.mark.parametrize(("place", "keys"), places().items(), ids=lambda each: ".".join(each))
def test_every_setting_is_on_the_page(place, keys):
    """A key is named as code somewhere, or set in an example."""
    text = PATH.read_text(encoding="utf-8")
    code = " ".join([*re.findall(r"`([^`\n]+)`", text), *(b.text for b in blocks_of(PATH))])
    assert [key for key in keys if not re.search(rf"\b{key}\b", code)] == []
