"""The hunt on demand: `python -m tests.fuzz --scenarios 20000 --files 10000 --seed 7`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.campaign import hunt_files, hunt_scenarios

EVERY = 1000  # scenarios or files between two lines of progress


def main() -> int:
    """Hunt, tell what was found, and end with 1 if anything was."""
    asked = _arguments()
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        hunts = {
            "scenarios": hunt_scenarios(asked.seed, asked.scenarios, asked.each, asked.minutes),
            "files": hunt_files(asked.seed, asked.files, Path(folder), asked.minutes),
        }
        for what, hunt in hunts.items():
            begun, number, faults, longest = time.monotonic(), 0, 0, 0.0
            last = begun
            for number, wrong in hunt:
                now = time.monotonic()
                last, longest = now, max(longest, now - last)
                if wrong:
                    faults += 1
                    print(f"{what} {number}: {wrong}", flush=True)
                if number % EVERY == 0:
                    print(f"{what}: {number}, {faults} faults", flush=True)
            print(
                f"{what}: {number} in {time.monotonic() - begun:.0f} s, {faults} faults, "
                f"the longest took {longest:.2f} s"
            )
            found += faults
    return 1 if found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--scenarios", type=int, default=10**9, help="random scenarios to run")
    parser.add_argument("--files", type=int, default=10**9, help="mutated files to check")
    parser.add_argument("--minutes", type=float, help="for each of the two, at most")
    parser.add_argument("--each", type=int, default=400, help="scenarios for each kernel")
    parser.add_argument("--seed", type=int, default=0, help="of all draws")
    asked = parser.parse_args()
    if asked.minutes is None and max(asked.scenarios, asked.files) == 10**9:
        parser.error("give --minutes, or --scenarios and --files")
    return asked


if __name__ == "__main__":
    sys.exit(main())
