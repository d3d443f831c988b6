"""The kernels on disk decide nothing: neither the engine nor the results, whatever is done to them.

Every run is a process of its own, forked before any kernel is loaded, so that only the first few
seconds of importing are shared.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kcmab_abm.batch import driver, kernel
from tests.engines.test_store import DAMAGES, ROOT, STRANGER

LIMIT = 300  # seconds: a run that takes longer hangs

RUNS = """
import json, os, sys, warnings

import kcmab_abm as kcmab
from kcmab_abm.batch import run

warnings.simplefilter("ignore")
scenario = kcmab.make_scenario({
    "horizon": 50, "replications": 3,
    "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.5]}},
    "policy": [{"name": "ucb"}],
})
for folder in sys.argv[1:]:
    if os.fork() == 0:
        os.environ["KCMAB_CACHE_DIR"] = folder
        results = kcmab.simulate(scenario, jobs=1)
        engines = [used.engine for used in results.engines.values()]
        print(json.dumps([folder, engines, results.digest()]), flush=True)
        os._exit(0)
    _, status = os.wait()
    assert status == 0, folder
"""


def run_each(folders, before=(), **changes):
    """The engine and the digest of a run with each of these caches, each in a new process."""
    done = subprocess.run(
        [*before, sys.executable, "-c", RUNS, *map(str, folders)],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | changes,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT * len(folders),
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    return {Path(folder): found for folder, *found in map(json.loads, done.stdout.splitlines())}


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A cache with all that one policy needs, and what a run with it gives."""
    folder = tmp_path_factory.mktemp("kernels")
    (found,) = run_each([folder]).values()
    assert found[0] == ["batch"]
    return folder, found


EVERY_KIND = [*DAMAGES.keys() - {"another function's"}]  # that one comes below
SOME_KINDS = ["emptied", "bit flipped at 500", "a pickle that ends Python", "a pipe"]


@pytest.mark.parametrize(
    ("function", "kinds"),
    [
        pytest.param("advance", sorted(EVERY_KIND), marks=pytest.mark.exhaustive),
        pytest.param("advance", SOME_KINDS, marks=pytest.mark.slow),
        pytest.param("replicate", SOME_KINDS, marks=pytest.mark.exhaustive),
        pytest.param("run_job", SOME_KINDS, marks=pytest.mark.exhaustive),
        pytest.param("", ["garbage"], marks=pytest.mark.slow),  # all of them
    ],
)
def test_no_damage_shows_in_the_results(warm, tmp_path, function, kinds):
    """Damaged in any way, a file costs time: the engine and the digest stay what they were."""
    whole, found = warm
    folders = [shutil.copytree(whole, tmp_path / kind) for kind in kinds]
    for folder in folders:
        hit = [path for path in folder.iterdir() if path.name.startswith(function)]
        assert hit
        for path in hit:
            DAMAGES[folder.name](path)
    assert run_each(folders) == dict.fromkeys(folders, found)


@pytest.mark.slow
def test_files_that_change_places(warm, tmp_path):
    """Whole files under each other's names are not used."""
    whole, found = warm
    folder = shutil.copytree(whole, tmp_path / "swapped")
    paths = sorted(folder.iterdir())
    contents = [path.read_bytes() for path in paths]
    for path, content in zip(paths, [*contents[1:], contents[0]], strict=True):
        path.write_bytes(content)
    assert run_each([folder]) == {folder: found}


@pytest.mark.slow
def test_two_processes_that_compile_at_once(tmp_path, warm):
    """Both run, and what they leave behind is whole."""
    _, found = warm
    folder = tmp_path / "kernels"
    command = [sys.executable, "-c", RUNS, str(folder)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for each in both:
        out, _ = each.communicate(timeout=LIMIT)
        assert json.loads(out)[1:] == found
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert run_each([folder]) == {folder: found}
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def as_stranger():
    """The command that runs another as a user without a name, who may read all and write nothing.

    The interpreter may lie where only root can read it.
    """
    return [
        "setpriv",
        f"--reuid={STRANGER}",
        f"--regid={STRANGER}",
        "--clear-groups",
        "--inh-caps=+dac_read_search",
        "--ambient-caps=+dac_read_search",
    ]


@pytest.mark.slow
@pytest.mark.skipif(not ROOT or shutil.which("setpriv") is None, reason="needs to be another user")
@pytest.mark.parametrize("home", ["/nonexistent", None])
@pytest.mark.parametrize("given", [True, False], ids=["a folder given", "no folder"])
def test_a_user_without_a_home(warm, tmp_path_factory, home, given):
    """Who can write neither to the installation nor to a home has the batch engine all the same."""
    _, found = warm
    cache = tmp_path_factory.mktemp("given") if given else Path("/proc/none")
    if given:
        os.chown(cache, STRANGER, STRANGER)
    environment = [f"HOME={home}"] if home else ["-u", "HOME"]
    assert run_each([cache], [*as_stranger(), "env", *environment]) == {cache: found}
    assert bool(given and list(cache.iterdir())) is given


def test_templates_are_neither_compiled_nor_kept_when_imported():
    """Importing a template needs no disk: only what is loaded for a scenario is compiled."""
    for function in (driver.run_job, kernel.advance):
        assert function.signatures == []
        assert function.stats.cache_path is None
