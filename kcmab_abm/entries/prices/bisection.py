"""Search for the least incentive of each arm by halving (Scheid et al. 2024).

For customers who know what they want and do not read the record, such as `informed`: the
controller cannot know what they give up for an arm, but it is always the same. It lies between what
was refused and what was accepted, at first between 0 and `limit`. The rule offers the middle
ceil(log2 T) times for each arm, and from then on the least offer that was accepted, which is too
much by at most `limit` / T. The policy `ipa` promotes every arm as often as the search takes.

The rule does not use the gap; customers who change their minds, or choose at random, mislead it.
"""

from __future__ import annotations

from typing import Any

from kcmab_abm.catalogue.decorators import pricing
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.search import most_needed, narrow, trials


def answered(arm: int, offer: float, taken: bool, memory: Any) -> None:
    """Count the offers for the arm, and narrow down what it needs."""
    memory.tried[arm] += 1.0
    narrow(arm, offer, taken, memory)


@pricing(
    "bisection",
    cites="Scheid et al. 2024, incentivized learning in principal-agent bandit games",
    answered=answered,
    memory={"low": "arms", "high": most_needed, "tried": "arms"},
    limit=Parameter(1.0, "most that a customer may have to be paid", gt=0.0, le=100.0),
)
def price(horizon: int, arm: int, memory: Any) -> float:
    """Offers the middle of what an arm may need, and in the end the least that was accepted."""
    if memory.tried[arm] < trials(horizon):
        return 0.5 * (float(memory.low[arm]) + float(memory.high[arm]))
    return float(memory.high[arm])
