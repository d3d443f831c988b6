"""Scenarios written as the text of a file are read as the same scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcmab_abm import load_scenario, make_scenario
from kcmab_abm.scenario.reading import parse_settings
from kcmab_abm.scenario.toml_text import toml_text

FILES = sorted(Path("scenarios").glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_written_is_read_as_the_same_scenario(file):
    """Sweeps, measures and tables of arms included; a second time nothing changes."""
    scenario = load_scenario(file)
    text = toml_text(scenario)
    again = make_scenario(parse_settings(text), folder=scenario.folder)
    assert again == scenario
    assert again.settings == scenario.settings
    assert toml_text(again) == text
