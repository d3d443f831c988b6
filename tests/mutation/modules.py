"""What is mutated, and the tests that should notice.

The tests of a module take seconds and run interpreted: a mutated policy would have to be compiled
anew, which takes longer than all of its tests.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
GOLDEN = ("tests/engines/test_golden.py", "not compiled")


def golden_of(cases: str) -> tuple[str, str]:
    """The stored digests of some cases only, as the market plays them."""
    return GOLDEN[0], f"test_runs_are and {cases}"


GOLDEN_BEHAVIOURS, GOLDEN_DISCLOSURES = golden_of("behaviour"), golden_of("disclosure")
GOLDEN_MEASURES = golden_of("measure")
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
RANGES = ("tests/contract/test_policies.py", "ranges")
CONTRACT = ("tests/contract/test_policies.py", "")
PRICES = ("tests/contract/test_pricing.py", "hand or rules or free or ranges")
OWN = {
    "ts": (("tests/statistics/test_thompson.py", "sample_of_one or bounds"),),
    "ucb": (("tests/engines/test_ucb.py", "random_markets or late or whatever or tie or lifted"),),
}
DRAWING = "tests/contract/test_drawing_policies.py"
INDEX = "tests/contract/test_index_policies.py"
# Policies with few tests of their own, which need not be looked for among all others.
APART = {
    "besa": (DRAWING, "besa"),
    "explore_first": (DRAWING, "explore_first"),
    "gittins": (INDEX, "gittins or psi"),
    "imed": (INDEX, "imed"),
    "ipa": (CONTRACT[0], "ipa or never_accepted"),
    "moss": (INDEX, "moss"),
    "optimal": ("tests/contract/test_optimal.py", "table_is or wrong_prior"),
    "principal_epsilon_greedy": (CONTRACT[0], "principal"),
    "rb_sda": (DRAWING, "rb_sda"),
    "top_two": (DRAWING, "top_two or transport or challenger"),
    "tsallis_inf": (DRAWING, "tsallis"),
}
TEXTBOOK = "tests/engines/test_textbook.py"
TEXTBOOK_RULES = ("gittins", "imed")
DECISIONS = (
    "tests/contract/test_decisions.py",
    "ranges or by_hand or one_choice or stay_until or chances_are",
)
DISCLOSURES = (
    "tests/contract/test_disclosures.py",
    "ranges or counted_off or by_hand or nearest or last_of or recommendation or groups_and_pools "
    "or knows or successor",
)
MEASURES = (
    "tests/measures/test_own_measures.py",
    "ranges or by_hand or mean_difference or fees or sums_are or in_the_line",
)
RARE_RUNS = (
    ("tests/measures/test_rare_runs.py", "student_s or equal_excesses or turned_round or one_run"),
    ("tests/measures/test_rare_runs.py", "covers"),
)
LOCK_IN = ("tests/measures/test_rare_runs.py", "reported")


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
        "results/lock_in": (LOCK_IN,),
        "results/rare_runs": RARE_RUNS,
        "scenario/precision": (PRECISION,),
    }
    found = {name: Module(f"kcmab_abm/{name}.py", tests) for name, tests in shared.items()}
    entries = {
        "policies": (GOLDEN, CONTRACT),
        "prices": (PRICES, golden_of("pricing")),
        "decisions": (DECISIONS, GOLDEN_BEHAVIOURS),
        "disclosures": (DISCLOSURES, GOLDEN_DISCLOSURES),
        "measures": (MEASURES, GOLDEN_MEASURES),
    }
    for folder, tests in entries.items():
        for file in sorted((ROOT / "kcmab_abm/entries" / folder).glob("[!_]*.py")):
            path = f"kcmab_abm/entries/{folder}/{file.name}"
            of_entry = (*tests, *OWN.get(file.stem, ()))
            if folder == "policies" and file.stem in APART:
                name = file.stem.replace("_", "-")
                of_entry = (APART[file.stem], RANGES, golden_of(f"policy and {name}"))
                if name in TEXTBOOK_RULES:
                    of_entry += ((TEXTBOOK, f"whatever_is_reported and {name}"),)
            found[f"entries/{folder}/{file.stem}"] = Module(path, of_entry)
    return found


MODULES = _modules()
