"""Peak memory of a large experiment, above that of the package just imported.

The compiler is imported with the first run, so that it counts as part of the run.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from bench.child import ask
from bench.report import Limit, Row, load

ASKED = Limit("<=", 300.0)
POLICIES = ("greedy", "ucb")
_STATUS = Path("/proc/self/status")


def measure(quick: bool) -> list[Row]:
    """Megabytes in a fresh process for each policy, its kernel already on disk."""
    replications, horizon = (100, 100_000) if quick else (1000, 1_000_000)
    rows = []
    for policy in POLICIES:
        ask("bench.memory", policy, 1, 1)
        found = ask("bench.memory", policy, replications, horizon)
        case = f"{policy}, {replications:,} x {horizon:,}"
        title = "peak memory, two jobs"
        above = found["peak"] - found["imported"]
        ratio = found["peak"] / found["imported"]
        rows.append(Row(title, f"{case}, above the import", above, "MB", None, "", ASKED, load()))
        rows.append(
            Row(title, f"{case}, in all", found["peak"], "MB", ratio, "import", None, load())
        )
    return rows


def main(policy: str, replications: int, horizon: int) -> None:
    """Run one experiment in this process and print its memory as JSON."""
    import kcmab_abm

    imported = resident()
    from bench.cases import market_of

    scenario = market_of(policy, replications=replications, horizon=horizon)
    kcmab_abm.simulate(scenario, engine="batch", jobs=2)
    print(json.dumps({"imported": imported, "peak": peak()}))


def resident() -> float:
    """Megabytes in use now; the most so far where the system does not tell."""
    return status("VmRSS") if _STATUS.exists() else used_at_most()


def peak() -> float:
    """The most megabytes so far.

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
    """What `getrusage` says, in megabytes."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
