"""One digest for all: engines, workers, hash seeds, processors; `nox -s lowest` for old libraries.

The stored digests are renewed by `python -m tests.reproducibility --write`, when trajectories are
meant to change and not before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from tests.extras import leave_out, missing
from tests.reproducibility.lowest import FILE, lowest
from tests.reproducibility.scenes import MARKETS, digests, known

ROOT = Path(__file__).parents[2]
PATIENCE = 900.0
LIBM = ",".join(
    f"-{word}" for word in ("AVX2", "FMA", "FMA4", "AVX512F", "AVX2_Usable", "FMA_Usable")
)
GENERIC = {
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NPY_DISABLE_CPU_FEATURES": " ".join(
        each for each in __cpu_dispatch__ if __cpu_features__[each]
    ),
    "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={LIBM}",
}


def elsewhere(**variables):
    """The digests that another interpreter finds in this environment."""
    command = [sys.executable, "-m", "tests.reproducibility"]
    where = {"cwd": ROOT, "env": {**os.environ, **variables}, "timeout": PATIENCE}
    done = subprocess.run(command, capture_output=True, text=True, check=False, **where)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", MARKETS)
def test_the_market_gives_the_stored_digest(name):
    """Interpreted, each scenario gives what it gave when its digest was stored."""
    assert digests([name], engine="market")[name] == known()[name]


@pytest.mark.usefixtures("_small_chunks")
@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_threads_give_the_stored_digests(jobs):
    """Compiled, in one thread or several, all give what they gave when they were stored."""
    assert digests(jobs=jobs) == known()


@pytest.mark.slow
@pytest.mark.usefixtures("_small_chunks")
@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("pool", ["threads", "processes"])
def test_executors_give_the_stored_digests(engine, pool):
    """Whatever pool the chunks run in."""
    if pool == "threads":
        executor = ThreadPoolExecutor(3)
    else:
        executor = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    with executor:
        assert digests(engine=engine, executor=executor) == known()


@pytest.mark.slow
@pytest.mark.usefixtures("_small_chunks")
def test_a_cluster_gives_the_stored_digests():
    """On the workers of a Dask cluster."""
    if missing("distributed"):
        leave_out("needs distributed: install the extra 'cluster'")
    import distributed

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        assert digests(executor=client.get_executor()) == known()


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_hash_seeds_do_not_matter(seed):
    """Whatever order sets of strings come in."""
    assert elsewhere(PYTHONHASHSEED=seed) == known()


@pytest.mark.slow
def test_processors_do_not_matter(tmp_path):
    """Without fused multiplication, without vectors, with the plainest functions of the C library.

    The kernels are compiled for any processor of the kind, and NumPy takes its slowest paths.
    """
    assert elsewhere(**GENERIC, KCMAB_CACHE_DIR=str(tmp_path)) == known()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", GENERIC)
def test_no_single_switch_matters(name, tmp_path):
    """Each of these switches by itself leaves every digest as it is."""
    assert elsewhere(**{name: GENERIC[name]}, KCMAB_CACHE_DIR=str(tmp_path)) == known()


def test_the_lowest_versions_are_those_of_the_project():
    """`tests/lowest.txt` pins what `pyproject.toml` allows."""
    assert FILE.read_text() == lowest()
