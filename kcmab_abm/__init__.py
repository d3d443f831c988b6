"""An agent-based market simulator for multi-armed bandits with compensation."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version

from kcmab_abm import gym, theory
from kcmab_abm.catalogue.decorators import behaviour, decision, policy, pricing
from kcmab_abm.catalogue.disclosure_decorator import disclosure
from kcmab_abm.catalogue.entries import Entry, Law, LawSettings, Parameter, Settings
from kcmab_abm.catalogue.law_decorator import law
from kcmab_abm.catalogue.measuring import measure
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
    Catalogue,
)
from kcmab_abm.errors import MarketError, ScenarioError
from kcmab_abm.market.open_market import OpenMarket, open_market
from kcmab_abm.model.book import Book, highest, leader
from kcmab_abm.model.offers import Board, best_deal
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.results.drawing import draw_with as _draw_with
from kcmab_abm.results.results import Results
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.running.experiment import play, run, simulate, sweep
from kcmab_abm.running.load_results import load_results
from kcmab_abm.scenario.scenario import Scenario, load_scenario, make_scenario
from kcmab_abm.scenario.world import Market

_draw_with(lambda: _import_module("kcmab_abm.figures.publication"))  # matplotlib is slow to import

__version__ = _version("kcmab-abm")

__all__ = [
    "Board",
    "Book",
    "LawSettings",
    "Market",
    "MarketError",
    "OpenMarket",
    "Parameter",
    "Results",
    "Scenario",
    "ScenarioError",
    "Settings",
    "SweepResults",
    "Trajectory",
    "behaviour",
    "behaviours",
    "best_deal",
    "decision",
    "decisions",
    "disclosure",
    "disclosures",
    "gym",
    "highest",
    "law",
    "laws",
    "leader",
    "load_results",
    "load_scenario",
    "make_scenario",
    "measure",
    "measures",
    "open_market",
    "play",
    "policies",
    "policy",
    "pricing",
    "pricing_rules",
    "run",
    "simulate",
    "sweep",
    "theory",
]


def policies() -> Catalogue[Entry]:
    """Return the policies by name."""
    return POLICIES


def behaviours() -> Catalogue[Entry]:
    """Return the behaviours of customers by name."""
    return BEHAVIOURS


def decisions() -> Catalogue[Entry]:
    """Return the decisions of customers by name."""
    return DECISIONS


def pricing_rules() -> Catalogue[Entry]:
    """Return the pricing rules by name."""
    return PRICING


def disclosures() -> Catalogue[Entry]:
    """Return the disclosures by name: what customers may see of the record."""
    return DISCLOSURES


def measures() -> Catalogue[Entry]:
    """Return the measures by name."""
    return MEASURES


def laws() -> Catalogue[Law]:
    """Return the reward laws by name."""
    return LAWS


def __dir__() -> list[str]:
    """The public names only; folders and what they import are not part of them."""
    return [*__all__, "__version__"]
