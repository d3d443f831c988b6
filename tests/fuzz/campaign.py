"""Campaigns: as many random scenarios and mutated files as asked for; what fails is kept."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from kcmab_abm import ScenarioError
from tests.fuzz.differential import fault
from tests.fuzz.files import complaint
from tests.fuzz.mutations import RICH, mutated
from tests.fuzz.scenarios import Combo, add_queues, draw_combo, draw_scenario
from tests.fuzz.shrink import shrunk

FOUND = Path(__file__).parent / "found"
LIBRARY = Path(__file__).parents[2] / "scenarios"
TESTS = Path(__file__).parents[1]
QUEUES = 0.05  # of the scenarios have what only the market engine runs


def random_combos(seed: int, count: int) -> Iterator[Combo]:
    """Kernels of all kinds; each costs seconds to compile, unless it is on disk."""
    rng = np.random.default_rng([seed, 0])
    for _ in range(count):
        yield draw_combo(rng)


def scenarios(seed: int, combos: Iterable[Combo], each: int) -> Iterator[dict[str, Any]]:
    """So many random scenarios for each kernel, one kernel after another."""
    for number, combo in enumerate(combos, 1):
        rng = np.random.default_rng([seed, number])
        for _ in range(each):
            settings = draw_scenario(rng, combo)
            yield add_queues(rng, settings) if rng.random() < QUEUES else settings


def fault_or_refusal(settings: dict[str, Any]) -> str:
    """What is wrong with how settings run; to be refused is wrong too, for they are meant well."""
    try:
        return fault(settings)
    except ScenarioError as error:
        return f"refused: {error}"


def file_texts(seed: int) -> list[str]:
    """Files that are fine: the library's, one that says everything, and random ones."""
    rng = np.random.default_rng([seed, 0])
    library = [path.read_text(encoding="utf-8") for path in sorted(LIBRARY.glob("*.toml"))]
    drawn = [tomli_w.dumps(draw_scenario(rng, draw_combo(rng))) for _ in range(10)]
    return [*library, RICH, RICH, RICH, *drawn]


def spoilt_files(seed: int, count: int) -> Iterator[bytes]:
    """Mutations of these files."""
    texts = file_texts(seed)
    rng = np.random.default_rng([seed, 1])
    for _ in range(count):
        text, other = (texts[int(place)] for place in rng.integers(len(texts), size=2))
        yield mutated(rng, text, other)


def keep(settings: dict[str, Any], wrong: str) -> Path:
    """Write the smallest scenario that goes wrong in this way, for the tests to run from now on."""
    small = shrunk(settings, fault_or_refusal)
    wrong = fault_or_refusal(small)
    text = tomli_w.dumps(small).replace(TESTS.as_posix(), "../..")  # of files that it reads
    return keep_file(text.encode(), wrong)


def keep_file(content: bytes, wrong: str) -> Path:
    """Write a file under a name that says what was wrong with it."""
    name = f"{wrong.partition(':')[0]}-{hashlib.sha256(content).hexdigest()[:8]}.toml"
    FOUND.mkdir(exist_ok=True)
    (FOUND / name).write_bytes(content)
    return FOUND / name


class Clock:
    """Whether there is time left."""

    def __init__(self, minutes: float | None) -> None:
        self._end = None if minutes is None else time.monotonic() + 60.0 * minutes

    def is_over(self) -> bool:
        """Whether all of it is used up."""
        return self._end is not None and time.monotonic() > self._end


def hunt_scenarios(
    seed: int, count: int, each: int, minutes: float | None
) -> Iterator[tuple[int, str]]:
    """Run random scenarios; yields how many have been run, and what was found in the last one."""
    clock = Clock(minutes)
    combos = random_combos(seed, -(-count // each))
    for number, settings in enumerate(scenarios(seed, combos, each), 1):
        wrong = fault_or_refusal(settings)
        yield number, f"{wrong} ({keep(settings, wrong)})" if wrong else ""
        if clock.is_over() or number == count:
            return


def hunt_files(
    seed: int, count: int, folder: Path, minutes: float | None
) -> Iterator[tuple[int, str]]:
    """Check mutated files; yields how many have been checked, and what was found in the last."""
    clock = Clock(minutes)
    path = folder / "mutated.toml"
    for number, content in enumerate(spoilt_files(seed, count), 1):
        path.write_bytes(content)
        wrong = complaint(path)
        yield number, f"{wrong} ({keep_file(content, wrong)})" if wrong else ""
        if clock.is_over():
            return
