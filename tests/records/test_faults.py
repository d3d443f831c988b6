"""Whatever call fails while results are written: old results stay, and --resume makes the new."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import suppress

import pytest
from matplotlib.figure import Figure

from kcmab_abm import make_scenario, run
from kcmab_abm.cli.main import BAD_INPUT
from kcmab_abm.errors import OutputError
from kcmab_abm.running.verify_results import check

from .conftest import contents
from .faults import BROKEN, FULL, MEMORY, faults_at

SETTINGS = {
    "horizon": 6,
    "replications": 3,
    "market": {"arms": {"law": "bernoulli", "means": [0.7, 0.4]}},
    "policy": [{"name": "ucb"}],
}
KINDS = {
    "plain": {},
    "recorded": {"record": "paths"},
    "sweep": {"sweep": {"grid": {"horizon": [4, 6]}}},
}
ERRORS = {"full": FULL, "broken": BROKEN, "memory": MEMORY}
QUICK, SLOW = 31, 7  # strides: every so many calls, beginning anywhere


@pytest.fixture(autouse=True)
def _plain_figures(monkeypatch):
    """Figures of a few bytes, written by the same way to the disk."""

    def write(self, path, **_):
        with open(path, "wb") as file:
            file.write(b"a figure")

    monkeypatch.setattr(Figure, "savefig", write)
    for name in ("outcome.draw_outcome", "settings.draw_settings", "frontier.draw_frontier"):
        monkeypatch.setattr(f"kcmab_abm.figures.{name}", lambda *_: Figure((1, 1)))


def scenario_of(kind, **changes):
    """A scenario that takes no time, of a kind that writes other files than the others."""
    return make_scenario({**SETTINGS, **KINDS[kind], **changes})


def make(scenario, out, **options):
    """Run a scenario in this thread, so that the order of calls is always the same."""
    return run(scenario, out, engine="market", **options)


def assert_nothing_else(place, allowed):
    """There is nothing in a place but what may be."""
    assert {path.name for path in place.iterdir()} <= allowed


def failure(attempt):
    """The one line with which an attempt fails; None if it does not."""
    try:
        attempt()
    except (OutputError, MemoryError) as error:
        [line] = str(error).splitlines()
        return line
    return None


def words_of(error):
    """What a message about an error has to say."""
    return getattr(error, "strerror", None) or str(error)


def fail_everywhere(monkeypatch, error, place, attempt, check_after, begin=1, stride=1):
    """Let the first call fail, then the second, until none is left to fail; how many there were."""
    due = begin
    while True:
        with faults_at(monkeypatch, due, error, place) as faults:
            message = failure(attempt)
        if not faults.struck:
            assert message is None
            return len(faults.calls)
        # Some failures do no harm: a file that cannot be linked is copied.
        assert message is None or words_of(error) in message
        check_after(f"call {due}: {faults.calls[-1]}")
        due += stride


def cases(quick):
    """Every kind and every error, with few of the calls, more of them, and all."""
    for kind in KINDS:
        for error in ERRORS:
            # Sweeps have the most calls, and no ways to the disk that others do not have.
            if kind != "sweep" or error == "full":
                yield pytest.param(kind, error, quick)
            yield pytest.param(kind, error, SLOW, marks=pytest.mark.slow)
            yield pytest.param(kind, error, 1, marks=pytest.mark.exhaustive)


@pytest.mark.parametrize(("kind", "error", "stride"), [*cases(QUICK)])
def test_new_results(kind, error, stride, tmp_path, monkeypatch):
    """A run into a new folder: it fails in one line, leaves no rubbish, and can be resumed."""
    scenario = scenario_of(kind)
    make(scenario, tmp_path / "whole")
    expected = contents(tmp_path / "whole")
    place = tmp_path / "place"
    place.mkdir()
    out = place / "out"

    def resume(when):
        if not out.exists():
            assert_nothing_else(place, {"out.partial"})
            if (place / "out.partial").exists():
                assert check(place / "out.partial").problems == [], when
            make(scenario, out, resume=True)
        assert_nothing_else(place, {"out"})
        assert contents(out) == expected, when
        for path in sorted(place.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()

    calls = fail_everywhere(
        monkeypatch,
        ERRORS[error],
        place,
        lambda: make(scenario, out),
        resume,
        begin=1 + len(kind) % stride,
        stride=stride,
    )
    assert calls > 10


@pytest.mark.parametrize(("kind", "error", "stride"), [*cases(3 * QUICK)])
@pytest.mark.parametrize("option", ["force", "resume"])
def test_old_results(kind, error, option, stride, tmp_path, monkeypatch):
    """A run over results: whatever fails, the old ones are there or the new ones, never a mix."""
    new = scenario_of(kind, **({"replications": 5} if option == "resume" else {"seed": 7}))
    place = tmp_path / "place"
    make(scenario_of(kind), place / "out")
    old = contents(place / "out")
    make(scenario_of(kind), tmp_path / "other")
    make(new, tmp_path / "other", **{option: True})
    expected = contents(tmp_path / "other")

    def look(when):
        assert_nothing_else(place, {"out", "out.partial"})
        assert contents(place / "out") in (old, expected), when
        assert check(place / "out").problems == [], when
        if contents(place / "out") == old:
            make(new, place / "out", **{"resume" if has_partial(place) else option: True})
        assert contents(place / "out") == expected, when
        assert_nothing_else(place, {"out"})
        make(scenario_of(kind), place / "out", force=True)

    def has_partial(place):
        return (place / "out.partial").exists()

    calls = fail_everywhere(
        monkeypatch,
        ERRORS[error],
        place,
        lambda: make(new, place / "out", **{option: True}),
        look,
        begin=1 + (len(kind) + len(option) + len(error)) % stride,
        stride=stride,
    )
    assert calls > 10


SCENARIO = """
horizon = 6
replications = 3
record = "paths"
[market]
arms = { law = "bernoulli", means = [0.7, 0.4] }
[[policy]]
name = "ucb"
"""
LIMITED = """
import resource, sys
from kcmab_abm.cli.main import run
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(run(["run", "mine.toml", "--out", "out", "--engine", "market", *sys.argv[2:]]))
"""


def command(folder, *arguments):
    """Run the scenario in a process of its own; its code and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


