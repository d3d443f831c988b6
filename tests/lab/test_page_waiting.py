"""Pages that were requested, but whose browsers have not connected yet."""

from __future__ import annotations

import pytest

page = pytest.importorskip("kcmab_abm.lab.server.page")


class Waiting:
    """A page that waits for its browser."""

    def __init__(self, ip):
        """Requested from an address."""
        self.ip = ip
        self.is_deleted = False

    def delete(self):
        """Take the page away, as the framework does."""
        self.is_deleted = True
        page._waiting.pop(self)


def test_whoever_asks_for_most_pages_loses_them(monkeypatch):
    """A flood of requests from one address pushes out its own pages, not those of others."""
    monkeypatch.setattr(page, "MOST_WAITING", 10)
    monkeypatch.setattr(page, "_waiting", {})
    students = [Waiting(f"10.0.0.{place}") for place in range(4)]
    for each in students:
        page._wait_for(each)
    flood = [Waiting("10.0.0.99") for _ in range(50)]
    for each in flood:
        page._wait_for(each)
    assert not any(each.is_deleted for each in students)
    assert [each.is_deleted for each in flood] == [True] * 44 + [False] * 6
    assert len(page._waiting) == 10
