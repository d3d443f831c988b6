"""The site builds without a warning, its links lead somewhere, and it needs no network."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from tests.docs.blocks import ROOT
from tests.docs.running import run_page

pytestmark = pytest.mark.slow  # building takes ten seconds and more

LOADED = {  # what a browser fetches to show a page
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "use": "href",
    "video": "src",
}


class Reader(HTMLParser):
    """The anchors, links and loaded files of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Note what a tag names, links to, or loads."""
        found = {word: value for word, value in attributes if value}
        self.anchors |= {found[word] for word in ("id", "name") if word in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif LOADED.get(tag) in found:
            self.loaded.append(found[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as docs/writing.md says; a warning is an error."""
    page = ROOT / "docs" / "writing.md"
    here = Path(__file__).relative_to(ROOT)
    folder = run_page(page, tmp_path_factory.mktemp("site"), str(here))
    return folder / "docs" / "_build" / "html"


@cache
def read(page):
    """A page, read once."""
    return Reader(page.read_text(encoding="utf-8"))


def pages_of(site):
    """All pages of the site."""
    found = sorted(site.rglob("*.html"))
    assert len(found) > 20
    return found


def leads_nowhere(page, link):
    """Whether a link within the site has no file, or no anchor, at its end."""
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return True
    return bool(parts.fragment) and unquote(parts.fragment) not in read(target).anchors


def is_inside(link):
    """Whether a link stays within the site."""
    parts = urlsplit(link)
    return not parts.scheme and not parts.netloc


def test_every_link_inside_leads_somewhere(site):
    """Every page and every anchor that a link names is there."""
    dead = [
        (page.name, link)
        for page in pages_of(site)
        for link in read(page).links
        if is_inside(link) and leads_nowhere(page, link)
    ]
    assert dead == []


def test_nothing_is_loaded_from_outside(site):
    """Whatever a page shows or runs lies in the folder, so that it can be read offline."""
    missing = [
        (page.name, file)
        for page in pages_of(site)
        for file in read(page).loaded
        if not file.startswith("data:") and (not is_inside(file) or leads_nowhere(page, file))
    ]
    assert missing == []


def test_styles_load_nothing_from_outside(site):
    """Neither does a style sheet fetch a font or a picture from elsewhere."""
    sheets = list(site.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        assert "url(http" not in text.replace('"', "").replace("'", "")
        assert "url(//" not in text.replace('"', "").replace("'", "")
        assert "@import" not in text


@pytest.mark.parametrize(
    ("page", "catalogue"),
    [
        ("policies", POLICIES),
        ("behaviours", BEHAVIOURS),
        ("decisions", DECISIONS),
        ("pricing", PRICING),
        ("disclosures", DISCLOSURES),
        ("measures", MEASURES),
        ("laws", LAWS),
    ],
)
def test_the_reference_has_every_entry(site, page, catalogue):
    """Everything in the catalogue has an anchor of its own in the reference."""
    anchors = read(site / "reference" / f"{page}.html").anchors
    names = {name for name in catalogue.own_names() if not name.startswith("test-")}
    assert names <= anchors


def test_formulas_are_drawn(site):
    """Formulas are pictures in the page, with their source for those who cannot see them."""
    text = (site / "scenario-files.html").read_text(encoding="utf-8")
    assert 'aria-label="\\rho"' in text
    assert not any("mathjax" in file.lower() for file in read(site / "scenario-files.html").loaded)


@pytest.fixture
def show(site, browser):
    """Open a page of the site in a window of some width, and in light or dark."""
    contexts = []

    def _show(name, width=1280, height=720, scheme="light"):
        contexts.append(
            browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        )
        page = contexts[-1].new_page()
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield _show
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["index", "model", "paper", "howto/sweeps", "reference/python"])
def test_no_page_is_wider_than_its_window(show, name, width):
    """Wide tables scroll by themselves, if they must."""
    page = show(name, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 390])
def test_what_was_found_is_seen_without_scrolling(show, width):
    """The second column of the table of the paper is within the window, from edge to edge."""
    heading = show("paper", width).locator("th", has_text="found").first
    box = heading.bounding_box()
    assert box["width"] > 80
    assert 0 <= box["x"] < box["x"] + box["width"] <= width


def test_the_front_page_shows_the_market_and_three_doors(show):
    """On a laptop the animation and the top of each door are in the first window."""
    page = show("index")
    doors = page.locator(".door")
    assert doors.count() == 3
    assert page.locator("img[src$='market.gif']").evaluate("each => each.naturalWidth") == 800
    assert all(doors.nth(door).bounding_box()["y"] < 600 for door in range(3))
    assert len({doors.nth(door).bounding_box()["y"] for door in range(3)}) == 1


def test_figures_suit_the_dark_mode(show):
    """A white figure is turned over in the dark, and left alone in the light."""
    styles = [
        show("research-note", scheme=scheme)
        .locator("article img")
        .evaluate_all("all => all.map(each => getComputedStyle(each).filter)")
        for scheme in ("light", "dark")
    ]
    assert set(styles[0]) == {"none"}
    assert set(styles[1]) == {"invert(1) hue-rotate(180deg)"}
