"""What the first run costs: with nothing on disk, and with the kernel left by an earlier run."""

from __future__ import annotations

import json
import sys
import tempfile
import time

from bench.child import ask
from bench.report import Row

POLICIES = ("ucb", "modified-epsilon-greedy", "modified-ts")
TITLE = "first run of a process"


def measure(quick: bool) -> list[Row]:
    """Seconds of processor time to import, and then to the end of the first small run."""
    rounds = 1 if quick else 4
    rows: list[Row] = []
    for policy in POLICIES[: 1 if quick else None]:
        pairs = [cold_and_warm(policy) for _ in range(rounds)]
        cold = min(pair[0]["run"] for pair in pairs)
        warm = min(pair[1]["run"] for pair in pairs)
        rows += [
            Row(TITLE, "kernel compiled", policy, cold, "s", cold / warm, "loaded"),
            Row(TITLE, "kernel loaded", policy, warm, "s"),
        ]
        imported = min(pair[1]["import"] for pair in pairs)
    return [*rows, Row(TITLE, "import, numba included", "", imported, "s")]


def cold_and_warm(policy: str) -> tuple[dict[str, float], dict[str, float]]:
    """Two processes one after the other, the first with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        first = ask("bench.compiling", policy, KCMAB_CACHE_DIR=folder)
        return first, ask("bench.compiling", policy, KCMAB_CACHE_DIR=folder)


def main(policy: str) -> None:
    """Time the import and one small run in this process, and print both as JSON."""
    start = time.process_time()
    import kcmab_abm.batch.run
    from bench.cases import market_of

    imported = time.process_time()
    kcmab_abm.simulate(market_of(policy, horizon=10), engine="batch", jobs=1)
    end = time.process_time()
    print(json.dumps({"import": imported - start, "run": end - imported}))


if __name__ == "__main__":
    main(sys.argv[1])
