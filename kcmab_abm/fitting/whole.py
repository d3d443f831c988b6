"""A parameter that is a whole number: the likelihood of every candidate."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from kcmab_abm.fitting.customers import LEAST_CHANCE
from kcmab_abm.fitting.likelihood import Likelihood, Peak
from kcmab_abm.model.seen import Floats

SPREAD = 24  # candidates, as evenly spread over all magnitudes as whole numbers are
OVERSHOOT = 0.5826  # of a random walk beyond a level, in standard deviations of a step
MOST = 200  # further candidates between two of them


def critical(confidence: float, below: float = 0.0, above: float = 0.0) -> float:
    """The fall of the log-likelihood that ends the interval of a whole number.

    The log-likelihood falls off like a random walk on both sides. Its maximum on a side exceeds x
    with probability exp(-x - 0.583 s), where s is the standard deviation of a step (Siegmund 1985).

    Parameters
    ----------
    confidence
        The level of the interval.
    below, above
        The standard deviations of the steps towards lower and higher numbers; 0 if unknown, which
        makes the interval longer.

    Examples
    --------
    >>> round(critical(0.95), 2), round(critical(0.95, 1.0, 1.0), 2)
    (3.68, 3.09)
    """

    def excess(fall: float) -> float:
        sides = (1.0 - math.exp(-fall - OVERSHOOT * step) for step in (below, above))
        return math.prod(sides) - confidence

    return float(brentq(excess, 0.0, 100.0)) if excess(0.0) < 0.0 else 0.0


class Wholes:
    """The candidates, each with the highest likelihood that it allows.

    No candidate exceeds the number of reports on an arm, beyond which a window has no effect. If 0
    has the same likelihood as the highest, it stands for a number without limit, as in `recency`.
    """

    def __init__(self, likelihood: Likelihood, fall: float) -> None:
        assert likelihood.whole
        self._likelihood = likelihood
        self._fall = fall
        self.peaks: dict[int, Peak] = {}
        self._rough: set[int] = set()  # candidates with the place of another
        parameter, observed = likelihood.whole.parameter, likelihood.customers.observed
        reports = max(int(np.bincount(each.reported).max()) for each in observed.seen)
        least = parameter.ge if parameter.gt is None else parameter.gt + 1
        most = parameter.le if parameter.lt is None else parameter.lt - 1
        self.least = -reports if least is None else int(least)
        self.most = reports if most is None else min(reports, int(most))
        if self.most < max(self.least, 1):
            self.most = max(self.least, 1)
        self.is_unlimited = False
        self._search()

    @property
    def best(self) -> Peak:
        """The candidate with the highest likelihood."""
        return min(self.peaks.values(), key=lambda each: each.loss)

    def likely(self, fall: float | None = None) -> list[int]:
        """The candidates whose likelihood has fallen by no more, from the lowest to the highest."""
        highest = self.best.loss + (self._fall if fall is None else fall)
        return sorted(whole for whole, peak in self.peaks.items() if peak.loss <= highest)

    def steps(self) -> tuple[float, float]:
        """The standard deviations of the steps of the log-likelihood below and above the best."""
        best, likelihood = self.best, self._likelihood
        assert best.whole is not None

        def logarithms(whole: int) -> Floats:
            own, _ = likelihood.customers.chances(likelihood.values(best.place, whole))
            return np.log(np.maximum(own, LEAST_CHANCE))

        here, found = logarithms(best.whole), []
        for other in (best.whole - 1, best.whole + 1):
            inside = self.least <= other <= self.most
            found.append(float(np.linalg.norm(logarithms(other) - here)) if inside else 0.0)
        return found[0], found[1]

    def _search(self) -> None:
        """Try candidates, first far apart and then all of those near the best."""
        first = self._likelihood.search(self.most)
        self.peaks[self.most] = first
        if self.least == 0:
            none = self._likelihood.loss(first.place, 0)
            self.is_unlimited = math.isclose(none, first.loss, rel_tol=1e-12)
            self.least = int(self.is_unlimited)
        low = max(self.least, 1)
        spread = {round(each) for each in np.geomspace(low, self.most, SPREAD)}
        self._try(spread | {*range(self.least, low)})
        best = self._likelihood.search(self.best.whole)
        if best.loss < self.best.loss:
            assert best.whole is not None
            self.peaks[best.whole] = best
        while self._try(self._between()):
            pass

    def _try(self, wholes: set[int]) -> bool:
        """Find the likelihood of new candidates; return False if there are none."""
        new = wholes - {*self.peaks}
        place = self.best.place
        for whole in new:
            self.peaks[whole] = Peak(self._likelihood.loss(place, whole), place, whole)
        self._rough |= new
        while self._climb():
            pass
        return bool(new)

    def _climb(self) -> bool:
        """Climb where it matters: to the best candidate, and wherever one seems unlikely."""
        best = self.best
        highest = best.loss + self._fall
        rough = {whole: self.peaks[whole] for whole in self._rough}
        wanted = {word for word, each in rough.items() if each is best or each.loss > highest}
        for whole in wanted:
            self.peaks[whole] = self._likelihood.climb(self.peaks[whole].place, whole)
        self._rough -= wanted
        return bool(wanted)

    def _between(self) -> set[int]:
        """The candidates between the nearest unlikely ones below and above the likely."""
        tried, likely = sorted(self.peaks), self.likely()
        below = max((each for each in tried if each < likely[0]), default=likely[0])
        above = min((each for each in tried if each > likely[-1]), default=likely[-1])
        if above - below <= MOST:
            return {*range(below + 1, above)}
        if len(tried) > 2 * MOST:
            return set()
        return {round(each) for each in np.linspace(below + 1, above - 1, MOST)}
