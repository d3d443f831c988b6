"""The paper's bounds, as functions of the arms and the horizon.

`arms` is a scenario's arms or a list of Bernoulli means. Upper bounds hold for every horizon. The
lower bounds are asymptotic: they say how fast regret and compensation must grow with ln T in the
end, and nothing about any finite T.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from kcmab_abm.catalogue import LAWS
from kcmab_abm.theory.divergence import divergence
from kcmab_abm.theory.stopping import stopping_value
from kcmab_abm.world import Arm

Arms = Sequence[Arm] | Sequence[float]

LATEST = 1e300  # horizons beyond which a bound is taken never to say anything


def lai_robbins(arms: Arms, horizon: float) -> float:
    """The Lai-Robbins slope times ln T: sum_i Delta_i ln T / KL(D_i, D_1). Asymptotic.

    >>> round(lai_robbins([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1], 10_000), 1)
    69.2
    """
    every = _as_arms(arms)
    best = max(every, key=_mean)
    slope = 0.0
    for arm in every:
        if arm.mean < best.mean:
            slope += (best.mean - arm.mean) / divergence(arm, best)
    return slope * math.log(horizon)


def compensation_slope(arms: Arms, horizon: int) -> float:
    """The compensation lower bound of Theorem 1 with its constants. Asymptotic.

    Every forced pull of arm i costs at least DP(mu_1, T) - mu_i, and there are about
    ln T / KL(D_i, D_1) of them. Proved for Bernoulli arms with mu_1 >= 0.9 and mu_2 <= 0.2 only;
    not a number elsewhere.
    """
    every = _as_arms(arms)
    best = max(every, key=_mean)
    others = [arm for arm in every if arm is not best]
    covered = best.mean >= 0.9 and all(arm.mean <= 0.2 for arm in others)
    if not covered or any(arm.law.name != "bernoulli" for arm in every):
        return math.nan
    value = stopping_value(best.mean, horizon)
    pulls = [math.log(horizon) / divergence(arm, best) for arm in others]
    return math.fsum((value - arm.mean) * n for arm, n in zip(others, pulls, strict=True))


def ucb_pulls_bound(gap: float, horizon: float) -> float:
    """UCB pulls an arm with gap Delta_i at most 8 ln T / Delta_i^2 + pi^2/3 times on average."""
    return 8.0 * math.log(horizon) / gap**2 + math.pi**2 / 3.0


def ucb_regret_bound(arms: Arms, horizon: float) -> float:
    """UCB's regret is at most the sum of gap times pulls bound."""
    return math.fsum(gap * ucb_pulls_bound(gap, horizon) for gap in gaps(arms))


def ucb_compensation_bound(arms: Arms, horizon: float) -> float:
    """Theorem 2: sum_i 16 ln T / Delta_i + 2 N pi^2 / 3."""
    leading = math.fsum(16.0 * math.log(horizon) / gap for gap in gaps(arms))
    return leading + 2.0 * len(arms) * math.pi**2 / 3.0


def modified_epsilon_greedy_compensation_bound(
    arms: Arms, horizon: float, epsilon: float, repaired: bool = False
) -> float:
    """Theorem 3 with c = epsilon Delta_2^2 / N: sum_i c Delta_i ln T / Delta_2^2 + a second term.

    The second term is N^2/(2 Delta_2) sqrt(c ln T) as printed. Its proof takes empirical means to
    be unbiased at exploration times, which they are not; `repaired` replaces it by
    2 N (N+1) sqrt(c ln T) / Delta_2, which Doob's inequality gives.
    """
    every = gaps(arms)
    if not every:
        return 0.0
    count, least, log = len(arms), min(every), math.log(horizon)
    c = epsilon * least**2 / count
    factor = 2.0 * count * (count + 1) if repaired else count**2 / 2.0
    return math.fsum(every) * c * log / least**2 + factor * math.sqrt(c * log) / least


def modified_ts_regret_leading_terms(arms: Arms, horizon: float, slack: float = 0.0) -> float:
    """Theorem 4 without its constants: sum_i 2 Delta_i / (Delta_i - slack)^2 ln T."""
    return math.fsum(2.0 * g / _less(g, slack) ** 2 for g in gaps(arms)) * math.log(horizon)


def modified_ts_compensation_leading_terms(arms: Arms, horizon: float, slack: float = 0.0) -> float:
    """Theorem 4 without its constants: sum_i 8 / (Delta_i - slack) ln T + N ln T."""
    slope = math.fsum(8.0 / _less(g, slack) for g in gaps(arms)) + len(arms)
    return slope * math.log(horizon)


def gaps(arms: Arms) -> list[float]:
    """The positive gaps Delta_i = mu_1 - mu_i, in the order of the arms."""
    means = [arm.mean for arm in _as_arms(arms)]
    return [max(means) - mean for mean in means if mean < max(means)]


def informative_from(bound: Callable[[float], float], most: float) -> float:
    """The horizon from which on the bound is below the trivial one, `most` times T.

    >>> informative_from(lambda horizon: 100.0, most=0.5)
    201.0
    """
    low, high = 1.0, 2.0
    while bound(high) >= most * high:
        low, high = high, high * 2.0
        if high > LATEST:
            return math.inf
    while math.floor(low) < math.ceil(high) - 1 and high / low > 1.0 + 1e-12:
        middle = (low + high) / 2.0
        if bound(middle) >= most * middle:
            low = middle
        else:
            high = middle
    return float(
        math.floor(high) if bound(math.floor(high)) < most * math.floor(high) else math.ceil(high)
    )


def _less(gap: float, slack: float) -> float:
    if not 0.0 <= slack < gap:
        raise ValueError(f"the slack must be in [0, {gap:g}), the smallest gap, got {slack}")
    return gap - slack


def _mean(arm: Arm) -> float:
    return arm.mean


def _as_arms(arms: Arms) -> list[Arm]:
    bernoulli = LAWS.find("bernoulli")
    return [arm if isinstance(arm, Arm) else Arm(bernoulli, (float(arm),)) for arm in arms]
