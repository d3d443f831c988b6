"""The lowest versions that `pyproject.toml` allows, as constraints for pip."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "lowest.txt"
HEAD = "# The lowest versions that pyproject.toml allows: python -m tests.reproducibility.lowest\n"
EXTRAS = ("cluster", "gym", "video", "test")
_BOUND = re.compile(r"([A-Za-z0-9_.-]+)>=([0-9.]+)")


def lowest():
    """One line per library of the package and of these extras that has a lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(each for extra in EXTRAS for each in extras[extra])]
    found = [match.groups() for each in wanted if (match := _BOUND.fullmatch(each))]
    return HEAD + "".join(f"{name}=={version}\n" for name, version in sorted(found))


if __name__ == "__main__":
    FILE.write_text(lowest())
    sys.stdout.write(lowest())
