"""The controller with the least Bayes regret + price x compensation, for two Bernoulli arms.

The means of the arms are independent draws from a Beta prior. The first customer is directed to arm
1 and the second to arm 2; all others are greedy and get the least offer for the promoted arm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from kcmab_abm.entries.policies.optimal import TIE
from kcmab_abm.theory.induction import Block, check_setting, expected_costs


@dataclass(frozen=True)
class Optimum:
    """The optimal controller of two Bernoulli arms with independent Beta(a, b) priors.

    Parameters
    ----------
    horizon
        The number of customers.
    price
        The weight of compensation: regret + price x compensation is minimal.
    a, b
        The parameters of the prior of each mean.
    regret
        Its Bayes regret: its expected regret, where the means are drawn from the prior.
    compensation
        Its expected compensation, likewise.
    """

    horizon: int
    price: float
    a: float
    b: float
    regret: float
    compensation: float

    def frontier(self, prices: Iterable[float]) -> pd.DataFrame:
        """The optimal controllers for other prices: points on the Pareto frontier.

        No controller has both less Bayes regret and less compensation than one of these points.

        Parameters
        ----------
        prices
            The prices; each takes as long as one call of `optimum`.

        Returns
        -------
        DataFrame
            One row per price: price, regret, compensation.

        Examples
        --------
        >>> optimum(20).frontier([0, 1, 10]).round(3)
           price  regret  compensation
        0    0.0   0.962         0.145
        1    1.0   0.988         0.043
        2   10.0   1.091         0.001
        """
        points = [optimum(self.horizon, price, self.a, self.b) for price in prices]
        return pd.DataFrame(
            [(point.price, point.regret, point.compensation) for point in points],
            columns=["price", "regret", "compensation"],
        )


def optimum(horizon: int, price: float = 1.0, a: float = 1.0, b: float = 1.0) -> Optimum:
    """The controller that minimises Bayes regret + price x compensation, exactly.

    The states are the records of both arms. For a horizon T, this takes about 8/3 T^3 bytes and a
    time that grows like T^4: 0.3 seconds for T = 200, 11 seconds for T = 500, some minutes
    for T = 1000.

    Parameters
    ----------
    horizon
        The number T of customers, the first two included.
    price
        The weight of compensation. With 0 this is the Bayes-optimal bandit; with a very high price
        nothing is ever paid.
    a, b
        The parameters of the Beta prior, which is the same for both arms. Customers do not use it:
        they compare empirical means.

    Returns
    -------
    Optimum
        Its `regret` and `compensation`, and `frontier(prices)`. Of several optimal controllers this
        is one with the least compensation.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    MemoryError
        If the tables need more memory than this machine can spare.

    Examples
    --------
    >>> best = optimum(100)
    >>> round(best.regret, 3), round(best.compensation, 3)
    (1.862, 0.236)
    """
    from kcmab_abm.batch.choices import induction

    check_setting(horizon, a, b)
    if not 0.0 <= price < math.inf:
        raise ValueError(f"the price must be a finite number >= 0, got {price}")
    compiled = induction()

    def promote(block: Block) -> None:
        compiled.promote_cheaper(*block[2:])

    raised = float(price) + TIE
    regret, paid = expected_costs(horizon, raised, float(a), float(b), promote)
    return Optimum(horizon, float(price), float(a), float(b), regret, paid / raised)
