"""The exact optimum of two Bernoulli arms, and the exact values of policies."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta as beta_law

import kcmab_abm as kcmab
from kcmab_abm.catalogue.registry import POLICIES
from kcmab_abm.errors import EngineError
from kcmab_abm.model.book import empty_book, record
from kcmab_abm.theory import induction, optimum, policy_value
from kcmab_abm.theory.drawing_policies import DRAWING, posterior_share
from kcmab_abm.theory.frontier import Frontier
from kcmab_abm.theory.induction import check_memory, expected_best, needed_bytes

PUBLISHED = {"greedy": (3.91, 0.0), "ucb": (5.59, 5.14), "ts": (2.77, 1.83)}  # T = 100
ASKED = ("greedy", "ucb", "kl-ucb", "round-robin")  # policies that draw to break ties alone
EXACT = (*ASKED, *DRAWING)

priors = st.fractions("1/2", 3, max_denominator=4)
prices = st.fractions(0, 20, max_denominator=8)


def costs_of_all_histories(horizon, price, a, b, promote):
    """Losses (-rewards) and payments after the first two customers, in exact fractions.

    Nothing is shared with the code under test: arms have labels, and nothing is symmetric.
    """

    @cache
    def costs(n1, s1, n2, s2):
        if n1 + n2 == horizon:
            return Fraction(0), Fraction(0)
        m1, m2 = Fraction(s1, n1), Fraction(s2, n2)
        p1, p2 = (a + s1) / (a + b + n1), (a + s2) / (a + b + n2)
        one = pulled(p1, costs(n1 + 1, s1 + 1, n2, s2), costs(n1 + 1, s1, n2, s2), m2 - m1)
        two = pulled(p2, costs(n1, s1, n2 + 1, s2 + 1), costs(n1, s1, n2 + 1, s2), m1 - m2)
        return promote((n1, s1, n2, s2), one, two)

    def pulled(p, won, lost, gap):
        loss = p * (won[0] - 1) + (1 - p) * lost[0]
        return loss, p * won[1] + (1 - p) * lost[1] + max(gap, Fraction(0))

    p = a / (a + b)
    ends = [(costs(1, s1, 1, s2), (p if s1 else 1 - p) * (p if s2 else 1 - p)) for s1, s2 in PAIRS]
    loss, paid = (sum(weight * each[k] for each, weight in ends) for k in (0, 1))
    best = quad(lambda x: 1.0 - beta_law.cdf(x, float(a), float(b)) ** 2, 0.0, 1.0)[0]
    return float(loss - 2 * p) + horizon * best, float(paid)


PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize("name", PUBLISHED)
def test_policies_at_a_hundred_customers(name):
    """Uniform priors, T = 100."""
    value = policy_value(name, 100)
    assert (round(value.regret, 2), round(value.compensation, 2)) == PUBLISHED[name]


def test_optima_at_a_hundred_customers():
    """Best for regret alone, and best for the sum."""
    table = optimum(100).frontier([0, 1]).round(3)
    assert table.values.tolist() == [[0.0, 1.784, 0.489], [1.0, 1.862, 0.236]]


def test_the_frontier_keeps_horizon_and_prior():
    """Each of its points is the optimum for that price."""
    best = optimum(12, 3.0, 2.0, 0.5)
    other = optimum(12, 0.25, 2.0, 0.5)
    assert best.frontier([0.25, 3]).values.tolist() == [
        [each.price, each.regret, each.compensation] for each in (other, best)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("horizon", "above"), [(100, 1.0343), (200, 1.0350)])
def test_gittins_comes_near_the_optimum(horizon, above):
    """The sum of regret and compensation, over the least one."""
    best = optimum(horizon)
    found = sum(policy_value("gittins", horizon)) / (best.regret + best.compensation)
    assert found == pytest.approx(above, abs=5e-5)


@pytest.mark.slow
def test_optimum_at_five_hundred_customers():
    """The largest horizon that is still quick."""
    best = optimum(500)
    assert (round(best.regret, 3), round(best.compensation, 3)) == (3.184, 0.677)


@given(st.integers(2, 9), prices, priors, priors)
@example(6, Fraction(0), Fraction(1), Fraction(1))  # regret alone leaves the compensation open
@settings(max_examples=30, deadline=None)
def test_no_controller_costs_less(horizon, price, a, b):
    """Exact fractions over all records of labelled arms have the same minimum."""
    regret, paid = costs_of_all_histories(
        horizon, price, a, b, lambda _, *both: min(both, key=lambda c: (c[0] + price * c[1], c[1]))
    )
    best = optimum(horizon, float(price), float(a), float(b))
    assert best.regret + float(price) * best.compensation == pytest.approx(
        regret + float(price) * paid, abs=1e-7
    )
    assert best.compensation == pytest.approx(paid, abs=1e-7)


@pytest.mark.parametrize("name", ASKED)
@given(st.integers(2, 9), priors, priors)
@settings(max_examples=15, deadline=None)
def test_policies_are_those_of_the_simulator(name, horizon, a, b):
    """The policies' own functions choose, one record at a time."""

    def promote(state, one, two):
        share = Fraction(promoted(name, horizon, state), 2)
        return tuple(share * x + (1 - share) * y for x, y in zip(one, two, strict=True))

    regret, paid = costs_of_all_histories(horizon, 1, a, b, promote)
    value = policy_value(name, horizon, float(a), float(b))
    assert value == pytest.approx((regret, paid), abs=1e-9)


