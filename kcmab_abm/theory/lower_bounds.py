"""Lower bounds on regret and compensation, as functions of the arms and the horizon.

They are asymptotic: they give the rate at which regret and compensation grow with ln T as T tends
to infinity, and say nothing about any finite T. All assume a policy whose regret is o(T^a) for
every a > 0, whatever the arms. The proofs are in docs/theory/lower-bound.md.
"""

from __future__ import annotations

import math

from kcmab_abm.theory.arms import Arms, as_arms
from kcmab_abm.theory.least_divergence import k_inf
from kcmab_abm.theory.stopping import least_surplus


def lai_robbins(arms: Arms, horizon: float) -> float:
    """The asymptotic lower bound on regret: sum_i Delta_i ln T / K_inf(D_i, mu_1).

    K_inf is the least divergence from D_i to a law on [0, 1] with a mean above mu_1 (`k_inf`). For
    coins this is KL(D_i, D_1) and the bound that of Lai and Robbins; for other laws it is that of
    Burnetas and Katehakis, for policies that are good whatever the laws on [0, 1].

    Parameters
    ----------
    arms
        A scenario's arms, or Bernoulli means.
    horizon
        The number of customers T.

    Returns
    -------
    float
        The slope times ln T; NaN if two arms are so close that their divergence underflows.

    Examples
    --------
    >>> round(lai_robbins([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1], 10_000), 1)
    69.2
    """
    best = max(arm.mean for arm in as_arms(arms))
    pulls = _pulls(arms)
    return math.fsum((best - mean) * each for mean, each in pulls) * math.log(horizon)


def anytime_compensation_slope(arms: Arms, horizon: float) -> float:
    """The asymptotic lower bound on compensation, for policies that do not know T (Proposition 2).

    In the end the records of all arms are right, so each of the ln T / K_inf(D_i, mu_1) forced
    pulls of arm i costs Delta_i: compensation grows at least as fast as the bound on regret.

    Parameters
    ----------
    arms
        A scenario's arms, or Bernoulli means.
    horizon
        The number of customers T.

    Returns
    -------
    float
        The slope times ln T; NaN if two arms are so close that their divergence underflows.

    Examples
    --------
    >>> round(anytime_compensation_slope([0.9, 0.1], 1000), 2)
    3.14
    """
    return lai_robbins(arms, horizon)


def compensation_slope(arms: Arms, horizon: int) -> float:
    """The asymptotic lower bound on compensation, also for policies that know T (Theorem 1).

    Every forced pull of arm i costs at least as much as the best arm's mean exceeds mu_i by if the
    pull comes at the worst time, and there are about ln T / K_inf(D_i, mu_1) of them.

    Parameters
    ----------
    arms
        A scenario's arms, or Bernoulli means.
    horizon
        The number of customers T.

    Returns
    -------
    float
        The bound; NaN unless an arm that is best has Bernoulli rewards, the case for which the
        stopping problem is solved.

    Examples
    --------
    >>> round(compensation_slope([0.9, 0.1], 1000), 2)
    2.47
    """
    every = as_arms(arms)
    best = max(arm.mean for arm in every)
    if not any(arm.mean == best and arm.law.name == "bernoulli" for arm in every):
        return math.nan
    costs = (least_surplus(best, mean, horizon) * each for mean, each in _pulls(arms))
    return math.fsum(costs) * math.log(horizon)


def _pulls(arms: Arms) -> list[tuple[float, float]]:
    """The mean of every arm that is not best, and the pulls of it for each unit of ln T."""
    every = as_arms(arms)
    best = max(arm.mean for arm in every)
    apart = [(arm.mean, k_inf(arm, best)) for arm in every if arm.mean < best]
    return [(mean, 1.0 / least if least > 0.0 else math.nan) for mean, least in apart]
