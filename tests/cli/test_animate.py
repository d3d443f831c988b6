"""`kcmab play --animate`: what is shown, when, and the file that is written."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imageio_ffmpeg import count_frames_and_secs
from PIL import Image, ImageSequence

import kcmab_abm
from kcmab_abm.cli.main import BAD_INPUT, INTERRUPTED, run
from kcmab_abm.figures import film
from kcmab_abm.figures.animation import MOST_ARMS, Picture
from kcmab_abm.figures.film import paced
from kcmab_abm.market.narrator import Narrator
from kcmab_abm.market.run import run_market
from kcmab_abm.market.scenes import SceneRecorder
from tests.cli.test_interrupt import in_the_middle
from tests.processes import interrupt

BRIEF = ["--seconds", "1", "--fps", "3"]
ARMS = {"law": "beta", "means": [0.7, 0.5, 0.3], "concentration": 3.0}
MARKETS = {
    "plain": {"arms": ARMS},
    "delayed": {"arms": ARMS, "report_delay": 7.0},
    "lost": {"arms": ARMS, "report_probability": 0.5},
    "leaving": {"arms": ARMS, "customers": {"behaviour": "outside-option", "worth": 0.6}},
    "refusing": {"arms": ARMS, "customers": {"behaviour": "logit", "tau": 0.3}},
    "busy": {"arms": ARMS, "capacity": [1, 1, 1], "service_time": 1.5, "seeding_cost": 0.2},
    "changing": {
        "arms": ARMS,
        "change": {"kind": "piecewise", "at": [20], "means": [[0.3, 0.5, 0.7]]},
    },
}
# Says when the drawing has begun: only then has the signal something to interrupt.
HERALD = """
from kcmab_abm.figures.animation import Picture

show = Picture.show

def heralded(picture, scene):
    print("begun", flush=True)
    show(picture, scene)

