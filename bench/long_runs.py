"""Long runs: their peak memory above that of the imported package, and their cost.

Every experiment has a fresh process, with its kernel already on disk. The compiler is imported with
the first run, so that it counts as part of the run.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.child import ask
from bench.report import COST, Limit, Row

MEMORY = Limit("<=", 300.0)
GROWTH = Limit("<=", 1.1)
POLICIES = ("greedy", "ucb")
NINE = 9  # not from `cases`, which would import the compiler before memory is first looked at
SHORT = 10_000  # customers a replication, with which the long run is compared
TITLE = "long runs, two jobs"
_STATUS = Path("/proc/self/status")


def measure(quick: bool) -> list[Row]:
    """Measure megabytes and nanoseconds per customer for each policy."""
    replications, horizon = (100, 100_000) if quick else (1000, 1_000_000)
    rows = [
        row for policy in POLICIES for row in large_run(policy, "curves", replications, horizon)
    ]
    return [*rows, *large_run("ucb", "paths", replications, horizon // 10)]


def large_run(policy: str, record: str, replications: int, horizon: int) -> list[Row]:
    """Measure the memory of one large experiment, and its cost relative to small ones."""
    ask("bench.long_runs", policy, record, 1, 1)
    found = ask("bench.long_runs", policy, record, replications, horizon)
    above = found["peak"] - found["imported"]
    growth = found["long"] / found["short"]
    lines = ", every line in the ledger" if record == "paths" else ""
    remark = f"{replications:,} replications{lines}"
    size = {"arms": NINE, "customers": horizon, "remark": remark}
    return [
        Row(TITLE, "memory above the import", policy, above, "MB", limit=MEMORY, **size),
        Row(TITLE, "memory in all", policy, found["peak"], "MB", **size),
        Row(
            TITLE,
            "processor time",
            policy,
            found["long"],
            COST,
            growth,
            f"{SHORT:,} customers",
            GROWTH,
            **size,
        ),
    ]


def main(policy: str, record: str, replications: int, horizon: int) -> None:
    """Run one experiment between small ones in this process, and print its costs.

    A long run is timed once, so that it is compared with the mean of the small ones and not with
    the best of them.
    """
    import kcmab_abm

    imported = resident()
    from bench.cases import market_of
    from bench.clock import NANOSECOND, Task
    from kcmab_abm.running.journal import Journal

    def cost(customers: int) -> float:
        scenario = market_of(policy, replications=replications, horizon=customers)
        with TemporaryDirectory() as folder:
            recorded = record == "paths"
            how = {"journal": Journal(Path(folder))} if recorded else {}
            scenario = scenario.replace(record=record)
            run = Task(
                lambda: kcmab_abm.simulate(scenario, engine="batch", jobs=2, **how),
                replications * customers,
            )
            return run.cost() / NANOSECOND

    times = max(1, horizon // SHORT // 10)
    cost(1)
    short = [cost(SHORT) for _ in range(times)]
    long = cost(horizon)
    short += [cost(SHORT) for _ in range(times)]
    mean = sum(short) / len(short)
    print(json.dumps({"imported": imported, "peak": peak(), "long": long, "short": mean}))


def resident() -> float:
    """Megabytes in use now, or the peak if the system does not report this."""
    return status("VmRSS") if _STATUS.exists() else used_at_most()


def peak() -> float:
    """The peak memory in megabytes.

    The kernel's own mark is preferred, because `ru_maxrss` of a new process begins with the size
    of the process that started it.
    """
    return status("VmHWM") if _STATUS.exists() else used_at_most()


def status(word: str) -> float:
    """A line of /proc/self/status, in megabytes."""
    lines = _STATUS.read_text(encoding="ascii").splitlines()
    line = next(line for line in lines if line.startswith(word))
    return int(line.split()[1]) / 1024


def used_at_most() -> float:
    """The value of `getrusage` in megabytes."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
