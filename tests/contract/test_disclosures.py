"""What customers see: rules by hand and against independent definitions, errors, refusals."""

from __future__ import annotations

import types
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kcmab_abm as kcmab
from kcmab_abm import MarketError, ScenarioError, make_scenario, open_market, play
from kcmab_abm.catalogue.registry import BEHAVIOURS, DISCLOSURES
from kcmab_abm.cli.main import run
from kcmab_abm.entries.disclosures.levels import group_of, level_of
from kcmab_abm.errors import PlayError
from kcmab_abm.model.book import clear, empty_book, find_top, first_highest, record
from kcmab_abm.testing import check_disclosure
from tests.contract.arena import new_book, new_memory, stated
from tests.markets import POLICY_NAMES, assert_same, between
from tests.sampling import sampled_pairs

RULES = DISCLOSURES.own_names()
SELECTIVE = [name for name in RULES if name != "full"]
READERS = [name for name, each in BEHAVIOURS.items() if not each.hears and not each.compose]
ARMS = {"law": "beta", "means": [0.7, 0.6, 0.3], "concentration": 3.0}
RANGES = {
    ("latest", "window"): (50, {"ge": 1, "le": 100_000}),
    ("levels", "levels"): (2, {"ge": 1, "le": 4}),
    ("levels", "groups"): (20, {"ge": 1, "le": 10_000}),
    ("levels", "size"): (20, {"ge": 1, "le": 1_000_000}),
    ("levels", "prior"): (0.5, {"ge": 0.0, "le": 1.0}),
    ("stars", "step"): (0.1, {"ge": 1e-6, "le": 1.0}),
    ("target-only", "prior"): (0.5, {"ge": 0.0, "le": 1.0}),
}


def scenario_with(rule="full", policy="ucb", purse=None, horizon=150, **market):
    """A small market with a disclosure."""
    disclosure = rule if isinstance(rule, dict) else {"rule": rule}
    return make_scenario(
        {
            "horizon": horizon,
            "replications": 3,
            "seed": 11,
            "market": {"arms": ARMS, "disclosure": disclosure, **market},
            "purse": purse or {},
            "policy": [{"name": policy}],
        }
    )


def seen(name, reports, arms, t=None, **settings):
    """What customer t, the next one by default, sees after these reports: pairs of arm and reward.

    Customer k made report k.
    """
    entry = DISCLOSURES[name]
    values = tuple({**entry.defaults(), **settings}[word] for word in entry.parameters)
    book, view = new_book(arms), new_book(arms)
    common = {
        "book": book,
        "memory": new_memory(entry, arms, values),
        "params": entry.params(values),
        "rng": None,
    }
    for number, (arm, reward) in enumerate(reports, 1):
        record(book, arm, reward)
        if entry.learn:
            entry.ask("learn", t=number, arm=arm, reward=reward, **common)
    entry.ask("act", t=t or len(reports) + 1, view=view, **common)
    return [list(map(float, part)) for part in (view.pulls, view.totals, view.means)]


def averages(reports, arms, prior=0.0):
    """The counts, sums and means of some reports; `prior` is the mean of none."""
    rewards = [[reward for each, reward in reports if each == arm] for arm in range(arms)]
    totals = [float(np.cumsum([0.0, *each])[-1]) for each in rewards]
    means = [
        total / len(each) if each else prior for each, total in zip(rewards, totals, strict=True)
    ]
    return [[float(len(each)) for each in rewards], totals, means]


@st.composite
def histories(draw, most=40):
    """Reports on two to four arms, at least one on each."""
    arms = draw(st.integers(2, 4))
    rewards = st.sampled_from([0.0, 0.25, 1.0]) | between(0.0, 1.0)
    first = [(arm, draw(rewards)) for arm in range(arms)]
    more = draw(st.lists(st.tuples(st.integers(0, arms - 1), rewards), max_size=most))
    return arms, first + more


