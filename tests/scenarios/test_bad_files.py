"""Files that cannot be run are refused in words that help."""

from __future__ import annotations

import copy
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import Scenario, ScenarioError, make_scenario
from kcmab_abm.cli.main import BAD_INPUT, run

from .broken import CASES, EPSILON, UCB, text


def refusal(arguments, capsys):
    """The lines in which a command refuses its input."""
    assert run(arguments) == BAD_INPUT
    out, error = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in error
    return error.splitlines()


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize("broken", CASES, ids=lambda broken: broken.name)
def test_broken_file_is_refused(broken, tmp_path, capsys):
    """Both commands name the file, the place, what was found and what is allowed; none writes."""
    path = tmp_path / "mine.toml"
    path.write_bytes(broken.data)
    for name, content in broken.beside.items():
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    lines = refusal(["check", str(path)], capsys)
    assert refusal(["run", str(path), "--out", str(tmp_path / "out")], capsys) == lines
    assert all(line.startswith(f"{path}: ") for line in lines)
    missing = [part for part in broken.fragments if not any(part in line for line in lines)]
    assert not missing, f"{missing} not in {lines}"
    assert all(len(line) < len(str(path)) + 300 for line in lines)
    assert sorted(tmp_path.iterdir()) == before


def test_there_are_many_broken_files():
    """At least a hundred faults are tried, each under a name of its own."""
    names = [broken.name for broken in CASES]
    assert len(names) >= 100
    assert len(set(names)) == len(names)


def test_missing_file_is_refused(tmp_path, capsys):
    """A file that is not there is named."""
    path = tmp_path / "none.toml"
    assert refusal(["check", str(path)], capsys) == [f"{path}: no such file"]
    out = str(tmp_path / "out")
    assert refusal(["run", str(path), "--out", out], capsys) == [f"{path}: no such file"]


def test_directory_is_refused(tmp_path, capsys):
    """A directory is not a scenario file."""
    assert refusal(["check", str(tmp_path)], capsys) == [f"{tmp_path}: is a directory; give a file"]


def test_file_below_a_file_is_refused(tmp_path, capsys):
    """A path that leads through a file is refused with the system's reason."""
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "mine.toml"
    assert refusal(["check", str(path)], capsys) == [f"{path}: cannot be read: Not a directory"]


