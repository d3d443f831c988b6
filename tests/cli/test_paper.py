"""The commands that set the simulator beside the paper."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from kcmab_abm.cli.main import run
from kcmab_abm.paper.claims import CLAIMS, Claim, less
from kcmab_abm.paper.study import LAWS, MODIFIED_TS, TS, UCB, paper_scenario, run_study
from kcmab_abm.paper.verdicts import Finding, judge
from kcmab_abm.running.shared_runs import SharedRuns
from kcmab_abm.running.workers import Chunk, Outcome

SMALL = ["--replications", "30", "--horizon", "400"]
SCENARIO = """
horizon = 300
replications = 20

[market]
arms = { law = "bernoulli", means = [0.9, 0.1] }

[[policy]]
name = "ucb"

[[policy]]
name = "modified-epsilon-greedy"

[[policy]]
name = "modified-ts"
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run of the whole paper."""
    folder = tmp_path_factory.mktemp("paper") / "out"
    assert run(["paper", "--out", str(folder), *SMALL]) == 0
    return folder


@pytest.fixture
def scenario_file(tmp_path: Path) -> str:
    """A small scenario that every bound covers."""
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    return str(path)


def test_everything_is_there(report: Path) -> None:
    """Three figures in three formats with their numbers for each law, claims, reports, manifest."""
    names = {path.name for path in report.iterdir()}
    for law in LAWS:
        for number in (1, 2, 3):
            endings = ("png", "svg", "pdf", "csv")
            assert {f"{law}-figure{number}.{ending}" for ending in endings} <= names
        assert {f"{law}-summary.csv", f"{law}-paired.csv", f"{law}-bounds.csv"} <= names
        assert f"{law}-lock-in.csv" in names
    assert {"claims.csv", "report.md", "report.html", "manifest.json"} <= names
    assert len(names) == 36


def test_the_html_report_needs_nothing_else(report: Path) -> None:
    """All figures are inside, and nothing is asked of the network or of other files."""
    page = (report / "report.html").read_text()
    sources = re.findall(r'(?:src|href)="([^"]{0,40})', page)
    assert len(sources) == 6
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert "http" not in re.sub(r'src="data:[^"]*"', "", page)
    assert page.count("<table>") == 1 + 2 * len(LAWS)


def test_verdicts_follow_from_the_intervals(report: Path) -> None:
    """Every claim and law has a row whose verdict is what its interval says, also in the report.

    What is inconclusive has another row, with more runs, up to ten times as many.
    """
    table = pd.read_csv(report / "claims.csv")
    first, decided = table[table["runs"] == 30], table[table["runs"] > 30]
    assert len(first) == len(CLAIMS) * len(LAWS)
    assert len(decided) == (first["verdict"] == "inconclusive").sum() > 0
    assert (decided["verdict"] != "inconclusive").any()
    assert (decided.loc[decided["verdict"] == "inconclusive", "runs"] == 300).all()
    text = (report / "report.md").read_text()
    for row in table.itertuples():
        side = (row.low > 0) - (row.high < 0)
        assert row.verdict == {1: "holds", -1: "does not hold", 0: "inconclusive"}[side]
        numbers = (row.advantage, row.low, row.high)
        if "slightly larger" in row.where:
            assert (row.ratio_low > 1.5) == (row.verdict == "does not hold")
            assert (row.ratio_high < 1.5) == (row.verdict == "holds")
            numbers = (row.ratio, row.ratio_low, row.ratio_high)
        mean, low, high = (f"{number:.2f}" for number in numbers)
        assert f"{mean} in [{low}, {high}]" in text
        assert row.runs == 30 or f"; with {row.runs} runs **{row.verdict}**: " in text


@pytest.mark.slow
def test_the_same_numbers_with_any_number_of_jobs(report: Path, tmp_path: Path) -> None:
    """A second run, on one thread, gives the same digest and the same files to the last byte."""
    again = tmp_path / "again"
    assert run(["paper", "--out", str(again), *SMALL, "--jobs", "1"]) == 0
    first, second = (json.loads((f / "manifest.json").read_text()) for f in (report, again))
    assert first["digest"] == second["digest"]
    for path in report.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name


@pytest.mark.slow
def test_one_law_quickly(tmp_path: Path) -> None:
    """--law and --quick give one law only, on a market small enough for a class."""
    out = tmp_path / "beta"
    command = ["paper", "--out", str(out), "--law", "beta", "--concentration", "9", "--quick"]
    assert run([*command, "--replications", "5"]) == 0
    manifest = json.loads((out / "manifest.json").read_text())
    assert list(manifest["scenario"]) == ["beta"]
    assert manifest["scenario"]["beta"]["horizon"] == 2000
    assert manifest["scenario"]["beta"]["market"]["arms"]["concentration"] == 9


def test_a_claim_turned_round_gets_the_other_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts come from the numbers: where a claim holds, its opposite does not."""
    claims = (less("regret", MODIFIED_TS, UCB, "here"), less("regret", UCB, MODIFIED_TS, "there"))
    monkeypatch.setattr("kcmab_abm.paper.verdicts.CLAIMS", claims)
    results = run_study({"bernoulli": paper_scenario("bernoulli", 1000, 50, seed=1)})
    assert [each.first.verdict for each in judge(results)] == ["holds", "does not hold"]