def promoted(name, horizon, state):
    """2 if the simulator's policy promotes arm 1 for this record, 0 if arm 2, 1 if it draws."""
    n1, s1, n2, s2 = state
    entry, arms = POLICIES[name], []
    for draw in (0.25, 0.75):
        book, memory = empty_book(2), entry.blank_memory(2, {"horizon": horizon})
        given = {"book": book, "view": book, "memory": entry.memory_fields(memory)}
        given |= {"params": entry.params(tuple(entry.defaults().values())), "rng": Fixed(draw)}
        for arm, pulls, ones in ((0, n1, s1), (1, n2, s2)):
            for k in range(pulls):
                reward = 1.0 if k < ones else 0.0
                record(book, arm, reward)
                if entry.learn:
                    entry.ask("learn", t=k + 1, arm=arm, reward=reward, **given)
        arms.append(entry.ask("act", t=n1 + n2 + 1, horizon=horizon, **given))
    return arms.count(0)


class Fixed:
    """A generator that always draws the same number."""

    def __init__(self, draw):
        self.draw = draw

    def random(self):
        """The number."""
        return self.draw


@pytest.mark.parametrize("a", [1.0, pytest.param(2.0, marks=pytest.mark.slow)])
def test_simulated_markets_have_these_costs(a):
    """Means at the nodes of a quadrature: expected rewards and payments are polynomials in them.

    Deviations of more than 4.5 standard errors occur once in 150,000 times; there are 32 here.
    """
    horizon, nodes = 8, 6  # exact up to degree 11; rewards and prior together have degree 9
    points, weights = np.polynomial.legendre.leggauss(nodes)
    points, weights = (1.0 + points) / 2.0, weights / 2.0
    weights = weights * beta_law.pdf(points, a, 1.0)
    costs, variance = np.zeros((2, len(EXACT))), np.zeros((2, len(EXACT)))
    for seed, (i, j) in enumerate(np.ndindex(nodes, nodes)):
        table, weight = simulated(horizon, points[[i, j]], seed), weights[i] * weights[j]
        costs += weight * table[["regret", "compensation"]].to_numpy().T
        # Regret is a polynomial only up to the better mean.
        costs[0] -= weight * horizon * max(points[i], points[j])
        variance += (weight * table[["regret_se", "compensation_se"]].to_numpy().T) ** 2
    costs[0] += horizon * expected_best(a, 1.0)
    exact = np.array([policy_value(name, horizon, a, **epsilon(name)) for name in EXACT]).T
    assert (np.abs(costs - exact) <= 4.5 * np.sqrt(variance) + 1e-9).all()
    assert (np.sqrt(variance) < 0.006).all()


def epsilon(name):
    """Settings with which a policy neither always explores nor never does."""
    return {"epsilon": 4.0} if "epsilon" in name else {}


def simulated(horizon, means, seed):
    """The summary of all policies with an exact value; every market has tapes of its own."""
    scenario = kcmab.make_scenario(
        {
            "horizon": horizon,
            "replications": 4000,
            "seed": seed,
            "market": {"arms": {"law": "bernoulli", "means": means}},
            "policy": [{"name": name, **epsilon(name)} for name in EXACT],
        }
    )
    return kcmab.simulate(scenario, engine="batch", jobs=1).summary()


