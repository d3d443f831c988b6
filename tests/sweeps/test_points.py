"""Which points a sweep has, what the settings are at each, and what is wrong with bad ones."""

from __future__ import annotations

import copy
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kcmab_abm import ScenarioError, load_scenario, make_scenario
from kcmab_abm.cli.main import BAD_INPUT, run
from kcmab_abm.scenario.paths import look_up, steps, written
from kcmab_abm.scenario.schema import json_schema
from kcmab_abm.scenario.sweep import LARGEST_SWEEP

from .conftest import BASE, FILE, with_sweep

GREEDY = {"behaviour": "greedy"}


def points(**sweep):
    """The scenarios of the small market's sweep."""
    return list(make_scenario(with_sweep(**sweep)).points())


def problems(**sweep):
    """What is wrong with the small market's sweep."""
    with pytest.raises(ScenarioError) as caught:
        make_scenario(with_sweep(**sweep))
    return caught.value.problems


def test_grid_is_every_combination():
    """A grid has a point for every combination; its last axis changes fastest."""
    found = points(grid={"horizon": [10, 20], "market.customers.tau": [0.0, 0.1, 0.2]})
    taus = [each.market.customers.values[0] for each in found]
    assert [each.horizon for each in found] == [10, 10, 10, 20, 20, 20]
    assert taus == [0.0, 0.1, 0.2] * 2
    assert all(each.sweep is None for each in found)


def test_list_is_its_points_and_no_others():
    """A list has the points given; what a point does not set is as the file has it."""
    found = points(list=[{}, {"horizon": 10, "seed": 1}, {"seed": 2}])
    assert [(each.horizon, each.seed) for each in found] == [(30, 4), (10, 1), (30, 2)]


def test_settings_left_to_their_default_can_be_swept():
    """A key that the file leaves out, and tables on the way to it, are made where needed."""
    [first, _] = points(grid={"policy[1].epsilon": [2.0, 5.0]})
    assert first.policies[1].params.epsilon == 2.0
    settings = copy.deepcopy(BASE)
    del settings["market"]["customers"]
    swept = {**settings, "sweep": {"list": [{"market.customers.behaviour": "logit"}]}}
    [only] = make_scenario(swept).points()
    assert only.market.customers.entry.name == "logit"


def test_whole_tables_can_be_swept():
    """A value may be a table; a path into it applies after it, wherever it stands."""
    customers = [GREEDY, {"behaviour": "logit", "tau": 0.3}]
    found = points(grid={"market.customers": customers})
    assert [each.market.customers.entry.name for each in found] == ["greedy", "logit"]
    both = {"market.customers.tau": 0.7, "market.customers": {"behaviour": "logit"}}
    assert points(list=[both])[0].market.customers.values == (0.7,)


def test_entries_of_lists_can_be_swept():
    """An entry of a list is reached by its place."""
    found = points(grid={"market.arms.means[1]": [0.6, 0.7]})
    assert [each.market.means.tolist() for each in found] == [[0.8, 0.6, 0.3], [0.8, 0.7, 0.3]]


def test_a_new_name_inherits_no_defaults():
    """Defaults of the old behaviour do not stay behind when its name is swept."""
    base = {**BASE, "market": {**BASE["market"], "customers": {"behaviour": "logit"}}}
    scenario = make_scenario(base | {"sweep": {"grid": {"market.customers.behaviour": ["greedy"]}}})
    assert scenario.points()[0].market.customers.entry.name == "greedy"
    again = make_scenario(scenario.settings)
    assert again.points()[0].market.customers.entry.name == "greedy"


def test_policies_keep_their_labels():
    """A policy is called the same at all points, whatever its parameters; a new one is not."""
    twice = {**BASE, "policy": [{"name": "modified-epsilon-greedy", "epsilon": e} for e in (5, 9)]}
    grid = {"grid": {"policy[1].epsilon": [1.0, 2.0]}}
    labels = ["modified-epsilon-greedy (epsilon=5)", "modified-epsilon-greedy (epsilon=9)"]
    for each in make_scenario(twice | {"sweep": grid}).points():
        assert [choice.label for choice in each.policies] == labels
    [new] = points(grid={"policy[0]": [{"name": "greedy"}]})
    assert [choice.label for choice in new.policies] == ["greedy", "modified-epsilon-greedy"]


def test_base_is_left_alone():
    """The scenario itself is that of the file without its sweep."""
    scenario = make_scenario(with_sweep(grid={"horizon": [5]}))
    assert scenario.replace(sweep=None) == make_scenario(BASE)
    assert scenario != make_scenario(BASE)
    assert make_scenario(scenario.settings) == scenario


