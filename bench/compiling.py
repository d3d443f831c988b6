"""The cost of a first run: with an empty cache, after another policy's run, after its own."""

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
    """Seconds of processor time for the import and for the first small run."""
    rounds = 1 if quick else 4
    rows: list[Row] = []
    for policy in POLICIES[: 1 if quick else None]:
        runs = [cold_next_and_warm(policy) for _ in range(rounds)]
        cold, following, warm = (min(run[place]["run"] for run in runs) for place in range(3))
        rows += [
            Row(TITLE, "the first kernel compiled", policy, cold, "s", cold / warm, "loaded"),
            Row(
                TITLE,
                "a further kernel compiled",
                policy,
                following,
                "s",
                following / warm,
                "loaded",
            ),
            Row(TITLE, "kernel loaded", policy, warm, "s"),
        ]
        imported = min(run[2]["import"] for run in runs)
    return [*rows, Row(TITLE, "import, numba included", "", imported, "s")]


def cold_next_and_warm(policy: str) -> list[dict[str, float]]:
    """Time runs with an empty cache, after another policy, and after the same policy."""
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as used:
        cold = ask("bench.compiling", policy, KCMAB_CACHE_DIR=empty)
        ask("bench.compiling", "greedy", KCMAB_CACHE_DIR=used)
        following = ask("bench.compiling", policy, KCMAB_CACHE_DIR=used)
        return [cold, following, ask("bench.compiling", policy, KCMAB_CACHE_DIR=used)]


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
