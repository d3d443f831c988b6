"""The Beta distribution and its quantiles in plain arithmetic.

`lower_quantile` solves F(x) = p by Halley's method for log F as a function of log x, which is
nearly linear: it starts near the root and converges in two to four steps.
"""

from __future__ import annotations

import math

from kcmab_abm.model.arithmetic.elementary import exp, log, log1p

_LOG_ROOT_TWO_PI = 0.9189385332046728
_TINY_SHAPE = 1e-20  # below, the quantile of every 53-bit uniform is 0 or 1
_TINY = 1e-280  # smaller quantiles are returned as 0
_LOG_TINY = -644.7238260383328
_BITS = 2.0**-41  # relative resolution of a quantile; coarser for shapes below 0.004


def log_size(a: float, b: float) -> float:
    """The logarithm of B(a, b) a b / (a + b), by Stirling's series.

    The factor a b / (a + b) keeps it small for small shapes.

    Parameters
    ----------
    a, b
        The shapes, above 0.
    """
    factor = a * (b / (a + b))
    while a < 10.0:
        factor *= (a + b) / a
        a += 1.0
    while b < 10.0:
        factor *= (a + b) / b
        b += 1.0
    total = a + b
    smooth = 0.5 * log(total / (a * b)) - a * log1p(b / a) - b * log1p(a / b)
    rest = _stirling(a) + _stirling(b) - _stirling(total)
    return log(factor) + (smooth + (_LOG_ROOT_TWO_PI + rest))


def _stirling(x: float) -> float:
    """The remainder of Stirling's formula for log Gamma(x), for x >= 10."""
    z = 1.0 / (x * x)
    tail = 1.0 / 1188.0 + z * (-691.0 / 360360.0 + z / 156.0)
    tail = 1.0 / 1260.0 + z * (-1.0 / 1680.0 + z * tail)
    return (1.0 / 12.0 + z * (-1.0 / 360.0 + z * tail)) / x


def turning_point(a: float, b: float) -> float:
    """The point below which the continued fraction converges fast.

    Above it, that of Beta(b, a) at 1 - x converges fast.
    """
    return (a + 1.0) / (a + b + 2.0)


def fraction(x: float, a: float, b: float) -> float:
    """The continued fraction C in F(x) = x^a (1-x)^b / (B(a, b) C), up to the turning point."""
    c = a * (a + 1.0 - (a + b) * x) / (a + 1.0)
    if c == 0.0:
        c = 1e-30
    value = c
    d = 0.0
    m = 1.0
    change = 0.0
    while abs(change - 1.0) > 2e-16 and m < 20000.0:
        odd = a + 2.0 * m - 1.0
        left = m * (b - m) * x / odd
        above = (a + m - 1.0) * (a + b + m - 1.0) * x / odd * left
        below = m + left
        below += (a + m) * (a + 1.0 - (a + b) * x + m * (2.0 - x)) / (a + 2.0 * m + 1.0)
        d = below + above * d
        if d == 0.0:
            d = 1e-30
        d = 1.0 / d
        c = below + above / c
        if c == 0.0:
            c = 1e-30
        change = c * d
        value *= change
        m += 1.0
    return value


def distribution(x: float, a: float, b: float, scale: float) -> float:
    """The distribution function F(x) of Beta(a, b), for x up to the turning point.

    Parameters
    ----------
    x
        A number in (0, turning point].
    a, b
        The shapes.
    scale
        `log_size(a, b)`.
    """
    return exp(_log_distribution(x, fraction(x, a, b), a, b, scale))


def _log_distribution(x: float, value: float, a: float, b: float, scale: float) -> float:
    """The logarithm of F(x), from the value of the fraction."""
    return b * log1p(-x) + (a * log(x) - (scale + log1p(a / b)) - log(value / a))


def lower_quantile(p: float, a: float, b: float, scale: float) -> float:
    """The x at which F(x) = p, for p up to F(turning point); 0 if it is below 1e-280."""
    if a < 0.1 and p <= exp(a * _LOG_TINY - (scale + log1p(a / b))):
        return 0.0
    return solve(p, _start(p, a, b, scale), a, b, scale)


