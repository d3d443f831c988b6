"""What lessons recommend for reading opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcmab_abm.lab.model.gallery import exhibits
from kcmab_abm.lab.model.lessons import all_lessons
from kcmab_abm.lab.model.reading import address_of, page_of, reading_list, title_of


@pytest.mark.parametrize("path", reading_list())
def test_everything_recommended_opens(path):
    """Pages and notebooks become HTML with a heading; scenario files are in the gallery."""
    if path.endswith(".toml"):
        assert address_of(path).removeprefix("/?tab=market&file=") in exhibits()
    else:
        page = page_of(path)
        assert "<h1>" in page
        assert len(page) > 1000
        assert "<script" not in page
        assert "<!--" not in page
    assert Path(path).stem.replace("-", " ") in title_of(path)


@pytest.mark.parametrize("path", ["docs/architecture.md", "../pyproject.toml", "/etc/passwd", ""])
def test_nothing_else_does(path):
    """Only what a lesson recommends can be read."""
    assert page_of(path) is None


def test_next_payment_has_an_end():
    """A step with buttons is about a customer whom the market has not passed, or about none."""
    steps = [step for lesson in all_lessons() for step in lesson.steps if step.buttons]
    assert len(steps) >= 5
    for step in steps:
        last = step.last_customer
        assert last is None or step.setup.shown < last <= step.setup.scenario.horizon
    assert [step.last_customer for step in steps].count(None) == 1  # nobody is paid there