Picture.show = heralded
"""


def scenario_of(market, **settings):
    """A scenario of forty customers with this market, under UCB."""
    table = {"horizon": 40, "seed": 3, "market": market, "policy": [{"name": "ucb"}], **settings}
    return kcmab_abm.make_scenario(table)


def witnessed(scenario, customers):
    """The scenes of these customers, and the run in which they were seen."""
    recorder = SceneRecorder(customers)
    ran = run_market(scenario, scenario.policies[0], 0, recorder)
    return recorder.scenes, ran


def animate(mine, out, *options):
    """The exit code of an animation that takes little time."""
    return run(["play", str(mine), "--animate", str(out), *BRIEF, *options])


@pytest.mark.parametrize("name", MARKETS)
def test_scenes_show_what_the_story_tells(name):
    """The means that a scene shows are those that the story says the customer saw."""
    scenario = scenario_of(MARKETS[name])
    scenes, _ = witnessed(scenario, range(1, 41))
    told = []
    run_market(scenario, scenario.policies[0], 0, Narrator(told.append))
    lines = {int(re.search(r"customer (\d+)", line)[1]): line for line in told}
    assert [scene.customer for scene in scenes] == list(range(1, 41))
    for scene in scenes:
        line = lines[scene.customer]
        means = re.findall(r"\d:(\d\.\d{3})", line)
        assert means in ([], [f"{mean:.3f}" for mean in scene.snapshot.means])
        assert line.endswith(f"; {scene.did}")


@pytest.mark.parametrize("name", MARKETS)
def test_scenes_agree_with_the_trajectory(name):
    """Arms, offers and true means of a scene are those of the run played without a recorder."""
    scenario = scenario_of(MARKETS[name])
    scenes, ran = witnessed(scenario, range(1, 41))
    alone = kcmab_abm.play(scenario, engine="market")
    assert [scene.arm for scene in scenes] == ran.arms.tolist() == alone.arms.tolist()
    offers = [
        scene.snapshot.offers[target] for scene, target in zip(scenes, alone.targets, strict=True)
    ]
    assert offers == alone.offers.tolist()
    gaps = [
        scene.truth.max() - (scene.truth[scene.arm] if scene.arm >= 0 else 0.0) for scene in scenes
    ]
    assert gaps == alone.regrets.tolist()


def test_scenes_show_the_book_and_not_the_tapes():
    """Where reports come late, a scene has those that have come: fewer than customers before."""
    for name, late in {"plain": False, "delayed": True, "lost": True}.items():
        scenes, ran = witnessed(scenario_of(MARKETS[name]), [40])
        assert (scenes[0].snapshot.pulls.sum() < 39) == late
        if not late:
            before = [ran.rewards[:39][ran.arms[:39] == arm].mean() for arm in range(3)]
            assert scenes[0].snapshot.means == pytest.approx(before)


def test_scenes_show_every_offer():
    """With offers on several arms all of them are shown, and their number is told."""
    scenes, ran = witnessed(scenario_of({"arms": ARMS}, purse={"also": 2}), range(1, 41))
    for scene, beside, offers in zip(scenes, ran.beside, ran.beside_offers, strict=True):
        assert [scene.snapshot.offers[arm] for arm in beside if arm >= 0] == offers[
            beside >= 0
        ].tolist()
    assert any(scene.asked.endswith("and 2 other offers") for scene in scenes)


@given(st.integers(1, 10**9), st.integers(1, 60), st.integers(1, 30))
def test_pace_fills_the_time(customers, seconds, fps):
    """The film lasts as long as asked, goes forward only, and ends with the last customer."""
    shown, frames = paced(customers, seconds, fps)
    assert frames.sum() == seconds * fps
    assert shown[-1] == customers
    assert (np.diff(shown) > 0).all()
    assert (frames > 0).all()


@given(st.integers(1, 10**6))
def test_pace_begins_slowly(customers):
    """Everybody of the beginning is shown, the first for a second at least."""
    shown, frames = paced(customers, 20, 10)
    assert shown[: min(5, customers)].tolist() == list(range(1, min(5, customers) + 1))
    assert frames[0] >= 10


@pytest.mark.parametrize("arms", [2, 12, 30])
def test_picture_draws_the_scene(arms):
    """Bars are the means, offers stand upon them, and no axis moves from scene to scene."""
    means = np.linspace(0.9, 0.1, arms).tolist()
    scenario = scenario_of({"arms": {"law": "bernoulli", "means": means}}, horizon=80)
    scenes, ran = witnessed(scenario, [1, 40, 60, 80])
    picture = Picture(scenes, ran, "ucb", "regret")
    board, costs = picture.figure.axes
    limits = [(axes.get_xlim(), axes.get_ylim()) for axes in (board, costs)]
    for scene in scenes:
        picture.show(scene)
        bars, offers = board.containers
        assert [bar.get_height() for bar in bars] == scene.snapshot.means.tolist()
        tops = scene.snapshot.means + scene.snapshot.offers
        assert [bar.get_y() + bar.get_height() for bar in offers] == tops.tolist()
        regret, paid, _ = (line.get_ydata() for line in costs.lines)
        assert len(regret) == scene.customer
        assert paid[-1] == pytest.approx(ran.payments[: scene.customer].sum())
        assert [(axes.get_xlim(), axes.get_ylim()) for axes in (board, costs)] == limits
        assert max(tops.max(), scene.truth.max()) < board.get_ylim()[1]


def test_gif_is_the_same_twice(mine, tmp_path, capsys):
    """A GIF lasts as long as asked, has a picture a scene, and the same bytes the second time."""
    one, two = tmp_path / "one.gif", tmp_path / "new" / "two.GIF"
    assert animate(mine, one, "--customers", "30") == 0
    printed = capsys.readouterr().out
    assert animate(mine, two, "--customers", "30") == 0
    assert one.read_bytes() == two.read_bytes()
    shown, _ = paced(30, 1.0, 3)
    ran = kcmab_abm.play(kcmab_abm.load_scenario(mine).replace(horizon=30), engine="market")
    with Image.open(one) as image:
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(image)]
        assert (image.size, image.info["loop"]) == ((800, 450), 0)
    assert len(durations) == len(shown)
    assert sum(durations) == 1000
    assert f"regret {ran.regrets.sum():.3f}, compensation {ran.payments.sum():.3f}" in printed
    assert printed.endswith(f"Written to {one}.\n")
    assert len(printed.splitlines()) == 2


def test_mp4_is_made(mine, tmp_path):
    """An MP4 has as many pictures and lasts as long as asked."""
    out = tmp_path / "market.mp4"
    assert animate(mine, out, "--customers", "5") == 0
    assert count_frames_and_secs(str(out)) == (3, 1.0)


@pytest.mark.parametrize("name", ["market.webm", "market", ".gif", "market.gif.txt"])
def test_other_endings_are_refused(name, mine, tmp_path, capsys):
    """Only .gif and .mp4 are written, and the message says so."""
    assert animate(mine, tmp_path / name) == BAD_INPUT
    assert "the name of an animation must end in .gif or .mp4" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [mine]


def test_missing_ffmpeg_is_said_before_the_work(mine, tmp_path, capsys, monkeypatch):
    """Without ffmpeg on the path or from the extra, the message says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr("kcmab_abm.market.run.run_market", None)
    assert animate(mine, tmp_path / "market.mp4") == BAD_INPUT
    assert 'pip install "kcmab-abm[video]"' in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [mine]


