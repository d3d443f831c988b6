"""Results that were written can be loaded, drawn and reported, and nothing else passes for them."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from kcmab_abm import load_results, make_scenario, policy, run
from kcmab_abm.cli.main import BAD_INPUT
from kcmab_abm.cli.main import run as command
from kcmab_abm.errors import MarketError, ScenarioError
from tests.registry import own_catalogue

SETTINGS = {
    "title": "Loaded <b>again</b>?",
    "horizon": 30,
    "replications": 6,
    "market": {"arms": {"law": "bernoulli", "means": [0.8, 0.4]}},
    "policy": [{"name": "ucb"}, {"name": "greedy", "label": "does | nothing"}],
}
SWEPT = {**SETTINGS, "sweep": {"grid": {"purse.budget": [0.0, 1.0]}}}


@pytest.fixture(scope="module", params=[SETTINGS, SWEPT], ids=["run", "sweep"])
def written(request, tmp_path_factory):
    """A run or a sweep, and the folder that it was written to."""
    folder = tmp_path_factory.mktemp("written") / "results"
    return run(make_scenario(request.param), folder, report=True, engine="market"), folder


def test_what_is_loaded_is_what_was_written(written):
    """Digest and all tables."""
    results, folder = written
    again = load_results(folder)
    assert type(again) is type(results)
    assert again.digest() == results.digest()
    for name in ("summary", "curves", "finals", "paired"):
        pd.testing.assert_frame_equal(getattr(again, name)(), getattr(results, name)())


@pytest.mark.parametrize("record", ["curves", "paths"])
def test_points_are_read_from_the_folder(record, tmp_path):
    """By the results of the run and by those that are loaded; a folder that is gone is missed."""
    folder = tmp_path / "sweep"
    results = run(make_scenario({**SWEPT, "record": record}), folder, engine="market")
    for each in (results, load_results(folder)):
        assert each.point({"budget": 1.0}).digest() == results.points[1].digest
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(MarketError, match="missing"):
        results.point(1)


def test_changed_replications_are_refused(tmp_path):
    """Also if every chunk is intact but one of another run has taken its place."""
    folder = tmp_path / "results"
    run(make_scenario(SETTINGS), folder, engine="market")
    chunk = next((folder / "chunks").glob("*.npz"))
    kept = chunk.read_bytes()
    chunk.write_bytes(kept[:-1])
    with pytest.raises(MarketError, match="damaged"):
        load_results(folder)
    chunk.unlink()
    with pytest.raises(MarketError, match="missing"):
        load_results(folder)
    other = tmp_path / "other"
    run(make_scenario({**SETTINGS, "seed": 8}), other, engine="market")
    for name in ("chunks",):
        for path in (folder / name).iterdir():
            path.unlink()
        for path in (other / name).iterdir():
            (folder / name / path.name).write_bytes(path.read_bytes())
    with pytest.raises(MarketError, match="do not give its digest"):
        load_results(folder)


def test_a_folder_of_something_else_is_refused(tmp_path):
    """The message says what is wanted."""
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(MarketError, match="folder that 'kcmab run FILE --out DIR'"):
            load_results(folder)


def test_a_policy_of_the_users_must_be_registered(tmp_path):
    """Otherwise there is no scenario to return."""
    with own_catalogue():

        @policy("mine-alone")
        def choose(book, rng):
            """Promote arm 0."""
            return 0

        scenario = make_scenario({**SETTINGS, "policy": [{"name": "mine-alone"}]})
        digest = run(scenario, tmp_path / "mine", engine="market").digest()
        assert load_results(tmp_path / "mine").digest() == digest
    with pytest.raises(ScenarioError, match="must be registered again"):
        load_results(tmp_path / "mine")


def test_the_report_is_one_page_with_everything(written):
    """Question, verdicts, tables, figures, settings and digest; nothing loaded, nothing typeset."""
    results, folder = written
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<title>Loaded &lt;b&gt;again&lt;/b&gt;?</title>" in page
    assert "<b>again" not in page
    assert "does | nothing" in page
    for words in ("Verdicts", "Costs at the end", "Figures", "Settings", results.digest()):
        assert words in page
    sources = re.findall(r'src="([^"]{0,30})', page)
    assert sources
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert "report.html" in json.loads((folder / "manifest.json").read_text())["files"]


def test_verdicts_are_those_of_the_intervals(tmp_path):
    """Of policies that differ clearly, the report says which pays less."""
    settings = {**SETTINGS, "replications": 60, "horizon": 60}
    settings["policy"] = [{"name": "ucb"}, {"name": "greedy"}]
    run(make_scenario(settings), tmp_path / "results", report=True, engine="market")
    page = (tmp_path / "results" / "report.html").read_text(encoding="utf-8")
    rows = re.findall(r"<tr>\s*(.*?)\s*</tr>", page, re.DOTALL)
    (paid,) = [row for row in rows if "<td>compensation</td>" in row]
    assert "<strong>higher</strong>" in paid


def test_the_command_draws_a_folder(written, tmp_path, capsys):
    """In every format; bad input is refused in one line, with exit code 2."""
    _, folder = written
    for ending in ("pdf", "svg", "png"):
        out = tmp_path / f"figure.{ending}"
        assert command(["figure", str(folder), "--out", str(out), "--measure", "regret"]) == 0
        assert out.stat().st_size > 0
    capsys.readouterr()
    for words, said in {
        ("--out", str(out)): "exists; give another name, or --force",
        ("--out", "figure.jpg"): "the name must end in .pdf, .svg, .png",
        ("--out", "x.pdf", "--at", "tau"): "--at: must be SETTING=VALUE",
        ("--out", "x.pdf", "--by", "arms"): "--by: has no effect on --show costs",
        ("--out", "x.pdf", "--width", "wide"): "width: must be 'column'",
    }.items():
        assert command(["figure", str(folder), *words]) == BAD_INPUT
        assert said in capsys.readouterr().err


def test_a_report_needs_a_folder(tmp_path, capsys):
    """It lies with the results that it is about."""
    file = tmp_path / "file.toml"
    file.write_text(
        'horizon = 5\nmarket.arms = { law = "bernoulli", means = [0.5] }\n'
        '[[policy]]\nname = "ucb"\n'
    )
    assert command(["run", str(file), "--report"]) == BAD_INPUT
    assert "--report: needs the folder of the run; give --out DIR" in capsys.readouterr().err
