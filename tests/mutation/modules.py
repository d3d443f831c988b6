"""What is mutated, and the tests that should notice.

The tests of a module take seconds and run interpreted: a mutated policy would have to be compiled
anew, which takes longer than all of its tests.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
GOLDEN = ("tests/engines/test_golden.py", "not compiled")
RULES = ("tests/contract/test_rules.py", "")
PURSE = (
    "tests/engines/test_purse.py",
    "market or allowance or short_budget or gives_up or posted or next_to_offer or beside",
)
INDIFFERENCE = (
    "tests/engines/test_indifference.py",
    "sum_falls or anything_less or first_arm or never_errs or best_deal",
)
PRECISION = (
    "tests/measures/test_precision.py",
    "width or look or share or needed or short or lacking or a_line or requests or unless_given",
)
DIFFERENCES = ("tests/sweeps/test_compare.py", "welch or pairs_are or both_are or common_tape")
CONTRACT = ("tests/contract/test_policies.py", "")
PRICES = ("tests/contract/test_pricing.py", "hand or rules or free or ranges")
OWN = {
    "ts": (("tests/statistics/test_thompson.py", "sample_of_one or bounds"),),
    "ucb": (("tests/engines/test_ucb.py", "random_markets or late or whatever or tie or lifted"),),
}


class Module(NamedTuple):
    """A source file, and test files with the names (`pytest -k`) that are run of each."""

    path: str
    tests: tuple[tuple[str, str], ...]


def _modules() -> dict[str, Module]:
    shared = {
        "model/book": (GOLDEN, ("tests/contract/test_book.py", ""), RULES),
        "model/offers": (GOLDEN, RULES, INDIFFERENCE),
        "model/budget": (("tests/engines/test_sums.py", ""), GOLDEN, PURSE),
        "results/statistics": (("tests/measures/test_measures.py", "not wanders"),),
        "results/differences": (DIFFERENCES,),
        "scenario/precision": (PRECISION,),
    }
    found = {name: Module(f"kcmab_abm/{name}.py", tests) for name, tests in shared.items()}
    for folder, tests in {"policies": (GOLDEN, CONTRACT), "prices": (GOLDEN, PRICES)}.items():
        for file in sorted((ROOT / "kcmab_abm/entries" / folder).glob("[!_]*.py")):
            path = f"kcmab_abm/entries/{folder}/{file.name}"
            found[f"entries/{folder}/{file.stem}"] = Module(path, (*tests, *OWN.get(file.stem, ())))
    return found


MODULES = _modules()
