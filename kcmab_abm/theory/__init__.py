"""Theory in numbers: divergences, bounds, the stopping problem, histories, the exact optimum."""

from kcmab_abm.theory.bounds import (
    modified_epsilon_greedy_compensation_bound,
    modified_ts_compensation_leading_terms,
    modified_ts_regret_leading_terms,
    ucb_compensation_bound,
    ucb_pulls_bound,
    ucb_regret_bound,
)
from kcmab_abm.theory.divergences import bernoulli_kl, beta_kl, discrete_kl, divergence
from kcmab_abm.theory.exact_policies import PolicyValue, policy_value
from kcmab_abm.theory.frontier import Frontier
from kcmab_abm.theory.least_divergence import k_inf
from kcmab_abm.theory.lower_bounds import (
    anytime_compensation_slope,
    compensation_slope,
    lai_robbins,
)
from kcmab_abm.theory.optimal_control import Optimum, optimum
from kcmab_abm.theory.stopping import (
    stopping_boundary,
    stopping_floor,
    stopping_rule,
    stopping_value,
)

__all__ = [
    "Frontier",
    "Optimum",
    "PolicyValue",
    "anytime_compensation_slope",
    "bernoulli_kl",
    "beta_kl",
    "compensation_slope",
    "discrete_kl",
    "divergence",
    "k_inf",
    "lai_robbins",
    "modified_epsilon_greedy_compensation_bound",
    "modified_ts_compensation_leading_terms",
    "modified_ts_regret_leading_terms",
    "optimum",
    "policy_value",
    "stopping_boundary",
    "stopping_floor",
    "stopping_rule",
    "stopping_value",
    "ucb_compensation_bound",
    "ucb_pulls_bound",
    "ucb_regret_bound",
]
