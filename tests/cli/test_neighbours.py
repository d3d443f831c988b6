"""A file given by --with imports the modules beside it, as a script does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from kcmab_abm.catalogue import user_files as plugins
from kcmab_abm.cli.main import BAD_INPUT, run

SCENARIO = """
horizon = 30
replications = 4

[market]
arms = { law = "bernoulli", means = [0.9, 0.5, 0.2] }

[[policy]]
name = "mine"
"""
OWN = """
import helper
from kcmab_abm import policy

@policy("mine")
def choose(t, book, memory, params, rng):
    return helper.step(t) % len(book.means)
"""
HELPER = "STRIDE = {stride}\n\ndef step(t):\n    return t * STRIDE\n"


@pytest.fixture(autouse=True)
def _as_before(_own_catalogue, _small_figure, monkeypatch):
    """Files and modules that a test brings are forgotten after it."""
    before = set(sys.modules), list(sys.path), list(sys.meta_path)
    yield
    plugins.bring([])
    for name in set(sys.modules) - before[0]:
        if name in ("helper", "other", "late", "own", "tools", "tools.deep"):
            del sys.modules[name]
    assert (sys.path, sys.meta_path) == before[1:]


@pytest.fixture
def folder(tmp_path):
    """A folder with a scenario, a file and its neighbour, which is not the current one."""
    folder = tmp_path / "users"
    folder.mkdir()
    (folder / "mine.toml").write_text(SCENARIO)
    (folder / "own.py").write_text(OWN)
    (folder / "helper.py").write_text(HELPER.format(stride=2))
    return folder


def command(folder, *options, out="out", own="own.py"):
    """Run the scenario with the user's file."""
    words = ["--with", str(folder / own), "--engine", "market", "--out", str(folder / out)]
    return run(["run", str(folder / "mine.toml"), *words, *options])


def digest(folder, out="out"):
    """The digest of the results."""
    return json.loads((folder / out / "manifest.json").read_text())["digest"]


def test_a_neighbour_is_imported_and_counts(folder, capsys):
    """`import helper` finds helper.py beside the file; when it changes, the code is another."""
    assert command(folder) == 0, capsys.readouterr().err
    before = digest(folder)
    assert command(folder, "--resume", "--replications", "5") == 0, capsys.readouterr().err
    (folder / "helper.py").write_text(HELPER.format(stride=1))
    assert command(folder, "--resume", "--replications", "6") == BAD_INPUT
    assert "was started with different code of policy mine" in capsys.readouterr().err
    assert command(folder, out="anew") == 0
    assert digest(folder, "anew") != before


def test_nothing_is_left_of_the_folder(folder):
    """What lies beside the file is found while it runs, and by nobody else later."""
    (folder / "other.py").write_text("")
    assert command(folder) == 0
    with pytest.raises(ModuleNotFoundError):
        __import__("other")


def test_neighbours_travel_to_other_processes(folder, capsys):
    """Worker processes, which start elsewhere, know the neighbours too."""
    assert command(folder, out="one") == 0
    assert command(folder, "--jobs", "2", out="two") == 0, capsys.readouterr().err
    assert digest(folder, "one") == digest(folder, "two")


def test_neighbours_travel_by_value(folder):
    """A process that has no such folder gets the sources along with the work."""
    import pickle

    plugins.bring([str(folder / "own.py")])
    sent = pickle.dumps(plugins.current())
    for path in folder.glob("*.py"):
        path.unlink()
    code = (
        "import pickle, sys; pickle.loads(sys.stdin.buffer.read()); import kcmab_with_1 as own; "
        "print(own.helper.step(5), own.choose.__globals__['helper'] is sys.modules['helper'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=sent, capture_output=True, check=False
    )
    assert done.stdout.decode().strip() == "10 True", done.stderr.decode()


PACKAGE = """
from tools import SHARE
from tools.deep import step
from kcmab_abm import policy

@policy("mine")
def choose(t, book, memory, params, rng):
    import late
    return (step(t) + late.more() + SHARE) % len(book.means)
"""


