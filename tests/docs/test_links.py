"""Links between pages work where the pages are read as they are, on a code host or a disk."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

from tests.docs.blocks import ROOT, pages


def links_of(page):
    """The addresses of all links and pictures of a page."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    for token in tokens:
        for part in token.children or []:
            yield from filter(None, (part.attrGet("href"), part.attrGet("src")))


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_is_linked_exists(page):
    """A link without a scheme names a file or folder of the repository."""
    paths = [urlsplit(link).path for link in links_of(page) if not urlsplit(link).scheme]
    assert [path for path in paths if path and not (page.parent / unquote(path)).exists()] == []


def test_there_are_links_to_check():
    """The walk finds links in text and in tables, and pictures, or it would mean little."""
    readme = list(links_of(ROOT / "README.md"))
    assert "docs/assets/market.gif" in readme
    assert "docs/paper.md" in readme
    assert "howto/ledger.md" in links_of(ROOT / "docs" / "scenario-files.md")
