"""The restaurants of the first screen as bars, like those of the README's animation."""

from __future__ import annotations

from kcmab_abm.lab.model.story import RESTAURANTS, Story
from kcmab_abm.lab.widgets.live_updates import LivePart


class StoryView(LivePart, component="story_view.js"):
    """Three bars: how many guests were happy, what is offered, where the last guest went."""

    def show(self, story: Story) -> None:
        """Show the restaurants as the next guest sees them."""
        market = story.market
        last = market.last
        arms = [
            {
                "name": name,
                "technical": f"arm {place}, record {arm.mean:.3f}, {arm.pulls} pulls",
                "happy": round(arm.mean * arm.pulls),
                "guests": arm.pulls,
                "mean": arm.mean,
                "offer": arm.offer,
                "taken": arm.taken,
                "liked": bool(arm.taken and last is not None and last.reward),
                "truth": story.town.shares[place] if story.is_revealed else None,
            }
            for place, (name, arm) in enumerate(zip(RESTAURANTS, market.arms(1), strict=True))
        ]
        guest = None if market.is_over else market.shown + 1
        self.tell({"arms": arms, "guest": guest, "revealed": story.is_revealed})