def test_ranges_are_what_files_were_promised():
    """A file that leaves a parameter out, or uses its range to the ends, stays what it was."""
    entries = {name: DISCLOSURES[name].parameters for name in RULES}
    assert stated(entries) == RANGES


def test_stars_by_hand():
    """Means 0.62 and 0.58 both show as 0.6; halves are rounded up."""
    means = seen("stars", [(0, 0.62), (1, 0.58), (2, 0.25)], 3, step=0.1)[2]
    assert means == pytest.approx([0.6, 0.6, 0.3])
    assert means[0] == means[1]
    assert seen("stars", [(0, 0.25)], 1, step=0.5)[2] == [0.5]


@given(histories(), between(1e-3, 1.0))
def test_stars_are_the_nearest_steps(history, step):
    """Whatever the step, a rating is a multiple of it, and no other multiple is nearer."""
    arms, reports = history
    pulls, _, means = seen("stars", reports, arms, step=step)
    exact = averages(reports, arms)
    assert pulls == exact[0]
    for shown, mean in zip(means, exact[2], strict=True):
        assert shown == round(shown / step) * step
        assert abs(shown - mean) <= step / 2 + 1e-9


def test_the_latest_reports_by_hand():
    """Of 1, 0, 0 and 1, 1 the last two remain."""
    reports = [(0, 1.0), (1, 1.0), (0, 0.0), (1, 1.0), (0, 0.0)]
    assert seen("latest", reports, 2, window=2) == [[2, 2], [0.0, 2.0], [0.0, 1.0]]
    from_the_oldest = 0.1 + 0.2 + 0.3
    assert from_the_oldest != 0.2 + 0.3 + 0.1
    reports = [(0, reward) for reward in (1.0, 1.0, 0.1, 0.2, 0.3)]
    assert seen("latest", reports, 1, window=3)[1] == [from_the_oldest]
    assert seen("latest", [(0, 1.0)], 2, window=3) == [[1, 0], [1.0, 0.0], [1.0, 0.0]]
    powers = [(0, 0.5**k) for k in range(12)]  # of which no two sets have one sum
    for window in (1, 2, 3, 4, 8):
        last = sum(reward for _, reward in powers[-window:])
        assert seen("latest", powers, 1, window=window)[1] == [last]


@given(histories(), st.integers(1, 50))
def test_the_latest_reports_are_the_last_of_each_arm(history, window):
    """The average of the last reports of each arm, added up from the oldest."""
    arms, reports = history
    kept = []
    for arm in range(arms):
        kept += [report for report in reports if report[0] == arm][-window:]
    assert seen("latest", reports, arms, window=window) == averages(kept, arms)


def test_a_recommendation_is_all_that_is_seen():
    """No report is shown, and all arms are worth the same."""
    reports = [(0, 1.0), (1, 0.0)]
    assert seen("target-only", reports, 2, prior=0.25) == [[0, 0], [0.0, 0.0], [0.25, 0.25]]


def test_levels_by_hand():
    """Two groups of two customers; then everybody sees these four reports and no others."""
    settings = {"levels": 2, "groups": 2, "size": 2, "prior": 0.5}
    reports = [(0, 1.0), (1, 0.0), (1, 1.0), (1, 0.0), (0, 0.0)]
    means = [seen("levels", reports[:k], 2, **settings)[2] for k in range(6)]
    assert means[:2] == [[0.5, 0.5], [1.0, 0.5]]
    assert means[2:4] == [[0.5, 0.5], [0.5, 1.0]]
    assert means[4] == means[5] == [1.0, 1 / 3]


