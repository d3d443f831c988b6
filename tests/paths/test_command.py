"""`kcmab paths`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from kcmab_abm import load_scenario
from kcmab_abm.cli.main import BAD_INPUT, commands, run
from kcmab_abm.paths import find_paths, prefix_tree, read_graph, travelled

# A capacity, because then only the market engine will do and nothing is compiled.
SCENARIO = """
horizon = 40
replications = 8
seed = 3

[market]
arms = { law = "bernoulli", means = [0.8, 0.5, 0.2] }
capacity = 1
service_time = 0.5

[[policy]]
name = "greedy"
label = "nobody pays"

[[policy]]
name = "ucb"
"""
BETA = SCENARIO.replace('"bernoulli", ', '"beta", concentration = 2.0, ')
MY_RULE = '''
from kcmab_abm import policy

@policy("my-rule")
def choose(t, book, memory, params, rng):
    """Promotes the last arm."""
    return len(book.means) - 1
'''
GRAPHS = ["lattice", "switching", "tree"]


@pytest.fixture
def mine(tmp_path):
    """A scenario file that runs in no time."""
    path = tmp_path / "mine.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder that the command writes for the second policy."""
    place = tmp_path_factory.mktemp("place")
    (place / "mine.toml").write_text(SCENARIO)
    out = place / "out"
    assert run(["paths", str(place / "mine.toml"), "--policy", "ucb", "--out", str(out)]) == 0
    return out


def complaint(arguments, capsys):
    """The message of a command that is refused."""
    assert run(list(map(str, arguments))) == BAD_INPUT
    out, error = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in error
    return error


def test_tables_are_printed(mine, capsys):
    """Without a folder the tables are printed for the first policy, and nothing is written."""
    before = set(mine.parent.iterdir())
    assert run(["paths", str(mine)]) == 0
    out, error = capsys.readouterr()
    assert error == ""
    assert "Most travelled paths: nobody pays" in out
    assert (
        "Most expensive paths: nobody pays, 5 customers, once every arm has a report: none" in out
    )
    assert "Most expensive switches: nobody pays: none" in out
    table = travelled(prefix_tree(load_scenario(mine), share=0.01))
    assert all(f" {path} " in out for path in table["path"])
    assert set(mine.parent.iterdir()) == before


def test_all_files_are_written(written):
    """Graphs in two formats, figures in two, the table of paths, the manifest."""
    endings = ("graphml", "json", "png", "svg")
    expected = {f"{name}.{ending}" for name in GRAPHS for ending in endings}
    assert {path.name for path in written.iterdir()} == expected | {"manifest.json", "paths.csv"}


def test_files_hold_what_python_finds(written):
    """The graphs and the table in the folder are those that one gets from Python."""
    scenario = load_scenario(written.parent / "mine.toml")
    found = find_paths(scenario, "ucb")
    for name, graph in found.graphs.items():
        again = read_graph(written / f"{name}.json")
        assert dict(again.nodes) == dict(graph.nodes)
        assert dict(again.edges) == dict(graph.edges)
    table = pd.read_csv(written / "paths.csv")
    assert set(table["policy"]) == {"ucb"}
    assert list(table["visits"]) == [
        found.tree.nodes[path]["visits"] for path in table["path"].astype(str)
    ]
    told = json.loads((written / "manifest.json").read_text())
    assert (told["policy"], told["seed"], told["engine"]) == ("ucb", 3, "market")
    assert told["digest"] == found.digest()
    assert told["graphs"]["tree"]["depth"] == 5
    assert "networkx" in told["versions"]


def test_results_are_replayed_to_the_same_bytes(written, tmp_path):
    """A folder of results is as good as the file that it came from."""
    results, again = tmp_path / "results", tmp_path / "again"
    assert run(["run", str(written.parent / "mine.toml"), "--out", str(results)]) == 0
    assert run(["paths", str(results), "--policy", "ucb", "--out", str(again)]) == 0
    for path in written.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name


def test_settings_are_changed(mine, tmp_path):
    """Every option reaches the graphs."""
    out = tmp_path / "out"
    options = "--replications 5 --horizon 20 --depth 2 --share 0.3 --arm 1 --pulls 4 --seeding"
    assert run(["paths", str(mine), *options.split(), "--out", str(out)]) == 0
    told = json.loads((out / "manifest.json").read_text())
    about = {"policy": "nobody pays", "customers": 20, "replications": 5, "seed": 3}
    assert told["graphs"] == {
        "tree": {
            "kind": "prefix tree",
            "depth": 2,
            "pruned_below": 0.3,
            "seeding": True,
            **about,
        },
        "switching": {"kind": "switching graph", "seeding": True, **about},
        "lattice": {"kind": "reward lattice", "arm": 1, "pulls": 4, **about},
    }
    assert (told["scenario"]["horizon"], told["scenario"]["replications"]) == (20, 5)


