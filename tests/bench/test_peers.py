"""Drivers of other libraries, without any of those libraries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.against import absent
from bench.peers import environments, process
from bench.peers.catalogue import PEERS, Peer

# One that always pulls the second arm, and stops for good when asked for `ts`.
SCRIPT = """
import sys
sys.path.insert(0, {here!r})
from driver import serve

def play(policy, means, horizon, seed):
    if policy == "ts":
        sys.exit(1)
    return [0, horizon]

serve("numpy", play)
"""


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Peer:
    """A peer whose environment is ours."""
    script = tmp_path / "play_second.py"
    script.write_text(SCRIPT.format(here=str(process.HERE)), encoding="utf-8")
    monkeypatch.setattr(process, "python_of", lambda peer, folder: Path(sys.executable))
    return Peer("second", str(script), (), "")


def test_a_driver_plays_when_it_is_its_turn(peer: Peer, tmp_path: Path) -> None:
    """Every turn is a game; costs and regrets come back."""
    with process.started(peer, tmp_path) as running:
        games = process.Games(process.Driver(peer, running), "ucb", [0.9, 0.4], 100)
        assert all(games.cost() >= 0.0 for _ in range(2))
        assert games.regrets == pytest.approx([50.0, 50.0])
        assert games.driver.name.startswith("second ")


def test_a_driver_that_stops_is_missed(peer: Peer, tmp_path: Path) -> None:
    """The bench is told, and does not wait for ever."""
    with process.started(peer, tmp_path) as running:
        driver = process.Driver(peer, running)
        with pytest.raises(environments.Missing, match="stopped"):
            driver.play("ts", [0.9, 0.4], 100, seed=0)
    assert running.returncode is not None


def test_a_peer_that_cannot_be_installed_is_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a network every peer is reported missing, with the installer's reason."""

    def fail(command: list[str]) -> None:
        raise environments.Missing("no matching distribution")

    monkeypatch.setattr(environments, "run", fail)
    with process.drivers(tmp_path) as (ready, missing):
        assert not ready
        assert list(missing) == list(PEERS)
    row = absent(PEERS[0], "ucb", missing[PEERS[0]])
    assert row.met == "unknown"
    assert row.remark == "not measured: no matching distribution"


def test_the_reason_is_the_installers_last_word() -> None:
    """What failed is said in its own words."""
    with pytest.raises(environments.Missing, match="no such thing"):
        environments.run([sys.executable, "-c", "raise SystemExit('no such thing')"])


def test_an_environment_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made again only if other versions are wanted."""
    commands: list[list[str]] = []

    def note(command: list[str]) -> None:
        commands.append(command)
        if "venv" in command:
            Path(command[-1]).mkdir()

    monkeypatch.setattr(environments, "run", note)
    peer = Peer("river", "play_river.py", ("river==1.0",), "")
    for _ in range(2):
        environments.python_of(peer, tmp_path)
    assert len(commands) == 2
    environments.python_of(peer._replace(requirements=("river==2.0",)), tmp_path)
    assert len(commands) == 4
