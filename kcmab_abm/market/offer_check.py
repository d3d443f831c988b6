"""Check what is given for a customer, before anybody acts on it."""

from __future__ import annotations

from kcmab_abm.errors import MarketError
from kcmab_abm.market.customer import is_arm, is_number
from kcmab_abm.model.budget import Purse, affordable
from kcmab_abm.model.offers import is_offer
from kcmab_abm.scenario.purse import PurseRules


def check_offer(rules: PurseRules, purse: Purse, customer: int, offer: float) -> None:
    """Refuse an offer that is not an amount, or that the purse cannot afford."""
    where = f"offer {offer!r} for customer {customer}"
    if not (is_number(offer) and is_offer(offer, rules.fees)):
        raise MarketError(f"{where}: an offer is a finite number{'' if rules.fees else ' >= 0'}")
    # On copies, because the policy must not see a new budget period before it is asked.
    lately, number = purse.lately.copy(), purse.number.copy()
    trial = purse._replace(pays_rest=True, lately=lately, number=number)
    most = affordable(trial, customer, float(offer))
    if most < offer:
        raise MarketError(f"{where}: the cap and the budgets allow at most {most!r}")


def check_arm(word: str, customer: int, arm: object, arms: int, lowest: int = 0) -> None:
    """Refuse a target or a choice that is not an arm; `lowest` is -1 if she may leave."""
    if not (is_arm(arm) and lowest <= arm < arms):  # type: ignore[operator]
        leaves = ", or -1 to leave" if lowest < 0 else ""
        raise MarketError(
            f"{word} {arm!r} for customer {customer}: no such arm; arms are 0..{arms - 1}{leaves}"
        )


def check_target(target: int | None, customer: int, arms: int, is_needed: bool) -> None:
    """Refuse a target that is not an arm, or none where nobody else chooses one."""
    if target is not None:
        check_arm("target", customer, target, arms)
    elif is_needed:
        raise MarketError(
            f"customer {customer} needs a target, because no policy chooses one: "
            f"step(target=...); arms are 0..{arms - 1}"
        )