def place_among(t, levels, groups, size):
    """The level of customer t and her group, counted off customer by customer."""
    customers = [
        (level, group)
        for level in range(1, levels)
        for group in range(groups ** (levels - level))
        for _ in range(size * groups ** (level - 1))
    ]
    return customers[t - 1] if t <= len(customers) else (levels, 0)


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 2])
def test_customers_are_counted_off_into_levels_and_groups(levels, groups, size):
    """Every customer has one place, also on the third of four levels, which few runs reach."""
    params = types.SimpleNamespace(levels=levels, groups=groups, size=size)
    for t in range(1, levels * size * groups**levels + 3):
        level = level_of(t, params)
        assert (level, group_of(t, level, params)) == place_among(t, levels, groups, size)


@given(
    histories(most=70),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(0, 20),
)
def test_levels_show_groups_and_pools(history, levels, groups, size, later):
    """A report is seen within its own first group, and by the pools above that it belongs to."""
    arms, reports = history
    t = len(reports) + 1 + later
    level, group = place_among(t, levels, groups, size)
    shown = []
    for number, report in enumerate(reports, 1):
        lower, there = place_among(number, levels, groups, size)
        is_inside = there // groups ** max(0, level - lower) == group
        if (lower < level or (lower, level) == (1, 1)) and is_inside:
            shown.append(report)
    settings = {"levels": levels, "groups": groups, "size": size, "prior": 0.25}
    assert seen("levels", reports, arms, t, **settings) == averages(shown, arms, 0.25)


@given(histories())
def test_a_view_knows_its_leader(history):
    """What the engines add to a view is what a book of the same means has."""
    arms, reports = history
    view = empty_book(arms)
    clear(view)
    view.means[:] = seen("stars", reports, arms, step=0.25)[2]
    find_top(view)
    first, tied = first_highest(view.means)
    others = [mean for arm, mean in enumerate(view.means) if arm != first]
    assert view.top.tolist() == [first, tied]
    assert view.behind[0] == max(others, default=-np.inf)


WHOLE = [{"rule": "latest", "window": 150}, {"rule": "levels", "levels": 1}]


@pytest.mark.parametrize("policy", POLICY_NAMES)
@pytest.mark.parametrize("rule", WHOLE, ids=str)
def test_in_the_limit_everything_is_disclosed(rule, policy):
    """A long window and a single level show the whole book, bit for bit."""
    runs = [play(scenario_with(each, policy), engine="market") for each in (rule, "full")]
    assert_same(*runs)


@pytest.mark.parametrize("rule", WHOLE, ids=str)
def test_in_the_limit_everything_is_disclosed_in_compiled_code(rule):
    """So it is in the batch engine."""
    runs = [play(scenario_with(each, horizon=150), engine="batch") for each in (rule, "full")]
    assert_same(*runs)


@pytest.mark.parametrize("rule", SELECTIVE)
@pytest.mark.parametrize("policy", ["ucb", "modified-ts", "greedy"])
def test_least_offers_are_the_gaps_that_she_sees_and_are_taken(policy, rule):
    """The target's gap in the view is offered, and a greedy customer never refuses it."""
    scenario = scenario_with({"rule": rule, **SMALL.get(rule, {})}, policy)
    market = open_market(scenario, policy)
    while not market.is_over:
        snapshot = market.post()
        event = market.step()
        if not event.seeded:
            gap = snapshot.means.max() - snapshot.means[event.target]
            assert event.offer == gap
            assert event.arm == event.target
            assert policy != "greedy" or gap == 0.0


SMALL = {"latest": {"window": 3}, "levels": {"levels": 3, "groups": 2, "size": 8}}


@pytest.mark.parametrize("rule", SELECTIVE)
def test_what_is_shown_matters(rule):
    """A disclosure changes what the controller pays in this market."""
    paid = [
        play(scenario_with(each), engine="market").payments.sum()
        for each in ({"rule": rule, **SMALL.get(rule, {})}, "full")
    ]
    assert paid[0] != paid[1]


def test_recommendations_are_free():
    """Customers who see nothing else follow each of them and are paid nothing."""
    for customers in ({"behaviour": "greedy"}, {"behaviour": "bayesian", "a": 3.0}):
        played = play(scenario_with("target-only", customers=customers), engine="market")
        assert played.payments.sum() == 0.0
        assert played.arms.tolist() == played.targets.tolist()


