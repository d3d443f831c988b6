"""Every entry of the catalogue does what it did when its digest was stored."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.golden import cases, digests, stored
from tests.markets import SELDOM

ROOT = Path(__file__).parents[2]
CASES = cases()
STORED = stored()
RENEW = "if that is meant: python -m tests.engines.golden, and look at what it changes"
ON_BATCH = [
    *("policy ucb", "law discrete", "change random-walk", "market late reports"),
    *(f"policy {name}" for name in SELDOM),
]


def test_no_case_is_lost():
    """There is a case for every digest; that of a new entry is stored with the next release."""
    assert set(STORED) <= set(CASES), RENEW


def complaints(name, engine="market"):
    """Which parts of a run are not what they were."""
    found, wanted = digests(name, CASES[name], engine), STORED[name]
    return [part for part in wanted if found[part] != wanted[part]]


@pytest.mark.parametrize("name", STORED)
def test_runs_are_what_they_were(name):
    """Customers choose, earn and are paid what they did when the digest was stored."""
    changed = complaints(name)
    assert not changed, f"{name}: {' and '.join(changed)} changed; {RENEW}"


@pytest.mark.parametrize("name", ON_BATCH)
def test_compiled_runs_are_what_they_were(name):
    """So they do on the other engine."""
    assert not complaints(name, "batch")


OTHER_MACHINES = {
    "C library without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"},
    "NumPy without AVX": {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512_SKX AVX2 FMA3"},
}
COMPLAIN = """
from tests.engines.test_golden import STORED, complaints
print([name for name in STORED if complaints(name)])
"""


@pytest.mark.slow
@pytest.mark.parametrize("machine", OTHER_MACHINES)
def test_digests_hold_on_other_machines(machine):
    """Not one digest depends on how the processor computes exp, log or sin."""
    environment = {**os.environ, **OTHER_MACHINES[machine]}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COMPLAIN],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
