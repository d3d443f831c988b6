"""Estimate by maximum likelihood which customers made some choices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from kcmab_abm.errors import MarketError
from kcmab_abm.fitting.estimate import Estimate
from kcmab_abm.fitting.fits import Fit, Fits
from kcmab_abm.fitting.observed import Runs, observe
from kcmab_abm.scenario.scenario import Scenario

if TYPE_CHECKING:
    from kcmab_abm.fitting.customers import Behaviour, Customers

Doing = Callable[..., object]


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
    behaviour: list[Behaviour] | tuple[Behaviour, ...],
    *,
    scenario: Scenario | None = ...,
    policy: str | None = ...,
    replications: Collection[int] | None = ...,
    confidence: float = ...,
    progress: Doing | None = ...,
) -> Fits: ...


def fit(
    run: Runs,
    behaviour: Behaviour | list[Behaviour] | tuple[Behaviour, ...] = "logit",
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
    >>> found = fit(play(scenario, replication=2), "logit", scenario=scenario)
    >>> [round(limit, 2) for limit in found.intervals["tau"]]
    [0.1, 0.14]
    """
    # Late, because the compiler and SciPy's optimisers take a second to import.
    from kcmab_abm.fitting.customers import Customers

    if not 0.0 < confidence < 1.0:
        raise MarketError(f"confidence: must be between 0 and 1, got {confidence}")
    several = isinstance(behaviour, list | tuple)
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
    from kcmab_abm.fitting.intervals import Profile
    from kcmab_abm.fitting.likelihood import Likelihood

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
