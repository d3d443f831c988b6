"""Pages as tests: one item a page, so that pytest spreads pages over its workers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import PageError, blocks_run_by, pages, slow_reason
from tests.docs.running import LeftOut, run_page
from tests.extras import leave_out
from tests.registry import own_catalogue


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Page | None:
    """Every page of the documentation is a file with tests."""
    if file_path.suffix != ".md" or file_path not in pages():
        return None
    page: Page = Page.from_parent(parent, path=file_path)
    return page


class Page(pytest.File):
    """A page of the documentation."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test, if there is anything to run."""
        if blocks_run_by(self.path):
            item: Examples = Examples.from_parent(self, name="examples")
            if slow_reason(self.path):
                item.add_marker("slow")
            yield item


class Examples(pytest.Item):
    """The examples of one page, in their order."""

    def runtest(self) -> None:
        """Run them in a folder of their own; what they register is forgotten afterwards."""
        with own_catalogue(), tempfile.TemporaryDirectory() as home:
            try:
                run_page(self.path, Path(home))
            except LeftOut as reason:
                leave_out(str(reason))

    def repr_failure(self, excinfo, style=None):  # type: ignore[no-untyped-def]
        """Show what the page says and does, not how this was found out."""
        if isinstance(excinfo.value, PageError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is and what it is called."""
        return self.path, 0, f"examples of {self.path.name}"
