"""Each policy has its page in docs/theory, and each bound stands on one, beside its code."""

from __future__ import annotations

import ast
import inspect
import re
import sys

import pytest
from markdown_it import MarkdownIt

from kcmab_abm import theory
from kcmab_abm.catalogue.registry import POLICIES
from tests.docs.blocks import ROOT

FOLDER = ROOT / "docs" / "theory"
SECTIONS = ["The rule", "The code", "What is proved", "What is measured", "See also"]
WITH_PAGE = [name for name in POLICIES.own_names() if (FOLDER / f"{name}.md").exists()]
DIVERGENCES = "kcmab_abm.theory.divergences"  # what bounds are made of, and no bounds


def code_on(page):
    """All code that a page takes from the package, as the site shows it."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    fences = [token for token in tokens if token.type == "fence"]
    return "\n".join(
        included(page, token.info.split()[1], token.content)
        for token in fences
        if token.info.startswith("{literalinclude}")
    )


def included(page, file, options):
    """The part of a file that the options of `literalinclude` leave."""
    source = (page.parent / file).read_text(encoding="utf-8")
    given = dict(re.findall(r'^:([\w-]+): "?(.+?)"?$', options, re.MULTILINE))
    assert set(given) <= {"language", "pyobject", "start-at"}, f"{page.name}: {given}"
    if "pyobject" in given:
        parts = {getattr(part, "name", ""): part for part in ast.parse(source).body}
        return ast.get_source_segment(source, parts[given["pyobject"]])
    return source[source.find(given.get("start-at", "")) :]


def bounds():
    """The public functions of `kcmab_abm.theory` that bound something, by name."""
    every = {name: getattr(theory, name) for name in theory.__all__}
    return {name: each for name, each in every.items() if each.__module__ != DIVERGENCES}


def bounded_policy(name):
    """The policy that a bound is named after, if it is."""
    named = [each for each in POLICIES.own_names() if name.startswith(each.replace("-", "_") + "_")]
    return named[0] if named else None


@pytest.mark.parametrize("name", POLICIES.own_names())
def test_every_policy_is_explained(name):
    """It has a page, or the docstring of its file, which the reference shows, explains it."""
    text = inspect.getdoc(sys.modules[POLICIES[name].module]) or ""
    assert name in WITH_PAGE or len(text.split()) >= 20


@pytest.mark.parametrize("name", WITH_PAGE)
def test_the_page_of_a_policy_shows_its_code(name):
    """The whole rule is on it."""
    source = inspect.getsource(POLICIES[name].act).partition("def ")[2]
    assert source in code_on(FOLDER / f"{name}.md")


def test_the_policies_of_the_paper_have_a_page():
    """So has everything that they are compared with."""
    assert {"ucb", "modified-epsilon-greedy", "modified-ts", "ts", "greedy"} <= set(WITH_PAGE)


@pytest.mark.parametrize("name", WITH_PAGE)
def test_pages_of_policies_are_alike(name):
    """Rule, code, what is proved, what is measured: in this order on each of them."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS


@pytest.mark.parametrize("name", bounds())
def test_every_bound_stands_on_a_page(name):
    """It is shown beside its proof: on the page of its policy if it is named after one."""
    policy = bounded_policy(name)
    pages = [FOLDER / f"{policy}.md"] if policy else sorted(FOLDER.glob("*.md"))
    source = inspect.getsource(bounds()[name]).rstrip()
    assert [page.name for page in pages if source in code_on(page)]


def test_there_are_bounds_to_look_for():
    """Theorems 1 to 4 and the stopping problem are among what is looked for."""
    assert {
        "compensation_slope",
        "ucb_compensation_bound",
        "modified_epsilon_greedy_compensation_bound",
        "modified_ts_compensation_leading_terms",
        "stopping_value",
    } <= set(bounds())
    assert bounded_policy("modified_ts_regret_leading_terms") == "modified-ts"
    assert bounded_policy("lai_robbins") is None
