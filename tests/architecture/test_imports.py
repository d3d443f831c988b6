"""Imports flow one way, and the big libraries stay in their rooms."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kcmab_abm

ROOT = Path(kcmab_abm.__file__).parent
PACKAGE = "kcmab_abm"

ORDER = [
    "errors",
    "plugins",
    "processes",
    "streams",
    "book",
    "offers",
    "purse",
    "changes",
    "entries",
    "catalogue",
    "arms",
    "policies",
    "behaviours",
    "pricing",
    "points",
    "shapes",
    "forms",
    "problems",
    "precision",
    "world",
    "reading",
    "agents",
    "markets",
    "scenario",
    "trajectory",
    "ledger",
    "market",
    "batch",
    "measures",
    "differences",
    "workers",
    "folders",
    "journal",
    "replications",
    "results",
    "experiment",
    "sweeps",
    "theory",
    "yardsticks",
    "figures",
    "output",
    "tables",
    "options",
    "clusters",
    "compare",
    "paper",
    "paths",
    "playing",
    "lab",
    "cli",
]

ROOMS = {
    "simpy": {"market"},
    "numba": {"batch"},
    "llvmlite": {"batch"},
    "matplotlib": {"figures"},
    "PIL": {"figures"},
    "imageio_ffmpeg": {"figures"},
    "networkx": {"behaviours", "paths"},
    "cloudpickle": {"clusters"},
    "distributed": {"clusters"},
    "nicegui": {"lab"},
}


def unit_of(path):
    """The top-level module or folder that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def sources():
    """Every source file of the package, the front door apart."""
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def units():
    """The top-level modules and folders of the package."""
    return {unit_of(path) for path in sources()} - {"__main__"}


def is_for_types(node):
    """Whether this is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imported(tree):
    """The dotted names that a source imports when it runs, late imports included."""
    for node in ast.iter_child_nodes(tree):
        if is_for_types(node):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the order"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from imported(node)


def imports_of(path):
    """The dotted names that a file imports."""
    return list(imported(ast.parse(path.read_text(encoding="utf-8"))))


def own_imports(path):
    """The units of the package that a file imports from."""
    names = [name.split(".") for name in imports_of(path)]
    return {name[1] for name in names if name[0] == PACKAGE and len(name) > 1} - {"__version__"}


@pytest.mark.parametrize("library", ROOMS)
def test_libraries_stay_in_their_rooms(library):
    """Each big library is known to the folders named above, and to no other."""
    users = {
        unit_of(path)
        for path in sources()
        for name in imports_of(path)
        if name.split(".")[0] == library
    }
    assert users <= ROOMS[library]


def test_every_module_has_its_place():
    """A new module is put into the order on purpose."""
    assert units() <= set(ORDER)


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_flow_one_way(path):
    """A module imports only from modules that come before it, or from its own folder."""
    unit = unit_of(path)
    allowed = set(ORDER if unit == "__main__" else ORDER[: ORDER.index(unit)]) | {unit}
    assert own_imports(path) <= allowed


@pytest.mark.parametrize(("one", "other"), [("market", "batch"), ("batch", "market")])
def test_the_engines_do_not_know_each_other(one, other):
    """Neither engine imports the other, so that each can be checked against it."""
    assert all(other not in own_imports(path) for path in (ROOT / one).rglob("*.py"))


def test_types_may_look_ahead():
    """The walk skips imports for types and finds late ones, or these tests would mean little."""
    text = """
import a.b
if TYPE_CHECKING:
    import c
def late():
    from d.e import f, g
"""
    assert list(imported(ast.parse(text))) == ["a.b", "d.e.f", "d.e.g"]
    late = ROOT / "workers.py"
    assert "batch" in own_imports(late)


def test_public_names_are_listed_once_and_in_order():
    """`__all__` is sorted, without repetition, and every name in it exists."""
    names = kcmab_abm.__all__
    assert names == sorted(set(names))
    assert all(hasattr(kcmab_abm, name) for name in names)


def test_importing_the_commands_is_light():
    """The compiler, matplotlib and the like are loaded when they are needed, not before."""
    heavy = ["numba", "matplotlib", "scipy.stats", "scipy.integrate", "nicegui"]
    code = f"import sys, kcmab_abm.cli; print([w for w in {heavy} if w in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
