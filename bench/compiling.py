"""First results: the import, a run with an empty cache, after another policy's, after its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.child import ask
from bench.report import Limit, Row

POLICIES = ("ucb", "modified-epsilon-greedy", "modified-ts")
TITLE = "first run of a process"
IMPORT = Limit("<=", 0.3)  # seconds of processor time, like all others
FIRST = Limit("<=", 4.0)
FURTHER = Limit("<=", 1.5)
PAPER = Limit("<=", 8.0)


def measure(quick: bool) -> list[Row]:
    """Seconds of processor time for the import, for the first small run, and for the paper."""
    rounds = 1 if quick else 4
    rows = commands(rounds, paper=not quick)
    for policy in POLICIES[: 1 if quick else None]:
        runs = [cold_next_and_warm(policy) for _ in range(rounds)]
        cold = min(run[0]["import"] + run[0]["run"] for run in runs)
        following, warm = (min(run[place]["run"] for run in runs) for place in (1, 2))
        rows += [
            Row(TITLE, "nothing cached, import included", policy, cold, "s", limit=FIRST),
            Row(TITLE, "a further kernel compiled", policy, following, "s", limit=FURTHER),
            Row(TITLE, "kernel loaded", policy, warm, "s"),
        ]
        imported = min(run[2]["import"] for run in runs)
    return [*rows, Row(TITLE, "import, numba included", "", imported, "s")]


def commands(rounds: int, paper: bool) -> list[Row]:
    """The import of the package, `kcmab --help`, and `kcmab paper` with all kernels on disk."""
    shell = [sys.executable, "-m", "kcmab_abm"]
    lines = {
        "import kcmab_abm": ([sys.executable, "-c", "import kcmab_abm"], IMPORT),
        "kcmab --help": ([*shell, "--help"], IMPORT),
    }
    rows = []
    for what, (line, limit) in lines.items():
        cost = min(processor_time(line) for _ in range(rounds))
        rows.append(Row(TITLE, what, "", cost, "s", limit=limit))
    if paper:
        with tempfile.TemporaryDirectory() as folder:
            places = [str(Path(folder) / name) for name in ("compiled", "warm")]
            cost = [processor_time([*shell, "paper", "--out", place]) for place in places][-1]
        rows.append(Row(TITLE, "kcmab paper", "", cost, "s", limit=PAPER))
    return rows


def processor_time(line: list[str]) -> float:
    """Seconds of processor time of a command, all its threads together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


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
