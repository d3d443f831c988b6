"""Commands, their options and what they print."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import kcmab_abm
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from kcmab_abm.cli.main import BAD_INPUT, FAILED, commands, run
from kcmab_abm.scenario.schema import json_schema

from .conftest import SCENARIO

ONE_POLICY = SCENARIO.partition("[[policy]]")[0] + '[[policy]]\nname = "greedy"\n'
LOGIT = 'customers = { behaviour = "logit", tau = 0.3 }\n'
QUEUES = "capacity = 1\nservice_time = 2\n"
STORY = re.compile(
    r"customer (?P<number>\d+) arrives at (?P<clock>\S+), .*; (?P<refuses>refuses, )?"
    r"takes arm (?P<arm>\d+), earns (?P<reward>\S+), is paid (?P<payment>\S+)"
)
MY_RULE = '''
from kcmab_abm import leader, policy

@policy("my-rule")
def choose(t, book, memory, params, rng):
    """Promotes whatever leads."""
    return leader(book, rng)
'''


def market_of(path, *lines):
    """Add lines to the market of a scenario file."""
    path.write_text(SCENARIO.replace("[market]\n", "[market]\n" + "".join(lines)))


def numbers(text):
    """All numbers with a point in a text."""
    return re.findall(r"\d+\.\d+", text)


def output(arguments, capsys):
    """What a command prints when all goes well: nothing on the error stream."""
    assert run(list(map(str, arguments))) == 0
    out, error = capsys.readouterr()
    assert error == ""
    return out


def complaint(arguments, capsys, code=BAD_INPUT):
    """What a command says when it fails."""
    assert run(list(map(str, arguments))) == code
    out, error = capsys.readouterr()
    assert "Traceback" not in out + error
    return error


@pytest.mark.parametrize("name", sorted(commands.commands))
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_shows_an_example(name, flag, capsys):
    """The help of every command shows how it is called."""
    text = output([name, flag], capsys)
    assert f"Example:\n    kcmab {name}" in text


def test_help_of_all_lists_every_command(capsys):
    """The help of the program shows an example and names every command."""
    text = output(["--help"], capsys)
    assert "Example:\n    kcmab run" in text
    assert all(re.search(rf"^  {name} ", text, re.MULTILINE) for name in commands.commands)


def test_version(capsys):
    """The version is that of the package."""
    assert output(["--version"], capsys) == f"kcmab, version {kcmab_abm.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["run"],
        ["check"],
        ["run", "FILE", "--frobnicate"],
        ["run", "FILE", "--jobs", "0"],
        ["run", "FILE", "--jobs", "two"],
        ["run", "FILE", "--engine", "steam"],
        ["run", "FILE", "--replications", "0"],
        ["run", "FILE", "--horizon", "-1"],
        ["run", "FILE", "--horizon", "1e3"],
        ["run", "FILE", "--seed", "-1"],
        ["run", "FILE", "--seed", str(2**63)],
        ["run", "FILE", "--horizon", str(10**30)],
        ["play", "FILE", "--customers", "0"],
        ["play", "FILE", "--horizon", "0"],
        ["play", "FILE", "--replication", "-1"],
        ["play", "FILE", "--policy", "nobody"],
        ["list", "customers"],
    ],
    ids=" ".join,
)
def test_bad_arguments_are_refused(arguments, mine, capsys):
    """Commands, options and values that are not known are bad input."""
    given = [str(mine) if word == "FILE" else word for word in arguments]
    error = complaint(given, capsys)
    assert arguments[-1].removeprefix("--") in error or "Missing argument" in error


def test_installed_command_and_module_are_the_same(mine):
    """The program runs as `python -m kcmab_abm` and leaves with the exit code."""
    command = [sys.executable, "-m", "kcmab_abm", "check"]
    fine = subprocess.run([*command, str(mine)], capture_output=True, text=True, check=False)
    assert (fine.returncode, fine.stderr) == (0, "")
    assert "fine: 2 policies, 3 arms, 3 x 30 customers" in fine.stdout
    wrong = subprocess.run([*command, "none.toml"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (BAD_INPUT, "")
    assert wrong.stderr == "none.toml: no such file\n"


def test_output_fits_any_encoding(mine):
    """A terminal that cannot spell a character gets another one, not an error."""
    mine.write_text(SCENARIO.replace("A small market", "Z\u00fcrich \u4e2d"), encoding="utf-8")
    command = [sys.executable, "-X", "utf8=0", "-m", "kcmab_abm", "run", str(mine)]
    done = subprocess.run(
        [*command, "--engine", "market"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Z?rich ?" in done.stdout


def test_run_shows_a_row_for_every_policy(mine, capsys):
    """The summary has a row for every policy, and says which engine ran and why."""
    text = output(["run", mine, "--engine", "market"], capsys)
    assert "A small market: 3 arms, 30 customers, 3 runs" in text
    summary = kcmab_abm.simulate(kcmab_abm.load_scenario(mine), engine="market").summary()
    for row in summary.to_dict("records"):
        [line] = [
            line for line in text.splitlines() if f" {row['policy']} " in line and "±" in line
        ]
        assert f" {row['regret']:.2f} ± " in line
        assert f" {row['compensation']:.2f} ± " in line
    assert "market engine, asked for: ucb, nobody pays" in text


def test_run_without_out_writes_nothing(mine, capsys, monkeypatch):
    """Without --out there is nothing but the summary."""
    monkeypatch.chdir(mine.parent)
    assert "Written" not in output(["run", mine, "--engine", "market"], capsys)
    assert list(mine.parent.iterdir()) == [mine]


@pytest.mark.usefixtures("_small_figure")
def test_options_replace_settings_of_the_file(mine, tmp_path, capsys):
    """Replications, horizon and seed can be given in place of the file's."""
    options = ["--replications", 2, "--horizon", 7, "--seed", 5, "--engine", "market"]
    output(["run", mine, "--out", tmp_path / "out", *options], capsys)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    scenario = kcmab_abm.load_scenario(mine).replace(replications=2, horizon=7, seed=5)
    assert manifest["scenario"] == scenario.settings
    assert manifest["digest"] == kcmab_abm.simulate(scenario, engine="market").digest()
    assert manifest["engine"] == "market"


