"""The hunt in the suite: a fixed quick set always, minutes of it among the slow checks.

Hours of it are `python -m tests.fuzz --minutes 60 --seed 7`. What was ever found is run here, from
the files in `found`.
"""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from kcmab_abm import load_scenario, make_scenario
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from kcmab_abm.scenario.reading import read_settings
from kcmab_abm.testing.numbers import ends_of, number, numbers
from tests.fuzz import campaign, differential
from tests.fuzz.arms import DRAWN, MOVING, draw_groups, draw_moving_groups
from tests.fuzz.campaign import (
    FOUND,
    LIBRARY,
    fault_or_refusal,
    file_texts,
    hunt_files,
    hunt_scenarios,
    random_combos,
    scenarios,
    spoilt_files,
)
from tests.fuzz.files import TooLate, complaint, deadline
from tests.fuzz.scenarios import Combo, draw_combo
from tests.fuzz.shrink import shrunk
from tests.markets import MIXED, PAIRS

# Kernels that other tests need anyway: in plain markets, and in those with limits and change.
PLAIN = [
    Combo(policy, MIXED if behaviour == "mixture" else (behaviour,)) for policy, behaviour in PAIRS
]
VARIED = [
    *(Combo("ucb", ("greedy",), rule, varied=True) for rule in PRICING.own_names()),
    Combo("modified-ts", ("greedy",), varied=True),
    Combo("ucb", ("logit",), varied=True),
]
DISCLOSED = [
    Combo("ucb", ("greedy",), disclosure=rule) for rule in DISCLOSURES.own_names() if rule != "full"
]
COUNTED = [
    Combo("ucb", ("greedy",), measures=tuple(reversed(MEASURES.own_names()))),
    Combo("ucb", ("greedy",), varied=True, measures=("gini", "discounted-regret", "profit")),
]
KNOWING = [
    Combo("ucb", ("tastes",), knows="customers"),
    Combo("ucb", MIXED, visible=True),
]
TIMED = [
    Combo("ucb", ("greedy",), timed=True),
    Combo("sliding-window-ucb", ("recency",), timed=True),
    Combo("modified-ts", ("greedy",), varied=True, timed=True),
]
KEPT = sorted(FOUND.glob("*.toml"))


@pytest.mark.parametrize(
    "combo",
    [*PLAIN, *VARIED, *DISCLOSED, *COUNTED, *KNOWING, *TIMED],
    ids=lambda combo: "-".join(map(str, combo)),
)
def test_engines_agree_on_random_scenarios(combo):
    """Both engines give the same trajectory, sums and errors, and keep the model's promises."""
    found = [wrong for each in scenarios(1, [combo], 7) if (wrong := fault_or_refusal(each))]
    assert not found


def test_a_hunt_begins_at_once_and_ends_in_time(monkeypatch, tmp_path):
    """However many are asked for, none is drawn before its turn, and each hunt has its minutes."""
    now = [0.0]

    def tried(what):
        now[0] += 10.0
        return ""

    monkeypatch.setattr(campaign, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(campaign, "fault_or_refusal", tried)
    monkeypatch.setattr(campaign, "complaint", tried)
    hunts = [hunt_scenarios(3, 10**9, 400, 0.5), hunt_files(3, 10**9, tmp_path, 0.5)]
    assert [len(list(hunt)) for hunt in hunts] == [4, 4]


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(0, marks=pytest.mark.slow),
        *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (1, 2, 3)),
    ],
)
def test_engines_agree_on_thousands_of_random_scenarios(seed):
    """The same for kernels of all kinds, ten at a time."""
    drawn = scenarios(seed, random_combos(seed, 10), 100)
    assert not [(wrong, each) for each in drawn if (wrong := fault_or_refusal(each))]


@pytest.mark.usefixtures("_own_catalogue")
def test_any_file_is_answered(tmp_path):
    """Of 500 mutated files each is fine or refused: soon, in lines that name file and place."""
    assert not complaints(tmp_path, seed=1, count=500)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_any_of_thousands_of_files_is_answered(seed, tmp_path):
    """The same for four times 1 500 files."""
    assert not complaints(tmp_path, seed, count=1500)


def complaints(folder, seed, count):
    """What is wrong with the answers to mutated files, and the files."""
    found = {}
    for place, content in enumerate(spoilt_files(seed, count)):
        path = folder / f"{place}.toml"
        path.write_bytes(content)
        if wrong := complaint(path):
            found[wrong] = content
        path.unlink()
    return found


@pytest.mark.slow
def test_any_file_is_answered_by_the_command(tmp_path):
    """A process of its own ends with 0 or 2 and without a traceback, as the hunt's own does."""
    for place, content in enumerate(spoilt_files(9, 20)):
        path = tmp_path / f"{place}.toml"
        path.write_bytes(content)
        command = [sys.executable, "-m", "kcmab_abm", "check", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode in (0, 2), done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path):
    """A file that once went wrong is answered; if it is a scenario, both engines agree on it.

    One that was refused by mistake must be a scenario.
    """
    assert complaint(path) == ""
    if _is_scenario(path) or path.stem.startswith("refused"):
        assert differential.fault(read_settings(path), folder=path.parent) == ""


def _is_scenario(path):
    try:
        load_scenario(path)
    except ValueError:
        return False
    return True


