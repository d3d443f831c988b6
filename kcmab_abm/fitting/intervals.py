"""Estimates and intervals from the profile of the likelihood."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import chdtri

from kcmab_abm.fitting.estimate import Estimate
from kcmab_abm.fitting.likelihood import CLIMBED, Likelihood, Peak
from kcmab_abm.fitting.whole import Wholes, critical
from kcmab_abm.model.seen import Floats

FLAT = 0.005  # a difference of log-likelihoods that means nothing
STEP = 1e-3  # of a parameter on its scale, for the curvature


class _Better(Exception):
    """A place with a higher likelihood than the highest known."""

    def __init__(self, peak: Peak) -> None:
        self.peak = peak


class Profile:
    """The highest likelihood, and the estimates.

    The profile of a parameter is the highest likelihood for each of its values, whatever the
    others. Its interval has the values whose profile is less than half a quantile of the
    chi-squared law below the highest likelihood; for a whole number, see `whole.py`.
    """

    def __init__(self, likelihood: Likelihood, confidence: float) -> None:
        self._likelihood = likelihood
        self._confidence = confidence
        self._fall = float(chdtri(1, 1.0 - confidence)) / 2.0
        self.wholes = None
        if likelihood.whole is None:
            self.peak = likelihood.search(None)
        else:
            self.wholes = Wholes(likelihood, critical(confidence))
            self.peak = self.wholes.best

    def estimates(self) -> dict[str, Estimate]:
        """The estimates by name, in the order of the parameters."""
        while True:  # until no profile leads to a higher likelihood
            try:
                found = {
                    each.name: self._estimate(number)
                    for number, each in enumerate(self._likelihood.free)
                }
                break
            except _Better as better:
                self.peak = self._likelihood.climb(better.peak.place, better.peak.whole)
                if self.wholes is not None and self.peak.whole is not None:
                    self.wholes.peaks[self.peak.whole] = self.peak
        if self.wholes is not None and self._likelihood.whole is not None:
            found[self._likelihood.whole.name] = self._whole(self.wholes)
        return {each.name: found[each.name] for each in self._likelihood.customers.free}

    def _estimate(self, number: int) -> Estimate:
        scale, here = self._likelihood.scales[number], float(self.peak.place[number])
        low, below = self._end(number, scale.low)
        high, above = self._end(number, scale.high)
        if below is not None and below - self.peak.loss < FLAT:
            here = scale.low
        elif above is not None and above - self.peak.loss < FLAT:
            here = scale.high
        return Estimate(
            self._value(number, here),
            scale.shown(low),
            scale.shown(high),
            open_below=below is not None,
            open_above=above is not None,
        )

    def _value(self, number: int, here: float) -> float:
        """The value at a place; the end of its range only if the choices are as likely there."""
        scale, place = self._likelihood.scales[number], self.peak.place.copy()
        end, place[number] = scale.shown(here), here
        values = self._likelihood.values(place, self.peak.whole)
        name = self._likelihood.free[number].name
        if not math.isfinite(end) or end == values[name]:
            return end
        loss = self._likelihood.customers.loss({**values, name: end})
        return end if loss - self.peak.loss < FLAT else values[name]

    def _end(self, number: int, limit: float) -> tuple[float, float | None]:
        """The end of an interval towards a limit; if that is likely, the limit and its loss."""
        inner, wanted = float(self.peak.place[number]), self.peak.loss + self._fall
        start, step = self.peak, self._step(number)
        while inner != limit:
            outer = min(inner + step, limit) if limit > inner else max(inner - step, limit)
            found = self._profile(number, outer, start)
            if found.loss > wanted:
                return self._root(number, inner, outer, start, wanted), None
            inner, start, step = outer, found, 2.0 * step
        return limit, start.loss

    def _root(self, number: int, inner: float, outer: float, start: Peak, wanted: float) -> float:
        def excess(here: float) -> float:
            return self._profile(number, here, start).loss - wanted

        return float(brentq(excess, inner, outer, xtol=1e-4 * abs(outer - inner), rtol=1e-10))

    def _profile(self, number: int, here: float, start: Peak) -> Peak:
        """The highest likelihood with this value of a parameter."""

        def moved(place: Floats) -> Floats:
            place = place.copy()
            place[number] = here
            return place

        starts = [start]
        if self.wholes is not None:
            starts = [self.wholes.peaks[whole] for whole in self.wholes.likely()]
        tried = [
            Peak(self._likelihood.loss(place, each.whole), place, each.whole)
            for each in starts
            for place in [moved(each.place)]
        ]
        tried.sort(key=lambda each: each.loss)
        if len(self._likelihood.free) == 1:
            found = tried[0]
        else:
            found = min(
                (
                    self._likelihood.climb(each.place, each.whole, number)
                    for each in tried[:CLIMBED]
                ),
                key=lambda each: each.loss,
            )
        if found.loss < self.peak.loss - FLAT / 2.0:
            raise _Better(found)
        return found

    def _step(self, number: int) -> float:
        """About the distance at which the likelihood has fallen as far as it may."""
        scale, place = self._likelihood.scales[number], self.peak.place.copy()
        middle = min(max(place[number], scale.low + STEP), scale.high - STEP)
        losses = []
        for here in (middle - STEP, middle, middle + STEP):
            place[number] = here
            losses.append(self._likelihood.loss(place, self.peak.whole))
        bend = (losses[0] + losses[2] - 2.0 * losses[1]) / STEP**2
        widest = (scale.high - scale.low) / 8.0
        return min(math.sqrt(2.0 * self._fall / bend), widest) if bend > 1e-6 else widest

    def _whole(self, wholes: Wholes) -> Estimate:
        best = self.peak
        likely = wholes.likely(critical(self._confidence, *wholes.steps()))
        below, above = likely[0] == wholes.least, likely[-1] == wholes.most
        value, high = best.whole or 0, float(likely[-1])
        if above and wholes.is_unlimited:
            high = math.inf
            if wholes.peaks[wholes.most].loss - best.loss < FLAT:
                value = 0
        return Estimate(value, likely[0], high, below, above)