@given(st.lists(st.floats(0.0, 100.0), min_size=3, max_size=5, unique=True), st.integers(3, 30))
@settings(max_examples=20, deadline=None)
def test_the_frontier_is_convex_and_falling(prices, horizon):
    """Each point is optimal for its price among all the points: none lies below its tangent."""
    table = optimum(horizon).frontier(sorted(prices))
    assert (np.diff(table["regret"]) >= -1e-9).all()
    assert (np.diff(table["compensation"]) <= 1e-9).all()
    for _, one in table.iterrows():
        costs = table["regret"] + one["price"] * table["compensation"]
        assert (costs >= one["regret"] + one["price"] * one["compensation"] - 1e-7).all()


@given(st.integers(2, 40), priors, priors)
@settings(max_examples=20, deadline=None)
def test_a_huge_price_pays_nothing(horizon, a, b):
    """It is greedy, up to ties, which it uses better than at random."""
    best = optimum(horizon, 1e12, float(a), float(b))
    greedy = policy_value("greedy", horizon, float(a), float(b))
    assert best.compensation == 0.0
    assert greedy.compensation == 0.0
    assert best.regret <= greedy.regret + 1e-9


def test_ties_are_all_that_a_huge_price_gains():
    """With three customers, greedy's tie is the last choice between equal records."""
    assert optimum(3, 1e12).regret == pytest.approx(policy_value("greedy", 3).regret)
    assert optimum(100, 1e12).regret == pytest.approx(3.685, abs=5e-4)


@given(st.integers(2, 40), prices, st.sampled_from(EXACT))
@settings(max_examples=20, deadline=None)
def test_no_policy_beats_the_optimum(horizon, price, name):
    """Not even one that was made for another purpose."""
    best, value = optimum(horizon, float(price)), policy_value(name, horizon)
    least = best.regret + float(price) * best.compensation
    assert value.regret + float(price) * value.compensation >= least - 1e-7


TURNS = "modified-epsilon-greedy"


@given(st.integers(2, 9), priors, priors, st.fractions("1/2", 12, max_denominator=4))
@settings(max_examples=15, deadline=None)
def test_exploration_in_turn_needs_the_turn(horizon, a, b, epsilon):
    """The same costs when the turn is followed from customer to customer."""

    @cache
    def costs(turn, n1, s1, n2, s2):
        if n1 + n2 == horizon:
            return np.zeros(2)
        share = min(Fraction(1), epsilon / (n1 + n2 + 1))
        lead = Fraction(s1, n1) - Fraction(s2, n2)
        free = Fraction(1, 2) if lead == 0 else Fraction(int(lead > 0))
        explored = [share * (1 - turn), share * turn]
        led = [(1 - share) * free, (1 - share) * (1 - free)]
        each = [
            float(explored[arm]) * pulled(1 - turn, arm, n1, s1, n2, s2)
            + float(led[arm]) * pulled(turn, arm, n1, s1, n2, s2)
            for arm in (0, 1)
        ]
        return each[0] + each[1]

    def pulled(turn, arm, n1, s1, n2, s2):
        n, s = (n1, s1) if arm == 0 else (n2, s2)
        gap = max((-1, 1)[arm] * (Fraction(s1, n1) - Fraction(s2, n2)), 0)
        p = float((a + s) / (a + b + n))
        if arm == 0:
            won, lost = costs(turn, n1 + 1, s1 + 1, n2, s2), costs(turn, n1 + 1, s1, n2, s2)
        else:
            won, lost = costs(turn, n1, s1, n2 + 1, s2 + 1), costs(turn, n1, s1, n2 + 1, s2)
        return p * won + (1 - p) * lost + np.array([-p, float(gap)])

    p = float(a / (a + b))
    loss, paid = sum(
        (p if s1 else 1 - p) * (p if s2 else 1 - p) * costs(0, 1, s1, 1, s2) for s1, s2 in PAIRS
    )
    value = policy_value(TURNS, horizon, float(a), float(b), epsilon=float(epsilon))
    regret = horizon * expected_best(float(a), float(b)) - 2 * p + loss
    assert value == pytest.approx((regret, paid), abs=1e-9)


