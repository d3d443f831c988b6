"""Figures for journals and slides: their size, colours and words, and nothing covered or cut."""

from __future__ import annotations

import itertools

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from kcmab_abm import make_scenario, policies, simulate, sweep
from kcmab_abm.errors import MarketError
from kcmab_abm.figures.colours import _NAMED, pens_of

from .looking import complaints

ARMS = {f"{count} arms": {"law": "bernoulli", "means": [0.8, 0.6, 0.4][:count]} for count in (2, 3)}
TAU = "market.customers.tau"
SIZES = [
    {"width": "column"},
    {"width": "page"},
    {"width": 5.0, "font_size": 9},
    {"style": "slides"},
]


@pytest.fixture(scope="module")
def study():
    """Three policies, three levels of noise and two markets, by their labels."""
    grid = {TAU: [0.01, 0.05, 0.2], "market.arms": ARMS}
    settings = {
        "title": "Is noise as good as money?",
        "horizon": 40,
        "replications": 6,
        "market": {"arms": ARMS["2 arms"], "customers": {"behaviour": "logit"}},
        "policy": [{"name": name} for name in ("ucb", "modified-ts", "greedy")],
        "sweep": {"grid": grid},
    }
    return sweep(make_scenario(settings), engine="market")


@pytest.fixture(scope="module")
def point(study):
    """The results of one of its points."""
    return study.point({"tau": 0.05, "arms": "3 arms"})


FIGURES = {
    "costs": lambda study, point, **size: study.figure(measures=["regret"], **size),
    "both costs": lambda study, point, **size: study.figure(at={"arms": "2 arms"}, **size),
    "across arms": lambda study, point, **size: study.figure(
        across="arms", at={"tau": 0.05}, **size
    ),
    "frontier": lambda study, point, **size: study.frontier(by="arms", at={"tau": 0.2}, **size),
    "worlds": lambda study, point, **size: study.frontier(**size),
    "curves": lambda study, point, **size: study.curves_figure(at={"tau": 0.2}, **size),
    "run": lambda study, point, **size: point.figure(**size),
    "curves of a run": lambda study, point, **size: point.curves_figure(**size),
    "frontier of a run": lambda study, point, **size: point.frontier(**size),
}


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_wrong_with_a_figure_of_any_size(name, study, point):
    """No markup, no words that are cut, covered or too small; and the size that was asked for."""
    for size in SIZES if name == "costs" else (SIZES[0], SIZES[-1]):
        figure = FIGURES[name](study, point, **size)
        assert complaints(figure) == [], size
        width, height = figure.get_size_inches()
        if "style" in size:
            assert width / height == pytest.approx(16 / 9, rel=1e-3)
            assert figure.get_suptitle() == "Is noise as good as money?"
        else:
            wanted = {"column": 3.4, "page": 7.0}.get(size["width"], size["width"])
            assert width == pytest.approx(wanted)
            assert figure.get_suptitle() == ""


def test_letters_have_the_size_asked_for_when_drawn_anywhere(point, tmp_path):
    """Ticks are made when a figure is drawn, which may be outside of the package."""
    figure = point.curves_figure(font_size=8)
    figure.savefig(tmp_path / "figure.png")
    labels = [label for axes in figure.axes for label in axes.get_xticklabels()]
    assert {label.get_fontsize() for label in labels} == {8.0}


def test_axes_say_what_settings_mean(study):
    """The names come from the catalogue, and a logarithmic scale says so."""
    panel = study.figure(measures=["regret"]).axes[0]
    assert panel.get_xlabel().replace("\n", " ") == "noise of customers, tau (log scale)"
    assert panel.get_xscale() == "log"
    assert panel.get_title() == "2 arms"


def test_regret_is_called_what_it_is(study, point):
    """Bayes regret only where means are drawn, also of a run without a sweep."""
    for figure in (point.frontier(), study.frontier(by="arms", at={"tau": 0.2})):
        assert figure.axes[0].get_ylabel() == "regret"


