"""Imports flow one way, and the big libraries stay in their rooms."""

from __future__ import annotations

import importlib
import json
import random
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

import kcmab_abm
from tests.extras import leave_out, missing

ROOT = Path(kcmab_abm.__file__).parent
PACKAGE = "kcmab_abm"


def sources():
    """Every source file of the package, the front door apart."""
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def test_the_contracts_hold():
    """Imports go down only and libraries stay in their folders: see [tool.importlinter]."""
    lint = shutil.which("lint-imports", path=Path(sys.executable).parent)
    assert lint, "install the extra 'test'"
    done = subprocess.run(
        [lint, "--no-cache"], cwd=ROOT.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_few_modules_lie_in_the_root():
    """Everything but the front door lives in a folder."""
    names = {path.name for path in ROOT.glob("*.py")}
    assert names == {"__init__.py", "__main__.py", "errors.py"}


def test_public_names_are_listed_once_and_in_order():
    """`__all__` is sorted, without repetition, and every name in it exists."""
    names = kcmab_abm.__all__
    assert names == sorted(set(names))
    assert all(hasattr(kcmab_abm, name) for name in names)


@pytest.mark.parametrize("module", ["kcmab_abm", "kcmab_abm.cli.main"])
def test_importing_the_front_door_and_the_commands_is_light(module):
    """Every library but click is loaded when it is needed, not before."""
    heavy = ["numpy", "pandas", "scipy", "pydantic", "rich", "simpy", "numba", "matplotlib"]
    code = f"import sys, {module}; print([w for w in {heavy} if w in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_using_the_package_loads_neither_compiler_nor_pictures():
    """These are loaded when something is compiled, drawn or integrated."""
    heavy = ["numba", "matplotlib", "scipy.stats", "scipy.integrate", "nicegui"]
    code = "import sys; from kcmab_abm import *; import kcmab_abm.cli.tables"
    code += f"; print([w for w in {heavy} if w in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def module_names():
    """The dotted names of all modules of the package, packages among them."""
    paths = [path.relative_to(ROOT.parent).with_suffix("") for path in sources()]
    names = [".".join(path.parts).removesuffix(".__init__") for path in paths]
    return [name for name in names if not name.endswith("__main__")]


def test_no_module_is_called_like_something_else():
    """A module would take the place of a public name when it is imported: none has that name."""
    for name in ["", *filter(_is_package, module_names())]:
        package = importlib.import_module(name or PACKAGE)
        inside = {each.rpartition(".")[2] for each in module_names() if _parent(each) == name}
        public = {word for word, value in vars(package).items() if not _is_module(value)}
        assert not inside & public, name


def _is_package(name):
    return (ROOT.parent / name.replace(".", "/") / "__init__.py").exists()


def _parent(name):
    return name.rpartition(".")[0].removeprefix(PACKAGE if name.count(".") == 1 else "")


def _is_module(value):
    return isinstance(value, types.ModuleType)


IMPORT_ALL = """
import importlib, json, sys
import kcmab_abm

def public():
    return {name: id(getattr(kcmab_abm, name)) for name in kcmab_abm.__all__}

before = public()
for name in json.loads(sys.argv[1]):
    assert importlib.import_module(name) is sys.modules[name], name
    assert public() == before, name
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_modules_can_be_imported_in_any_order(seed):
    """Every module can be imported by its dotted name, and none changes what a name stands for."""
    for library, extra in {"nicegui": "lab", "gymnasium": "gym"}.items():
        if missing(library):
            leave_out(f"needs {library}: install the extra {extra!r}")
    names = module_names()
    random.Random(seed).shuffle(names)
    code = [sys.executable, "-c", IMPORT_ALL, json.dumps(names)]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_pricing_rule_is_a_module_and_the_decorator_stays():
    """A rule's module can be the first thing imported, and `kcmab_abm.pricing` is callable."""
    code = (
        "import kcmab_abm.entries.prices.least as p, kcmab_abm as k; "
        "print(callable(k.pricing), p.price)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("True <function price")