def test_other_rewards_have_no_lattice(mine, tmp_path, capsys):
    """Where rewards are not 0 or 1 the rest is made, and it is said what is not."""
    mine.write_text(BETA)
    out = tmp_path / "out"
    assert run(["paths", str(mine), "--out", str(out)]) == 0
    assert "No lattice" in capsys.readouterr().out
    assert not list(out.glob("lattice*"))
    assert (out / "tree.png").exists()


@pytest.mark.usefixtures("_own_catalogue")
def test_own_policies_are_known(mine, tmp_path, capsys):
    """A policy from the user's file can be followed too."""
    (tmp_path / "rule.py").write_text(MY_RULE)
    mine.write_text(SCENARIO.replace('"ucb"', '"my-rule"'))
    assert "my-rule" in complaint(["paths", mine], capsys)
    arguments = ["paths", str(mine), "--with", str(tmp_path / "rule.py"), "--policy", "my-rule"]
    assert run(arguments) == 0
    assert "2-2-2" in capsys.readouterr().out


def test_results_are_replaced_only_by_force(mine, tmp_path, capsys):
    """A folder that exists is refused, and replaced whole with --force."""
    out = tmp_path / "out"
    arguments = ["paths", str(mine), "--replications", "2", "--out", str(out)]
    assert run(arguments) == 0
    capsys.readouterr()
    assert "--force" in complaint(arguments, capsys)
    assert run([*arguments, "--policy", "ucb", "--force"]) == 0
    assert json.loads((out / "manifest.json").read_text())["policy"] == "ucb"


def test_a_folder_is_refused_before_any_work(mine, tmp_path, monkeypatch, capsys):
    """Nobody waits for runs whose results cannot be written."""
    monkeypatch.setattr("kcmab_abm.paths.findings.find_paths", lambda *_, **__: pytest.fail("ran"))
    assert "exists" in complaint(["paths", mine, "--out", tmp_path], capsys)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "SOURCE"),
        (["none.toml"], "none.toml: no such file"),
        (["EMPTY"], "has no manifest.json"),
        (["BROKEN"], "not JSON"),
        (["FILE", "--policy", "nobody"], "no policy labelled 'nobody'"),
        (["FILE", "--replications", "0"], "--replications"),
        (["FILE", "--horizon", "0"], "--horizon"),
        (["FILE", "--horizon", str(10**30)], "horizon: must be <="),
        (["FILE", "--depth", "0"], "--depth"),
        (["FILE", "--depth", "51"], "--depth"),
        (["FILE", "--share", "1.5"], "--share"),
        (["FILE", "--share", "nan"], "--share"),
        (["FILE", "--arm", "3"], "arm must be in 0..2, got 3"),
        (["FILE", "--arm", "-1"], "--arm"),
        (["FILE", "--pulls", "0"], "--pulls"),
        (["BETA", "--arm", "1"], "needs rewards of 0 or 1"),
        (["FILE", "--with", "none.py"], "none.py: no such file"),
        (["FILE", "--out", "FILE"], "exists and is not a folder"),
        (["FILE", "--out", "EMPTY"], "exists"),
    ],
    ids=lambda each: " ".join(each)[:40] if isinstance(each, list) else "",
)
def test_bad_input_is_refused(arguments, words, mine, tmp_path, capsys):
    """Each mistake gets one message and exit code 2, and nothing is written."""
    known = {word: tmp_path / word.lower() for word in ("EMPTY", "BROKEN", "BETA")}
    known["EMPTY"].mkdir()
    known["BROKEN"].mkdir()
    (known["BROKEN"] / "manifest.json").write_text("{")
    known["BETA"].write_text(BETA)
    before = set(tmp_path.rglob("*"))
    error = complaint(
        ["paths", *(known.get(word, mine if word == "FILE" else word) for word in arguments)],
        capsys,
    )
    assert words in error
    assert set(tmp_path.rglob("*")) == before


def test_help_shows_an_example(capsys):
    """The help shows how the command is called."""
    assert run(["paths", "--help"]) == 0
    assert "Example:\n    kcmab paths" in capsys.readouterr().out
    assert "paths" in commands.commands