def solve(p: float, start: float, a: float, b: float, scale: float) -> float:
    """The x at which F(x) = p, for p up to F(turning point), from an initial guess."""
    wanted = log(p)
    low = 0.0
    high = turning_point(a, b)
    x = min(high, start)
    for _ in range(200):
        y = 1.0 - x
        value = fraction(x, a, b)
        error = _log_distribution(x, value, a, b, scale) - wanted
        if error < 0.0:
            low = x
        else:
            high = x
        slope = value / y
        step = error / slope
        step /= max(0.5, 1.0 - 0.5 * step * (a - (b - 1.0) * x / y - slope))
        moved = x * exp(-step)
        if abs(error) < 1e-6:
            return min(moved, turning_point(a, b))
        x = moved if low < moved < high else 0.5 * (low + high)
    return x


def _start(p: float, a: float, b: float, scale: float) -> float:
    """An initial guess: a power of p, or a normal approximation (Abramowitz and Stegun 26.5.22)."""
    log_p = log(p)
    power = exp(min(0.0, (log_p + scale + log1p(a / b)) / a))
    if a < 1.0 or b < 1.0:
        return max(_TINY, power)
    t = math.sqrt(-2.0 * (log_p if p < 0.5 else log1p(-p)))
    z = t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t))
    if p > 0.5:
        z = -z
    first, second = 1.0 / (2.0 * a - 1.0), 1.0 / (2.0 * b - 1.0)
    h = 2.0 / (first + second)
    k = (z * z - 3.0) / 6.0
    w = z * math.sqrt(h + k) / h - (second - first) * (k + 5.0 / 6.0 - 2.0 / (3.0 * h))
    return max(power, a / (a + b * exp(2.0 * w)))


def constants(a: float, b: float) -> tuple[float, float]:
    """The constants of Beta(a, b) that `quantile` needs: `log_size` and F(turning point)."""
    if a < _TINY_SHAPE or b < _TINY_SHAPE:
        return 0.0, 0.0
    scale = log_size(a, b)
    return scale, distribution(turning_point(a, b), a, b, scale)


def quantile(u: float, a: float, b: float, scale: float, share: float) -> float:
    """The quantile function of Beta(a, b), rounded to 41 bits and monotone in u.

    For shapes from 0.004 to 1e6 the result is within 1e-12 of the exact quantile (from 0.001:
    4e-12); it is 0 if that is below 1e-280.

    Parameters
    ----------
    u
        A probability.
    a, b
        The shapes, above 0.
    scale, share
        The `constants` of a and b.

    Examples
    --------
    >>> round(quantile(0.5, 2.0, 2.0, *constants(2.0, 2.0)), 9)
    0.5
    """
    if u <= 0.0 or a < _TINY_SHAPE:
        return 0.0
    if u >= 1.0 or b < _TINY_SHAPE:
        return 1.0
    middle = turning_point(a, b)
    if u <= share:
        return min(middle, _rounded(lower_quantile(u, a, b, scale), u, a, b, scale))
    p = 1.0 - u
    return max(middle, 1.0 - _rounded(lower_quantile(p, b, a, scale), p, b, a, scale))


def _rounded(x: float, p: float, a: float, b: float, scale: float) -> float:
    """The grid point of 41 bits nearest to x, or the one below if F exceeds p there.

    The result depends on x only up to half a grid step, which is more than its rounding error, and
    on p by comparison with a number that belongs to the point. So it is monotone in p.
    """
    if x < _TINY:
        return 0.0
    grid = _BITS
    shape = a
    while shape < 4e-3 and grid < 1e-6:
        shape *= 2.0
        grid *= 2.0
    point = _on_grid(x, grid)
    if distribution(min(point, turning_point(a, b)), a, b, scale) > p:
        return _on_grid(point * (1.0 - grid), grid)
    return point


def _on_grid(x: float, grid: float) -> float:
    """The nearest number with relative resolution `grid` (Veltkamp's splitting)."""
    wide = x * (grid * 2.0**53 + 1.0)
    return wide - (wide - x)
