"""One market on the page: its customers and its arms."""

from __future__ import annotations

from typing import Any

from kcmab_abm.lab.model.rewindable_market import RewindableMarket
from kcmab_abm.lab.widgets.live_updates import LivePart

CELLS = 30  # rewards of a tape, at most, as in market_view.js
_HAIR = 1e-12  # rounding error of an offer that exactly makes up for a gap


class MarketView(LivePart, component="market_view.js"):
    """The customers and the table of arms of one market."""

    def __init__(self, side: int) -> None:
        super().__init__()
        self.props["side"] = side
        self.classes(f"w-full side-{side}")

    def show(self, market: RewindableMarket, revealed: bool, guessing: bool) -> None:
        """Show the market as it stands."""
        self.tell(market_state(market, revealed) | {"guessing": guessing})


def market_state(market: RewindableMarket, revealed: bool) -> dict[str, Any]:
    """The state sent to the browser; it includes true means only if they are revealed."""
    arms = market.arms(CELLS)
    best = max(arm.mean + arm.offer for arm in arms)
    truths = market.true_means() if revealed else [None] * len(arms)
    return {
        "label": market.policy.label,
        "revealed": revealed,
        "customer": min(market.shown + 1, market.scenario.horizon),
        "clock": market.clock,
        "sees": market.sees(),
        "did": market.did(),
        "payment": market.last.payment if market.last is not None else 0.0,
        "arms": [
            {
                **arm._asdict(),
                "tape": [round(reward, 3) for reward in arm.tape],
                "best": arm.pulls > 0 and arm.mean + arm.offer > best - _HAIR,
                "truth": truth,
            }
            for arm, truth in zip(arms, truths, strict=True)
        ],
    }
