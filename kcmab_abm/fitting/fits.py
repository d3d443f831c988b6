"""What a fit finds, for one behaviour or for several."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from kcmab_abm.errors import MarketError
from kcmab_abm.fitting.estimate import Estimate
from kcmab_abm.running.results_folder import new_file
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.toml_text import toml_text


@dataclass(frozen=True)
class Fit:
    """Customers of one behaviour, fitted to choices.

    Attributes
    ----------
    behaviour : str
        The belief, and the decision unless it is logit.
    estimates : dict of str to Estimate
        Every estimated parameter: `value`, `low` and `high`.
    confidence : float
        The level of the intervals.
    log_likelihood : float
        The logarithm of the probability of all choices; minus infinity if one is impossible.
    choices : int
        The number of choices.
    explained : float
        The share of the choices that were the likeliest; where k arms are, the choice of one of
        them counts 1/k.
    impossible : int
        The number of choices that these customers never make.
    notes : tuple of str
        What a reader of the numbers has to know.
    customers : dict
        The table of customers for a scenario file.
    """

    behaviour: str
    estimates: dict[str, Estimate]
    confidence: float
    log_likelihood: float
    choices: int
    explained: float
    impossible: int
    notes: tuple[str, ...]
    customers: dict[str, Any]
    _scenario: Scenario | None = field(repr=False)

    def __repr__(self) -> str:
        shown = ", ".join(f"{word} = {each.value:.4g}" for word, each in self.estimates.items())
        return (
            f"Fit({self.behaviour}: {shown or 'nothing to estimate'}; {self.choices:,} choices, "
            f"log-likelihood {self.log_likelihood:,.2f})"
        )

    def _repr_html_(self) -> str:
        """The estimates, for notebooks."""
        notes = "".join(f"<p>{note}</p>" for note in self.notes)
        return f"<p>{self!r}</p>{self.table().to_html(index=False)}{notes}"

    @property
    def parameters(self) -> dict[str, float]:
        """The estimates by name."""
        return {word: each.value for word, each in self.estimates.items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The intervals by name."""
        return {word: (each.low, each.high) for word, each in self.estimates.items()}

    @property
    def aic(self) -> float:
        """Akaike's criterion: twice the number of parameters less twice the log-likelihood."""
        return 2.0 * (len(self.estimates) - self.log_likelihood)

    def table(self) -> pd.DataFrame:
        """One row per parameter: its estimate and interval, and whether it is identified."""
        rows = [
            (word, each.value, each.low, each.high, each.is_identified)
            for word, each in self.estimates.items()
        ]
        return pd.DataFrame(rows, columns=["parameter", "estimate", "low", "high", "identified"])

    def scenario(self, base: Scenario | None = None) -> Scenario:
        """Return a scenario whose customers behave like the fitted ones.

        Parameters
        ----------
        base : Scenario, optional
            The scenario to change; by default the one in which the choices were made.

        Returns
        -------
        Scenario
            The same market with these customers.

        Raises
        ------
        MarketError
            If a parameter is not identified, or has no finite estimate, or if no scenario is known.
        """
        base = base or self._scenario
        if base is None:
            raise MarketError(
                "trajectories do not say from which scenario they are; give one: scenario(base)"
            )
        for word, each in self.estimates.items():
            if not (each.is_identified and math.isfinite(each.value)):
                raise MarketError(
                    f"{self.behaviour}: the choices do not tell {word}; give it a value in the "
                    "table of the behaviour, and fit again"
                )
        return base.at({"market.customers": self.customers})

    def write(self, file: str | Path, *, force: bool = False) -> None:
        """Write `scenario()` as a scenario file.

        Parameters
        ----------
        file : str or Path
            The file.
        force : bool
            Replace an existing file.
        """
        text = toml_text(self.scenario())
        with new_file(Path(file), force) as stage:
            stage.write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Fits:
    """Fits of several behaviours to the same choices, as an iterable in the order given.

    Attributes
    ----------
    fits : tuple of Fit
        The fits.
    """

    fits: tuple[Fit, ...]

    def __iter__(self) -> Iterator[Fit]:
        return iter(self.fits)

    def __len__(self) -> int:
        return len(self.fits)

    def __repr__(self) -> str:
        return f"Fits(best: {self.best.behaviour}; {', '.join(each.behaviour for each in self)})"

    def _repr_html_(self) -> str:
        """The comparison, for notebooks."""
        return str(self.table().to_html(index=False))

    @property
    def best(self) -> Fit:
        """The fit with the lowest AIC."""
        return min(self.fits, key=lambda each: each.aic)

    def table(self) -> pd.DataFrame:
        """One row per behaviour, the best first.

        Returns
        -------
        DataFrame
            `behaviour`, the number of `parameters`, `log_likelihood`, `aic`, by how much AIC is
            `behind` the best, and the share `explained`.
        """
        rows = [
            (
                each.behaviour,
                len(each.estimates),
                each.log_likelihood,
                each.aic,
                each.aic - self.best.aic if math.isfinite(each.aic) else math.inf,
                each.explained,
            )
            for each in sorted(self.fits, key=lambda each: (each.aic, -each.explained))
        ]
        columns = ["behaviour", "parameters", "log_likelihood", "aic", "behind", "explained"]
        return pd.DataFrame(rows, columns=columns)
