"""Whether a scenario has the market that its policies are made for."""

from __future__ import annotations

from collections.abc import Iterator

from kcmab_abm.catalogue.needs import Needs
from kcmab_abm.scenario.purse import PurseRules
from kcmab_abm.scenario.world import Market


def unmet(needs: Needs, horizon: int, market: Market, purse: PurseRules) -> Iterator[str]:
    """Yield what a policy needs and does not find, and what to do."""
    if horizon > needs.horizon:
        yield f"at most {needs.horizon:,} customers, because {needs.why}; got horizon = {horizon:,}"
    if len(market.arms) != needs.arms:
        yield f"{needs.arms} arms; market.arms has {len(market.arms)}"
    if others := sorted({arm.law.name for arm in market.arms} - {needs.law}):
        yield f"arms of the law {needs.law!r}; market.arms has {', '.join(map(repr, others))}"
    if market.customers.label != "greedy":  # the label of the entry with a decision is longer
        yield f"greedy customers; market.customers are {market.customers.label!r}"
    if not purse.is_least:
        yield "exactly the gap of the record as offer; choose 'least' and leave out other limits"
    if not market.is_steady:
        yield "arms that do not change; leave out market.change"
    if market.is_selective:
        yield "customers who see the whole record; leave out market.disclosure"
    if market.report_probability < 1.0:
        yield "that every customer reports; leave out market.report_probability"
    if market.is_timed or market.capacity is not None:
        yield "reports that arrive at once; leave out capacity, service_time and report_delay"