def test_engines_agree_on_offers_beside_the_target():
    """Gaps of other arms, with an error, are those that she sees too."""
    purse = {"also": 1, "misjudgement": 0.1}
    scenario = scenario_with({"rule": "stars", "step": 0.25}, purse=purse, horizon=600)
    market, batch = (play(scenario, engine=engine) for engine in ("market", "batch"))
    assert_same(market, batch)
    full = play(scenario.at({"market.disclosure": {"rule": "full"}}), engine="market")
    assert full.beside_offers.tolist() != market.beside_offers.tolist()


@pytest.mark.parametrize(("behaviour", "rule"), sampled_pairs(READERS, SELECTIVE))
def test_engines_agree_for_every_customer_who_reads(behaviour, rule):
    """Every behaviour that reads the view does the same in both engines, with all frictions."""
    scenario = scenario_with(
        {"rule": rule, **SMALL.get(rule, {})},
        "modified-ts",
        {"also": 1, "misjudgement": 0.1, "budget": 6.0},
        horizon=600,
        customers={"behaviour": behaviour},
        report_probability=0.7,
    )
    assert_same(play(scenario, engine="market"), play(scenario, engine="batch"))


def test_optimists_bear_arms_without_reports():
    """An arm of which she sees nothing counts as one with a single report."""
    view, arrays = empty_book(2), {"values": np.zeros(2), "adjustments": np.zeros(2)}
    params = BEHAVIOURS["optimism"].params((0.5,))
    BEHAVIOURS["optimism"].ask("value", book=view, params=params, **arrays)
    assert (arrays["values"] + arrays["adjustments"]).tolist() == [0.5, 0.5]


def test_who_finds_an_arm_busy_switches_by_what_she_sees():
    """With everything disclosed to the second best arm; with coarse stars to either of the two."""
    settings = {
        "arms": {"law": "uniform", "low": [1.0, 0.6, 0.9], "high": [1.0, 0.6, 0.9]},
        "capacity": 1,
        "service_time": 1.5,
        "when_full": "switch",
    }
    switched = {}
    for rule in ({"rule": "full"}, {"rule": "stars", "step": 1.0}):
        played = play(scenario_with(rule, "greedy", **settings), engine="market")
        elsewhere = (played.targets == 0) & (played.arms != 0)
        switched[rule["rule"]] = set(played.arms[elsewhere].tolist())
    assert switched == {"full": {2}, "stars": {1, 2}}


@pytest.mark.parametrize(
    ("disclosure", "words"),
    [
        (
            {"rule": "starz"},
            "market.disclosure.rule: no disclosure 'starz'. Did you mean 'stars'?",
        ),
        (
            {"rule": "stars", "step": 0},
            "market.disclosure.step: must be >= 1e-06, got 0",
        ),
        (
            {"rule": "levels", "levels": 4, "groups": 1000},
            "market.disclosure: 'levels' would remember 6,006,006,006 numbers with these settings "
            "and 3 arms; at most 20,000,000 are allowed",
        ),
    ],
)
def test_what_does_not_fit_is_said(disclosure, words):
    """The place in the file, what was found, and what is allowed."""
    with pytest.raises(ScenarioError) as caught:
        scenario_with(disclosure)
    assert str(caught.value) == words


@pytest.mark.parametrize("rule", SELECTIVE)
def test_customers_who_hear_everything_are_refused(rule):
    """Their own memory bypasses what is shown; the message names them and who can be shown it."""
    mixed = {
        "behaviour": "mixture",
        "of": [
            {"behaviour": "greedy"},
            {"behaviour": "recency", "decision": {"rule": "logit"}},
            {"behaviour": "social"},
        ],
    }
    with pytest.raises(ScenarioError) as caught:
        scenario_with(rule, customers=mixed)
    words = str(caught.value)
    assert words.startswith(
        f"market.disclosure: {rule!r} does not reach customers who hear every report themselves "
        "(recency, social); choose the rule 'full', or customers who only read what they are "
        "shown: bayesian, "
    )
    able = words.rpartition(": ")[2].split(", ")
    for name in able:
        if BEHAVIOURS[name].compose is None:
            scenario_with(rule, customers={"behaviour": name})
    assert not set(able) & {"features", "recency", "reinforcement", "risk-averse", "social"}