@given(st.integers(1, 12), st.integers(1, 12))
@settings(max_examples=15, deadline=None)
def test_thompson_chances_are_integrals(n1, n2):
    """P(theta_1 > theta_2) by quadrature; the arms' chances add up to 1."""
    chances = posterior_share(n1, n2)
    s1, s2 = n1 // 2, n2 // 3
    one, two = beta_law(1 + s1, 1 + n1 - s1), beta_law(1 + s2, 1 + n2 - s2)
    integral = quad(lambda x: one.pdf(x) * two.cdf(x), 0.0, 1.0)[0]
    assert chances[s1, s2] == pytest.approx(integral, abs=1e-8)
    assert chances + posterior_share(n2, n1).T == pytest.approx(np.ones((n1 + 1, n2 + 1)))


@given(st.integers(2, 9), priors, priors)
@settings(max_examples=15, deadline=None)
def test_rounds_follow_the_posterior_at_their_beginning(horizon, a, b):
    """The same costs when every round is followed, with the sampled arm, customer by customer."""

    @cache
    def round_of_two(n1, s1, n2, s2):
        if n1 + n2 == horizon:
            return np.zeros(2)
        one = posterior_share(n1, n2)[s1, s2]
        return one * led(0, n1, s1, n2, s2) + (1 - one) * led(1, n1, s1, n2, s2)

    def led(sampled, *record):
        n1, s1, n2, s2 = record
        lead = Fraction(s1, n1) - Fraction(s2, n2)
        free = 0.5 if lead == 0 else float(lead > 0)

        def second(*later):
            end = later[0] + later[2] == horizon
            return np.zeros(2) if end else pulled(round_of_two, sampled, *later)

        return free * pulled(second, 0, *record) + (1 - free) * pulled(second, 1, *record)

    def pulled(then, arm, n1, s1, n2, s2):
        n, s = (n1, s1) if arm == 0 else (n2, s2)
        gap = max((-1, 1)[arm] * (Fraction(s1, n1) - Fraction(s2, n2)), 0)
        p = float((a + s) / (a + b + n))
        if arm == 0:
            won, lost = then(n1 + 1, s1 + 1, n2, s2), then(n1 + 1, s1, n2, s2)
        else:
            won, lost = then(n1, s1, n2 + 1, s2 + 1), then(n1, s1, n2 + 1, s2)
        return p * won + (1 - p) * lost + np.array([-p, float(gap)])

    p = float(a / (a + b))
    loss, paid = sum(
        (p if s1 else 1 - p) * (p if s2 else 1 - p) * round_of_two(1, s1, 1, s2) for s1, s2 in PAIRS
    )
    regret = horizon * expected_best(float(a), float(b)) - 2 * p + loss
    value = policy_value("modified-ts", horizon, float(a), float(b))
    assert value == pytest.approx((regret, paid), abs=1e-9)


def test_settings_have_the_defaults_of_the_policy():
    """As when the policy is simulated without settings."""
    default = POLICIES[TURNS].parameters["epsilon"].default
    assert policy_value(TURNS, 40) == policy_value(TURNS, 40, epsilon=default)
    assert policy_value("kl-ucb", 40) == policy_value("kl-ucb", 40, c=0.0)
    assert policy_value("kl-ucb", 40) != policy_value("kl-ucb", 40, c=3.0)


def test_what_cannot_be_computed_is_refused():
    """With the argument, what was found and what is allowed."""
    with pytest.raises(ValueError, match="horizon must be >= 2, one customer per arm, got 1"):
        optimum(1)
    for price in (-1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match=f"price must be a finite number >= 0, got {price}"):
            optimum(10, price)
    with pytest.raises(ValueError, match="b must be a finite number > 0, got 0"):
        policy_value("ts", 10, b=0)
    with pytest.raises(ValueError, match=r"no policy 'modifed-ts'\. Did you mean 'modified-ts'"):
        policy_value("modifed-ts", 10)
    with pytest.raises(ValueError, match="epsilon"):
        policy_value("ucb", 10, epsilon=3.0)
    with pytest.raises(ValueError, match=r"^epsilon: must be > 0, got 0"):
        policy_value("modified-epsilon-greedy", 10, epsilon=0)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("sliding-window-ucb", r"learn\(\) asks for 'reward'"),
        ("ipa", r"answered\(\) hears"),
        ("rb-sda", "draws at random where no arms are tied"),
        ("explore-first", "remembers more than the record"),
    ],
)
def test_policies_without_an_exact_value_are_refused(name, why):
    """The message says what the policy remembers, and what to do."""
    with pytest.raises(EngineError, match=f"no exact value for policy '{name}'.*{why}.*simulate"):
        policy_value(name, 102)  # explore-first keeps an arm for one customer


