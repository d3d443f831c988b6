"""The loop of a driver: it runs in a peer's own environment, with the standard library only.

Each request is a line of JSON, for which a whole game is played; the answer is another line of
JSON. A request is `{"policy": "ucb", "means": [0.9, 0.1], "horizon": 1000, "seed": 0}`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version


def serve(library: str, play: Callable[..., list[int]]) -> None:
    """Play the games that are asked for; `play` returns how often it pulled each arm."""
    for line in sys.stdin:
        game = json.loads(line)
        start = time.process_time()
        pulls = play(**game)
        taken = time.process_time() - start
        best = max(game["means"])
        answer = {
            "library": library,
            "version": version(library),
            "policy": game["policy"],
            "seconds": taken / game["horizon"],
            "regret": sum(n * (best - mean) for n, mean in zip(pulls, game["means"], strict=True)),
        }
        print(json.dumps(answer), flush=True)