@pytest.mark.parametrize("name", ["recency", "risk-averse", "features", "social"])
def test_customers_who_hear_everything_may_see_everything(name):
    """With the full disclosure nothing is refused."""
    scenario_with("full", customers={"behaviour": name})


@pytest.mark.usefixtures("_own_catalogue")
def test_a_disclosure_of_ones_own():
    """It may draw, remember and hear; both engines agree, and other draws stay what they were."""

    def hear(t, arm, memory):
        memory.last[arm] = t

    @kcmab.disclosure(
        "hazy",
        hear=hear,
        memory={"last": "arms"},
        blur=kcmab.Parameter(0.1, "largest error", ge=0.0, le=1.0),
    )
    def show(t, book, view, memory, params, rng):
        """Shows means with an error, and forgets arms that nobody has taken for a while."""
        for arm in range(len(view.means)):
            error = params.blur * rng.random()
            if t - memory.last[arm] < 40.0:
                view.pulls[arm] = book.pulls[arm]
                view.means[arm] = book.means[arm] + error
                view.totals[arm] = view.means[arm] * view.pulls[arm]

    check_disclosure("hazy")
    hazy = scenario_with("hazy", policy="ts", customers={"behaviour": "logit"})
    runs = [play(hazy, engine=engine) for engine in ("market", "batch")]
    assert_same(*runs)
    clear_view = scenario_with({"rule": "hazy", "blur": 0.0}, policy="round-robin")
    blurred = scenario_with({"rule": "hazy", "blur": 0.5}, policy="round-robin")
    assert play(clear_view).targets.tolist() == play(blurred).targets.tolist()


@pytest.mark.usefixtures("_own_catalogue")
def test_a_copy_of_the_book_is_the_book():
    """A disclosure that shows everything is `full` in all but name, under every policy."""

    @kcmab.disclosure("mirror")
    def show(book, view):
        """Shows the whole book."""
        for arm in range(len(view.means)):
            view.pulls[arm] = book.pulls[arm]
            view.totals[arm] = book.totals[arm]
            view.means[arm] = book.means[arm]

    purse = {"also": 1, "misjudgement": 0.1, "cap": 0.4}
    for policy in POLICY_NAMES:
        runs = [
            play(scenario_with(rule, policy, purse, report_probability=0.6), engine="market")
            for rule in ("mirror", "full")
        ]
        assert_same(*runs)
    runs = [play(scenario_with("mirror"), engine=engine) for engine in ("market", "batch")]
    assert_same(*runs)
    assert_same(runs[0], play(scenario_with("full"), engine="market"))


FAULTS = {
    "view.means[1] = math.nan": "showed 0 reports on arm 1 with total 0.0 and mean nan to",
    "view.totals[2] = math.inf": "showed 0 reports on arm 2 with total inf and mean 0.0 to",
    "view.pulls[0] = -1": "showed -1 reports on arm 0 with total 0.0 and mean 0.0 to",
    "view.means[0] = 1 / (t - 541)": "failed for",
    "book.means[0] = 1.0": "failed for",
}


# Each is compiled, which takes seconds.
COMPILED = ["view.totals[2] = math.inf", "view.means[0] = 1 / (t - 541)"]


