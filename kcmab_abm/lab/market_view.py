"""One market on the page: the customer and the arms, sent to the browser as one state a tick."""

from __future__ import annotations

from typing import Any

from kcmab_abm.lab.live import LivePart
from kcmab_abm.lab.show import Show

CELLS = 30  # of a tape, at most, as in market_view.js
_HAIR = 1e-12  # what rounding may take from an offer that just makes up for a gap


class MarketView(LivePart, component="market_view.js"):
    """The table of arms and what the customers do, of the market on one side."""

    def __init__(self, side: int) -> None:
        super().__init__()
        self.props["side"] = side
        self.classes(f"w-full side-{side}")

    def show(self, show: Show, revealed: bool, guessing: bool) -> None:
        """Show the market at the place where it is."""
        self.tell(market_state(show, revealed) | {"guessing": guessing})


def market_state(show: Show, revealed: bool) -> dict[str, Any]:
    """What the browser is told of a market; the true means only when they are revealed."""
    arms = show.arms(CELLS)
    best = max(arm.mean + arm.offer for arm in arms)
    truths = show.true_means() if revealed else [None] * len(arms)
    return {
        "label": show.policy.label,
        "revealed": revealed,
        "customer": min(show.shown + 1, show.scenario.horizon),
        "clock": show.clock,
        "sees": show.sees(),
        "did": show.did(),
        "payment": show.last.payment if show.last is not None else 0.0,
        "arms": [
            {
                "mean": arm.mean,
                "pulls": arm.pulls,
                "offer": arm.offer,
                "target": arm.is_target,
                "taken": arm.taken,
                "tape": [round(reward, 3) for reward in arm.tape],
                "best": arm.pulls > 0 and arm.mean + arm.offer > best - _HAIR,
                "truth": truth,
            }
            for arm, truth in zip(arms, truths, strict=True)
        ],
    }
