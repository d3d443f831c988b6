"""Runs that stop when a mean is precise: the interval, the looks, and what comes of them."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize

from kcmab_abm import MarketError, ScenarioError, make_scenario, simulate, sweep
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.scenario.fields import LARGEST_REPLICATIONS
from kcmab_abm.scenario.precision import (
    FARTHEST,
    FEWEST,
    TIGHTEST,
    Precision,
    PrecisionTable,
    Standing,
)

COLUMNS = [
    "policy",
    "other",
    "measure",
    "mean",
    "half_width",
    "wanted",
    "reached",
    "replications",
    "confidence",
]
SMALL = {
    "horizon": 12,
    "replications": 100,
    "seed": 5,
    "market": {"arms": {"law": "bernoulli", "means": [0.7, 0.4]}},
    "policy": [{"name": "ucb"}, {"name": "greedy"}],
}

firsts = st.integers(FEWEST, 10**5)
counts = st.integers(FEWEST, 10**7)
confidences = st.floats(0.5, 0.9999)


def plan(first=100, confidence=0.95, half_width=0.1, relative=None, of=("ucb",), ceiling=10**8):
    """A precision without a scenario."""
    pairs = tuple((label, None) for label in of)
    return Precision("regret", pairs, half_width, relative, confidence, first, ceiling)


class Values:
    """Runs that ended with these values, whatever is measured."""

    def __init__(self, values):
        self.values = np.asarray(values, float)

    def final(self, measure):
        """All of them."""
        return self.values


def asking(**precision):
    """The small market with a precision."""
    return make_scenario({**SMALL, "precision": {"measure": "regret", **precision}})


def run(scenario, **how):
    """The results, and the numbers of replications at which intervals were looked at."""
    looks = []
    how = {"engine": "market", **how}
    results = simulate(scenario, watch=lambda each: looks.append(each[0].replications), **how)
    return results, looks


def width(rho, count, alpha):
    """Half the width for unit deviation, written as the paper has it."""
    inside = 2 * (count * rho**2 + 1) / (count**2 * rho**2)
    return math.sqrt(inside * math.log(math.sqrt(count * rho**2 + 1) / alpha))


def test_the_width_of_an_example():
    """For 100 first replications, 95 % and 500 in all: sqrt(-W / 500), W = W_-1(-0.05^2 / e)."""
    precision = plan()
    assert precision.deviations(500) == pytest.approx(0.1357, abs=5e-5)
    assert precision.deviations(500) == pytest.approx(width(precision.rho, 500, 0.05), rel=1e-12)


def test_the_width_is_tuned_to_five_times_the_first_replications():
    """There x = n rho^2 solves x = log(1 + x) - 2 log(alpha)."""
    x = 500 * plan().rho ** 2
    assert x == pytest.approx(math.log(1 + x) - 2 * math.log(0.05), rel=1e-12)


@given(first=firsts, count=counts, confidence=confidences)
def test_the_width_is_where_the_martingale_reaches_its_bound(first, count, confidence):
    """At the end of the interval the averaged likelihood ratio is 1 / alpha, by quadrature."""
    precision = plan(first, confidence)
    total = count * precision.deviations(count)
    spread = 1 / math.sqrt(count + precision.rho**-2)  # of the integrand, around its peak
    peak = total * spread**2
    top = peak * total - count * peak**2 / 2 - (peak / precision.rho) ** 2 / 2

    def ratio(step):
        place = peak + step * spread
        exponent = place * total - count * place**2 / 2 - (place / precision.rho) ** 2 / 2
        return math.exp(exponent - top) * spread

    area, _ = integrate.quad(ratio, -12, 12)
    log = math.log(area / math.sqrt(2 * math.pi) / precision.rho) + top
    assert log == pytest.approx(-math.log(precision.alpha), rel=1e-6)


@given(first=firsts, confidence=confidences)
def test_no_other_mixture_is_tighter_where_it_matters(first, confidence):
    """At five times the first replications rho is the best one, found here by search."""
    precision, count = plan(first, confidence), TIGHTEST * first
    best = optimize.minimize_scalar(
        lambda log: width(math.exp(log), count, precision.alpha),
        bounds=(math.log(1e-3 / math.sqrt(count)), math.log(1e3 / math.sqrt(count))),
        method="bounded",
    )
    assert precision.deviations(count) == pytest.approx(best.fun, rel=1e-6)


@given(first=firsts, share=st.floats(1, FARTHEST))
def test_the_width_is_near_the_best_at_every_look(first, share):
    """From the first replications to the usual ceiling, a tenth is lost to the best mixture."""
    count = round(first * share)
    best = plan(FEWEST).deviations(TIGHTEST * FEWEST) * math.sqrt(TIGHTEST * FEWEST / count)
    assert best <= plan(first).deviations(count) * (1 + 1e-9)
    assert plan(first).deviations(count) < 1.11 * best


@given(first=firsts, count=counts, confidence=confidences)
def test_the_width_falls(first, count, confidence):
    """With every replication, and with less confidence."""
    precision = plan(first, confidence)
    assert precision.deviations(count + 1) < precision.deviations(count)
    assert plan(first, confidence / 2 + 0.25).deviations(count) <= precision.deviations(count)


def test_a_look_by_hand():
    """The mean, the deviation times the boundary, and what was asked."""
    precision = plan(half_width=0.5)
    values = np.arange(200.0)
    (standing,) = precision.look({"ucb": Values(values)})
    deviation = math.sqrt(sum((v - 99.5) ** 2 for v in range(200)) / 199)
    assert standing.mean == 99.5
    assert standing.half_width == pytest.approx(deviation * width(precision.rho, 200, 0.05))
    assert (standing.wanted, standing.reached, standing.replications) == (0.5, False, 200)


def test_a_look_at_a_difference_by_hand():
    """Replication by replication, the first policy's value less the other's."""
    precision = replace(plan(half_width=0.5), of=(("a", "b"),))
    a, b = np.arange(200.0), np.tile([1.0, 3.0], 100)
    (standing,) = precision.look({"a": Values(a), "b": Values(b)})
    assert (standing.name, standing.mean) == ("a - b", 97.5)
    deviation = math.sqrt(sum((v - 97.5) ** 2 for v in a - b) / 199)
    assert standing.half_width == pytest.approx(deviation * width(precision.rho, 200, 0.05))


def test_a_wanted_share_of_the_mean():
    """The mean may be negative."""
    precision = plan(half_width=None, relative=0.25)
    (standing,) = precision.look({"ucb": Values(-np.arange(200.0))})
    assert standing.wanted == 0.25 * 99.5
    assert standing.reached


@pytest.mark.parametrize("mean", [0.0, 1e-9])
def test_a_share_of_nothing_is_never_reached(mean):
    """Where the mean is nothing one goes to the ceiling, and where there is no spread nowhere."""
    precision = plan(half_width=None, relative=0.01, ceiling=5000)
    (standing,) = precision.look({"ucb": Values(np.tile([mean - 1, mean + 1], 100))})
    assert not standing.reached
    assert precision.needed([standing]) == 5000
    (still,) = precision.look({"ucb": Values(np.zeros(200))})
    assert still.reached
    assert (still.half_width, still.wanted, still.lacking) == (0.0, 0.0, 0.0)


def test_several_policies_share_the_error():
    """Bonferroni: a third of it for each of three."""
    three = plan(of=("a", "b", "c"))
    assert three.alpha == pytest.approx(0.05 / 3)
    assert three.deviations(500) == pytest.approx(plan(confidence=1 - 0.05 / 3).deviations(500))


@given(count=st.integers(100, 10**6), spread=st.floats(1e-3, 1e3), first=firsts)
def test_needed_is_the_least_that_is_enough(count, spread, first):
    """With the deviation as it is, one replication fewer would not do."""
    precision = plan(first)
    (standing,) = precision.look({"ucb": Values(np.tile([0.0, spread], count // 2))})
    deviation = standing.half_width / precision.deviations(standing.replications)
    needed = precision.needed([standing])
    if standing.reached:
        assert needed == standing.replications
    elif needed < precision.ceiling:
        slack = 1 + 1e-9
        assert deviation * precision.deviations(needed) <= 0.1 * slack
        assert deviation * precision.deviations(needed - 1) * slack > 0.1


def standing(half_width, wanted, count=100, **changes):
    """Where a policy stands whose interval is this wide."""
    reached = half_width <= wanted
    found = Standing("ucb", None, "regret", 2.0, half_width, wanted, reached, count, 0.95)
    return found._replace(**changes)


def test_needed_replications_may_be_exactly_enough():
    """An interval that would be just as wide as asked needs no replication more."""
    precision = plan()
    here = precision.deviations(100)
    targets = {count: precision.deviations(count) for count in range(101, 200)}
    exact = {count: each for count, each in targets.items() if here / (here / each) == each}
    assert len(exact) > 10
    for count, wanted in exact.items():
        assert precision.needed([standing(here, wanted)]) == count


def test_needed_replications_are_those_of_the_worst_policy():
    """The policy that lacks most decides, wherever it stands in the list."""
    precision = plan()
    one, other = standing(1.0, 0.9), standing(1.0, 0.5)
    assert precision.needed([one]) < precision.needed([other])
    for both in ([one, other], [other, one]):
        assert precision.needed(both) == precision.needed([other])


def test_what_is_lacking_by_hand():
    """Twice as wide as asked lacks 2, no width lacks nothing, and nothing asked for cannot be."""
    assert standing(1.0, 0.5).lacking == 2.0
    assert standing(0.25, 0.5).lacking == 0.5
    assert standing(0.0, 0.0).lacking == 0.0
    assert standing(1.0, 0.0).lacking == math.inf


@given(count=st.integers(100, 10**6), spread=st.floats(1e-3, 1e3), ceiling=counts)
def test_the_next_look_is_neither_too_near_nor_too_far(count, spread, ceiling):
    """A tenth more at least, twice as many at most, and never beyond the ceiling."""
    precision = plan(ceiling=ceiling)
    standings = precision.look({"ucb": Values(np.tile([0.0, spread], count // 2))})
    here = standings[0].replications
    following = precision.following(standings)
    assert following <= ceiling
    if ceiling >= 2 * here:
        least = -(-11 * here // 10)
        assert least <= following <= 2 * here
        assert following in (least, 2 * here) or following == precision.needed(standings)


def test_one_replication_short_is_a_tenth_more():
    """Where one more would do, the next look comes after a tenth more, rounded up."""
    precision = plan(half_width=1.0)
    values = Values(np.tile([0.0, 1.0], 505))
    (standing,) = precision.look({"ucb": values})
    wanted = plan(half_width=standing.half_width * (1 - 1e-6))
    standings = wanted.look({"ucb": values})
    assert wanted.needed(standings) == 1011
    assert wanted.following(standings) == 1111


def stretches(precision, **values):
    """What is asked for, and the replications at every look, where runs end with these values."""
    runs = {label: Values(each[: precision.first]) for label, each in values.items()}
    asked, looks = [], []
    further = precision.further(runs, lambda each: looks.append(each[0].replications))
    for stretch in islice(further, 20):
        asked.append(stretch)
        for label, each in values.items():
            runs[label].values = each[: stretch[1]]
    return asked, looks


def test_looks_go_on_until_all_are_narrow():
    """Each stretch begins where the last one ended; one wide interval is enough to go on."""
    wide, still = np.tile([0.0, 1.0], 5000), np.zeros(10_000)
    for values in ({"a": wide, "b": still}, {"a": still, "b": wide}):
        asked, looks = stretches(plan(half_width=0.1, of=("a", "b")), **values)
        assert looks == [100, 200, looks[-1]]
        assert 200 < looks[-1] < 400
        assert [(first, end) for first, end, _ in asked] == list(pairwise(looks))
        assert asked[-1][1] == asked[-1][2]
        assert asked[0][2] == pytest.approx(asked[-1][2], rel=0.02)
    assert stretches(plan(half_width=1.0), ucb=wide) == ([], [100])


def test_looks_end_at_the_ceiling():
    """What is not precise there is not looked at again."""
    wide = np.tile([0.0, 1.0], 5000)
    asked, looks = stretches(plan(half_width=1e-3, ceiling=250), ucb=wide)
    assert asked == [(100, 200, 250), (200, 250, 250)]
    assert looks == [100, 200, 250]


LINES = {
    "reached": (
        standing(0.25, 0.5, 12_345),
        "regret of ucb: 2.00 ± 0.25 (95 %, valid at any stopping time), asked 0.50, "
        "after 12,345 runs",
    ),
    "not reached": (
        standing(0.5, 0.25, 1000, measure="realised_regret", confidence=0.999),
        "not reached: realised regret of ucb: 2.00 ± 0.50 (99.9 %, valid at any stopping time), "
        "asked 0.25, after the ceiling of 1,000 runs",
    ),
    "difference": (
        standing(10.0, 20.0, other="ts"),
        "regret of ucb - ts: 2.00 ± 10.00 (95 %, valid at any stopping time), asked 20.00, "
        "after 100 runs",
    ),
    "two digits of what is asked": (
        standing(0.00123, 0.0045),
        "regret of ucb: 2.0000 ± 0.0012 (95 %, valid at any stopping time), asked 0.0045, "
        "after 100 runs",
    ),
    "two digits of the width": (
        standing(0.0042, 0.0),
        "not reached: regret of ucb: 2.0000 ± 0.0042 (95 %, valid at any stopping time), "
        "asked 0.0000, after the ceiling of 100 runs",
    ),
    "neither": (
        standing(0.0, 0.0),
        "regret of ucb: 2.00 ± 0.00 (95 %, valid at any stopping time), asked 0.00, after 100 runs",
    ),
    "twelve places": (
        standing(1e-20, 1e-19),
        "regret of ucb: 2.000000000000 ± 0.000000000000 (95 %, valid at any stopping time), "
        "asked 0.000000000000, after 100 runs",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_says_where_a_policy_stands(name):
    """Two digits at least of what is asked for, or of the width; places between 2 and 12."""
    each, line = LINES[name]
    assert str(each) == line


ASKED = {"measure": "regret", "confidence": 0.95}
REQUESTS = {
    "least": ({"half_width": 0.1}, 100, None),
    "share": ({"relative": 0.1}, 100, None),
    "ceiling at once": ({"half_width": 0.1, "ceiling": 100}, 100, None),
    "pair": ({"half_width": 0.1, "between": ["a", "b"]}, 100, None),
    "none": ({}, 100, "half_width or relative, got neither"),
    "both": ({"half_width": 0.1, "relative": 0.1}, 100, "half_width or relative, got both"),
    "few": ({"half_width": 0.1}, 99, "must be >= 100 to begin with"),
    "low": ({"half_width": 0.1, "ceiling": 99}, 100, "must be >= replications (100), got 99"),
    "stranger": ({"half_width": 0.1, "between": ["a", "c"]}, 100, "no policy labelled 'c'"),
    "twice": ({"half_width": 0.1, "between": ["b", "b"]}, 100, "two policies, got 'b' twice"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_beyond_a_limit_are_refused(name):
    """At the limits all is well; beyond each there is one complaint, and nothing else is said."""
    words, first, complaint = REQUESTS[name]
    table = PrecisionTable.model_validate({**ASKED, **words})
    if complaint is not None:
        with pytest.raises(ScenarioError) as caught:
            table.build(first, ["a", "b"])
        [problem] = caught.value.problems
        assert complaint in problem
        return
    made = table.build(first, ["a", "b"])
    assert made.of == (
        (("a", None), ("b", None)) if "between" not in words else (tuple(words["between"]),)
    )
    assert (made.measure, made.confidence, made.first) == ("regret", 0.95, first)
    assert (made.half_width, made.relative) == (words.get("half_width"), words.get("relative"))
    assert made.ceiling == words.get("ceiling", 100 * first)


def test_a_run_goes_on_until_it_is_precise():
    """At the end all intervals are narrow, at the looks before at least one was not."""
    results, looks = run(asking(half_width=0.25))
    table = results.precision()
    assert list(table) == COLUMNS
    assert table["policy"].tolist() == ["ucb", "greedy"]
    assert table["reached"].all()
    assert (table["half_width"] <= 0.25).all()
    assert (table["replications"] == results.replications).all()
    assert looks[0] == 100
    assert looks[-1] == results.replications > 100
    for here, following in pairwise(looks):
        assert 1.1 * here <= following <= 2 * here
        before = simulate(make_scenario({**SMALL, "replications": here}), engine="market")
        assert not all(each.reached for each in asking(half_width=0.25).precision.look(before.runs))


def test_the_table_is_that_of_the_runs():
    """Mean and width by numpy from the finals."""
    results, _ = run(asking(half_width=0.25, confidence=0.9))
    finals = results.finals()
    rho = results.scenario.precision.rho
    for row in results.precision().to_dict("records"):
        values = finals[finals["policy"] == row["policy"]]["regret"]
        assert row["mean"] == pytest.approx(values.mean(), rel=1e-12)
        expected = values.std() * width(rho, len(values), 0.1 / 2)
        assert row["half_width"] == pytest.approx(expected, rel=1e-12)
        assert row["confidence"] == 0.9


def test_no_precision_no_table():
    """Who asks for none gets an empty table with its columns."""
    results, looks = run(make_scenario(SMALL))
    assert list(results.precision()) == COLUMNS
    assert results.precision().empty
    assert (looks, results.replications) == ([], 100)


@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("way", ["one job", "two jobs", "executor"])
def test_how_it_is_run_does_not_matter(engine, way):
    """Looks, replications and digest are those of one process on the market engine.

    They are also those of a run that was told beforehand how many replications to make.
    """
    scenario = asking(half_width=0.35)
    expected, looks = run(scenario)
    assert len(looks) > 1
    with ThreadPoolExecutor(2) as pool:
        how = {"one job": {"jobs": 1}, "two jobs": {"jobs": 2}, "executor": {"executor": pool}}
        results, seen = run(scenario, engine=engine, **how[way])
    assert seen == looks
    assert results.digest() == expected.digest()
    planned = make_scenario({**SMALL, "replications": looks[-1]})
    assert simulate(planned, engine=engine).digest() == expected.digest()


def test_the_ceiling_is_kept_and_said():
    """What cannot be reached ends at the ceiling, without an error."""
    results, looks = run(asking(half_width=1e-3, ceiling=250))
    assert looks == [100, 200, 250]
    assert not results.precision()["reached"].any()
    (line, _) = map(str, results.standings())
    assert line.startswith("not reached: regret of ucb: ")
    assert line.endswith("asked 0.0010, after the ceiling of 250 runs")


def test_the_ceiling_unless_given():
    """A hundred times the first replications, as far as there may be so many."""
    assert asking(half_width=0.1).precision.ceiling == 100 * 100
    many = {**SMALL, "replications": LARGEST_REPLICATIONS // 2}
    scenario = make_scenario({**many, "precision": {"measure": "regret", "half_width": 0.1}})
    assert scenario.precision.ceiling == LARGEST_REPLICATIONS


@pytest.mark.parametrize("how", [{"half_width": 1e-12}, {"relative": 1e-12}])
def test_what_never_varies_is_precise_at_once(how):
    """Greedy pays nothing, ever."""
    scenario = make_scenario(
        {
            **SMALL,
            "policy": [{"name": "greedy"}],
            "precision": {"measure": "compensation", **how},
        }
    )
    results, looks = run(scenario)
    assert looks == [100]
    assert results.standings()[0].half_width == 0.0
    assert results.standings()[0].reached


def test_a_share_of_the_mean():
    """The relative precision is that of each policy's own mean."""
    results, _ = run(asking(relative=0.15))
    table = results.precision()
    assert table["wanted"].tolist() == (0.15 * table["mean"]).tolist()
    assert table["reached"].all()


