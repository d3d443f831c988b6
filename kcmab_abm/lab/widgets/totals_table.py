"""A table of the costs so far."""

from __future__ import annotations

from kcmab_abm.lab.model.session import Session
from kcmab_abm.lab.widgets.live_updates import LivePart


class TotalsTable(LivePart, component="totals_table.js"):
    """Totals, one column per market."""

    def show(self, session: Session) -> None:
        """Show the totals so far."""
        self.tell(
            [
                {"label": market.policy.label, **market.totals._asdict()}
                for market in session.markets
            ]
        )