@pytest.mark.parametrize("options", [["--jobs", "1"], ["--jobs", "3"], ["--engine", "batch"]])
def test_workers_and_engines_show_the_same(options, mine, capsys):
    """Neither the number of threads nor the engine changes a number."""
    market = output(["run", mine, "--engine", "market"], capsys)
    other = output(["run", mine, *options], capsys)
    assert numbers(other) == numbers(market)
    assert "batch engine" in other


def test_auto_says_why_it_took_the_market_engine(mine, capsys):
    """Only the market engine has queues: it runs, and the output says so."""
    market_of(mine, QUEUES)
    text = output(["run", mine], capsys)
    why = "arms serve few customers at a time (capacity)"
    assert f"market engine, {why}: ucb, nobody pays" in text


def test_engine_that_cannot_is_bad_input(mine, tmp_path, capsys):
    """The batch engine has no queues: asked for all the same, it is refused with the reason."""
    market_of(mine, QUEUES)
    out = tmp_path / "out"
    error = complaint(["run", mine, "--engine", "batch", "--out", out], capsys)
    assert "arms serve few customers at a time (capacity)" in error
    assert "use engine 'auto' or 'market'" in error
    assert not out.exists()


def test_quiet_without_a_terminal(mine, capsys, monkeypatch):
    """Progress is shown on a terminal and nowhere else, and reads nothing as markup."""
    mine.write_text(SCENARIO.replace("nobody pays", "[/] nobody pays"))
    output(["run", mine, "--engine", "market"], capsys)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert run(["run", str(mine), "--engine", "market"]) == 0
    assert "preparing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "kind",
    [None, "policies", "behaviours", "decisions", "pricing", "disclosures", "measures", "laws"],
)
def test_list_shows_the_catalogue(kind, capsys):
    """Every name of the kind asked for is listed, with its settings, and no other kind's."""
    text = output(["list", *([kind] if kind else [])], capsys)
    first = [line.split("│")[1].strip() for line in text.splitlines() if line.startswith("│")]
    shown = [name for name in first if name]
    catalogues = {
        "policies": POLICIES,
        "behaviours": BEHAVIOURS,
        "decisions": DECISIONS,
        "pricing": PRICING,
        "disclosures": DISCLOSURES,
        "measures": MEASURES,
        "laws": LAWS,
    }
    wanted = [catalogues[kind]] if kind else catalogues.values()
    assert shown == [name for catalogue in wanted for name in catalogue.names()]
    assert ("epsilon = 20 (> 0)" in text) == (kind in (None, "policies"))


def test_schema_is_printed_as_json(capsys):
    """The schema command prints the JSON Schema and nothing else."""
    assert json.loads(output(["schema"], capsys)) == json_schema()


@pytest.mark.parametrize("options", [[], ["--policy", "nobody pays"], ["--policy", "greedy"]])
def test_play_tells_what_happened(options, mine, capsys):
    """The story has one line a customer, and its numbers are those of the trajectory."""
    replay = ["--customers", 25, "--replication", 2, "--seed", 9]
    first, *lines, last = output(["play", mine, *replay, *options], capsys).splitlines()
    scenario = kcmab_abm.load_scenario(mine).replace(seed=9)
    policy = options[1] if options else "ucb"
    run = kcmab_abm.play(scenario, policy, replication=2, engine="market").frame().head(25)
    told = [STORY.fullmatch(line) for line in lines]
    assert first.startswith(f"The controller follows {scenario.policy(policy).label!r}.")
    assert [int(line["number"]) for line in told] == list(range(1, 26))
    assert [float(line["clock"]) for line in told] == run["clock"].tolist()
    assert [int(line["arm"]) for line in told] == run["arm"].tolist()
    assert [line["reward"] for line in told] == [f"{reward:.3g}" for reward in run["reward"]]
    paid = np.where(run["seeded"], scenario.market.seeding_cost, run["payment"])
    assert [line["payment"] for line in told] == [f"{p:.3f}" if p else "nothing" for p in paid]
    assert f"regret {run['regret'].sum():.3f}, compensation {run['payment'].sum():.3f}" in last


