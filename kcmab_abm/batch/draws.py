"""The parameters that draws from a generator allow, by the names of NumPy's methods.

NumPy checks the parameters before it draws; compiled draws do not, and return wrong numbers or
never return. A method that is not listed here is not compiled. None: there is nothing to check, or
the compiled method checks by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_TINY = 0.05  # shapes of a Beta law: 2**-53 to the power of 1 / 0.05 does not underflow
_LARGEST_MEAN = 9.2e18  # of a Poisson law, whose draws have 64 bits


def _at_least_0(scale: float) -> bool:
    return 0.0 <= scale < math.inf


def _above_0(a: float) -> bool:
    return 0.0 < a < math.inf


def _powers(a: float, b: float) -> bool:
    """If both are tiny, powers of uniforms may underflow, and compiled draws differ."""
    return 0.0 < a < math.inf and 0.0 < b < math.inf and max(a, b) >= _TINY


def _both_at_least_0(shape: float, scale: float) -> bool:
    return 0.0 <= shape < math.inf and 0.0 <= scale < math.inf


def _place_and_scale(loc: float, scale: float) -> bool:
    return -math.inf < loc < math.inf and 0.0 <= scale < math.inf


def _range(low: float, high: float) -> bool:
    return 0.0 <= high - low < math.inf


def _corners(left: float, mode: float, right: float) -> bool:
    return -math.inf < left <= mode <= right < math.inf and left < right


def _chance(p: float) -> bool:
    return 0.0 < p <= 1.0


def _trials(n: float, p: float) -> bool:
    return -1.0 < n < 2.0**63 and 0.0 <= p <= 1.0  # n is truncated to an integer


def _mean(lam: float) -> bool:
    return 0.0 <= lam < _LARGEST_MEAN


ALLOWED: dict[str, Callable[..., bool] | None] = {
    "beta": _powers,
    "binomial": _trials,
    "chisquare": _above_0,
    "exponential": _at_least_0,
    "gamma": _both_at_least_0,
    "geometric": _chance,
    "integers": None,
    "laplace": _place_and_scale,
    "logistic": _place_and_scale,
    "lognormal": _place_and_scale,
    "normal": _place_and_scale,
    "permutation": None,
    "poisson": _mean,
    "random": None,
    "shuffle": None,
    "standard_exponential": None,
    "standard_gamma": _at_least_0,
    "standard_normal": None,
    "triangular": _corners,
    "uniform": _range,
}
