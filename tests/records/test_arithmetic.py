"""Another processor or C library is noticed before its numbers are mixed with ours."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from kcmab_abm.cli.main import BAD_INPUT
from kcmab_abm.running import dask_cluster as clusters
from kcmab_abm.running import machine_arithmetic, run_identity
from kcmab_abm.running.manifest import versions

HERE = machine_arithmetic.arithmetic()
WITHOUT_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"}
SHOW = """
import math
from kcmab_abm.running.machine_arithmetic import arithmetic
print(arithmetic(), hash(tuple(math.exp(k / 4096) for k in range(1, 100_000))))
"""


def elsewhere(**environment):
    """The fingerprint in another process, and one of many values of exp."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_another_process_computes_alike():
    """The fingerprint depends on nothing but the arithmetic."""
    assert elsewhere(PYTHONHASHSEED="7")[0] == HERE
    assert versions()["arithmetic"] == HERE


def test_another_c_library_is_noticed():
    """Two builds of the functions in one C library have two fingerprints."""
    found, values = elsewhere(**WITHOUT_FMA)
    if values == elsewhere()[1]:
        pytest.skip("this machine has but one build of exp")
    assert found != HERE


@pytest.mark.parametrize("place", range(len(machine_arithmetic._OF_ONE)))
def test_one_other_digit_is_noticed(place, monkeypatch):
    """Whichever function is off by one in the last place at one point, it shows."""
    functions = list(machine_arithmetic._OF_ONE)
    original, points = functions[place], []

    def off(x):
        points.append(x)
        value = original(x)
        return math.nextafter(value, math.inf) if len(points) == 100 else value

    functions[place] = off
    monkeypatch.setattr(machine_arithmetic, "_OF_ONE", tuple(functions))
    assert machine_arithmetic.arithmetic.__wrapped__() != HERE


def test_other_draws_are_noticed(monkeypatch):
    """So does a generator that draws other numbers."""
    monkeypatch.setattr(np.random, "SFC64", np.random.PCG64)
    assert machine_arithmetic.arithmetic.__wrapped__() != HERE


def test_resume_elsewhere_is_refused(command, tmp_path, capsys, monkeypatch):
    """A run is not gone on with by a machine that computes other last digits."""
    assert command("--replications", "4") == 0
    other = {**versions(), "arithmetic": "elsewhere"}
    monkeypatch.setattr(run_identity, "versions", lambda: other)
    assert command("--replications", "8", "--resume") == BAD_INPUT
    assert capsys.readouterr().err == (
        f"{tmp_path / 'out.partial'}: was started with another processor or C library, whose "
        f"functions differ in the last digits (arithmetic {HERE} instead of elsewhere); run it as "
        "before, or give --force to start again\n"
    )


def test_workers_compare_their_arithmetic():
    """A worker of a cluster that computes other last digits is refused."""
    mine = clusters.makings()
    assert mine["arithmetic"] == HERE
    problem = clusters._difference(mine, {**mine, "arithmetic": "elsewhere"})
    assert f"(arithmetic elsewhere instead of {HERE} as here)" in problem
