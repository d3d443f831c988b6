"""Quantile functions of Beta distributions as tables of polynomials.

Uniforms below and above one half have one half of the table each, which is divided into octaves
(1/4 to 1/2, 1/8 to 1/4, ...) of eight cells. A cell holds a polynomial of degree seven: the Taylor
series of the quantile function around the middle of the cell, which follows from its differential
equation, economised with Chebyshev polynomials. A cell whose polynomial is not within 1e-13 of the
quantile function is marked, and `beta.quantile` is used instead, as beyond the last octave.

Sums are written as loops, because Python's `sum` rounds differently in different versions.

A table is monotone: polynomials stay between the values at the ends of their cells, which adjacent
cells share, and their slope exceeds their rounding errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from kcmab_abm.model.arithmetic.beta import lower_quantile, solve
from kcmab_abm.model.arithmetic.elementary import exp, log, log1p

OCTAVES = 11
CELLS = 8  # in an octave
WIDTH = 8  # coefficients in a cell
HALF = OCTAVES * CELLS * WIDTH
FIRST = 0.5 ** (OCTAVES + 1)  # the lowest uniform in a table
LAST = 1.0 - 2.0**-53  # the highest uniform
UNFIT = -1.0  # the mark of a cell without a polynomial
_ORDER = 11  # of the Taylor series
_CLOSE = 1e-13  # largest error of a polynomial
_FLAT = 1e-15  # largest rise of a cell that is stored as a constant
_STEEP = 0.2  # smallest slope in the first octave, as a share of all coefficients


@lru_cache(maxsize=512)
def table(a: float, b: float, scale: float, share: float) -> tuple[float, ...]:
    """Tabulate the quantile function of Beta(a, b).

    Parameters
    ----------
    a, b
        The shapes.
    scale, share
        Their `beta.constants`.

    Returns
    -------
    The quantiles at the lower and the upper end of the table, then its two halves, each from the
    middle outwards, cell by cell.
    """
    lower = _Half(a, b, scale, share, 0.0)
    upper = _Half(b, a, scale, 1.0 - share, 1.0 - LAST)
    middle = 0.5 * (lower.ends[0] + (1.0 - upper.ends[0]))
    lows = [middle, *lower.ends[1:]]
    highs = [middle, *(max(middle, 1.0 - end) for end in upper.ends[1:])]
    numbers = [lows[-1], highs[-1]]
    for place, series in enumerate(lower.series):
        numbers += _cell(series, lows[place], lows[place + 1], place // CELLS)
    for place, series in enumerate(upper.series):
        mirrored = [1.0 - series[0], *(-each for each in series[1:])]
        numbers += _cell(mirrored, highs[place], highs[place + 1], place // CELLS)
    return tuple(numbers)


class _Half:
    """The series of all cells below one half, and the values at their ends."""

    def __init__(self, a: float, b: float, scale: float, share: float, offset: float) -> None:
        self._shapes = (a, b, scale)
        self._share = share
        self.series: list[list[float]] = []
        self.ends: list[float] = []
        bottoms = [
            (2.0 * CELLS - cell) / CELLS / 2.0 ** (octave + 2)
            for octave in range(OCTAVES)
            for cell in range(1, CELLS + 1)
        ]
        guess = 0.0
        for place, bottom in enumerate(bottoms):
            half = 0.5 / CELLS / 2.0 ** (place // CELLS + 2)
            here = self._taylor(bottom + half + offset, half, guess)
            top = _sum(here, 1.0)
            self.ends.append(self._end(bottom + 2.0 * half + offset, top))
            self.series.append(here)
            guess = _sum(here, -1.5 if place % CELLS == CELLS - 1 else -2.0)
        self.ends.append(self._end(bottoms[-1] + offset, _sum(here, -1.0)))

    def _end(self, p: float, value: float) -> float:
        """The quantile between two cells: the mean of both series, or solved for if they differ."""
        if self.series:
            before = _sum(self.series[-1], -1.0)
            value = 0.5 * (value + before) if abs(value - before) <= _CLOSE else self._solve(p, 0.0)
        highest = self.ends[-1] if self.ends else 1.0
        return min(highest, max(0.0, value))

    def _solve(self, p: float, guess: float) -> float:
        a, b, scale = self._shapes
        if p > self._share:
            p, a, b, guess = 1.0 - p, b, a, 1.0 - guess
        usable = 1e-280 < guess < 1.0
        x = solve(p, guess, a, b, scale) if usable else lower_quantile(p, a, b, scale)
        return x if a == self._shapes[0] else 1.0 - x

    def _taylor(self, p: float, half: float, guess: float) -> list[float]:
        """The series of the quantile function at p, in units of half a cell.

        With X = x / x_p and V = X' the density of Beta(a, b) gives
        X (1 - x_p X) V' = ((a + b - 2) x_p X - (a - 1)) V^2, coefficient by coefficient.
        """
        a, b, scale = self._shapes
        log_beta = scale + log1p(a / b) - log(a)
        x = self._solve(p, guess)
        if not 0.0 < x < 1.0:
            return [x] + [0.0] * _ORDER
        first = half / exp(a * log(x) + (b - 1.0) * log1p(-x) - log_beta)
        xs, vs = [1.0], [first]
        squares: list[float] = []  # of V
        bends: list[float] = []  # X (1 - x_p X)
        pulls: list[float] = []  # (a + b - 2) x_p X - (a - 1)
        for n in range(_ORDER):
            squares.append(_product(vs, vs, n))
            bends.append(xs[n] - x * _product(xs, xs, n))
            pulls.append((a + b - 2.0) * x * xs[n] - (a - 1.0 if n == 0 else 0.0))
            xs.append(vs[n] / (n + 1))
            known = 0.0
            for k in range(1, n + 1):
                known += bends[k] * (n - k + 1) * vs[n - k + 1]
            vs.append((_product(pulls, squares, n) - known) / ((n + 1) * bends[0]))
        return [x * each for each in xs]


def _product(one: Sequence[float], other: Sequence[float], n: int) -> float:
    """The n-th coefficient of the product of two series."""
    total = 0.0
    for k in range(n + 1):
        total += one[k] * other[n - k]
    return total


def _sum(series: Sequence[float], t: float) -> float:
    total = 0.0
    for each in reversed(series):
        total = each + t * total
    return total


def _cell(series: list[float], top: float, bottom: float, octave: int) -> list[float]:
    """The eight coefficients of a cell, or its mark and the bounds of its quantiles.

    `top` and `bottom` are the quantiles at t = 1 and t = -1.
    """
    low, high = min(bottom, top), max(bottom, top)
    if high - low <= _FLAT:
        return [low] + [0.0] * (WIDTH - 1)
    coefficients, error = _shortened(series)
    for _ in range(4):
        above, below = top - cell_value(1.0, coefficients), bottom - cell_value(-1.0, coefficients)
        error += max(abs(above), abs(below))
        if above * (top - bottom) >= 0.0 >= below * (top - bottom):
            break
        coefficients[0] += 0.5 * (above + below)
        coefficients[1] += 0.5 * (above - below)
        coefficients[1] *= 1.0 - 2e-16 * (2.0 + high / (high - low))
    rises = above * (top - bottom) >= 0.0 >= below * (top - bottom)
    size = slope = abs(coefficients[1])
    for n in range(2, WIDTH):
        size += abs(coefficients[n])
        slope -= n * abs(coefficients[n])
    if rises and error <= _CLOSE and slope >= _STEEP / 2.0**octave * size:
        return coefficients
    return [UNFIT, low, high] + [0.0] * (WIDTH - 3)


def _shortened(series: list[float]) -> tuple[list[float], float]:
    """A series economised to the degree of a cell, and a bound on the change."""
    kept = list(series)
    error = 0.0
    for degree in range(_ORDER, WIDTH - 1, -1):
        share = kept[degree] / 2.0 ** (degree - 1)
        error += abs(share)
        for n, each in enumerate(_CHEBYSHEV[degree]):
            kept[n] -= share * each
    return kept[:WIDTH], error


def _chebyshev() -> list[list[float]]:
    """The coefficients of the Chebyshev polynomials."""
    known = [[1.0], [0.0, 1.0]]
    for degree in range(2, _ORDER + 1):
        doubled = [0.0, *(2.0 * each for each in known[-1])]
        for n, each in enumerate(known[degree - 2]):
            doubled[n] -= each
        known.append(doubled)
    return known


_CHEBYSHEV = _chebyshev()


def cell_value(t: float, cells: Any, place: int = 0) -> float:
    """Evaluate the polynomial of the cell that begins at index `place`.

    The sum is ordered so that a processor can execute several steps at once.

    Parameters
    ----------
    t
        The position in the cell, from -1 to 1.
    cells
        The coefficients of all cells.
    place
        The index of the cell's first coefficient.
    """
    t2 = t * t
    low = (cells[place + 1] + t * cells[place + 2]) + t2 * (cells[place + 3] + t * cells[place + 4])
    high = (cells[place + 5] + t * cells[place + 6]) + t2 * cells[place + 7]
    return float(cells[place] + t * (low + t2 * t2 * high))
