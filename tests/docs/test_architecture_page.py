"""What docs/architecture.md says of the project is what pyproject.toml and the code say."""

from __future__ import annotations

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, GROUPS = SETTINGS["project"], SETTINGS["dependency-groups"]
OWN = PROJECT["name"]


def wanted():
    """All dependencies, by the extra or group that asks for them; "" for what everybody needs."""
    extras = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"], **GROUPS}
    return {
        extra: {re.match(r"[\w.-]+", line)[0] for line in lines if isinstance(line, str)} - {OWN}
        for extra, lines in extras.items()
    }


def explained():
    """The dependencies in the table, by extra; a row without a reason counts for nothing."""
    found: dict[str, set[str]] = {}
    table = PAGE.partition("## Dependencies")[2]
    for extra, names, reason in re.findall(
        r"^\| (?:\*([\w-]+)\*: )?([^|]+?) \| ([^|]*?) \|$", table, re.MULTILINE
    ):
        if len(reason) > 3 and names != "library":
            found.setdefault(extra, set()).update(names.split(", "))
    return found


def test_every_dependency_has_its_reason():
    """The table has each dependency of pyproject.toml, under its extra, and no other."""
    assert explained() == {extra: names for extra, names in wanted().items() if names}


@pytest.fixture(scope="module")
def diagram():
    """The script that draws the layers."""
    spec = spec_from_file_location("layers", ROOT / "docs" / "_ext" / "layers.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_drawing_is_that_of_the_contract(diagram):
    """The drawing was made after the last change of the folders or of their docstrings."""
    assert diagram.DRAWING.read_text(encoding="utf-8") == diagram.draw(), (
        "run python docs/_ext/layers.py"
    )


def test_the_drawing_shows_every_folder(diagram):
    """Every folder of the package is in a layer, and the layers hold nothing else but errors."""
    drawn = {folder for layer in diagram.layers() for folder in layer}
    folders = {path.parent.name for path in (ROOT / "kcmab_abm").glob("*/__init__.py")}
    assert drawn == folders | {"errors"}
    assert all(f">{folder}</text>" in diagram.draw() for folder in drawn)


@pytest.mark.parametrize("extra", [*PROJECT["optional-dependencies"], *GROUPS])
def test_every_extra_is_named(extra):
    """Whoever reads the page learns what each extra is for."""
    assert f"`{extra}`" in PAGE.partition("## Dependencies")[2]