@pytest.fixture
def own_policy():
    """Registers a policy under the name "own", and takes it away again."""

    def register(choose, **more):
        kcmab.policy("own", **more)(choose)

    yield register
    POLICIES._items.pop("own", None)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_policy_that_fails_has_no_exact_value(own_policy, at_once):
    """The message quotes the error, at the first choice or at a later one."""
    own_policy((lambda t, rng: int(rng.beta(1.0, -1.0))) if at_once else lambda t: 0 // (t - 9))
    with pytest.raises(EngineError, match=r"no exact value for policy 'own': it fails \("):
        policy_value("own", 12)


def test_a_policy_of_ones_own_has_an_exact_value(own_policy):
    """The same text under another name costs the same."""

    def choose(book, rng):
        return kcmab.leader(book, rng)

    own_policy(choose)
    assert policy_value("own", 30) == policy_value("greedy", 30)


def test_policies_that_remember_more_are_found_by_playing_them(own_policy):
    """A memory that no other customer should find."""

    def choose(memory):
        memory.turn[0] = 1.0 - memory.turn[0]
        return int(memory.turn[0])

    own_policy(choose, memory={"turn": 1})
    with pytest.raises(EngineError, match=r"remembers more than the record.*1 reports on arm 1"):
        policy_value("own", 10)


def test_policies_that_draw_are_found_by_asking_them(own_policy):
    """Whether or not arms are tied."""

    def choose(rng):
        return int(rng.random() < 0.9)

    own_policy(choose)
    with pytest.raises(EngineError, match="draws at random where no arms are tied"):
        policy_value("own", 10)


def test_an_arm_that_does_not_exist_is_found(own_policy):
    """Even if only one record leads to it."""

    def choose(t, book):
        return 2 if t == 9 and book.totals[0] == 1.0 and book.totals[1] == 7.0 else 1

    own_policy(choose)
    with pytest.raises(EngineError, match=r"promotes an arm that does not exist.*in 1 reports on"):
        policy_value("own", 10)


def test_a_horizon_beyond_the_memory_is_refused(monkeypatch):
    """The message names a horizon that is possible, and the largest one."""
    monkeypatch.setattr(induction, "machine_memory", lambda: 10**9)
    with pytest.raises(MemoryError, match=r"2\.7 GB.*80% of .* 1\.0 GB.* at most (\d+)") as refused:
        optimum(1000)
    largest = int(str(refused.value).split()[-1])
    check_memory(largest)
    with pytest.raises(MemoryError):
        check_memory(largest + 1)


def test_memory_is_allocated_as_stated():
    """The tables take the bytes that the check counts."""
    for horizon in (2, 7, 40):
        for layers in (1, 2):
            tables = induction.new_tables(horizon, layers)
            assert sum(each.nbytes for each in tables) == needed_bytes(horizon, layers)


@given(st.integers(3, 30), priors, st.floats(0.0, 1.0))
@example(30, Fraction(1), 0.0)
@settings(max_examples=15, deadline=None)
def test_no_controller_pays_less_for_its_regret(horizon, a, share):
    """Not below the tangent at any price, nor above the chord of any two optima."""
    frontier = Frontier(horizon, float(a))
    least, free = frontier.at(0.0), frontier.at(1e9)
    regret = least.regret + share * (free.regret - least.regret)
    needed = frontier.least_compensation(regret)
    points = optimum(horizon, a=float(a)).frontier(np.geomspace(0.01, 100.0, 15))
    for _, point in points.iterrows():
        tangent = point["compensation"] + (point["regret"] - regret) / point["price"]
        assert needed >= tangent - 1e-8
        if point["regret"] <= regret:
            assert needed <= point["compensation"] * 1.001 + 1e-8
    assert free.compensation == 0.0


def test_what_is_needed_at_a_known_point():
    """The regret of an optimal controller needs its compensation; less regret is impossible."""
    frontier = Frontier(60, tolerance=1e-6)
    best = optimum(60, 2.0)
    assert frontier.least_compensation(best.regret) == pytest.approx(best.compensation, rel=1e-5)
    assert frontier.least_compensation(optimum(60, 1e9).regret) == 0.0
    with pytest.raises(ValueError, match="no controller has a Bayes regret of 1; the least is 1"):
        frontier.least_compensation(1.0)
