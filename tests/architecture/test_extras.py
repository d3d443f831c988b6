"""The extra `test` is enough for the default suite; continuous integration leaves nothing out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from tests import extras

WITHOUT = """
import sys

import pytest

sys.modules.update(dict.fromkeys(sys.argv[1:]))  # None: as if it were not installed
sys.exit(pytest.main(["--collect-only", "-qq", "-n", "0"]))
"""


def heavy_modules():
    """What can be imported from the libraries of all extras, those of `test` excepted."""
    text = (extras.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = {
        extra: {re.match(r"[\w.-]+", line)[0].lower() for line in lines}
        for extra, lines in tomllib.loads(text)["project"]["optional-dependencies"].items()
    }
    heavy = set().union(*wanted.values()) - wanted["test"]
    found = packages_distributions()
    return sorted(name for name, owners in found.items() if heavy & set(map(str.lower, owners)))


@pytest.mark.slow  # every test module is imported
def test_the_default_suite_needs_no_other_extra():
    """Without the libraries of the other extras all that is collected can be imported."""
    # SciPy believes that it is being documented as soon as there is any entry for Sphinx.
    modules = set(heavy_modules()) - {"kcmab_abm", "sphinx"}
    assert {"distributed", "nicegui", "playwright"} <= modules
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *modules],
        cwd=extras.ROOT,
        env={key: text for key, text in os.environ.items() if key != "CI"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize("place", extras.NEEDED)
def test_what_may_be_left_out_exists(place):
    """Nothing is left out under a name that has gone."""
    assert (extras.ROOT / place).exists()


def test_what_lacks_a_library_is_not_collected(monkeypatch):
    """It is passed over and named, with what it lacks; where CI is set it is not."""
    monkeypatch.setitem(sys.modules, "nbclient", None)
    monkeypatch.delenv("CI", raising=False)
    folder = extras.ROOT / "tests" / "notebooks"
    assert extras.pytest_ignore_collect(folder) is True
    assert extras.pytest_ignore_collect(extras.ROOT / "tests" / "engines") is None
    (line,) = [line for line in extras.pytest_report_header() if "tests/notebooks" in line]
    assert "nbclient" in line
    monkeypatch.setenv("CI", "1")
    assert extras.pytest_ignore_collect(folder) is None
    assert extras.pytest_report_header() == []
