"""The scenario files that come with the project, each under the question that it answers."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import NamedTuple

from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.lab.model.scenario_files import read_file
from kcmab_abm.lab.model.scenario_source import question_in
from kcmab_abm.scenario.reading import parse_settings


class Exhibit(NamedTuple):
    """A shipped file: its name, question and title, and whether it has a sweep."""

    name: str
    question: str
    title: str
    has_sweep: bool


@cache
def exhibits() -> dict[str, Exhibit]:
    """All shipped files by name, in the order of their names; none if they are not installed."""
    return {path.stem: _described(path) for path in sorted(_paths(), key=lambda path: path.stem)}


def open_exhibit(name: str) -> Setup:
    """The setup of a shipped file."""
    return read_file(next(path for path in _paths() if path.stem == name).read_bytes())


def _described(path: Path) -> Exhibit:
    text = path.read_text("utf-8")
    settings = parse_settings(text)
    title = str(settings.get("title", path.stem))
    return Exhibit(path.stem, question_in(text), title, "sweep" in settings)


@cache
def _paths() -> tuple[Path, ...]:
    """The files: in the repository beside the package, or else where pip has put them."""
    folder = Path(__file__).parents[3] / "scenarios"
    if folder.is_dir():
        return tuple(folder.glob("*.toml"))
    try:
        listed = files("kcmab-abm") or []
    except PackageNotFoundError:
        return ()
    return tuple(
        Path(str(each.locate()))
        for each in listed
        if each.parent.name == "scenarios" and each.suffix == ".toml"
    )
