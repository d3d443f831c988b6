"""Every figure that the commands draw, from small runs of real scenarios."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from matplotlib.figure import Figure

from kcmab_abm.batch import run as batch
from kcmab_abm.cli.main import run
from kcmab_abm.figures import style
from kcmab_abm.figures.animation import Picture
from kcmab_abm.market.run import run_market
from kcmab_abm.market.scenes import SceneRecorder
from kcmab_abm.scenario.scenario import Scenario

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
SCENARIOS = sorted(FOLDER.glob("*.toml"))
SIZES = {"horizon": 40, "replications": 4}


def small(path: Path, folder: Path, **changes: int) -> Path:
    """A copy of a scenario file that runs in no time."""
    text = path.read_text(encoding="utf-8")
    least = {"replications": 100, "horizon": 20} if "\nprecision = " in text else {}
    for word, size in {**SIZES, **least, **changes}.items():
        text, found = re.subn(rf"^{word} = [\d_]+", f"{word} = {size}", text, flags=re.MULTILINE)
        assert found == 1, (path, word)
    text = re.sub(r"points = \d+", "points = 4", text)  # of a sample
    copy = folder / path.name
    copy.write_text(text, encoding="utf-8")
    return copy


@contextmanager
def caught() -> Iterator[dict[str, Figure]]:
    """The figures that are saved meanwhile, by name; nothing is compiled for them."""
    figures: dict[str, Figure] = {}
    save = style.save

    def keep(figure, folder, name, formats=("png", "svg")):
        figures[name] = figure
        save(figure, folder, name, ("svg",))

    with (
        mock.patch.object(style, "save", keep),
        mock.patch.object(batch, "why_not", return_value="figures need few customers"),
    ):
        yield figures


def drawn_by(*words: object) -> dict[str, Figure]:
    """The figures that a command draws."""
    with caught() as figures:
        assert run([str(word) for word in words]) == 0, words
    return figures


def pictures_of(scenario: Scenario, label: str, customers: list[int]) -> Iterator[Figure]:
    """The animation of a market, at each of these customers."""
    recorder = SceneRecorder(customers)
    choice = scenario.policy(label)
    ran = run_market(scenario, choice, 0, recorder)
    picture = Picture(recorder.scenes, ran, choice.label, "regret")
    for scene in recorder.scenes:
        picture.show(scene)
        yield picture.figure
