"""Expected regret and compensation on tiny Bernoulli markets, by recursion over all histories.

Written from the definitions, apart from the package: means are fractions, ties are decided by
equality of fractions, coins and posterior draws enter by their probabilities.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from typing import NamedTuple


class Arm(NamedTuple):
    """Reports on one arm: how many, and how many of them a success."""

    pulls: int
    successes: int

    @property
    def mean(self):
        """The empirical mean, 0 before the first report."""
        return Fraction(self.successes, max(1, self.pulls))


class Moments(NamedTuple):
    """Mean and mean square of regret and of compensation."""

    regret: float
    regret_squared: float
    compensation: float
    compensation_squared: float


def tied(keys):
    """Equal chances for all places whose key is the highest."""
    places = [place for place, key in enumerate(keys) if key == max(keys)]
    return [(1.0 / len(places), place) for place in places]


def leaders(book):
    """The arms with the best record."""
    return tied([arm.mean for arm in book])


def by_index(book, index):
    """The arms with the highest index; arms with equal records have equal indices."""
    found = {arm: index(arm) for arm in set(book)}
    values = sorted(set(found.values()))
    near = [high - low for low, high in itertools.pairwise(values)]
    assert all(gap > 1e-7 for gap in near), "two indices are too near to tell apart"
    return tied([found[arm] for arm in book])


def ucb_moves(t, book, state, parameter):
    """The arms with the highest upper confidence bound."""
    return by_index(book, lambda arm: arm.mean + math.sqrt(2 * math.log(t) / arm.pulls))


def windowed_moves(t, book, state, parameter):
    """The same with 0.6 for 2, while the window holds all reports."""
    return by_index(book, lambda arm: arm.mean + math.sqrt(0.6 * math.log(t) / arm.pulls))


def kl_ucb_index(arm, budget):
    """The largest q with N KL(m, q) <= budget, by bisection to the last bit."""
    mean = float(arm.mean)
    low, high = mean, 1.0
    while low < (middle := (low + high) / 2) < high:
        near = arm.pulls * divergence(mean, middle) <= budget
        low, high = (middle, high) if near else (low, middle)
    return 1.0 if mean == 1.0 else low


def divergence(p, q):
    """The Bernoulli divergence, with 0 ln 0 = 0."""
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


def polynomial_product(one, other):
    """The coefficients of a product of two polynomials, lowest power first."""
    product = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            product[i + j] += a * b
    return product


def density(arm):
    """The density of Beta(1 + successes, 1 + failures), a polynomial."""
    failures = arm.pulls - arm.successes
    scale = (arm.pulls + 1) * math.comb(arm.pulls, arm.successes)
    powers = [Fraction(scale * math.comb(failures, k) * (-1) ** k) for k in range(failures + 1)]
    return [Fraction(0)] * arm.successes + powers


def integral(polynomial):
    """The antiderivative that is 0 at 0."""
    return [Fraction(0), *(a / (k + 1) for k, a in enumerate(polynomial))]


@cache
def posterior_moves(book):
    """The probability that each arm has the highest draw from its posterior, exactly."""
    moves = []
    for place, arm in enumerate(book):
        product = density(arm)
        for other, rival in enumerate(book):
            if other != place:
                product = polynomial_product(product, integral(density(rival)))
        moves.append((float(sum(integral(product))), place))
    return moves


def stateless(moves):
    """A policy that keeps nothing in mind."""
    return lambda *arguments: [(chance, arm, None) for chance, arm in moves(*arguments)]


def explored(t, book, epsilon, arms, stays):
    """Explore `arms` with probability min(1, epsilon/t), else promote the leader."""
    coin = min(1.0, epsilon / t)
    moves = [(coin * chance, arm, after) for chance, arm, after in arms]
    return moves + [((1.0 - coin) * chance, arm, stays) for chance, arm in leaders(book)]


def epsilon_greedy(t, book, state, epsilon):
    """Explore an arm drawn at random."""
    return explored(
        t, book, epsilon, [(1 / len(book), arm, None) for arm in range(len(book))], None
    )


def modified_epsilon_greedy(t, book, state, epsilon):
    """Explore the next arm of a round robin, which starts at the first."""
    turn = state or 0
    return explored(t, book, epsilon, [(1.0, turn, (turn + 1) % len(book))], turn)


def modified_ts(t, book, state, parameter):
    """Rounds of two: sample and promote the leader, then promote what was sampled."""
    if state is not None:
        return [(1.0, state, None)]
    return [
        (chance * tie, arm, sampled)
        for chance, sampled in posterior_moves(book)
        for tie, arm in leaders(book)
    ]


POLICIES = {
    "epsilon-greedy": epsilon_greedy,
    "greedy": stateless(lambda t, book, state, parameter: leaders(book)),
    "kl-ucb": stateless(
        lambda t, book, state, parameter: by_index(book, lambda arm: kl_ucb_index(arm, math.log(t)))
    ),
    "modified-epsilon-greedy": modified_epsilon_greedy,
    "modified-ts": modified_ts,
    "round-robin": stateless(lambda t, book, state, parameter: [(1.0, (t - 1) % len(book))]),
    "sliding-window-ucb": stateless(windowed_moves),
    "ts": stateless(lambda t, book, state, parameter: posterior_moves(book)),
    "ucb": stateless(ucb_moves),
}


def greedy_customer(book, target, offer, tau):
    """Indifferent, she takes the target."""
    return [(1.0, target)]


def logit_customer(book, target, offer, tau):
    """Arm i with probability proportional to exp((m_i + c_i) / tau)."""
    worth = [float(arm.mean + (offer if place == target else 0)) for place, arm in enumerate(book)]
    weights = [math.exp(each / tau) for each in worth]
    return [(weight / sum(weights), arm) for arm, weight in enumerate(weights)]


# What depends on the order of reports, on refusals or on the horizon has no exact twin here;
# imed is compared with the rule of the textbook elsewhere.
WITHOUT_TWIN = [
    *("besa", "discounted-ucb", "explore-first", "gittins", "imed", "ipa", "moss"),
    *("principal-epsilon-greedy", "rb-sda", "recorded", "top-two", "tsallis-inf"),
]
BEHAVIOURS = {"greedy": greedy_customer, "logit": logit_customer}


def expected(means, horizon, policy, behaviour, parameter, tau=None):
    """Moments of regret and compensation of a policy with customers of one behaviour."""
    choose, take = POLICIES[policy], BEHAVIOURS[behaviour]
    best = max(means)

    def steps(t, book, state):
        """All that customer t may be asked and do: chance, arm, payment, state."""
        if t <= len(means):
            return [(1.0, t - 1, 0.0, None)]
        found = []
        for chance, target, after in choose(t, book, state, parameter):
            offer = max(arm.mean for arm in book) - book[target].mean
            for share, arm in take(book, target, offer, tau):
                found.append((chance * share, arm, float(offer) * (arm == target), after))
        return found

    @cache
    def ahead(t, book, state):
        """The moments of what customers t to T add up to."""
        if t > horizon:
            return Moments(0.0, 0.0, 0.0, 0.0)
        total = [0.0] * 4
        for chance, arm, payment, after in steps(t, book, state):
            for reward, likely in ((1, means[arm]), (0, 1.0 - means[arm])):
                if chance * likely > 0.0:
                    there = ahead(t + 1, with_report(book, arm, reward), after)
                    here = with_step(there, best - means[arm], payment)
                    total = [a + chance * likely * b for a, b in zip(total, here, strict=True)]
        return Moments(*total)

    return ahead(1, (Arm(0, 0),) * len(means), None)


def with_report(book, place, reward):
    """The book with one more report."""
    arm = book[place]
    after = Arm(arm.pulls + 1, arm.successes + reward)
    return (*book[:place], after, *book[place + 1 :])


def with_step(there, regret, payment):
    """The moments of a sum whose first term is known."""
    return Moments(
        regret + there.regret,
        regret**2 + 2 * regret * there.regret + there.regret_squared,
        payment + there.compensation,
        payment**2 + 2 * payment * there.compensation + there.compensation_squared,
    )
