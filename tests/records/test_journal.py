"""A run that was stopped goes on where it stopped, and trusts nothing that is damaged."""

from __future__ import annotations

import json
import os
import random
import re
import shutil

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from kcmab_abm import make_scenario, run, simulate
from kcmab_abm.cli.main import BAD_INPUT
from kcmab_abm.running import run_identity, workers
from kcmab_abm.running.chunk_files import Stretch, gaps

from .conftest import SCENARIO, contents


@pytest.fixture
def chunks_run(monkeypatch):
    """The first replications of the chunks that are run from now on."""
    original, found = workers.run_chunk, []

    def note(chunk, *arguments, **options):
        found.append(chunk.first)
        return original(chunk, *arguments, **options)

    monkeypatch.setattr(workers, "run_chunk", note)
    return found


@pytest.fixture
def unfinished(command, whole, tmp_path):
    """A run that has all its chunks and ledgers, but no results yet."""
    shutil.copytree(tmp_path / "whole", tmp_path / "out.partial")
    (tmp_path / "out.partial" / "manifest.json").unlink()
    return tmp_path / "out.partial"


def chunk_files(folder):
    """The chunks in a folder, in order."""
    return sorted((folder / "chunks").glob("*.npz"))


@pytest.mark.parametrize("seed", range(6))
def test_missing_chunks_are_run_and_no_others(seed, command, whole, unfinished, chunks_run):
    """Whatever chunks are missing: they are run, and every file comes out as it should."""
    rng = random.Random(seed)
    files = chunk_files(unfinished)
    lost = rng.sample(files, rng.randint(1, len(files)))
    for path in lost:
        path.unlink()
    assert command("--resume") == 0
    assert sorted(chunks_run) == sorted(int(path.name.split("-")[2]) for path in lost)
    assert not unfinished.exists()
    assert contents(unfinished.with_name("out")) == whole