def test_broken_ffmpeg_is_reported(mine, tmp_path, capsys, monkeypatch):
    """If ffmpeg fails, one line says so and nothing is left."""
    monkeypatch.setattr(film, "_FFMPEG", ["-c:v", "no-such-codec"])
    assert animate(mine, tmp_path / "market.mp4") == BAD_INPUT
    error = capsys.readouterr().err
    assert "ffmpeg could not write the animation" in error
    assert len(error.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [mine]


@pytest.mark.parametrize("options", [["--seconds", "5"], ["--fps", "5"], ["--force"]])
def test_options_of_animations_need_one(options, mine, capsys):
    """What means nothing for a story is refused, not ignored."""
    assert run(["play", str(mine), *options]) == BAD_INPUT
    assert f"{options[0]}: is for animations" in capsys.readouterr().err


def test_too_many_arms_are_refused(mine, tmp_path, capsys):
    """Of more arms than can be told from each other nothing is drawn."""
    text = mine.read_text().replace("[0.7, 0.5, 0.3]", str([0.5] * (MOST_ARMS + 1)))
    mine.write_text(text)
    assert animate(mine, tmp_path / "market.gif") == BAD_INPUT
    assert f"41 arms, and an animation shows up to {MOST_ARMS}" in capsys.readouterr().err


def test_existing_file_is_kept_unless_forced(mine, tmp_path, capsys):
    """A file that is there is replaced with --force only."""
    out = tmp_path / "market.gif"
    out.write_text("mine")
    assert animate(mine, out) == BAD_INPUT
    assert "exists; give another name, or --force" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert animate(mine, out, "--force", "--customers", "3") == 0
    assert out.read_bytes().startswith(b"GIF8")


@pytest.mark.parametrize("kind", ["folder", "link", "below a file"])
def test_impossible_place_is_refused_before_the_work(kind, mine, tmp_path, capsys, monkeypatch):
    """A folder or a link is never replaced, and what cannot be written is said first."""
    monkeypatch.setattr("kcmab_abm.market.run.run_market", None)
    out = tmp_path / "market.gif"
    if kind == "folder":
        out.mkdir()
    elif kind == "link":
        out.symlink_to(mine)
    else:
        out = mine / "market.gif"
    assert animate(mine, out, "--force") == BAD_INPUT
    error = capsys.readouterr().err
    assert error.startswith(f"{out}: ")
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_failure_while_drawing_keeps_the_old_file(ending, mine, tmp_path, monkeypatch):
    """An animation is written whole or not at all."""

    def fail(picture, scene):
        raise KeyboardInterrupt

    out = tmp_path / f"market.{ending}"
    out.write_text("mine")
    monkeypatch.setattr(Picture, "show", fail)
    assert animate(mine, out, "--force") == INTERRUPTED
    assert out.read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == sorted([mine, out])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_interrupt_leaves_nothing(mine, tmp_path):
    """Ctrl-C in the middle of the drawing ends it soon, with exit code 130 and no file."""
    herald = tmp_path / "herald.py"
    herald.write_text(HERALD)
    command = ["play", str(mine), "--with", str(herald), "--seconds", "60", "--fps", "30"]
    interrupt([*command, "--animate", str(tmp_path / "market.gif")], in_the_middle)
    assert sorted(tmp_path.iterdir()) == sorted([mine, herald])
