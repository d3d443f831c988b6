"""What was written is checked when it is read, and `kcmab verify` finds every change."""

from __future__ import annotations

import random
import shutil

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import make_scenario
from kcmab_abm.cli.main import BAD_INPUT, FAILED
from kcmab_abm.cli.main import run as command
from kcmab_abm.model.trajectory import empty_tally
from kcmab_abm.running.chunk_files import About, ChunkError, chunk_file, read_chunk
from kcmab_abm.running.experiment import run
from kcmab_abm.running.manifest import SealError, seal, unseal, write_manifest
from kcmab_abm.running.verify_results import check

from ..sweeps.conftest import small_figures
from .conftest import contents

SETTINGS = {
    "horizon": 20,
    "replications": 4,
    "seed": 3,
    "record": "paths",
    "market": {"arms": {"law": "bernoulli", "means": [0.7, 0.4]}},
    "policy": [{"name": "ucb"}, {"name": "greedy", "label": "nobody pays"}],
}
KINDS = {"plain": {}, "sweep": {"sweep": {"grid": {"horizon": [10, 20]}}}}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A place with a plain run and a sweep, and the same with another seed."""
    place = tmp_path_factory.mktemp("place")
    with pytest.MonkeyPatch.context() as patch:
        small_figures(patch)
        patch.setattr("kcmab_abm.running.workers.LEAST", 0)
        for kind, changes in KINDS.items():
            for seed in (3, 4):
                scenario = make_scenario({**SETTINGS, **changes, "seed": seed})
                run(scenario, place / f"{kind}-{seed}", engine="market")
    return place


@pytest.fixture(params=KINDS)
def kind(request):
    """A plain run, or a sweep."""
    return request.param


@pytest.fixture
def folder(kind, place, tmp_path):
    """A copy of results that may be damaged."""
    shutil.copytree(place / f"{kind}-3", tmp_path / "out")
    return tmp_path / "out"


def verify(folder, capsys):
    """What `kcmab verify` says: its exit code and its lines."""
    capsys.readouterr()
    code = command(["verify", str(folder)])
    out, error = capsys.readouterr()
    return code, (out + error).splitlines()


def chunk_files(folder):
    """All chunks in a folder, in order."""
    return sorted((folder / "chunks").rglob("*.npz"))


def flip(path, bit):
    """Turn one bit of a file."""
    content = bytearray(path.read_bytes())
    content[bit // 8 % len(content)] ^= 1 << bit % 8
    path.write_bytes(content)


def test_whole_results_are_verified(folder, capsys):
    """Results as they were written: so many files, nothing found."""
    files = len(contents(folder))
    assert verify(folder, capsys) == (0, [f"verified: {files} files"])


def test_every_file_is_in_the_manifest(folder):
    """The manifest has the digest of every file but itself, and a checksum of its own."""
    told = unseal((folder / "manifest.json").read_bytes())
    assert {*told["files"], "manifest.json"} == set(contents(folder))
    assert {"digest", "scenario", "seed", "engine", "versions"} <= set(told)


def test_all_problems_are_listed(folder, capsys):
    """Files that are changed, lost or strange are named, each in a line of its own."""
    (folder / "paired.csv").unlink()
    (folder / "notes.txt").write_text("mine")
    flip(folder / "finals.parquet", 800)
    flip(chunk_files(folder)[1], 800)
    ledger = sorted((folder / "ledger").rglob("*.parquet"))[0]
    flip(ledger, 800)
    code, lines = verify(folder, capsys)
    assert code == FAILED
    assert sorted(lines) == sorted(
        [
            f"{folder / 'paired.csv'}: missing",
            f"{folder / 'notes.txt'}: unexpected: did not exist when the results were written",
            f"{folder / 'finals.parquet'}: changed since it was written",
            f"{chunk_files(folder)[1]}: changed since it was written",
            f"{ledger}: changed since it was written",
            *[line for line in lines if "are missing" in line],
        ]
    )
    assert sum("replications 1 to 1 are missing" in line for line in lines) == 1


def test_changed_manifest_is_found(folder, capsys):
    """A manifest edited by hand is found out, and what else is wrong is still listed."""
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace('"seed": 3', '"seed": 8'))
    (folder / "paired.csv").unlink()
    code, lines = verify(folder, capsys)
    assert code == FAILED
    assert lines == [
        f"{folder / 'manifest.json'}: changed since it was written",
        f"{folder / 'paired.csv'}: missing",
    ]


def test_results_that_are_not_of_the_chunks_are_found(folder, capsys):
    """A digest or a table that fits its seal but not the chunks is found out."""
    told = unseal((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_bytes(seal({**told, "digest": "0" * 64}))
    assert "its digest is not that of the replications" in verify(folder, capsys)[1][0]
    path = folder / "finals.parquet"
    table = pd.read_parquet(path)
    table["regret"] += 1e-9
    table.to_parquet(path, index=False)
    write_manifest(folder, told)
    [line] = verify(folder, capsys)[1]
    assert line == f"{path}: its values are not those of the replications in the chunks"


def test_what_holds_no_results_is_bad_input(place, tmp_path, capsys):
    """Nothing, a file, an empty folder: exit code 2; an unfinished run is pointed out."""
    (tmp_path / "file").write_text("")
    for name, words in {"none": "no such folder", "file": "is not a folder", ".": "has no"}.items():
        code, [line] = verify(tmp_path / name, capsys)
        assert code == BAD_INPUT
        assert words in line
    (tmp_path / "none.partial").mkdir()
    code, [line] = verify(tmp_path / "none", capsys)
    assert line.endswith(f"{tmp_path / 'none.partial'} holds an unfinished run")


def test_unfinished_run_is_verified(folder, capsys):
    """What is there of a run that was stopped is checked by its chunks."""
    partial = folder.with_name("out.partial")
    folder.rename(partial)
    (partial / "manifest.json").unlink()
    first, second, *_ = chunk_files(partial)
    first.unlink()
    code, [line] = verify(partial, capsys)
    assert (code, line.endswith("files, of a run that is not finished")) == (0, True)
    flip(second, 999)
    assert verify(partial, capsys) == (FAILED, [f"{second}: damaged"])


def test_a_lost_manifest_is_noticed(folder, capsys):
    """Without it, nothing says what the tables of finished results were."""
    (folder / "manifest.json").unlink()
    (folder / "summary.csv").write_text("changed")
    words = "missing, so that nothing vouches for the tables"
    assert verify(folder, capsys) == (FAILED, [f"{folder / 'manifest.json'}: {words}"])
    partial = folder.rename(folder.with_name("out.partial"))
    code, [line] = verify(partial, capsys)
    assert (code, int(line.split()[1])) == (0, sum(1 for _ in partial.glob("*/**/*.*")))


def test_results_of_other_commands_are_verified(place, tmp_path, capsys):
    """Every folder with a manifest can be checked: here, a comparison."""
    out = tmp_path / "compared"
    folders = [str(place / "plain-3"), str(place / "plain-4")]
    assert command(["compare", *folders, "--out", str(out)]) == 0
    assert verify(out, capsys) == (0, ["verified: 5 files"])
    flip(out / "compare.csv", 99)
    assert verify(out, capsys)[0] == FAILED


def test_trace_may_be_copied_into_results(tmp_path, capsys):
    """A file that the scenario reads has to be copied there for a replay: it is no stranger."""
    (tmp_path / "times.txt").write_text("\n".join(map(str, range(30))))
    market = {**SETTINGS["market"], "arrivals": {"process": "trace", "file": "times.txt"}}
    scenario = make_scenario({**SETTINGS, "market": market}, folder=tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        small_figures(patch)
        run(scenario, tmp_path / "out", engine="market")
    shutil.copy(tmp_path / "times.txt", tmp_path / "out")
    assert verify(tmp_path / "out", capsys)[0] == 0


def test_parquet_pages_have_checksums(folder):
    """Whoever reads tables and ledgers with any library can have their pages checked."""
    for path in folder.rglob("*.parquet"):
        last = pq.read_metadata(path).row_group(0).column(0)
        start = last.dictionary_page_offset or last.data_page_offset
        flip(path, 8 * (start + last.total_compressed_size - 1))  # in the page, not in its header
        with pytest.raises(OSError, match="CRC checksum verification failed"):
            pq.ParquetFile(path, page_checksum_verification=True).read()


FOREIGN = {
    "swapped": "damaged",
    "of another seed": "not of this run",
    "of another point": "not of this run",
}


def plant(how, place, folder):
    """Put chunks where they do not belong; the file that is wrong then."""
    first, second = chunk_files(folder)[:2]
    if how == "swapped":
        content = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(content)
        return first
    kind = "sweep" if first.parent.name == "point-00001" else "plain"
    others = {
        "of another seed": place / f"{kind}-4" / first.parent.relative_to(folder),
        "of another point": first.parent.with_name("point-00002"),
    }
    [found] = others[how].glob(f"{first.name[:25]}*")
    first.unlink()
    planted = first.with_name(found.name)
    shutil.copy(found, planted)
    return planted


@pytest.mark.parametrize("how", FOREIGN)
def test_foreign_chunks_are_run_again(how, kind, folder, place, tmp_path, monkeypatch, capsys):
    """Chunks that were swapped, or brought from another run or point, are not taken for ours."""
    if how == "of another point" and kind == "plain":
        pytest.skip("a plain run has no points")
    small_figures(monkeypatch)
    monkeypatch.setattr("kcmab_abm.running.workers.LEAST", 0)
    planted = plant(how, place, folder)
    assert any(str(planted) in line for line in verify(folder, capsys)[1])
    told = []
    scenario = make_scenario({**SETTINGS, **KINDS[kind]})
    run(scenario, folder, engine="market", resume=True, tell=told.append)
    assert told[0].endswith(f"{planted.name}: {FOREIGN[how]}; replications 0 to 0 are run again")
    assert contents(folder) == contents(place / f"{kind}-3")


@settings(max_examples=12)
@given(
    st.integers(0, 9),
    st.integers(0, 9),
    st.none() | st.integers(1, 9),
    st.integers(1, 12),
    st.text(max_size=3),
    st.integers(0, 10**6),
)
def test_chunks_know_what_they_are_of(first, count, point, place, policy, bit):
    """A chunk comes back with what it is of; with one bit turned or another name it does not."""
    about = About("run", point, "market", place, policy, first, first + count)
    name, content = chunk_file(about, {"a": "b"}, empty_tally(count + 1, 2, 3))
    found, ledgers, again = read_chunk(name, content)
    assert (found, ledgers) == (about, {"a": "b"})
    assert len(again.seeded) == count + 1
    spoilt = bytearray(content)
    spoilt[bit // 8 % len(content)] ^= 1 << bit % 8
    other = name.replace(f"-{first:08d}-", f"-{first + 1:08d}-", 1)
    for wrong in ((name, bytes(spoilt)), (other, content)):
        with pytest.raises(ChunkError):
            read_chunk(*wrong)


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=70) | st.just("0" * 64)), st.data())
def test_any_changed_bit_breaks_a_seal(content, data):
    """A sealed table comes back; with any bit turned, it is refused."""
    content.pop("checksum", None)
    text = seal(content)
    assert unseal(text) == content
    spoilt = bytearray(text)
    bit = data.draw(st.integers(0, 8 * len(text) - 1))
    spoilt[bit // 8] ^= 1 << bit % 8
    with pytest.raises(SealError):
        unseal(bytes(spoilt))


def said(arguments, capsys):
    """What a command says if it does not refuse; None if it does, in one line."""
    capsys.readouterr()
    code = command([str(each) for each in arguments])
    out, error = capsys.readouterr()
    if code == 0:
        return out
    assert (code, len(error.splitlines())) == (BAD_INPUT, 1)
    return None


@pytest.mark.parametrize("examples", [6, pytest.param(400, marks=pytest.mark.slow)])
def test_no_turned_bit_changes_what_is_said(examples, kind, place, tmp_path, monkeypatch, capsys):
    """One bit of one file turned: verify notices, others refuse or say what they said before.

    A resumed run ends with the results as they were, whatever was damaged.
    """
    small_figures(monkeypatch)
    monkeypatch.setattr("kcmab_abm.running.workers.LEAST", 0)
    scenario = make_scenario({**SETTINGS, **KINDS[kind]})
    whole, folder = place / f"{kind}-3", tmp_path / "out"
    shutil.copytree(whole, folder)
    expected = contents(whole)
    before = said(["compare", folder, place / f"{kind}-4"], capsys)
    paths = kind == "plain" and said(["paths", folder], capsys)
    rng = random.Random(examples)
    for turn in range(examples):
        name = rng.choice(sorted(expected))
        if turn % 4 == 0:
            name = "manifest.json" if turn % 8 else "finals.parquet"
        flip(folder / name, rng.randrange(8 * len(expected[name])))
        assert check(folder).problems, name
        assert said(["compare", folder, place / f"{kind}-4"], capsys) in (None, before)
        if paths and turn % 4 == 0:
            assert said(["paths", folder], capsys) in (None, paths)
        run(scenario, folder, engine="market", resume=True)
        assert contents(folder) == expected, name