def test_path_that_cannot_be_is_refused(capsys):
    """Paths that no system takes are refused like files that are not there."""
    refused = refusal(["check", "a\0b"], capsys)[0]
    assert re.search("cannot be read: .*embedded null (byte|character)", refused)
    assert "cannot be read: File name too long" in refusal(["check", "a" * 5000], capsys)[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_pipe_is_refused(tmp_path, capsys):
    """A pipe, whose end may never come, is not read: neither as a scenario nor as a trace."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refusal(["check", str(pipe)], capsys) == [f"{pipe}: is a pipe or a device; give a file"]
    assert trace_refusal(tmp_path, "pipe", capsys).endswith(": is a pipe or a device; give a file")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices on this system")
def test_device_is_refused(tmp_path, capsys):
    """A device that never ends is not read."""
    assert refusal(["check", "/dev/zero"], capsys) == [
        "/dev/zero: is a pipe or a device; give a file"
    ]
    line = trace_refusal(tmp_path, "/dev/zero", capsys)
    assert line == "market.arrivals.file: '/dev/zero': is a pipe or a device; give a file"


def test_huge_trace_is_refused(tmp_path, capsys):
    """A trace beyond all measure is refused by its size, before it is read."""
    with (tmp_path / "times").open("wb") as file:
        file.truncate(10**12)  # takes no room on the disk
    line = trace_refusal(tmp_path, "times", capsys)
    assert line.endswith("must be at most 256,000,000 bytes, got 1,000,000,000,000")


def trace_refusal(folder, trace, capsys):
    """The line in which a scenario with this trace is refused."""
    path = folder / "mine.toml"
    path.write_text(text(more=f'arrivals = {{ process = "trace", file = "{trace}" }}'))
    [line] = refusal(["check", str(path)], capsys)
    return line.removeprefix(f"{path}: ")


def test_forbidden_file_is_refused(tmp_path, capsys, monkeypatch):
    """A file without permission is refused with the system's reason."""
    path = tmp_path / "mine.toml"
    path.write_text(text())

    def forbid(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", forbid)
    assert refusal(["check", str(path)], capsys) == [f"{path}: cannot be read: Permission denied"]


def test_all_problems_are_reported_at_once(tmp_path, capsys):
    """A file with several faults gets one line for each."""
    path = tmp_path / "mine.toml"
    path.write_text(
        text(
            head="horizon = 0\nseed = -1",
            arms='{ law = "beta", means = [2.0, -1], concentration = "high" }',
            more="seeding_cost = -1\ntie = 2",
            policy=f'{UCB}x"\n{EPSILON}0\nlabel = 5'.replace('ucb"x', "ucbx"),
        )
    )
    places = [
        line.removeprefix(f"{path}: ").split(":")[0]
        for line in refusal(["check", str(path)], capsys)
    ]
    assert places == [
        "horizon",
        "seed",
        "market.arms.means[0]",
        "market.arms.means[1]",
        "market.arms.concentration",
        "market.seeding_cost",
        "market.tie",
        "policy[0].name",
        "policy[1].label",
        "policy[1].epsilon",
    ]


def test_faults_between_settings_are_reported_at_once(tmp_path, capsys):
    """Faults that only several settings together show are reported together, too."""
    path = tmp_path / "mine.toml"
    late = 'service_time = { law = "uniform", low = 2, high = 1 }'
    arrivals = 'arrivals = { process = "trace", file = "none" }'
    path.write_text(text(more=f"{late}\n{arrivals}", policy=f"{UCB}\n{UCB}"))
    lines = refusal(["check", str(path)], capsys)
    places = sorted(line.removeprefix(f"{path}: ").split(":")[0] for line in lines)
    assert places == ["market.arrivals.file", "market.service_time", "policy[1].label"]


def test_check_reports_on_every_file(tmp_path, capsys):
    """One broken file among several does not hide the others."""
    fine, first, second = (tmp_path / name for name in ("fine.toml", "first.toml", "second.toml"))
    fine.write_text(text())
    first.write_text(text(head="horizon = 0"))
    second.write_text("")
    assert run(["check", str(first), str(fine), str(second)]) == BAD_INPUT
    out, error = capsys.readouterr()
    assert out.startswith(f"{fine}: fine: 1 policy, 2 arms")
    assert [line.split(":")[0] for line in error.splitlines()] == [str(first)] + 3 * [str(second)]


VALID = {
    "title": "A market",
    "horizon": 20,
    "replications": 3,
    "seed": 1,
    "market": {
        "arms": [
            {"law": "bernoulli", "means": [0.9, 0.1]},
            {"law": "beta", "means": [0.5], "concentration": 2.0},
            {"law": "beta", "alpha": [1.0], "beta": [2.0]},
            {"law": "uniform", "low": [0.1], "high": [0.2]},
            {"law": "discrete", "values": [0.0, 1.0], "probabilities": [[0.5, 0.5]]},
        ],
        "customers": {"behaviour": "logit", "tau": 0.1},
        "arrivals": {"process": "poisson", "rate": 2.0},
        "ties": "random",
        "seeding_cost": 0.5,
        "service_time": {"law": "uniform", "low": 1.0, "high": 2.0},
        "report_delay": {"law": "exponential", "mean": 1.0},
        "report_probability": 0.5,
    },
    "policy": [
        {"name": "ucb", "label": "first"},
        {"name": "modified-epsilon-greedy", "epsilon": 2.0},
    ],
}
MOVING = {
    "horizon": 20,
    "replications": 100,
    "precision": {
        "measure": "regret",
        "half_width": 0.5,
        "between": ["ucb", "greedy"],
        "confidence": 0.9,
        "ceiling": 200,
    },
    "market": {
        "arms": [{"law": "bernoulli", "means": [0.9, 0.1]}],
        "customers": {
            "behaviour": "mixture",
            "of": [
                {"behaviour": "social", "people": 5, "graph": "edges", "edges": [[0, 1], [2, 4]]},
                {"behaviour": "features", "outcomes": [[0.1, 0.2], [0.3, 0.4]], "weight": 0.5},
                {"behaviour": "drifted-feedback", "clip": True},
            ],
        },
        "change": {"kind": "piecewise", "at": [5, 9], "means": [[0.1, 0.2], [0.2, 0.1]]},
        "service_time": 1.0,
        "capacity": [1, 2],
        "when_full": "wait",
        "patience": {"law": "uniform", "low": 1.0, "high": 2.0},
    },
    "purse": {
        "offer": {"rule": "learned-margin", "goal": 0.9},
        "cap": 1.0,
        "budget": 5.0,
        "period": 4,
        "period_budget": 1.0,
        "when_short": "pay-rest",
        "also": 1,
        "misjudgement": 0.1,
    },
    "policy": [{"name": "ucb"}, {"name": "greedy"}],
}
BOTH = [VALID, MOVING]
WORDS = [
    "law",
    "name",
    "table",
    "list",
    "beta",
    "ucb",
    "trace",
    "file",
    "label",
    "number",
    "\n",
    "",
]


def places(value, path=()):
    """The paths of all values inside a value, its own included."""
    inner = ()
    if isinstance(value, dict):
        inner = value.items()
    if isinstance(value, list):
        inner = enumerate(value)
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


def changed(valid, place, change):
    """Valid settings with the value at one place replaced, or removed by `...`."""
    if not place:
        return change
    settings = copy.deepcopy(valid)
    here = settings
    for step in place[:-1]:
        here = here[step]
    if change is ...:
        del here[place[-1]]
    else:
        here[place[-1]] = change
    return settings


def at(valid, place):
    """The value at one place of valid settings."""
    found = valid
    for step in place:
        found = found[step]
    return found


anywhere = [(valid, place) for valid in BOTH for place in places(valid)]
tables = [(valid, place) for valid, place in anywhere if isinstance(at(valid, place), dict)]
powers = st.sampled_from([18, 63, 308, 400, 4000]).map(lambda digits: 10**digits)
numbers = st.integers() | st.floats() | powers
leaves = st.none() | st.booleans() | numbers | st.text(max_size=5) | st.sampled_from(WORDS)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("valid", BOTH, ids=["steady", "moving"])
def test_the_settings_to_be_changed_are_valid(valid):
    """What the tests below spoil is fine before."""
    assert isinstance(make_scenario(valid), Scenario)


@settings(max_examples=400)
@given(spot=st.sampled_from(anywhere), change=values | st.just(...))
def test_any_settings_are_accepted_or_refused(spot, change):
    """Whatever is found wherever in a file: a scenario, or an error with a line for each fault."""
    problems = ["fine: indeed"]
    try:
        scenario = make_scenario(changed(*spot, change))
    except ScenarioError as error:
        problems = error.problems
    else:
        assert isinstance(scenario, Scenario)
    assert problems
    assert all("\n" not in line and ": " in line for line in problems)


@settings(max_examples=90)
@given(spot=st.sampled_from(tables), key=st.text(max_size=8), value=values)
def test_unknown_keys_are_refused(spot, key, value):
    """A key that no table knows is refused in every table, by its place."""
    with pytest.raises(ScenarioError, match="no setting"):
        make_scenario(changed(*spot, {**at(*spot), f"?{key}": value}))