def test_files_are_fine_before_they_are_spoilt(tmp_path):
    """The mutator begins with valid files: those of the library, and some that say much more."""
    texts = file_texts(seed=1)
    assert len(texts) > len(list(LIBRARY.glob("*.toml")))
    for place, text in enumerate(texts):
        path = tmp_path / f"{place}.toml"
        path.write_text(text, encoding="utf-8")
        assert load_scenario(path).policies


@pytest.mark.usefixtures("_own_catalogue")
def test_draws_reach_the_ends_of_every_range():
    """Every parameter is drawn at both ends of its range, often two of them at once."""
    rng = np.random.default_rng(0)
    for entry in (
        *POLICIES.values(),
        *BEHAVIOURS.values(),
        *PRICING.values(),
        *MEASURES.values(),
    ):
        for each in entry.parameters.values():
            drawn = {number(rng, each) for _ in range(300)}
            assert drawn >= ({False, True} if isinstance(each.default, bool) else {*ends_of(each)})
    tastes = BEHAVIOURS["tastes"].parameters
    tables = [numbers(rng, BEHAVIOURS["tastes"]) for _ in range(1000)]
    at_ends = [
        sum(each in ends_of(tastes[word]) for word, each in table.items()) for table in tables
    ]
    assert sum(count >= 2 for count in at_ends) > 50


def test_every_entry_of_the_catalogue_is_drawn():
    """A new entry is hunted without being named here; a new law needs a way to draw its arms."""
    rng = np.random.default_rng(0)
    combos = [draw_combo(rng) for _ in range(2000)]
    assert {each.policy for each in combos} == {*POLICIES.own_names()}
    assert {each.rule for each in combos} == {*PRICING.own_names()}
    assert {each.disclosure for each in combos} == {*DISCLOSURES.own_names()}
    assert {each.decision for each in combos} == {"", *DECISIONS.own_names()}
    kinds = {name for name, entry in BEHAVIOURS.items() if entry.is_own and not entry.compose}
    assert {kind for each in combos for kind in each.customers} == kinds
    counted = {name for each in combos for name in each.measures}
    assert {*MEASURES.own_names()} - counted == {"customer-surplus"}  # not of all customers
    laws = {group["law"] for _ in range(500) for group in draw_groups(rng)}
    assert laws == {*DRAWN} == {*LAWS.own_names()}
    moved = {group["law"] for _ in range(500) for group in draw_moving_groups(rng)}
    assert moved == {*MOVING} == {name for name in LAWS.own_names() if LAWS[name].move}


@pytest.mark.parametrize(
    ("parameter", "ends"),
    [
        (Parameter(1.0, gt=0.0, lt=2.0), (5e-324, np.nextafter(2.0, 0.0))),
        (Parameter(3, gt=0, lt=9), (1, 8)),
        (Parameter(1.0, ge=0.0), (0.0, 1e300)),
    ],
)
def test_ends_of_a_range_lie_within(parameter, ends):
    """Ends that a range leaves out are drawn as the numbers next to them."""
    assert ends_of(parameter) == ends


def test_a_difference_between_the_engines_is_found(monkeypatch):
    """Every kind of fault is seen: other arrays, other errors, numbers that are not finite."""
    settings = {
        "horizon": 20,
        "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.1]}},
        "policy": [{"name": "ucb"}],
        "replications": 2,
    }
    assert differential.fault(settings) == ""
    right = differential.play

    def played(change, only):
        def play(scenario, replication, engine):
            run = right(scenario, replication=replication, engine=engine)
            if engine in only:
                change(run)
            return run

        return play

    def fail(run):
        raise ZeroDivisionError("by 0")

    def pay(run):
        run.payments[-1] += 1.0

    def forget(run):
        run.rewards[-1] = np.nan

    both = ("market", "batch")
    faults = {
        "trajectories: payments differ": played(pay, ["batch"]),
        "errors: none in the market, ZeroDivisionError: by 0 in the batch": played(fail, ["batch"]),
        "errors: both engines: ZeroDivisionError: by 0": played(fail, both),
        "promises: all numbers are finite: not so": played(forget, both),
        "promises: compensation is what was paid: not so": played(pay, both),
    }
    for wrong, play in faults.items():
        monkeypatch.setattr(differential, "play", play)
        assert differential.fault(settings) == wrong


def test_a_failing_scenario_is_shrunk():
    """What has nothing to do with a fault is left out, and numbers get rounder."""
    [settings] = scenarios(3, [Combo("kl-ucb", ("tastes", "logit"), "fixed-margin", True)], 1)

    def fault(given):
        customers = make_scenario(given).settings["market"]["customers"]
        money = max(each.get("money", 0.0) for each in customers.get("of", [customers]))
        return "money: too much" if given["horizon"] > 2 and money > 0.7 else ""

    settings["market"]["customers"]["of"][0]["money"] = 77.7
    small = shrunk(settings, fault)
    assert small["horizon"] == 3
    assert small["policy"] == [{"name": "kl-ucb"}]
    assert len(str(small)) < len(str(settings)) / 2
    assert fault(small)


def test_what_takes_too_long_is_stopped():
    """The watchdog ends work that does not, and lets other work pass."""
    with deadline(60):
        pass
    with pytest.raises(TooLate):
        work_for_ever(1)


def work_for_ever(seconds):
    """Work without end, under the watchdog."""
    with deadline(seconds):
        while True:
            pass