def test_packages_and_late_imports(folder, capsys):
    """Packages beside the file, relative imports in them, and imports inside functions work."""
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").write_text("SHARE = 1\n")
    (folder / "tools" / "deep.py").write_text(
        "from . import SHARE\nimport helper\n\ndef step(t):\n    return helper.step(t) + SHARE\n"
    )
    (folder / "late.py").write_text("def more():\n    return 1\n")
    (folder / "own.py").write_text(PACKAGE)
    assert command(folder, out="one") == 0, capsys.readouterr().err
    assert command(folder, "--jobs", "2", out="two") == 0, capsys.readouterr().err
    assert digest(folder, "one") == digest(folder, "two")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\ny = x / 0\n", "helper.py: line 2: ZeroDivisionError: division by zero"),
        ("x = 1\n\nx = = 2\n", "helper.py: line 3: invalid syntax"),
        ("import nowhere\n", "helper.py: line 1: ModuleNotFoundError: No module named 'nowhere'"),
        ("import own\n", "helper.py: line 1: ImportError"),
        ("from kcmab_abm import policy\npolicy('ucb')(print)\n", "helper.py: line 2: policy 'ucb'"),
    ],
)
def test_errors_are_told_where_they_are(folder, capsys, text, words):
    """What goes wrong in a neighbour is reported with its file and line, in one line."""
    if "import own" in text:
        text = "from own import nothing\n"
    (folder / "helper.py").write_text(text)
    assert command(folder) == BAD_INPUT
    error = capsys.readouterr().err
    assert error.startswith(f"{folder}/{words}")
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", ["random", "statistics", "numpy", "pandas", "graphlib", "pluggy"])
def test_names_that_are_taken_are_refused(folder, capsys, name):
    """A neighbour called like a module of Python or of a package: nobody guesses which is meant.

    As a script the file would get its neighbour, unless the other has been imported before.
    """
    (folder / f"{name}.py").write_text("raise SystemExit")
    assert command(folder) == 0, capsys.readouterr().err  # nobody imports it
    (folder / "own.py").write_text(f"import {name}\n" + OWN)
    assert command(folder, out="anew") == BAD_INPUT
    error = capsys.readouterr().err
    assert error.startswith(f"{folder}/own.py: line 1: {name!r} may be {folder}/{name}.py or ")
    assert error.endswith("rename the file beside, so that it is clear which one is meant\n")


def test_a_file_beside_a_clone_imports_the_package_that_runs_it(folder, capsys):
    """A clone of the repository beside the file is not a neighbour, a kcmab_abm.py is."""
    (folder / "kcmab_abm").mkdir()
    for name in ("__init__", "theory"):
        (folder / "kcmab_abm" / f"{name}.py").write_text("raise SystemExit")
    (folder / "own.py").write_text("from kcmab_abm.theory import stopping_value\n" + OWN)
    assert command(folder) == 0, capsys.readouterr().err
    assert command(folder, "--jobs", "2", out="two") == 0, capsys.readouterr().err
    for file in (folder / "kcmab_abm").iterdir():
        file.unlink()
    (folder / "kcmab_abm").rmdir()
    (folder / "kcmab_abm.py").write_text("raise SystemExit")
    assert command(folder, out="anew") == BAD_INPUT
    assert "'kcmab_abm' may be" in capsys.readouterr().err


def test_two_folders_with_neighbours_of_one_name_are_refused(folder, tmp_path, capsys):
    """Two files that would import two different modules of one name are told apart by nobody."""
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "helper.py").write_text("")
    (tmp_path / "others" / "own.py").write_text("import helper\n")
    assert command(folder, "--with", str(tmp_path / "others" / "own.py")) == BAD_INPUT
    assert "'helper' may be" in capsys.readouterr().err


def test_two_files_share_a_neighbour(folder, capsys):
    """Two files of one folder get the same module."""
    (folder / "second.py").write_text("import helper\nhelper.STRIDE = 5\n")
    assert command(folder, "--with", str(folder / "second.py")) == 0, capsys.readouterr().err
    assert sys.modules["kcmab_with_1"].helper.STRIDE == 5
