"""The page as a whole."""

from __future__ import annotations


def test_the_page_opens_with_three_tabs(visit):
    """A visitor finds the market, the lessons and the batch runs."""
    page = visit()
    assert page.title() == "kcmab lab"
    tabs = page.get_by_role("tab").all_inner_texts()
    assert [tab.strip().lower() for tab in tabs] == ["market", "lessons", "batch"]
