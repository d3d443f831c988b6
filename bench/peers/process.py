"""Driver processes, which are kept alive and play a game whenever it is their turn."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.peers.catalogue import PEERS, Peer
from bench.peers.environments import Missing, python_of

HERE = Path(__file__).parent
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Driver:
    """A peer's driver at work in its own environment."""

    def __init__(self, peer: Peer, process: subprocess.Popen[str]) -> None:
        self.peer = peer
        self.process = process
        self.name = peer.name

    def play(self, policy: str, means: Sequence[float], horizon: int, seed: int) -> dict[str, Any]:
        """Play one game and return its seconds per decision and its regret."""
        game = {"policy": policy, "means": list(means), "horizon": horizon, "seed": seed}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(json.dumps(game), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise Missing("its driver stopped") from None
        line = self.process.stdout.readline()
        if not line:
            raise Missing("its driver stopped")
        answer: dict[str, Any] = json.loads(line)
        self.name = f"{self.peer.name} {answer['version']}"
        return answer


@dataclass
class Games:
    """A peer's games of one kind: a task for the clock that remembers the regrets."""

    driver: Driver
    policy: str
    means: Sequence[float]
    horizon: int
    regrets: list[float] = field(default_factory=list)

    def cost(self) -> float:
        """Play another game and return its seconds of processor time per decision."""
        answer = self.driver.play(self.policy, self.means, self.horizon, seed=len(self.regrets))
        self.regrets.append(answer["regret"])
        return float(answer["seconds"])


@contextmanager
def drivers(folder: Path) -> Iterator[tuple[list[Driver], dict[Peer, str]]]:
    """The drivers that run here, and the reasons why others do not; stopped at the end."""
    ready: list[Driver] = []
    missing: dict[Peer, str] = {}
    with ExitStack() as stack:
        for peer in PEERS:
            try:
                driver = Driver(peer, stack.enter_context(started(peer, folder)))
                for policy in ("ucb", "ts"):
                    driver.play(policy, [0.9, 0.1], 10, seed=0)
                ready.append(driver)
            except (Missing, OSError) as reason:
                missing[peer] = str(reason)
        yield ready, missing


def surroundings() -> dict[str, str]:
    """Environment variables for a driver: one core, and only its own modules."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | ONE_CORE


@contextmanager
def started(peer: Peer, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The process of a driver."""
    process = subprocess.Popen(
        [str(python_of(peer, folder)), str(HERE / peer.driver)],
        env=surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()
