"""Tests that need more than the extra `test`: left out on a laptop, required where CI is set."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEEDED = {  # libraries, by what cannot even be imported without them
    "kcmab_abm/gym": ["gymnasium"],
    "kcmab_abm/lab": ["nicegui"],
    "tests/cli/test_animate.py": ["imageio_ffmpeg"],
    "tests/cluster/test_dask.py": ["distributed"],
    "tests/gym": ["gymnasium"],
    "tests/lab": ["nicegui", "playwright"],
    "tests/lab/test_accessibility.py": ["axe_playwright_python"],
    "tests/sweeps/test_salib.py": ["SALib"],
    "tests/notebooks": ["ipykernel", "nbclient", "nbformat"],
}


def missing(*libraries: str) -> list[str]:
    """Those of the libraries that are not installed."""
    return [name for name in libraries if find_spec(name) is None]


def left_out() -> dict[str, list[str]]:
    """The folders and files that are not collected here, and the libraries that they lack."""
    if os.environ.get("CI"):
        return {}  # so that their imports fail
    lacking = {place: missing(*libraries) for place, libraries in NEEDED.items()}
    return {place: names for place, names in lacking.items() if names}


def leave_out(reason: str) -> None:
    """Skip the test that is running, but never where CI is set."""
    give_up = pytest.fail if os.environ.get("CI") else pytest.skip
    give_up(reason)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass over what cannot be imported here."""
    return True if collection_path in {ROOT / place for place in left_out()} else None


def pytest_report_header() -> list[str]:
    """Say what is passed over, and how to have it."""
    lines = [f"not collected: {place} (needs {', '.join(n)})" for place, n in left_out().items()]
    return [*lines, *(['for these: pip install -e ".[test-all]"'] if lines else [])]
