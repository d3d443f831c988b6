"""The gallery: every shipped scenario file opens, under its question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kcmab_abm import load_scenario
from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.model.gallery import exhibits, open_exhibit
from kcmab_abm.lab.model.limits import MOST_CUSTOMERS
from kcmab_abm.lab.model.scenario_files import move_to, read_file
from kcmab_abm.lab.model.session import Session
from kcmab_abm.lab.model.share_links import from_link, to_link

LIBRARY = sorted(Path("scenarios").glob("*.toml"))


def test_every_shipped_file_is_in_the_gallery():
    """The gallery has each file once, under a question that the file answers."""
    assert list(exhibits()) == [path.stem for path in LIBRARY]
    for exhibit in exhibits().values():
        assert exhibit.question.endswith("?"), exhibit.name
    assert len({exhibit.question for exhibit in exhibits().values()}) == len(LIBRARY)


@pytest.mark.parametrize("name", [path.stem for path in LIBRARY])
def test_every_shipped_file_opens(name):
    """Every file opens, and its market can be played."""
    session = Session(open_exhibit(name))
    for _ in range(30):
        session.one_customer()
    assert (session.shown, session.failure) == (30, "")


SLOW = {"what-matters"}  # hundreds of points, all of which `load_scenario` builds


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow if path.stem in SLOW else ()) for path in LIBRARY],
    ids=lambda path: path.stem,
)
def test_every_shipped_file_opens_at_both_ends_of_its_sweep(path):
    """The market shown is that of the file at this point of the sweep."""
    setup, there = open_exhibit(path.stem), load_scenario(path)
    points = there.points()
    assert setup.source.points == len(points)
    assert exhibits()[path.stem].has_sweep == bool(points)
    for point in {0, max(0, len(points) - 1)}:
        shown = move_to(setup, point) if points else setup
        whole = points[point] if points else there
        if whole.horizon > MOST_CUSTOMERS:
            assert any(f"{whole.horizon:,}" in note for note in setup.source.notes)
            whole = whole.replace(horizon=MOST_CUSTOMERS)
        elif there.precision:
            assert "precision" in setup.source.notes[0]
            whole = whole.replace(precision=None)
        else:
            assert setup.source.notes == []
        assert shown.scenario.market == whole.market
        assert shown.scenario.purse == whole.purse
        assert shown.scenario.policies == whole.policies
        assert (shown.scenario.horizon, shown.scenario.seed) == (whole.horizon, whole.seed)


@pytest.mark.parametrize("name", ["price-of-noise", "frugal-policies", "precise", "equal-arms"])
def test_a_link_keeps_the_question_and_the_slider(name):
    """A link restores the file with its sweep, at the same point, whatever else was changed."""
    setup = open_exhibit(name)
    if setup.source.points:
        setup = move_to(setup, setup.source.points - 1)
    setup = replace(setup.change(seed=99), shown=4)
    other = from_link(to_link(setup))
    assert other == setup
    assert other.source.notes == setup.source.notes
    assert other.source.values(other.point) == setup.source.values(setup.point)


def test_the_controllers_stay_while_the_slider_moves():
    """Both controllers are the same ones at the next point."""
    setup = replace(open_exhibit("price-of-noise"), left=2, right=1, revealed=True)
    labels = [each.label for each in setup.policies]
    there = move_to(setup, 3)
    assert [each.label for each in there.policies] == labels
    assert there.revealed
    assert there.scenario != setup.scenario


def test_a_long_horizon_is_cut_and_told():
    """A file with too many customers shows the first ones, and says so; a link remembers it."""
    text = "horizon = 1000000000\n[market]\narms = { law = 'bernoulli', means = [0.9, 0.1] }\n"
    setup = read_file(f"{text}[[policy]]\nname = 'ucb'\n".encode())
    assert setup.scenario.horizon == MOST_CUSTOMERS
    assert "1,000,000,000 customers; the lab shows the first 100,000" in setup.source.notes[0]
    assert from_link(to_link(setup)).source.notes == setup.source.notes


def test_a_point_beyond_the_sweep_is_refused():
    """A damaged link to a point that does not exist says so."""
    setup = replace(open_exhibit("price-of-noise"), point=99)
    with pytest.raises(ScenarioError, match="beyond the scenario"):
        from_link(to_link(setup))
