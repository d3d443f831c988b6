"""The page as a whole."""

from __future__ import annotations


def test_the_page_opens_with_its_tabs(visit):
    """A visitor finds the first screen, the gallery, the market, lessons and batch runs."""
    page = visit()
    assert page.title() == "kcmab lab"
    tabs = page.get_by_role("tab").all_inner_texts()
    names = [tab.strip().lower() for tab in tabs]
    assert names == ["start", "gallery", "market", "lessons", "batch"]