def spoil(path, how):
    """Damage a file."""
    content = bytearray(path.read_bytes())
    if how == "flipped":
        content[len(content) // 2] ^= 1
    elif how == "cut":
        del content[len(content) // 2 :]
    elif how == "emptied":
        content.clear()
    if how == "removed":
        path.unlink()
    else:
        path.write_bytes(content)


@pytest.mark.parametrize("how", ["flipped", "cut", "emptied"])
@pytest.mark.parametrize("kind", ["chunk", "ledger"])
def test_damage_is_named_and_mended(
    kind, how, command, whole, unfinished, chunks_run, capsys, tmp_path
):
    """A damaged file is named, its chunk run again, and nothing of the damage is left."""
    found = {
        "chunk": chunk_files(unfinished)[3],
        "ledger": sorted((unfinished / "ledger").glob("policy=ucb/*"))[3],
    }[kind]
    spoil(found, how)
    assert command("--resume") == 0
    assert f"{found}: damaged; replications 12 to 15 are run again" in capsys.readouterr().err
    assert chunks_run == [12]
    assert contents(tmp_path / "out") == whole


def test_lost_ledger_is_made_again(command, whole, unfinished, tmp_path):
    """A chunk whose ledger is gone is run again."""
    spoil(sorted((unfinished / "ledger").glob("policy=ucb/*"))[0], "removed")
    assert command("--resume") == 0
    assert contents(tmp_path / "out") == whole


@pytest.mark.parametrize("how", ["cut", "flipped", "removed"])
def test_damaged_identity_is_written_again(
    how, command, whole, unfinished, chunks_run, capsys, tmp_path
):
    """Chunks say themselves what they are of, so that none is lost with the file beside them."""
    spoil(unfinished / "chunks" / "run.json", how)
    assert command("--resume") == 0
    assert ("run.json: " in capsys.readouterr().err) == (how != "removed")
    assert chunks_run == []
    assert contents(tmp_path / "out") == whole


def test_chunks_of_nobody_knows_what_are_run_again(
    command, mine, whole, unfinished, chunks_run, capsys
):
    """Without the file that says what they are of, chunks of another run are found out too."""
    spoil(unfinished / "chunks" / "run.json", "removed")
    mine.write_text(SCENARIO.replace("seed = 5", "seed = 6"))
    assert command("--resume") == 0
    assert capsys.readouterr().err.count("not of this run; replications") == 32
    assert len(chunks_run) == 32


def test_killed_while_old_results_are_taken_over(command, tmp_path):
    """A run over old results that ends when it has linked their ledger but no chunk goes on."""
    assert command() == 0
    before = contents(tmp_path / "out")
    shutil.copytree(tmp_path / "out" / "ledger", tmp_path / "out.partial" / "ledger")
    assert command("--resume") == 0
    assert contents(tmp_path / "out") == before


def test_what_was_half_written_is_removed(command, whole, unfinished, tmp_path):
    """Neither half a chunk nor a ledger without a chunk gets into the results."""
    files = chunk_files(unfinished)
    files[0].rename(files[0].with_name(files[0].name + ".partial"))
    stray = unfinished / "ledger" / "policy=ucb" / "00000000-00000063.parquet"
    shutil.copy(sorted(stray.parent.iterdir())[0], stray)
    assert command("--resume") == 0
    assert contents(tmp_path / "out") == whole


def test_replications_are_added(command, mine, tmp_path, chunks_run):
    """More replications later: the old ones are not run again, and the results are those of all."""
    assert command("--replications", "20") == 0
    del chunks_run[:]
    assert command("--resume", "--replications", "64") == 0
    assert min(chunks_run) == 20
    both = [json.loads((tmp_path / "out" / "manifest.json").read_text())["digest"]]
    assert both == [simulate(make_scenario_of(mine)).digest()]
    lines = sorted((tmp_path / "out" / "ledger").glob("policy=ucb/*"))
    assert sum(_lines_in(path) for path in lines) == 64 * 300
    assert not (tmp_path / "out.partial").exists()


def make_scenario_of(path):
    """The scenario in a file."""
    from kcmab_abm import load_scenario

    return load_scenario(path)


def _lines_in(path):
    import pyarrow.parquet as pq

    return pq.ParquetFile(path).metadata.num_rows


def test_a_longer_run_that_fails_leaves_the_old_results(command, tmp_path, monkeypatch):
    """While replications are added the old results stay as they are."""
    assert command("--replications", "20") == 0
    before = contents(tmp_path / "out")
    original, calls = workers.run_chunk, []

    def fail(*arguments, **options):
        calls.append(arguments)
        if len(calls) > 3:
            raise OSError(28, "No space left on device")
        return original(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(workers, "run_chunk", fail)
        assert command("--resume", "--jobs", "1") == BAD_INPUT
    assert contents(tmp_path / "out") == before
    assert command("--resume") == 0
    assert command(out="fresh") == 0
    digests = [
        json.loads((tmp_path / name / "manifest.json").read_text())["digest"]
        for name in ("out", "fresh")
    ]
    assert digests[0] == digests[1]


def test_full_disk_stops_the_run_and_loses_nothing(command, whole, tmp_path, capsys, monkeypatch):
    """A chunk that cannot be written ends the run with one message; what was written counts."""
    original, calls = os.fsync, []

    def fail(number):
        calls.append(number)
        if len(calls) == 8:
            raise OSError(28, "No space left on device")
        original(number)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        assert command() == BAD_INPUT
    told = capsys.readouterr().err.splitlines()
    assert told[0].endswith("out.partial: finished work is kept; resume it with --resume")
    assert "No space left on device" in told[1]
    assert len(told) == 2
    kept = contents(tmp_path / "out.partial")
    assert len(chunk_files(tmp_path / "out.partial")) == 3  # after the identity, two files each
    assert not any(name.endswith(".partial") for name in kept)
    assert command("--resume") == 0
    assert contents(tmp_path / "out") == whole


def test_finished_run_resumes_to_itself(command, tmp_path, chunks_run):
    """--resume on a finished run runs nothing and changes nothing."""
    assert command() == 0
    before = contents(tmp_path / "out")
    del chunks_run[:]
    assert command("--resume") == 0
    assert chunks_run == []
    assert contents(tmp_path / "out") == before


def test_resume_begins_where_nothing_is(command, whole, tmp_path):
    """--resume may be given from the start, as in the script of a cluster's queue."""
    assert command("--resume") == 0
    assert contents(tmp_path / "out") == whole


def test_unfinished_run_is_not_overwritten(command, unfinished, capsys, whole, tmp_path):
    """Without --resume or --force an unfinished run is in the way; with --force it goes."""
    before = contents(unfinished)
    assert command() == BAD_INPUT
    assert capsys.readouterr().err == (
        f"{unfinished}: holds an unfinished run; give --resume to continue it, --force to start "
        "again, or another name\n"
    )
    assert contents(unfinished) == before
    assert command("--force", "--resume") == BAD_INPUT
    assert "give one of them" in capsys.readouterr().err
    (unfinished / "chunks" / "run.json").write_text("{}")
    assert command("--force") == 0
    assert contents(tmp_path / "out") == whole


CHANGES = {
    "horizon = 300": ("horizon = 301", "horizon = 300 instead of 301"),
    "seed = 5": ("seed = 6", "seed = 5 instead of 6"),
    'record = "paths"': ('record = "sample"', 'record = "paths" instead of "sample"'),
    "0.7": ("0.8", "market = { arms ="),
}


@pytest.mark.parametrize("old", CHANGES)
def test_another_run_is_refused(old, command, mine, unfinished, capsys):
    """A folder is not gone on with by a run that would come out differently."""
    new, words = CHANGES[old]
    before = contents(unfinished)
    mine.write_text(SCENARIO.replace(old, new))
    assert command("--resume") == BAD_INPUT
    error = capsys.readouterr().err
    assert f"out.partial: was started with {words}" in error
    assert "run it as before, or give --force to start again" in error
    assert contents(unfinished) == before


OWN = """
from kcmab_abm import policy

@policy("mine")
def choose(t, book, memory, params, rng):
    return {answer}
"""


def test_another_policy_of_the_same_name_is_refused(mine, command, tmp_path, capsys):
    """A policy that was edited since does not go on with the old one's chunks."""
    plugin = tmp_path / "mine.py"
    mine.write_text(SCENARIO.replace('name = "ucb"', 'name = "mine"'))
    plugin.write_text(OWN.format(answer="t % 3"))
    options = ["--with", str(plugin), "--engine", "market"]
    assert command(*options, "--replications", "2") == 0
    assert command(*options, "--replications", "3", "--resume") == 0
    plugin.write_text(OWN.format(answer="t % 2"))
    assert command(*options, "--replications", "4", "--resume") == BAD_INPUT
    assert "was started with different code of policy mine" in capsys.readouterr().err
    assert not (tmp_path / "out.partial").exists()


def test_another_version_is_refused(command, unfinished, capsys, monkeypatch):
    """Chunks of another version of a library may differ in the last bit."""
    versions = run_identity.versions()
    monkeypatch.setattr(run_identity, "versions", lambda: {**versions, "numpy": "1.0"})
    assert command("--resume") == BAD_INPUT
    assert (
        f'was started with numpy = "{np.__version__}" instead of "1.0"' in capsys.readouterr().err
    )


def test_two_runs_keep_out_of_each_others_way(command, unfinished, capsys):
    """A second run into the same folder is told so."""
    with FileLock(unfinished / ".lock"):
        assert command("--resume") == BAD_INPUT
    assert "another run is writing to it" in capsys.readouterr().err


def test_a_run_that_has_finished_nothing_yet_is_left_alone(command, tmp_path, capsys):
    """A second run takes nothing away from one that has only begun."""
    partial = tmp_path / "out.partial"
    (partial / "chunks").mkdir(parents=True)
    (partial / "chunks" / "run.json").write_text("{}")
    before = contents(partial)
    with FileLock(partial / ".lock"):
        for option in ([], ["--resume"], ["--force"]):
            assert command(*option) == BAD_INPUT
            assert "another run is writing to it" in capsys.readouterr().err
            assert {**before, ".lock": b""} == contents(partial)


@pytest.mark.parametrize("option", [[], ["--resume"], ["--force"]])
@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_what_is_not_of_a_run_is_never_touched(kind, option, command, tmp_path, capsys):
    """Somebody's own files under that name stay, whatever is asked for."""
    own, partial = tmp_path / "own", tmp_path / "out.partial"
    own.mkdir()
    (own / "thesis.tex").write_text("years of work")
    if kind == "folder":
        own.rename(partial)
    elif kind == "file":
        (own / "thesis.tex").rename(partial)
    else:
        partial.symlink_to(own)
    assert command(*option) == BAD_INPUT
    assert "out.partial: exists and does not hold an unfinished run" in capsys.readouterr().err
    left = partial if kind == "file" else partial / "thesis.tex"
    assert left.read_text() == "years of work"
    assert not (tmp_path / "out").exists()


def test_resume_needs_a_folder(mine, capsys):
    """There is nothing to go on with where no folder is given."""
    from kcmab_abm.cli.main import run as command

    assert command(["run", str(mine), "--resume"]) == BAD_INPUT
    assert capsys.readouterr().err.startswith("--resume: needs the folder")


def test_sweep_goes_on(mine, command, tmp_path, chunks_run):
    """A sweep goes on at the point where it stopped."""
    mine.write_text(SCENARIO + "\n[sweep]\ngrid = { horizon = [50, 80, 110] }\n")
    assert command(out="whole") == 0
    shutil.copytree(tmp_path / "whole", tmp_path / "out.partial")
    lost = sorted((tmp_path / "out.partial" / "chunks").glob("point-00003/*.npz"))[5:]
    for path in lost:
        path.unlink()
    del chunks_run[:]
    assert command("--resume") == 0
    assert len(chunks_run) == len(lost)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_both_engines_have_a_journal(tmp_path):
    """Policies on different engines are kept side by side."""
    settings = {
        "horizon": 40,
        "replications": 20,
        "market": {"arms": {"law": "bernoulli", "means": [0.7, 0.4]}},
        "policy": [{"name": "ucb"}],
    }
    scenario = make_scenario(settings)
    market = run(scenario, tmp_path / "market", engine="market")
    batch = run(scenario, tmp_path / "batch", engine="batch")
    assert market.digest() == batch.digest()
    for name in ("market", "batch"):
        assert all(path.name.startswith(name) for path in chunk_files(tmp_path / name))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6))), st.integers(0, 30))
def test_gaps_and_kept_make_the_whole(pieces, last):
    """Every replication is either kept or in a gap, never both."""
    kept, edge = [], 0
    for first, length in sorted(pieces):
        if first >= edge and first + length <= last:
            kept.append(Stretch(first, first + length))
            edge = first + length + 1
    missing = list(gaps(kept, 0, last))
    covered = [r for each in [*kept, *missing] for r in range(each.first, each.last + 1)]
    assert sorted(covered) == list(range(last + 1))


def test_chunks_are_called_by_what_is_in_them(whole):
    """The name of a chunk says its engine, its policy, its replications and its digest."""
    names = [name for name in whole if name.endswith(".npz")]
    assert len(names) == 32
    assert all(
        re.fullmatch(r"chunks/batch-00[12]-\d{8}-\d{8}-[0-9a-f]{16}\.npz", name) for name in names
    )
