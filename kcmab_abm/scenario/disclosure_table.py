"""The table of the disclosure: what customers see of the record."""

from __future__ import annotations

from kcmab_abm.catalogue.entries import Entry
from kcmab_abm.catalogue.registry import BEHAVIOURS, DISCLOSURES
from kcmab_abm.scenario.entry_tables import EntryTable, check_memory
from kcmab_abm.scenario.fields import Problems
from kcmab_abm.scenario.world import Choice


class DisclosureTable(EntryTable):
    """What customers see of the record."""

    rule: str

    def build(self, customers: Entry, arms: int, horizon: int, problems: Problems) -> Choice:
        """Return the disclosure for the engines; report if it does not go with the customers."""
        choice = self._choice(DISCLOSURES[self.rule], self.rule)
        check_memory("market.disclosure", choice, arms, horizon, problems)
        if choice.entry is not DISCLOSURES["full"] and customers.hears:
            able = [name for name, each in BEHAVIOURS.items() if not each.hears]
            problems.add(
                "market.disclosure",
                f"{self.rule!r} does not reach customers who hear every report themselves "
                f"({', '.join(customers.hears)}); choose the rule 'full', or customers who only "
                f"read what they are shown: {', '.join(able)}",
            )
        return choice
