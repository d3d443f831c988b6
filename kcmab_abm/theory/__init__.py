"""The paper's theory in numbers: divergences, bounds, the stopping problem, history strings."""

from kcmab_abm.theory.bounds import (
    compensation_slope,
    lai_robbins,
    modified_epsilon_greedy_compensation_bound,
    modified_ts_compensation_leading_terms,
    modified_ts_regret_leading_terms,
    ucb_compensation_bound,
    ucb_pulls_bound,
    ucb_regret_bound,
)
from kcmab_abm.theory.divergence import bernoulli_kl, beta_kl, discrete_kl, divergence
from kcmab_abm.theory.stopping import stopping_floor, stopping_rule, stopping_value

__all__ = [
    "bernoulli_kl",
    "beta_kl",
    "compensation_slope",
    "discrete_kl",
    "divergence",
    "lai_robbins",
    "modified_epsilon_greedy_compensation_bound",
    "modified_ts_compensation_leading_terms",
    "modified_ts_regret_leading_terms",
    "stopping_floor",
    "stopping_rule",
    "stopping_value",
    "ucb_compensation_bound",
    "ucb_pulls_bound",
    "ucb_regret_bound",
]
