"""What docs/architecture.md says of the project is what pyproject.toml and the code say."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.architecture.test_imports import ORDER
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWN = PROJECT["name"]


def wanted():
    """All dependencies, by the extra that asks for them; "" for those that everybody needs."""
    extras = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    return {
        extra: {re.match(r"[\w.-]+", line)[0] for line in lines} - {OWN}
        for extra, lines in extras.items()
    }


def explained():
    """The dependencies in the table, by extra; a row without a reason counts for nothing."""
    found: dict[str, set[str]] = {}
    table = PAGE.partition("## Dependencies")[2]
    for extra, names, reason in re.findall(
        r"^\| (?:\*(\w+)\*: )?([^|]+?) \| ([^|]*?) \|$", table, re.MULTILINE
    ):
        if len(reason) > 3 and names != "library":
            found.setdefault(extra, set()).update(names.split(", "))
    return found


def test_every_dependency_has_its_reason():
    """The table has each dependency of pyproject.toml, under its extra, and no other."""
    assert explained() == {extra: names for extra, names in wanted().items() if names}


def test_the_order_of_imports_is_the_one_that_is_held():
    """The page lists the modules in the order which the test of imports enforces."""
    listed = re.search(r"in this order: (.+?)\. ", PAGE.replace("\n", " "))
    assert listed
    assert listed[1].split(", ") == ORDER


def test_the_house_has_a_room_for_every_module():
    """The drawing is written from the ground upwards, with all modules in the order of imports."""
    drawing = (ROOT / "docs" / "assets" / "house.svg").read_text(encoding="utf-8")
    rooms = re.findall(r'class="rooms".*?>(.+?)</text>', drawing)
    assert " ".join(rooms).split() == ORDER


@pytest.mark.parametrize("extra", PROJECT["optional-dependencies"])
def test_every_extra_is_named(extra):
    """Whoever reads the page learns what each extra is for."""
    assert f"`{extra}`" in PAGE.partition("## Dependencies")[2]
