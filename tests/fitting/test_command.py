"""`kcmab fit`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kcmab_abm import load_scenario
from kcmab_abm import run as run_scenario
from kcmab_abm.cli.main import BAD_INPUT, run

from .markets import market


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder with a ledger."""
    folder = tmp_path_factory.mktemp("fit") / "results"
    run_scenario(market({"behaviour": "logit", "tau": 0.1}), folder, engine="market")
    return folder


def test_it_prints_estimates_and_a_comparison(results, capsys, tmp_path):
    """Of all behaviours, and writes the customers of the best one."""
    written = tmp_path / "fitted.toml"
    fixed = '{ behaviour = "logit", tau = 0.5 }'
    given = ["fit", str(results), "--behaviour", "logit", "--behaviour", fixed]
    assert run([*given, "--write", str(written)]) == 0
    shown = capsys.readouterr().out
    for words in ("351 choices", "95 % interval", "the best behaviour first", f"to {written}"):
        assert words in shown
    assert run(["check", str(written)]) == 0
    assert 0.05 < load_scenario(written).market.customers.params.of_1_tau < 0.2
    assert run([*given, "--write", str(written)]) == BAD_INPUT
    assert "--force to replace it" in capsys.readouterr().err
    assert run([*given, "--write", str(written), "--force"]) == 0


def test_it_takes_some_of_the_runs(results, capsys):
    """The first ones, of one policy."""
    given = ["fit", str(results), "--replications", "1", "--policy", "ucb", "--confidence", "0.5"]
    assert run(given) == 0
    shown = capsys.readouterr().out
    assert "117 choices" in shown
    assert "50 % interval" in shown


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--behaviour", "{ behaviour = logit }"], "is not a table in TOML"),
        (["--behaviour", "logt"], "Did you mean 'logit'"),
        (["--policy", "ts"], "no policy labelled 'ts'"),
        (["--force"], "--force: is for --write"),
        (["--confidence", "1"], "confidence"),
        (["--write", "nowhere.toml", "--behaviour", "tastes"], "drawn at random"),
    ],
)
def test_bad_input_gets_one_message(results, capsys, more, message):
    """And exit code 2."""
    assert run(["fit", str(results), *more]) == BAD_INPUT
    assert message in capsys.readouterr().err


READING = """
import sys, psutil
from kcmab_abm.running.read_ledger import read_ledger
before = psutil.Process().num_threads()
assert len(list(read_ledger(sys.argv[1]))) > 0
print(psutil.Process().num_threads() - before)
"""


def test_reading_a_ledger_starts_no_threads(results):
    """A thread that starts while the process ends aborts it, so a refusal lost its exit code."""
    command = [sys.executable, "-c", READING, str(results)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "0\n"