def test_a_difference_between_policies():
    """One row for the pair, on the same replications, with all of the error to itself."""
    results, _ = run(asking(half_width=0.3, between=["greedy", "ucb"]))
    (row,) = results.precision().to_dict("records")
    assert (row["policy"], row["other"]) == ("greedy", "ucb")
    gaps = results.runs["greedy"].final("regret") - results.runs["ucb"].final("regret")
    assert row["mean"] == pytest.approx(gaps.mean(), rel=1e-12)
    rho = results.scenario.precision.rho
    assert row["half_width"] == pytest.approx(gaps.std(ddof=1) * width(rho, len(gaps), 0.05))
    assert str(results.standings()[0]).startswith("regret of greedy - ucb: ")


def test_progress_goes_up_to_what_is_expected():
    """The bar counts customers; its total is what the deviations so far let one expect."""
    told = []
    results, _ = run(asking(half_width=0.2), progress=lambda *each: told.append(each))
    done = [each for each, _ in told]
    assert done == sorted(done)
    assert all(each <= total for each, total in told)
    customers = results.replications * 12 * 2
    assert told[-1] == (customers, customers)
    early = [total for each, total in told if 2400 < each <= 4800]
    assert min(early) > 4800, "after the first look more than the next one is in view"


def test_every_point_of_a_sweep_is_run_until_it_is_precise():
    """Each point stops where it would stop alone; the table has a row a point and policy."""
    settings = {**SMALL, "precision": {"measure": "regret", "half_width": 0.3}}
    grid = {"horizon": [14, 8]}
    told, looks = [], []
    scenario = make_scenario({**settings, "sweep": {"grid": grid}})
    results = sweep(
        scenario,
        engine="market",
        progress=lambda *each: told.append(each),
        watch=lambda each: looks.append(each[0].replications),
    )
    alone, seen = zip(
        *(run(make_scenario({**settings, "horizon": each})) for each in grid["horizon"]),
        strict=True,
    )
    assert looks == [look for each in seen for look in each]
    assert results.replications == [each.replications for each in alone]
    assert len(set(results.replications)) == 2
    assert [each.digest for each in results.points] == [each.digest() for each in alone]
    table = results.precision()
    assert list(table) == ["horizon", *COLUMNS]
    assert table["horizon"].tolist() == [14, 14, 8, 8]
    assert table["half_width"].tolist() == [
        each for point in alone for each in point.precision()["half_width"]
    ]
    customers = sum(each.replications * each.scenario.horizon * 2 for each in alone)
    assert told[-1] == (customers, customers)
    assert told[0][1] == 100 * (14 + 8) * 2, "the second point is in view from the start"
    assert results.size == "2 points"


