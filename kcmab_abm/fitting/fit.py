"""Estimate by maximum likelihood which customers made some choices."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import numpy as np
import pandas as pd

from kcmab_abm.errors import MarketError
from kcmab_abm.fitting.customers import Behaviour, Customers
from kcmab_abm.fitting.intervals import Estimate, Profile
from kcmab_abm.fitting.likelihood import Likelihood
from kcmab_abm.fitting.observed import Runs, observe
from kcmab_abm.running.results_folder import new_file
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.toml_text import toml_text

Doing = Callable[..., object]


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
                    f"{self.behaviour}: the choices do not tell {word}; fit again with a value of "
                    f"your own, as in behaviour={self._with(word)}"
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

    def _with(self, word: str) -> str:
        name = word.removeprefix("decision.")
        table = {**self.customers, "decision": {**self.customers["decision"]}}
        for each in (table, table["decision"]):
            for key in self.estimates:
                each.pop(key.removeprefix("decision."), None)
        place = table["decision"] if name in self.customers["decision"] else table
        place[name] = ...
        return repr(table).replace("Ellipsis", "...")


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


@overload
def fit(
    run: Runs,
    behaviour: Behaviour = ...,
    *,
    scenario: Scenario | None = ...,
    policy: str | None = ...,
    replications: Collection[int] | None = ...,
    confidence: float = ...,
    progress: Doing | None = ...,
) -> Fit: ...


@overload
def fit(
    run: Runs,
    behaviour: Sequence[Behaviour],
    *,
    scenario: Scenario | None = ...,
    policy: str | None = ...,
    replications: Collection[int] | None = ...,
    confidence: float = ...,
    progress: Doing | None = ...,
) -> Fits: ...


def fit(
    run: Runs,
    behaviour: Behaviour | Sequence[Behaviour] = "logit",
    *,
    scenario: Scenario | None = None,
    policy: str | None = None,
    replications: Collection[int] | None = None,
    confidence: float = 0.95,
    progress: Doing | None = None,
) -> Fit | Fits:
    """Estimate which customers made some choices, by maximum likelihood.

    A behaviour is a belief and a decision that has chances; a belief alone decides by `logit`. All
    numbers that a table leaves out are estimated, those that it gives are fixed.

    Parameters
    ----------
    run : Trajectory, list of Trajectory, Results, str or Path
        The choices: trajectories, results (which are played again), or a folder with a ledger that
        `kcmab run --out` wrote.
    behaviour : str, dict or list of these
        The name of a behaviour or its table as in a scenario file; several are compared.
    scenario : Scenario, optional
        The scenario of trajectories. Without it, every customer is taken to have seen all reports
        of those before her.
    policy : str, optional
        Use only the choices under this policy; by default those under all policies.
    replications : collection of int, optional
        Of results or a folder, the replications to use, by default all; of trajectories, their
        numbers, by default 0, 1, 2, ...
    confidence : float
        The level of the intervals.
    progress : callable, optional
        Called with `doing=` a few words on what is being done.

    Returns
    -------
    Fit or Fits
        The estimates; a `Fits` for a list of behaviours.

    Raises
    ------
    MarketError
        If choices have no likelihood under a behaviour, or if it cannot be known what customers
        saw.

    Examples
    --------
    >>> from kcmab_abm import fit, make_scenario, play
    >>> customers = {"behaviour": "logit", "tau": 0.1}
    >>> market = {"arms": {"law": "bernoulli", "means": [0.7, 0.4]}, "customers": customers}
    >>> scenario = make_scenario({"horizon": 500, "market": market, "policy": [{"name": "ucb"}]})
    >>> found = fit(play(scenario), "logit", scenario=scenario)
    >>> low, high = found.intervals["tau"]
    >>> low < 0.1 < high
    True
    """
    if not 0.0 < confidence < 1.0:
        raise MarketError(f"confidence: must be between 0 and 1, got {confidence}")
    several = isinstance(behaviour, Sequence) and not isinstance(behaviour, str)
    tables: list[Any] = list(behaviour) if several else [behaviour]
    if not tables:
        raise MarketError("behaviour: must be at least one, got none")
    tell = progress or (lambda **_: None)
    tell(doing="reading choices")
    observed = observe(run, scenario, policy, replications)
    found = []
    for table in tables:
        customers = Customers(table, observed)
        tell(doing=f"fitting {customers.label} (compiled on first use)")
        found.append(_fit(customers, confidence))
    return Fits(tuple(found)) if several else found[0]


def _fit(customers: Customers, confidence: float) -> Fit:
    observed, likelihood = customers.observed, Likelihood(customers)
    profile = Profile(likelihood, confidence)
    estimates = profile.estimates()
    own, likeliest = customers.chances(likelihood.values(profile.peak.place, profile.peak.whole))
    impossible = int((own <= 0.0).sum())
    with np.errstate(divide="ignore"):
        log_likelihood = float(np.log(own).sum())
    return Fit(
        behaviour=customers.label,
        estimates=estimates,
        confidence=confidence,
        log_likelihood=log_likelihood,
        choices=observed.choices,
        explained=float(likeliest.mean()),
        impossible=impossible,
        notes=(*_notes(customers, estimates, impossible), *observed.notes),
        customers=customers.fitted({word: each.value for word, each in estimates.items()}),
        _scenario=observed.scenario,
    )


def _notes(customers: Customers, estimates: dict[str, Estimate], impossible: int) -> Iterator[str]:
    if impossible:
        yield (
            f"{impossible:,} of {customers.observed.choices:,} choices are impossible for these "
            "customers, so that the likelihood is 0; compare the share explained, or choose a "
            'decision with noise, such as { rule = "logit" }'
        )
        return
    for word, each in estimates.items():
        if not each.is_identified:
            yield (
                f"{word} is not identified: the likelihood is about the same for all its values, "
                "or for all of them with suitable values of the others"
            )
        elif each.open_below:
            yield f"{word}: the choices do not bound it from below"
        elif each.open_above:
            yield f"{word}: the choices do not bound it from above"