def test_nothing_is_clipped(study, point):
    """All markers of a frontier and all means lie within the axes."""
    for figure in (study.frontier(by="arms", at={"tau": 0.2}), study.figure()):
        for panel in figure.axes:
            for line in panel.lines:
                for x, y in zip(*line.get_data(), strict=True):
                    assert panel.get_xlim()[0] <= x <= panel.get_xlim()[1]
                    assert panel.get_ylim()[0] <= y <= panel.get_ylim()[1]


def test_a_frontier_compares_only_what_a_controller_can_choose(study):
    """One panel per market; a setting of the market that is not held or split by is refused."""
    panels = [axes for axes in study.frontier().axes if axes.get_visible()]
    assert len(panels) == 6
    assert [axes.get_title() for axes in study.frontier(by="arms", at={"tau": 0.2}).axes] == [*ARMS]
    with pytest.raises(MarketError, match="tau is not the controller's choice and varies"):
        study.frontier(by="arms")


def test_a_policy_has_one_colour_in_all_figures(study, point):
    """Whichever policies are beside it; and all policies of the package differ in their pens."""
    alone = simulate(point.scenario.replace(policy=[{"name": "greedy"}]), engine="market")
    wanted = pens_of(["greedy"])["greedy"].colour.lower()
    figures = [alone.curves_figure(), point.curves_figure(), study.figure()]
    for figure in figures:
        lines = [line for line in figure.axes[0].lines if line.get_label() == "greedy"]
        assert {to_hex(line.get_color()) for line in lines} == {wanted}
    own = [name for name in policies() if name in _NAMED]
    assert len(own) > 20
    assert len(set(pens_of(own).values())) == len(own)


def test_policies_of_one_figure_differ():
    """Labels of the user's get colours of their own as long as there are any."""
    labels = [f"mine {number}" for number in range(7)]
    pens = pens_of(["ucb", "ucb (alpha=2)", "ucb (alpha=3)", *labels])
    for one, other in itertools.combinations(pens.values(), 2):
        assert one.colour != other.colour


def test_a_figure_can_be_part_of_another(point, study):
    """Lines have labels for a legend; what needs several panels is refused."""
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert point.figure(measures=["compensation"], ax=left) is figure
    assert study.frontier(at={"tau": 0.2, "arms": "2 arms"}, ax=right) is figure
    assert left.get_legend_handles_labels()[1] == ["ucb", "modified-ts", "greedy"]
    with pytest.raises(MarketError, match="the figure has 6 panels"):
        study.frontier(ax=right)


@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_the_same_figure_gives_the_same_file(ending, study, tmp_path):
    """No dates or random names; and PDF has fonts that journals take."""
    files = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for file in files:
        study.figure(measures=["regret"], at={"arms": "2 arms"}).savefig(file)
    contents = [file.read_bytes() for file in files]
    assert contents[0] == contents[1]
    assert b"/Type3" not in contents[0]


BAD = {
    "width": ({"width": "huge"}, r"width: must be 'column', 'page' or inches from 2 to 40"),
    "narrow": ({"width": 0.1}, "width: must be"),
    "font": ({"font_size": 200}, "font_size: must be 4 to 60, got 200"),
    "style": ({"style": "poster"}, "style: must be 'journal' or 'slides', got 'poster'"),
    "slides": ({"style": "slides", "width": "page"}, "slides are always 13.33 x 7.5 inches"),
    "measure": ({"measures": ["regrett"]}, "Did you mean 'regret'"),
    "setting": ({"across": "taw"}, "'taw' is not the path of one swept setting"),
    "value": ({"at": {"tau": 0.3}}, "no point has the value 0.3; there are 0.01, 0.05, 0.2"),
    "rows": ({"style": "slides", "across": "tau"}, None),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_drawn_is_refused(name, study):
    """The message says what was found and what is allowed."""
    options, words = BAD[name]
    if words is None:
        assert complaints(study.figure(**options)) == []
        return
    with pytest.raises(MarketError, match=words):
        study.figure(**options)
