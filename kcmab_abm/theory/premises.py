"""What the bounds assume about a market, and where a scenario differs.

The theorems are about the game of the paper: arms that stand still, greedy customers who see the
whole record and all report at once, and a controller who offers the gap. In any other market a
bound can be far too small, so each is shown only where everything that it assumes holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

# For all laws on [0, 1], with any value of these parameters and the defaults of all others.
LOW_REGRET: dict[str, tuple[str, ...]] = {"ucb": (), "kl-ucb": ("c",), "ts": (), "modified-ts": ()}
ONLY_WITH = {"kl-ucb": "remaining"}  # parameters without which the horizon is not used


@dataclass(frozen=True)
class Premise:
    """Something that bounds assume about a scenario."""

    where: str  # the setting that decides it
    assumed: str
    remedy: str
    found: Callable[[Scenario], str]  # what a scenario has instead; '' if the premise holds

    def fault(self, scenario: Scenario) -> str:
        """Return why the premise does not hold; '' if it does."""
        if not (found := self.found(scenario)):
            return ""
        return f"{self.where}: the bounds assume {self.assumed}, got {found}; {self.remedy}"


def _random(scenario: Scenario) -> str:
    return "means drawn anew in every replication" if scenario.market.is_random else ""


def _change(scenario: Scenario) -> str:
    market = scenario.market
    return "" if market.is_steady else f"{market.change.kind!r}"


def _disclosure(scenario: Scenario) -> str:
    market = scenario.market
    return f"{market.disclosure.label!r}" if market.is_selective else ""


def _customers(scenario: Scenario) -> str:
    label = scenario.market.customers.label
    return "" if label == "greedy" else f"{label!r}"  # the entry has this name with any decision


def _offers(scenario: Scenario) -> str:
    purse = scenario.purse
    if purse.is_least:
        return ""
    differs = {
        f"the offer {purse.offer.label!r}": purse.offer.entry.name != "least",
        "a cap": purse.cap < math.inf,
        "a budget": purse.budget < math.inf,
        "a period_budget": purse.period_budget < math.inf,
        f"also = {purse.also}": purse.also > 0,
        f"misjudgement = {purse.misjudgement:g}": purse.misjudgement > 0.0,
        f"knows = {purse.knows!r}": purse.knows != "book",
        "fees": purse.fees,
    }
    return _listed(differs)


def _reports(scenario: Scenario) -> str:
    share = scenario.market.report_probability
    return "" if share >= 1.0 else f"{share:g}"


def _waits(scenario: Scenario) -> str:
    market = scenario.market
    differs = {
        "a capacity": market.capacity is not None,
        "a service_time": not market.service_time.is_zero,
        "a report_delay": not market.report_delay.is_zero,
    }
    return _listed(differs)


def _few_arms(scenario: Scenario) -> str:
    count = len(scenario.market.arms)
    return "" if count > 1 else f"{count}"


def _ties(scenario: Scenario) -> str:
    if scenario.market.is_random:
        return ""  # another premise fails
    means = scenario.market.means
    ties = int((means == means.max()).sum())
    return "" if ties == 1 else f"{ties} arms with the highest mean, {means.max():g}"


def _best_law(scenario: Scenario) -> str:
    if scenario.market.is_random:
        return ""  # another premise fails
    arms = scenario.market.arms
    best = max(arm.mean for arm in arms)
    laws = {arm.law.name for arm in arms if arm.mean == best}
    return "" if "bernoulli" in laws else f"the law {min(laws)!r}"


def _free_customers(scenario: Scenario) -> str:
    rounds = [each for each in scenario.policies if each.entry.name == "modified-ts"]
    most = max((each.params.free_customers for each in rounds), default=1)
    return "" if most == 1 else f"free_customers = {most}"


def has_low_regret(choice: Choice) -> bool:
    """Whether a policy is known to have regret o(T^a) for every a > 0 in every market."""
    entry = choice.entry
    if not entry.is_own or entry.name not in LOW_REGRET:
        return False
    fixed = [name for name in entry.parameters if name not in LOW_REGRET[entry.name]]
    return all(getattr(choice.params, name) == entry.parameters[name].default for name in fixed)


def knows_horizon(choice: Choice) -> bool:
    """Whether a policy asks for the number of customers T, or has memory of that length."""
    if choice.entry.is_own and choice.entry.name in ONLY_WITH:
        return bool(getattr(choice.params, ONLY_WITH[choice.entry.name]))
    return choice.entry.asks_for("horizon") or "horizon" in choice.entry.memory.values()


def _regret(scenario: Scenario) -> str:
    unknown = [repr(each.label) for each in scenario.policies if not has_low_regret(each)]
    return ", ".join(unknown) and f"{', '.join(unknown)}, of which this is not known"


def _listed(differs: dict[str, bool]) -> str:
    return " and ".join(words for words, is_so in differs.items() if is_so)


ONE_MARKET = Premise("market.arms", "one market", "give a list of means", _random)
STEADY = Premise(
    "market.change", "arms that do not change", "remove the change from the scenario", _change
)
WHOLE_RECORD = Premise(
    "market.disclosure",
    "customers who see the whole record",
    "choose the rule 'full'",
    _disclosure,
)
GREEDY = Premise(
    "market.customers",
    "greedy customers",
    "choose the behaviour 'greedy', without a decision",
    _customers,
)
LEAST = Premise(
    "purse",
    "that exactly the gap of the record is offered, to every target and on no other arm",
    "choose the offer 'least' and leave out all other settings of the purse",
    _offers,
)
REPORTS = Premise(
    "market.report_probability", "that every customer reports", "set it to 1", _reports
)
AT_ONCE = Premise("market", "reports that arrive at once", "leave it out", _waits)
SEVERAL = Premise("market.arms", "at least two arms", "add another", _few_arms)
UNIQUE = Premise("market.arms", "a unique best arm", "raise or lower one of the means", _ties)
COIN = Premise(
    "market.arms",
    "that the best arm has Bernoulli rewards",
    "choose the law 'bernoulli' for it",
    _best_law,
)
ONE_FREE = Premise(
    "policy",
    "one free customer in each round of 'modified-ts'",
    "leave out free_customers",
    _free_customers,
)
CONSISTENT = Premise(
    "policy",
    "regret that grows more slowly than any power of T in every market",
    f"policies of which it is known, with their default settings: {', '.join(LOW_REGRET)}",
    _regret,
)

# Offers do not matter to a lower bound on regret, and lost or late reports only raise regret.
RECORD = (ONE_MARKET, STEADY, WHOLE_RECORD, GREEDY)
GAME = (*RECORD, SEVERAL, LEAST, REPORTS, AT_ONCE)