def test_no_replication_is_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims share their runs with each other and with the study; the findings are the same."""
    claims = (less("regret", TS, MODIFIED_TS, "here"), less("regret", MODIFIED_TS, TS, "there"))
    monkeypatch.setattr("kcmab_abm.paper.verdicts.CLAIMS", claims)
    ran: list[tuple[str, int]] = []

    class Watched(SharedRuns):
        def keep(self, chunk: Chunk, outcome: Outcome) -> None:
            ran.extend((chunk.policy, chunk.first + each) for each in range(chunk.count))
            super().keep(chunk, outcome)

    shared = {"bernoulli": Watched()}
    results = run_study({"bernoulli": paper_scenario("bernoulli", 300, 10, seed=1)}, shared=shared)
    together = judge(results, 40, shared=shared)
    assert together == judge(results, 40)
    assert [each.last.runs for each in together] == [40, 40]
    assert len(ran) == len({*ran}) == 10 * len(results.popitem()[1].runs) + 2 * 30


def test_an_interval_around_zero_tells_nothing() -> None:
    """Neither verdict is given when 0 is inside the interval."""
    claim = Claim("here", "nothing", ("ucb",), lambda runs, scenario: runs["ucb"].final("regret"))
    assert Finding(claim, "beta", 9, 0.1, -0.2, 0.4).verdict == "inconclusive"


def test_bounds_print_and_draw(
    scenario_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`kcmab bounds` names each bound's kind and writes the table and the figure."""
    out = tmp_path / "bounds"
    assert run(["bounds", scenario_file, "--out", str(out)]) == 0
    table = pd.read_csv(out / "table.csv")
    kinds = set(table["kind"])
    assert kinds == {"upper bound", "asymptotic slope", "leading terms"}
    assert {"Proposition 2", "Theorem 2", "Theorem 3 as printed", "Theorem 3 repaired"} <= set(
        table["bound"]
    )
    assert table.loc[table["kind"] == "upper bound", "respected"].all()
    assert table.loc[table["kind"] != "upper bound", "respected"].isna().all()
    assert (out / "figure.png").exists()
    assert "not a lower bound" in capsys.readouterr().out


def test_bounds_say_which_premise_fails(
    scenario_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bound that does not apply is named below the table; without any nothing is run."""
    text = Path(scenario_file).read_text(encoding="utf-8")
    lossy, logit = tmp_path / "lossy.toml", tmp_path / "logit.toml"
    lossy.write_text(text.replace("[market]", "[market]\nreport_probability = 0.5", 1))
    assert run(["bounds", str(lossy)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Not shown: Proposition 2, " in shown
    assert "market.report_probability: the bounds assume that every customer reports" in shown
    assert "got 0.5; set it to 1." in shown
    logit.write_text(text.replace("[market]", '[market]\ncustomers = { behaviour = "logit" }', 1))
    assert run(["bounds", str(logit)]) == 2
    assert "market.customers: the bounds assume greedy customers" in capsys.readouterr().err


def test_stopping_writes_the_boundary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`kcmab stopping` prints the value and writes the rule and its picture."""
    out = tmp_path / "stopping"
    assert run(["stopping", "--mu", "0.5", "--horizon", "50", "--out", str(out)]) == 0
    assert "DP(0.5, 50) = 0.2" in capsys.readouterr().out
    assert list(pd.read_csv(out / "table.csv")["stop_at_ones"][:3]) == [0, 0, 1]


@pytest.mark.parametrize("command", ["histories", "bias"])
def test_evidence_is_written(command: str, scenario_file: str, tmp_path: Path) -> None:
    """`kcmab histories` and `kcmab bias` write one table and one figure."""
    out = tmp_path / command
    assert run([command, scenario_file, "--out", str(out)]) == 0
    names = {path.name for path in out.iterdir()}
    assert names == {"table.csv", "figure.png", "figure.svg", "manifest.json"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["paper"],
        ["paper", "--out", "OUT", "--replications", "1"],
        ["paper", "--out", "OUT", "--horizon", "x"],
        ["paper", "--out", "OUT", "--law", "gauss"],
        ["paper", "--out", "OUT", "--concentration", "-1"],
        ["bounds", "missing.toml"],
        ["stopping", "--mu", "1.5", "--out", "OUT"],
        ["stopping", "--mu", "nan", "--out", "OUT"],
        ["paper", "--out", "OUT", "--concentration", "nan"],
        ["paper", "--out", "OUT", "--ceiling", "999"],
        ["histories", "FILE", "--arm", "7", "--out", "OUT"],
        ["histories", "FILE", "--arm", "0", "--out", "OUT"],
        ["bias", "missing.toml", "--out", "OUT"],
    ],
)
def test_bad_input_is_refused(
    arguments: list[str], scenario_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong options and files get a message, exit code 2, and nothing written."""
    out = tmp_path / "out"
    known = {"OUT": str(out), "FILE": scenario_file}
    assert run([known.get(word, word) for word in arguments]) == 2
    assert capsys.readouterr().err
    assert not out.exists()
