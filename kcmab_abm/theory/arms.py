"""The arms that a bound is computed for: a scenario's, or coins with these means."""

from __future__ import annotations

from collections.abc import Sequence

from kcmab_abm.catalogue.registry import LAWS
from kcmab_abm.scenario.world import Arm

Arms = Sequence[Arm] | Sequence[float]


def as_arms(arms: Arms) -> list[Arm]:
    """The arms themselves; a number stands for a Bernoulli arm with this mean."""
    bernoulli = LAWS["bernoulli"]
    return [arm if isinstance(arm, Arm) else Arm(bernoulli, (float(arm),)) for arm in arms]


def gaps(arms: Arms) -> list[float]:
    """The positive gaps Delta_i = mu_1 - mu_i, in the order of the arms."""
    means = [arm.mean for arm in as_arms(arms)]
    return [max(means) - mean for mean in means if mean < max(means)]


def gaps_to_one(arms: Arms, theorem: str) -> list[float]:
    """The gaps of all arms but one, for a theorem that assumes a unique best arm.

    >>> gaps_to_one([0.6, 0.6, 0.1], "Theorem 2")
    Traceback (most recent call last):
    ...
    ValueError: Theorem 2 assumes a unique best arm, but 2 arms have the highest mean, 0.6; ...
    """
    found = gaps(arms)
    if (ties := len(arms) - len(found)) > 1:
        highest = max(arm.mean for arm in as_arms(arms))
        raise ValueError(
            f"{theorem} assumes a unique best arm, but {ties} arms have the highest mean, "
            f"{highest:g}; there is no bound for this market: change the means so that one arm "
            "is the best"
        )
    return found
