"""Mutation testing can find a mutant, and finds none where there is none."""

from __future__ import annotations

import re

import pytest

from tests.mutation.modules import GOLDEN, MODULES, ROOT
from tests.mutation.mutants import Mutant, annotations, difference, sampled
from tests.mutation.trial import Trial

# A price is the smallest of the modules, and its tests are those of all prices.
PRICE = MODULES["entries/prices/least"]


@pytest.mark.parametrize("name", MODULES)
def test_modules_and_their_tests_exist(name):
    """Nothing is mutated that was moved, nor tested by a file or by tests that are gone."""
    module = MODULES[name]
    assert (ROOT / module.path).is_file()
    for file, names in module.tests:
        text = (ROOT / file).read_text(encoding="utf-8")
        if file == GOLDEN[0]:  # whose tests are named after its cases
            text += (ROOT / "tests/engines/golden.json").read_text(encoding="utf-8")
        words = re.split(" or | and ", names.removeprefix("not "))
        assert all(word in text for word in words), f"{file}: no test called like one of {words}"


def test_every_entry_that_decides_or_counts_is_mutated():
    """Whoever adds one need not add it to a list."""
    for kind in ("policies", "prices", "decisions", "disclosures", "measures"):
        folder = f"entries/{kind}"
        files = {file.stem for file in (ROOT / "kcmab_abm" / folder).glob("[!_]*.py")}
        assert {f"{folder}/{stem}" for stem in files} <= set(MODULES)


def test_scores_are_those_of_modules():
    """The page has a row for most modules, in their order, and none for others."""
    page = (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+)` \| (\d+) \| (\d+) \| (\d+) \|", page, re.MULTILINE)
    named = [name for name, *_ in rows]
    assert named == [name for name in MODULES if name in named]
    assert len(named) >= 20
    assert all(int(found) >= int(tried) >= int(killed) for _, found, tried, killed in rows)


@pytest.mark.slow
def test_a_planted_mutant_is_killed_and_the_original_survives(tmp_path):
    """A price of one and a half gaps fails the tests, the price as it is passes and is kept."""
    source = (ROOT / PRICE.path).read_text(encoding="utf-8")
    planted = source.replace("return gap", "return 1.5 * gap")
    assert planted != source
    trial = Trial(tmp_path)
    try:
        assert trial.outcome(PRICE) == "survived"
        assert trial.outcome(PRICE, planted) == "killed"
        assert (trial.root / PRICE.path).read_text(encoding="utf-8") == source
        assert (ROOT / PRICE.path).read_text(encoding="utf-8") == source
    finally:
        trial.close()


def test_a_sample_is_that_of_its_seed():
    """The same seed draws the same mutants, another one others, none of them twice."""
    mutants = [Mutant("some/operator", number, number) for number in range(100)]
    drawn = sampled(mutants, 10, 1)
    assert drawn == sampled(mutants, 10, 1)
    assert drawn != sampled(mutants, 10, 2)
    assert len(set(drawn)) == 10
    assert sampled(mutants, 1000, 1) == mutants


def test_annotations_are_found_where_they_stand():
    """What nothing evaluates is not worth a mutant: arguments, results and variables."""
    source = "x: int | str = 1 | 2\ndef f(y: int | None) -> str | None: ...\n"
    lines = source.splitlines()
    found = [lines[low[0] - 1][low[1] : high[1]] for low, high in annotations(source)]
    assert sorted(found) == ["int | None", "int | str", "str | None"]


def test_a_difference_shows_the_old_line_and_the_new_one():
    """And no other."""
    assert difference("a\nb\nc", "a\nB\nc") == "-b\n+B"