def test_the_precision_itself_can_be_swept():
    """What is asked is a setting like any other."""
    settings = {**SMALL, "precision": {"measure": "regret", "half_width": 0.5}}
    grid = {"precision.half_width": [0.5, 0.3]}
    results = sweep(make_scenario({**settings, "sweep": {"grid": grid}}), engine="market")
    wide, narrow = results.replications
    assert wide < narrow
    assert results.precision()["wanted"].tolist() == [0.5, 0.5, 0.3, 0.3]


@pytest.mark.parametrize("place", ["scenario", "sweep"])
def test_the_start_cannot_be_swept(place):
    """The column `replications` says how many were run, wherever the precision is given."""
    asked = {"measure": "regret", "half_width": 0.5}
    grid = {"replications": [100, 200], **({"precision": [asked]} if place == "sweep" else {})}
    settings = {**SMALL, "sweep": {"grid": grid}}
    if place == "scenario":
        settings["precision"] = asked
    with pytest.raises(MarketError, match="sweep: varies replications, but with a precision"):
        make_scenario(settings)


@pytest.mark.parametrize("measure", CURVES)
def test_measures_are_those_of_the_curves(measure):
    """A file may ask for whatever is measured along a run."""
    assert asking(measure=measure, half_width=0.5).precision.measure == measure


def test_a_scenario_with_a_precision_can_be_a_key():
    """Scenarios with the same precision are equal, and the precision is frozen."""
    assert asking(half_width=0.5) == asking(half_width=0.5)
    assert asking(half_width=0.5) != asking(half_width=0.4)
    assert hash(asking(half_width=0.5).precision) == hash(asking(half_width=0.5).precision)
