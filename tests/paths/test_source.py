"""Where runs to be replayed come from: scenario files, and folders of results."""

from __future__ import annotations

import json

import pytest

from kcmab_abm import MarketError, load_scenario, simulate
from kcmab_abm.paths import open_scenario
from kcmab_abm.running.manifest import seal, write_manifest
from kcmab_abm.running.write_results import manifest

from .runs import small_scenario

TRACE = {"process": "trace", "file": "times.txt"}
ARMS = {"law": "bernoulli", "means": [0.7, 0.5]}


@pytest.fixture
def folder(tmp_path):
    """A folder that holds no more than the manifest of a run."""
    write_manifest(tmp_path, manifest(simulate(small_scenario(), engine="market")))
    return tmp_path


def complaint(source):
    """The one message about a source that cannot be used."""
    with pytest.raises(MarketError) as caught:
        open_scenario(source)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_folder_holds_its_scenario(folder):
    """The scenario comes back from the manifest as it was."""
    assert open_scenario(folder) == small_scenario()
    changed = open_scenario(str(folder), horizon=9, replications=None, seed=0)
    assert (changed.horizon, changed.replications, changed.seed) == (9, 12, 0)


def test_a_file_is_a_scenario(tmp_path):
    """A scenario file is read as ever, with settings changed on demand."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'horizon = 9\n[market]\narms = {law="bernoulli", means=[0.5]}\n[[policy]]\nname="ucb"\n'
    )
    assert open_scenario(path) == load_scenario(path)
    assert open_scenario(path, replications=3).replications == 3


def test_a_source_that_is_not_there(tmp_path):
    """A name that leads nowhere is said to be no file."""
    assert complaint(tmp_path / "none").endswith("none: no such file")


def test_a_folder_without_a_manifest(tmp_path):
    """The message says what is missing and which folders will do."""
    message = complaint(tmp_path)
    assert message.startswith(str(tmp_path))
    assert "no manifest.json" in message
    assert "kcmab run FILE --out DIR" in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a table"),
        (b"3", "not a table"),
        (b"{}", "must be a table with scenario, seed, digest"),
        (b'{"scenario": null}', "must be a table"),
        (b'{"scenario": []}', "must be a table"),
        (b'{"scenario": {"bernoulli": {}, "beta": {}}}', "must be a table"),
    ],
)
def test_a_broken_manifest(content, words, tmp_path):
    """Whatever is in it, one message names the file and what is wrong."""
    (tmp_path / "manifest.json").write_bytes(content)
    message = complaint(tmp_path)
    assert message.startswith(str(tmp_path / "manifest.json"))
    assert words in message


def test_a_manifest_that_is_a_folder(tmp_path):
    """A manifest that cannot be read is said to be so."""
    (tmp_path / "manifest.json").mkdir()
    assert "manifest.json: cannot be read" in complaint(tmp_path)


def test_a_wrong_setting_in_a_manifest(folder):
    """A setting that was changed by hand is refused; one that was sealed so is named."""
    told = json.loads((folder / "manifest.json").read_text())
    told["scenario"]["horizon"] = 20
    (folder / "manifest.json").write_text(json.dumps(told))
    message = complaint(folder)
    assert message.startswith(f"{folder / 'manifest.json'}: changed since it was written; ")
    assert f"'kcmab verify {folder}' lists what differs" in message
    told["scenario"]["horizon"] = -1
    (folder / "manifest.json").write_bytes(seal(told))
    assert complaint(folder).endswith("manifest.json: horizon: must be >= 1, got -1")


def test_a_manifest_without_a_checksum(folder):
    """A manifest that nobody sealed is not taken for one that was."""
    told = json.loads((folder / "manifest.json").read_text())
    del told["checksum"]
    (folder / "manifest.json").write_text(json.dumps(told))
    assert "manifest.json: has no checksum: written by an earlier version" in complaint(folder)


def test_a_trace_is_looked_for_beside_the_manifest(tmp_path):
    """A folder needs its trace to be replayed, and where it is missing one is told what to do."""
    (tmp_path / "times.txt").write_text("\n".join(map(str, range(30))))
    settings = {**small_scenario().settings, "market": {"arms": ARMS, "arrivals": TRACE}}
    write_manifest(tmp_path, {"scenario": settings, "seed": 0, "digest": ""})
    assert open_scenario(tmp_path).market.arrivals.times[:3] == (0.0, 1.0, 2.0)
    (tmp_path / "times.txt").unlink()
    message = complaint(tmp_path)
    assert f"{str(tmp_path / 'times.txt')!r}: no such file" in message
    assert "copy it there, or give the scenario file" in message


def test_a_missing_trace_of_a_file(tmp_path):
    """A scenario file whose trace is missing is told so too."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'horizon = 9\n[market]\narms = {law="bernoulli", means=[0.5]}\n'
        'arrivals = {process="trace", file="times.txt"}\n[[policy]]\nname="ucb"\n'
    )
    assert "market.arrivals.file" in complaint(path)
    assert "no such file" in complaint(path)