def test_play_tells_of_refusals(mine, capsys):
    """A customer who does not take the target refuses, and only she does."""
    market_of(mine, LOGIT)
    lines = output(["play", mine, "--customers", 40, "--horizon", 40], capsys).splitlines()[1:-1]
    run = kcmab_abm.play(kcmab_abm.load_scenario(mine).replace(horizon=40), engine="market")
    refused = [bool(STORY.fullmatch(line)["refuses"]) for line in lines]
    assert refused == (run.arms != run.targets).tolist()
    assert 0 < sum(refused) < 40


def test_play_tells_of_late_receipts(mine, capsys):
    """With service times every customer still gets her line, when she has consumed."""
    market_of(mine, 'service_time = { law = "uniform", low = 0, high = 9 }\n')
    lines = output(["play", mine, "--customers", 30], capsys).splitlines()[1:-1]
    numbers = [int(STORY.fullmatch(line)["number"]) for line in lines]
    assert sorted(numbers) == list(range(1, 31))
    assert numbers != sorted(numbers)


@pytest.mark.usefixtures("_own_catalogue")
def test_own_policy_comes_with_a_file(mine, tmp_path, capsys):
    """A policy from the user's file is checked and listed, and is part of the schema."""
    (tmp_path / "rules.py").write_text(MY_RULE)
    mine.write_text(ONE_POLICY.replace("greedy", "my-rule"))
    assert "no policy 'my-rule'" in complaint(["check", mine], capsys)
    extra = ["--with", tmp_path / "rules.py"]
    assert "fine" in output(["check", mine, *extra], capsys)
    assert "my-rule" in output(["list", "policies", *extra], capsys)
    assert "my-rule" in output(["schema", *extra], capsys)


@pytest.mark.slow
@pytest.mark.usefixtures("_own_catalogue")
def test_own_policy_runs_compiled_and_from_the_cache(mine, tmp_path, capsys, monkeypatch):
    """The batch engine runs the user's policy, and another process finds it compiled on the disk.

    The rule is that of the package's greedy policy, and so are its numbers.
    """
    monkeypatch.setenv("KCMAB_CACHE_DIR", str(tmp_path / "cache"))
    mine.write_text(ONE_POLICY)
    greedy = output(["run", mine, "--engine", "market"], capsys)
    mine.write_text(ONE_POLICY.replace("greedy", "my-rule"))
    (tmp_path / "rules.py").write_text(MY_RULE)
    compiled = output(["run", mine, "--with", tmp_path / "rules.py"], capsys)
    assert "batch engine, selected automatically: my-rule" in compiled
    assert numbers(compiled) == numbers(greedy)
    moved = (tmp_path / "rules.py").rename(tmp_path / "moved.py")
    command = [sys.executable, "-m", "kcmab_abm", "run", str(mine), "--with", str(moved)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == compiled


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize("engine", ["market", "batch"])
def test_policy_that_breaks_the_rules_fails_while_running(engine, mine, tmp_path, capsys):
    """An arm out of range ends the run with exit code 1, one line, and no folder."""
    (tmp_path / "rules.py").write_text(MY_RULE.replace("leader(book, rng)", "9"))
    mine.write_text(SCENARIO.replace('name = "ucb"', 'name = "my-rule"'))
    out = tmp_path / "out"
    options = ["--with", tmp_path / "rules.py", "--engine", engine, "--out", out]
    error = complaint(["run", mine, *options], capsys, FAILED)
    assert error == "policy 'my-rule' chose arm 9 for customer 4 of replication 0; arms are 0..2\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.toml", "rules.py"]


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = (", "line 1: '(' was never closed"),
        ("\n\n1 / 0", "line 3: ZeroDivisionError: division by zero"),
        ("import nowhere", "line 1: ModuleNotFoundError: No module named 'nowhere'"),
        ("raise ValueError('two\\nlines')", "line 1: ValueError: two lines"),
        ("import sys\nsys.exit('enough')", "line 2: SystemExit: enough"),
        (MY_RULE.replace("my-rule", "My Rule"), "line 4: policy 'My Rule': a name is lower-case"),
        (MY_RULE.replace("my-rule", "ucb"), "line 4: policy 'ucb' is already in the catalogue"),
    ],
)
def test_file_that_fails_is_bad_input(content, message, mine, tmp_path, capsys):
    """What goes wrong in the user's file is told in one line, with the line's number."""
    plugin = tmp_path / "rules.py"
    plugin.write_text(content)
    error = complaint(["run", mine, "--with", plugin, "--out", tmp_path / "out"], capsys)
    assert error.startswith(f"{plugin}: {message}")
    assert error.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == [mine, plugin]


def test_file_that_is_missing_is_bad_input(mine, tmp_path, capsys):
    """A file for --with that is not there, or is a directory, is named."""
    for path in [tmp_path / "none.py", tmp_path]:
        error = complaint(["list", "--with", path], capsys)
        assert error == f"{path}: no such file; --with wants a Python file\n"
