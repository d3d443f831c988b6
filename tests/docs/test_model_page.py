"""docs/model.md follows the protocol, and what it says of the model is in the code."""

from __future__ import annotations

import dataclasses
import re

import pytest

from kcmab_abm import make_scenario
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from kcmab_abm.market.run import set_up
from kcmab_abm.market.visit import Visit
from kcmab_abm.model import streams
from kcmab_abm.model.book import Book
from kcmab_abm.model.budget import Purse
from kcmab_abm.model.offers import Board
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.scenario.schema import json_schema
from kcmab_abm.scenario.world import Arm
from tests.docs.blocks import ROOT

TEXT = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
PROTOCOL = [  # Müller et al. 2013
    "## I. Overview",
    "### I.i Purpose",
    "### I.ii Entities, state variables and scales",
    "### I.iii Process overview and scheduling",
    "## II. Design concepts",
    "### II.i Theoretical and empirical background",
    "### II.ii Individual decision-making",
    "### II.iii Learning",
    "### II.iv Individual sensing",
    "### II.v Individual prediction",
    "### II.vi Interaction",
    "### II.vii Collectives",
    "### II.viii Heterogeneity",
    "### II.ix Stochasticity",
    "### II.x Observation",
    "## III. Details",
    "### III.i Implementation details",
    "### III.ii Initialisation",
    "### III.iii Input data",
    "### III.iv Submodels",
]
CATALOGUES = (POLICIES, BEHAVIOURS, DECISIONS, PRICING, DISCLOSURES, MEASURES, LAWS)
VARIABLES = re.findall(r"`([A-Z]\w+)\.(\w+)`", TEXT)


def section(heading):
    """What stands below a heading, up to the next one that is not deeper."""
    level = heading.split()[0]
    rest = TEXT.partition(f"\n{heading}\n")[2]
    return re.split(rf"^#{{2,{len(level)}}} ", rest, flags=re.MULTILINE)[0]


@pytest.fixture(scope="module")
def market():
    """The entities of a market, by the names of their classes."""
    arms = {"law": "bernoulli", "means": [0.9, 0.1]}
    settings = {"horizon": 3, "market": {"arms": arms}, "policy": [{"name": "ucb"}]}
    scenario = make_scenario(settings)
    place, controller, accountant = set_up(scenario, scenario.policies[0], 0)
    return {
        "Arm": place.scenario.market.arms[0],
        "Tape": place.tapes[0],
        "Prospects": place.prospects,
        "Book": place.book,
        "Visit": Visit(1, 1.0, place.env.event()),
        "Customers": controller.customers,
        "Controller": controller,
        "Board": Board(0, controller.shown, False),
        "Purse": place.purse,
        "Trajectory": accountant.ledger,
    }


def test_the_headings_are_those_of_the_protocol_in_its_order():
    """All of them, and none between them."""
    found = re.findall(r"^#{2,3} .+$", TEXT, re.MULTILINE)
    assert found == PROTOCOL


@pytest.mark.parametrize("heading", [each for each in PROTOCOL if each.startswith("###")])
def test_no_section_is_empty(heading):
    """Each element of the protocol is answered, if only by why it does not apply."""
    assert len(section(heading).split()) > 30


@pytest.mark.parametrize("variable", VARIABLES, ids=".".join)
def test_every_state_variable_exists(market, variable):
    """A name in the tables is that of an attribute of the entity, in a real market."""
    entity, name = variable
    assert hasattr(market[entity], name)


def state_of(kind):
    """The names of everything that an entity of this class carries."""
    if dataclasses.is_dataclass(kind):
        return {field.name for field in dataclasses.fields(kind)}
    if hasattr(kind, "_fields"):
        return set(kind._fields)
    return set(kind.__annotations__) | set(vars(kind(1, 1.0, None)))


@pytest.mark.parametrize("kind", [Arm, Book, Board, Purse, Visit, Trajectory])
def test_no_state_variable_is_left_out(kind):
    """The page names all that an arm, the book, the board, a purse, a visit, a ledger has."""
    named = {name for entity, name in VARIABLES if entity == kind.__name__}
    assert state_of(kind) <= named


def test_every_stream_of_randomness_is_in_the_table():
    """Every purpose for which the model draws numbers, and no other."""
    constants = {name for name, each in vars(streams).items() if type(each) is int}
    purposes = {name for name in constants if name.isupper() and not name.startswith("_")}
    rows = re.findall(r"^\| `([A-Z]+)` \|", section("### II.ix Stochasticity"), re.MULTILINE)
    assert sorted(rows) == sorted(purposes)


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda each: each.kind)
def test_every_submodel_is_on_the_page(catalogue):
    """Every entry of the package has its row, with its rule and a link to its code."""
    rows = re.findall(r"^\| \[`([\w-]+)`\]\(reference/(\w+)\.md#[\w-]+\) \| .+ \|$", TEXT, re.M)
    folder = {"policy": "policies", "pricing rule": "pricing"}.get(
        catalogue.kind, f"{catalogue.kind}s"
    )
    assert sorted(name for name, page in rows if page == folder) == catalogue.own_names()


@pytest.mark.usefixtures("_own_catalogue")
def test_every_table_of_a_scenario_is_covered():
    """Each is a row among the submodels, or has its settings among the parameters."""
    tables = [json_schema(), *json_schema()["$defs"].values()]
    submodels = set(re.findall(r"^\| \[`([\w-]+)`\]", TEXT, re.MULTILINE))
    parameters = TEXT.partition("#### Parameters")[2]
    missing = []
    for each in tables:
        kinds = r"policy|behaviour|decision|pricing rule|disclosure|(?:run )?measure|law"
        if found := re.fullmatch(rf"(?:{kinds}) ([\w-]+)(?:, random means)?", each["title"]):
            missing += [] if found[1] in submodels else [each["title"]]
            continue
        keys = [key for key, field in each.get("properties", {}).items() if "const" not in field]
        missing += [(each["title"], key) for key in keys if f"| `{key}` |" not in parameters]
    assert missing == []
