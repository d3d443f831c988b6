"""The paper about the software has the form that the journal asks for, and cites what it lists."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from tests.docs.blocks import ROOT

FOLDER = ROOT / "docs" / "joss"
_, HEAD, BODY = (FOLDER / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
SECTIONS = [
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
    "Acknowledgements",
    "References",
]
LEFT_TO_THE_AUTHORS = "TO BE FILLED IN BY THE AUTHORS"


def entries():
    """The bibliography: the fields of each entry by its key."""
    text = (FOLDER / "paper.bib").read_text(encoding="utf-8")
    return {
        key: dict(re.findall(r"^  (\w+) = \{(.+)\},$", fields, re.MULTILINE))
        for key, fields in re.findall(r"^@\w+\{(\w+),\n(.*?)^\}$", text, re.MULTILINE | re.DOTALL)
    }


def test_the_sections_are_those_of_the_journal():
    """All of them, in order, and no other."""
    tokens = MarkdownIt().parse(BODY)
    found = [
        inline.content for opening, inline in pairwise(tokens) if opening.type == "heading_open"
    ]
    assert found == SECTIONS


@pytest.mark.parametrize("section", SECTIONS[:-1])
def test_no_section_is_empty(section):
    """A section says something, or that the authors have to."""
    text = BODY.partition(f"# {section}\n")[2].partition("\n# ")[0]
    assert len(text.split()) > 50 or LEFT_TO_THE_AUTHORS in text


@pytest.mark.parametrize("field", ["title", "tags", "authors", "affiliations", "date"])
def test_the_head_has_what_the_journal_asks_for(field):
    """In the names that its tools read."""
    assert re.search(rf"^{field}:", HEAD, re.MULTILINE)
    assert "bibliography: paper.bib" in HEAD


def test_the_paper_has_the_length_that_is_asked_for():
    """Between 750 and 1750 words."""
    assert 750 <= len(BODY.split()) <= 1750


def test_what_is_cited_is_listed_and_what_is_listed_is_cited():
    """No reference is missing, and none is for show."""
    cited = re.findall(r"@(\w+)", BODY)
    assert set(cited) == set(entries())
    assert len(entries()) > 15


@pytest.mark.parametrize(("key", "fields"), entries().items(), ids=str)
def test_a_reference_can_be_found(key, fields):
    """It has authors, a title and a place; an identifier has the form of one."""
    assert {"author", "title"} <= set(fields)
    assert {"journal", "booktitle", "howpublished", "url"} & set(fields)
    assert re.fullmatch(r"10\.\d{4,}/\S+", fields.get("doi", "10.0000/none"))
    assert fields.get("url", "https://").startswith("https://")