BAD = {
    "value": (
        {"grid": {"market.customers.tau": [0.1, 0.2, -1.0]}},
        "sweep point 3 (market.customers.tau = -1.0): market.customers.tau: must be >= 0, got -1.0",
    ),
    "unknown setting": (
        {"grid": {"policy[1].epsilom": [1.0]}},
        "sweep point 1 (policy[1].epsilom = 1.0): policy[1].epsilom: no setting 'epsilom'. Did",
    ),
    "same everywhere": (
        {"grid": {"seed": [-1], "horizon": [1, 2, 3]}},
        "sweep point 1 (seed = -1, horizon = 1): seed: must be >= 0, got -1 (and at 2 more)",
    ),
    "labels": (
        {"grid": {"policy[1].label": ["ucb"]}},
        "sweep point 1 (policy[1].label = \"ucb\"): policy[1].label: 'ucb' is already the label",
    ),
    "twice in an axis": (
        {"grid": {"horizon": [10, 20, 10]}},
        "sweep point 3 (horizon = 10): is the same as point 1; give every value and every point",
    ),
    "twice in a list": (
        {"list": [{"market.customers": GREEDY}, {"market.customers": dict(GREEDY)}]},
        'sweep point 2 (market.customers = { behaviour = "greedy" }): is the same as point 1',
    ),
    "1 and 1.0": ({"grid": {"market.customers.tau": [1, 1.0]}}, "is the same as point 1"),
    "empty axis": ({"grid": {"horizon": []}}, "sweep.grid.horizon: must be a list of 1 or more"),
    "empty grid": ({"grid": {}}, "sweep: varies nothing; give a grid, such as"),
    "empty list": ({"list": []}, "sweep.list: must be a list of 1 or more entries, got []"),
    "empty": ({}, "sweep: varies nothing"),
    "nothing set": ({"list": [{}]}, "sweep: varies nothing"),
    "both": (
        {"grid": {"seed": [1]}, "list": [{"seed": 1}]},
        "sweep: takes a grid, a list of points, or a",
    ),
    "unknown key": ({"gird": {"seed": [1]}}, "sweep: no setting 'gird'. Did you mean 'grid'?"),
    "no list": ({"grid": {"seed": 1}}, "sweep.grid.seed: must be a list in [ ]"),
    "no quotes": (
        {"grid": {"market": {"ties": ["first"]}}},
        "sweep: grid.market: must be a list in [ ] (is the path one key, in quotes?), got a table",
    ),
    "no table": ({"list": [3]}, "sweep.list[0]: must be a table, got 3"),
    "no path": ({"grid": {"policy[1.epsilon": [1]}}, "sweep: 'policy[1.epsilon' is not the path"),
    "path empty": ({"grid": {"": [1]}}, "sweep: '' is not the path of a setting; write it as in"),
    "path from the end": ({"grid": {"policy[-1].epsilon": [1]}}, "is not the path of a setting"),
    "itself": ({"grid": {"sweep.grid": [1]}}, "'sweep.grid': a sweep cannot vary itself; give"),
    "through a number": (
        {"grid": {"horizon.x": [1]}},
        "sweep point 1 (horizon.x = 1): horizon: must be a table to have 'x' set, got 30",
    ),
    "through a table": (
        {"grid": {"market[0]": [1]}},
        "market: must be a list to have entry [0] set, got {",
    ),
    "list not there": (
        {"grid": {"market.arms.values[0]": [1]}},
        "market.arms.values: must be a list to have entry [0] set, got nothing",
    ),
    "past the end": (
        {"grid": {"policy[2].epsilon": [1.0]}},
        "policy[2]: no such entry; policy has [0] to [1]",
    ),
    "too many": (
        {"grid": {"seed": list(range(101)), "horizon": list(range(1, 101))}},
        "sweep: must be at most 10,000 points, got 10,100; leave out values, or split it",
    ),
    "thousands of digits": ({"grid": {"horizon": [10**5000]}}, "horizon: must be <= 100000000000"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_sweep_is_refused_in_one_line(name):
    """The line says where the fault is, what was found, and what is allowed."""
    sweep, words = BAD[name]
    [line] = problems(**sweep)
    assert words in line
    assert "\n" not in line
    assert len(line) < 300


def test_all_problems_at_once():
    """Every point with a fault of its own is named."""
    lines = problems(list=[{"seed": -1}, {"horizon": 0}, {"seed": 1}, {"market.ties": "x"}])
    assert [line.split(":")[0] for line in lines] == [
        "sweep point 1 (seed = -1)",
        "sweep point 2 (horizon = 0)",
        'sweep point 4 (market.ties = "x")',
    ]


def test_nested_values_are_refused():
    """A value that is nested without end is refused like any other."""
    deep = 1
    for _ in range(5000):
        deep = {"a": deep}
    assert problems(grid={"horizon": [deep]}) == [
        "sweep: holds values that are nested too deeply; no setting is"
    ]


def test_file_with_bad_sweep_is_bad_input(tmp_path, capsys):
    """Both commands name the file and the point, and leave with exit code 2."""
    path = tmp_path / "mine.toml"
    path.write_text(FILE + '[sweep]\ngrid = { "market.customers.tau" = [0.1, -1.0] }\n')
    for command in (["check", str(path)], ["run", str(path), "--out", str(tmp_path / "out")]):
        assert run(command) == BAD_INPUT
        assert capsys.readouterr().err == (
            f"{path}: sweep point 2 (market.customers.tau = -1.0): "
            "market.customers.tau: must be >= 0, got -1.0\n"
        )
    assert list(tmp_path.iterdir()) == [path]


def test_schema_knows_sweeps():
    """The JSON Schema accepts good sweeps and rejects what a schema can see."""
    validator = Draft202012Validator(json_schema())
    for good in ({"grid": {"horizon": [1]}}, {"list": [{}, {"market.customers": GREEDY}]}):
        validator.validate(make_scenario(with_sweep(**good)).settings)
        validator.validate(with_sweep(**good))
    seen = ["empty axis", "empty list", "empty", "both", "unknown key", "no list", "no table"]
    for name in seen:
        assert not validator.is_valid(with_sweep(**BAD[name][0])), name


@pytest.mark.parametrize(
    "axes",
    [
        {"seed": list(range(LARGEST_SWEEP))},
        {
            "market.customers.tau": [place / 100 for place in range(100)],
            "policy[1].epsilon": [place + 1.0 for place in range(100)],
        },
    ],
    ids=["one axis", "two axes"],
)
def test_largest_sweep_is_checked_in_time(axes):
    """Ten thousand points take a few seconds of a processor's time at most."""
    make_scenario(BASE)  # makes the tables, once
    start = time.process_time()
    scenario = make_scenario(with_sweep(grid=axes))
    assert time.process_time() - start < 5.0
    assert len(scenario.sweep.points) == len(scenario.points()) == LARGEST_SWEEP


def test_points_share_what_they_do_not_change():
    """What no path leads into is built once, for the scenario and for all points."""
    scenario = make_scenario(with_sweep(grid={"policy[1].epsilon": [1.0, 2.0]}))
    first, second = scenario.points()
    assert first.market is second.market is scenario.market
    assert first.policies[0] is second.policies[0]
    assert first.policies[1] is not second.policies[1]
    assert scenario.points() is scenario.points()


def test_a_trace_is_read_once(tmp_path, monkeypatch):
    """However many points there are, and whatever their horizons."""
    (tmp_path / "times").write_text("1\n2\n3\n")
    reads = []
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: reads.append(self) or read(self))
    trace = {"process": "trace", "file": "times"}
    base = {**BASE, "horizon": 3, "market": {**BASE["market"], "arrivals": trace}}
    swept = {**base, "sweep": {"grid": {"horizon": [1, 2, 3], "seed": [1, 2]}}}
    points = make_scenario(swept, folder=tmp_path).points()
    assert [each.horizon for each in points] == [1, 1, 2, 2, 3, 3]
    assert len(reads) == 1


keys = st.sampled_from(["horizon", "tau", "a-b", "x_1", "policy"])
paths = st.tuples(keys, st.lists(keys | st.integers(0, 20), max_size=4)).map(
    lambda found: (found[0], *found[1])
)


def spelled(path):
    """A path as messages write it."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]


@given(paths)
def test_paths_are_read_as_they_are_written(path):
    """Reading a written path gives its steps back."""
    assert steps(spelled(path)) == path


letters = st.characters(exclude_categories=("Cs", "Cc"))
texts = st.text(letters, max_size=5) | st.sampled_from(['"', "\\", "\n", "a.b", ""])
leaves = st.integers() | st.booleans() | st.floats(allow_nan=False) | texts
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_values_are_written_as_a_file_has_them(value):
    """TOML reads a written value back as it was."""
    assert tomllib.loads(f"x = {written(value)}") == {"x": value}


@given(
    taus=st.lists(st.floats(0, 5), min_size=1, max_size=4, unique=True),
    epsilons=st.lists(st.floats(0.5, 50), min_size=1, max_size=4, unique=True),
)
def test_points_have_the_values_asked_for(taus, epsilons):
    """Looking up the swept paths in a point's settings gives the point back."""
    grid = {"market.customers.tau": taus, "policy[1].epsilon": epsilons}
    scenario = make_scenario(with_sweep(grid=grid))
    for point, each in zip(scenario.sweep.points, scenario.points(), strict=True):
        found = {path: look_up(each.settings, steps(path)) for path in point}
        assert found == point


def test_file_means_the_same_as_settings(mine):
    """A sweep in a file is the sweep of the same settings."""
    grid = {"market.customers.tau": [0.0, 0.1]}
    assert load_scenario(mine) == make_scenario(with_sweep(grid=grid))
