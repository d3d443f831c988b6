"""A table of the costs so far."""

from __future__ import annotations

from kcmab_abm.lab.model.session import Session
from kcmab_abm.lab.widgets.live_updates import LivePart


class TotalsTable(LivePart, component="totals_table.js"):
    """Totals, one column per market."""

    def show(self, session: Session, regret: bool = True) -> None:
        """Show the totals so far; `regret` only where the true means are no secret."""
        self.tell(
            [
                {"label": market.policy.label, **market.totals._asdict()}
                | ({} if regret else {"regret": None})
                for market in session.markets
            ]
        )
