"""The Pareto frontier of two Bernoulli arms, and the least compensation for a given regret."""

from __future__ import annotations

import pandas as pd

from kcmab_abm.theory.optimal_control import Optimum, optimum

HIGHEST = 1e9  # at this price nothing is paid
ROUNDING = 1e-9


class Frontier:
    """The least compensation at every Bayes regret, for two Bernoulli arms.

    A controller that draws one of two optimal controllers before the first customer, and then does
    what that one does, has any point on the line between theirs. So the frontier is the lower
    convex hull of the points of all optimal controllers.

    Parameters
    ----------
    horizon, a, b
        As for `optimum`.
    tolerance
        The largest relative error of `least_compensation`.

    Examples
    --------
    >>> frontier = Frontier(20)
    >>> round(frontier.least_compensation(1.0), 3)
    0.033
    """

    def __init__(
        self, horizon: int, a: float = 1.0, b: float = 1.0, tolerance: float = 1e-3
    ) -> None:
        self.horizon = horizon
        self.a = a
        self.b = b
        self._tolerance = tolerance
        self._known: dict[float, Optimum] = {}

    @property
    def points(self) -> list[Optimum]:
        """The optimal controllers that have been computed so far, by rising price."""
        return [self._known[price] for price in sorted(self._known)]

    def at(self, price: float) -> Optimum:
        """Return the optimal controller for a price, computed once.

        Parameters
        ----------
        price : float
            The price of a payment of 1.

        Returns
        -------
        Optimum
            The controller, with its regret and compensation.
        """
        if price not in self._known:
            self._known[price] = optimum(self.horizon, price, self.a, self.b)
        return self._known[price]

    def curve(self) -> pd.DataFrame:
        """Return points of the whole frontier, at prices that are close enough for a figure.

        Returns
        -------
        DataFrame
            One row per price: price, regret, compensation.
        """
        ends = self.at(0.0), self.at(HIGHEST)
        for share in (0.005, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75):
            self.least_compensation(ends[0].regret + share * (ends[1].regret - ends[0].regret))
        return pd.DataFrame(
            [(point.price, point.regret, point.compensation) for point in self.points],
            columns=["price", "regret", "compensation"],
        )

    def least_compensation(self, regret: float) -> float:
        """Return the least compensation of all controllers with at most this Bayes regret.

        No controller lies below the tangents of the frontier, regret + price x compensation = the
        minimum for that price, and every point of a chord belongs to a controller. Prices are added
        until tangents and chord agree. The chord's value is returned, so that the result is never
        too small.

        Parameters
        ----------
        regret
            A Bayes regret, at least that of the Bayes-optimal bandit.

        Returns
        -------
        float
            The compensation; 0 if no payments are needed for this regret.

        Raises
        ------
        ValueError
            If no controller has so little regret.
        """
        left, right = self.at(0.0), self.at(HIGHEST)
        if regret >= right.regret:
            return right.compensation
        if regret < left.regret * (1.0 - 1e-9):
            raise ValueError(
                f"no controller has a Bayes regret of {regret:g}; the least is {left.regret:g}"
            )
        for point in self.points:
            if point.regret <= regret:
                left = max(left, point, key=lambda each: each.regret)
            else:
                right = min(right, point, key=lambda each: each.regret)
        while True:
            chord = _chord(left, right, regret)
            tangent = max(_tangent(point, regret) for point in self.points)
            if chord - tangent <= self._tolerance * chord + ROUNDING:
                return chord
            saved = left.compensation - right.compensation
            between = self.at((right.regret - left.regret) / saved)
            if between.regret <= regret:
                left = between
            else:
                right = between


def _chord(left: Optimum, right: Optimum, regret: float) -> float:
    """The compensation on the line between two points, at this regret."""
    if right.regret == left.regret:
        return right.compensation
    share = (regret - left.regret) / (right.regret - left.regret)
    return left.compensation + share * (right.compensation - left.compensation)


def _tangent(point: Optimum, regret: float) -> float:
    """The compensation on the tangent through a point, at this regret."""
    if point.price == 0.0:
        return 0.0
    return point.compensation + (point.regret - regret) / point.price