@pytest.mark.usefixtures("_own_catalogue")
@pytest.mark.parametrize("fault", FAULTS)
def test_errors_are_blamed_on_the_disclosure(fault, tmp_path):
    """Both engines name the disclosure and the customer."""
    (tmp_path / "mine.py").write_text(
        "import math\n"
        "from kcmab_abm import disclosure\n"
        "@disclosure('mine')\n"
        "def show(t, book, view):\n"
        "    'Goes wrong at customer 541, long after the trial of own functions.'\n"
        "    if t == 541:\n"
        f"        {fault}\n"
    )
    scope = {"__name__": "mine"}
    exec(compile((tmp_path / "mine.py").read_text(), str(tmp_path / "mine.py"), "exec"), scope)
    words = f"disclosure 'mine' {FAULTS[fault]} customer 541 of replication 0"
    with pytest.raises(PlayError) as caught:
        play(scenario_with("mine", horizon=600), engine="market")
    assert words in str(caught.value)
    if fault in COMPILED:
        with pytest.raises(PlayError) as compiled:
            play(scenario_with("mine", horizon=600), engine="batch")
        assert str(compiled.value) == str(caught.value)


@pytest.mark.usefixtures("_own_catalogue")
def test_mistakes_are_told_when_a_disclosure_is_registered():
    """It may ask for what it can be given, and writes to fields that a view has."""
    with pytest.raises(MarketError, match="asks for 'bok'; it may ask for: t, book, view, memory"):
        kcmab.disclosure("mine")(lambda bok, view: None)
    with pytest.raises(MarketError, match=r"reads view.mean, and view has: .*'means'"):
        kcmab.disclosure("mine")(lambda view: view.mean)
    with pytest.raises(MarketError, match="parameter 'rule' has another meaning"):
        kcmab.disclosure("mine", rule=kcmab.Parameter(1.0))(lambda view: None)


@pytest.mark.usefixtures("_own_catalogue")
def test_what_is_wrong_is_found():
    """The checks notice a view that is no record, and one who writes to the book."""

    @kcmab.disclosure("secretive")
    def show(view):
        """Shows that less than nothing was reported."""
        view.pulls[0] = -1

    with pytest.raises(AssertionError, match="'secretive' showed"):
        check_disclosure(show, engines=False)

    @kcmab.disclosure("forger")
    def forge(book):
        """Changes the record itself."""
        book.totals[0] += 1.0

    with pytest.raises(AssertionError, match="'forger' wrote to the book"):
        check_disclosure(forge, engines=False)


def test_bounds_are_not_shown_for_what_they_do_not_cover():
    """The theorems assume customers who see the record."""
    from kcmab_abm.theory.applicable import yardsticks

    assert list(yardsticks(scenario_with("full", customers={"behaviour": "greedy"})))
    for rule in SELECTIVE:
        assert not list(yardsticks(scenario_with(rule)))


def test_the_command_refuses_bounds_that_do_not_hold(tmp_path, capsys):
    """`kcmab bounds` says why before it runs anything."""
    (tmp_path / "mine.toml").write_text(
        "horizon = 20\n"
        'policy = [{ name = "ucb" }]\n'
        "[market]\n"
        'arms = { law = "bernoulli", means = [0.6, 0.3] }\n'
        'disclosure = { rule = "target-only" }\n'
    )
    assert run(["bounds", str(tmp_path / "mine.toml")]) == 2
    assert "market.disclosure: the bounds assume customers who see" in capsys.readouterr().err


def test_a_group_forgets_nothing_and_its_successor_starts_anew():
    """Along a run, the reports shown grow within a group and start from none in the next."""
    levels = {"rule": "levels", "levels": 2, "groups": 5, "size": 10}
    market = open_market(scenario_with(levels), "ucb")
    counts = []
    while not market.is_over:
        counts.append(int(market.post().pulls.sum()))
        market.step()
    assert counts[3:10] == list(range(3, 10))
    assert all(counts[start : start + 10] == list(range(10)) for start in (10, 20, 30, 40))
    assert set(counts[50:]) == {50}
    assert any(after < before for before, after in pairwise(counts))
