"""docs/howto/index.md lists the how-to pages, and the site has them in the same order."""

from __future__ import annotations

import re

from tests.docs.blocks import ROOT

FOLDER = ROOT / "docs" / "howto"


def listed():
    """The pages that the list links to."""
    text = (FOLDER / "index.md").read_text(encoding="utf-8")
    return re.findall(r"\]\(([\w-]+)\.md\)", text)


def test_every_page_is_listed_once():
    """A new page needs one line there."""
    pages = sorted(page.stem for page in FOLDER.glob("*.md") if page.stem != "index")
    assert sorted(listed()) == pages


def test_the_site_has_them_in_this_order():
    """Those that the front page names; the pattern at its end takes the rest."""
    named = re.findall(
        r"^howto/([\w-]+)$", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert named == ["index", *(page for page in listed() if page in named)]
