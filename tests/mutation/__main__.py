"""How many mutants the tests notice: `python -m tests.mutation --module model/book`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutation.modules import MODULES, ROOT, Module
from tests.mutation.mutants import Mutant, all_mutants, difference, mutated, sampled
from tests.mutation.trial import Trial


def main() -> int:
    """Try the mutants of each module, tell which survived, and end with 1 if tests fail without."""
    asked = _arguments()
    names = asked.module or list(MODULES)
    rows: list[tuple[object, ...]] = []
    passed: set[tuple[str, str]] = set()  # tests that need not be run again without a mutation
    with tempfile.TemporaryDirectory() as folder:
        trials = [Trial(Path(folder) / str(number)) for number in range(asked.jobs)]
        try:
            for name in names:
                fresh = tuple(each for each in MODULES[name].tests if each not in passed)
                passed.update(fresh)
                if trials[0].outcome(MODULES[name]._replace(tests=fresh)) != "survived":
                    print(f"{name}: its tests fail without a mutation", flush=True)
                    return 1
                rows.append((name, *_tried(MODULES[name], trials, asked.sample, asked.seed)))
                print(_row(*rows[-1]), flush=True)
        finally:
            for trial in trials:
                trial.close()
    print(f"\n{_row('module', 'mutants', 'tried', 'killed', 'timeout')}")
    print("\n".join(_row(*row) for row in rows))
    return 0


def _tried(module: Module, trials: list[Trial], sample: int | None, seed: int) -> tuple[int, ...]:
    """How many mutants there are, were tried, were killed, took too long; survivors are printed."""
    source = (ROOT / module.path).read_text(encoding="utf-8")
    mutants = all_mutants(source)
    chosen = sampled(mutants, sample, seed)
    count: Counter[str] = Counter()
    for mutant, changed, outcome in _outcomes(module, source, chosen, trials):
        count[outcome] += 1
        if outcome != "killed":
            where = f"{module.path}:{mutant.line}"
            print(f"{where} {outcome}\n{difference(source, changed)}\n", flush=True)
    return len(mutants), len(chosen), count["killed"], count["timeout"]


def _outcomes(
    module: Module, source: str, chosen: list[Mutant], trials: list[Trial]
) -> Iterator[tuple[Mutant, str, str]]:
    """Each mutant, its text and what became of it; every trial has one at a time."""
    free: SimpleQueue[Trial] = SimpleQueue()
    for trial in trials:
        free.put(trial)

    def outcome(changed: str) -> str:
        trial = free.get()
        try:
            return trial.outcome(module, changed)
        finally:
            free.put(trial)

    texts = [mutated(source, mutant) for mutant in chosen]
    with ThreadPoolExecutor(len(trials)) as pool:
        yield from zip(chosen, texts, pool.map(outcome, texts), strict=True)


def _row(*cells: object) -> str:
    name, mutants, tried, killed, late = cells
    score = f"{(killed + late) / tried:.0%}" if isinstance(tried, int) and tried else "score"
    return f"{name:34}{mutants:>8}{tried:>7}{killed:>8}{late:>9}{score:>7}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--module", action="append", choices=MODULES, help="only this; repeatable")
    parser.add_argument("--sample", type=int, help="mutants of each module; all, if not given")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="mutants tried at the same time")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