@pytest.mark.slow
def test_files_that_may_not_grow(tmp_path):
    """The system refuses files over a limit, whoever writes them: one message each time."""
    (tmp_path / "mine.toml").write_text(SCENARIO)
    code, _ = command(tmp_path, resource.RLIM_INFINITY)
    assert code == 0
    expected = contents(tmp_path / "out")
    sizes = sorted({len(content) for content in expected.values()})
    for path in sorted((tmp_path / "out").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (tmp_path / "out").rmdir()
    for limit in (sizes[0] // 2, sizes[len(sizes) // 2], sizes[-1] - 1):
        code, told = command(tmp_path, limit, "--resume")
        assert code == BAD_INPUT
        assert "cannot be written" in told[-1]
        assert "File too large" in told[-1]
        assert len(told) <= 2
        assert_nothing_else(tmp_path, {"mine.toml", "out.partial"})
    assert command(tmp_path, resource.RLIM_INFINITY, "--resume")[0] == 0
    assert contents(tmp_path / "out") == expected


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a disk")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_full_disk(kind, small_disk, tmp_path):
    """A disk that is really full: one message, the old results intact; with room, it goes on."""
    scenario = scenario_of(kind)
    make(scenario, tmp_path / "whole")
    make(scenario, small_disk / "out")
    old = contents(small_disk / "out")
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(1024)):
            pass
    more = scenario.replace(replications=5)
    for option in ("resume", "force"):
        with pytest.raises(OutputError, match="No space left on device"):
            make(more, small_disk / "out", **{option: True})
        assert contents(small_disk / "out") == old
    filler.unlink()
    make(more, small_disk / "out", resume=True)
    assert check(small_disk / "out").problems == []
