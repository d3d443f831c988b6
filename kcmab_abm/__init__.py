"""An agent-based market simulator for multi-armed bandits with compensation.

Public names are imported when they are first used: `import kcmab_abm` and `kcmab --help` need
neither pandas nor SciPy.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING
from typing import Any as _Any

from kcmab_abm.results.artist import draw_with as _draw_with

if TYPE_CHECKING:
    from kcmab_abm import gym, theory
    from kcmab_abm.catalogue.decorators import behaviour, decision, policy, pricing
    from kcmab_abm.catalogue.disclosure_decorator import disclosure
    from kcmab_abm.catalogue.entries import Entry, Law, LawSettings, Parameter, Settings
    from kcmab_abm.catalogue.law_decorator import law
    from kcmab_abm.catalogue.measuring import measure
    from kcmab_abm.catalogue.registry import Catalogue
    from kcmab_abm.errors import MarketError, ScenarioError
    from kcmab_abm.fitting.choices import fit
    from kcmab_abm.fitting.fits import Fit, Fits
    from kcmab_abm.market.open_market import OpenMarket, open_market
    from kcmab_abm.model.book import Book, highest, leader
    from kcmab_abm.model.offers import Board, best_deal
    from kcmab_abm.model.trajectory import Trajectory
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
    "Fit",
    "Fits",
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
    "fit",
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

# Where the names are that are not defined here; `gym` and `theory` are packages themselves.
_HOMES = {
    "catalogue.decorators": ("behaviour", "decision", "policy", "pricing"),
    "catalogue.disclosure_decorator": ("disclosure",),
    "catalogue.entries": ("LawSettings", "Parameter", "Settings"),
    "catalogue.law_decorator": ("law",),
    "catalogue.measuring": ("measure",),
    "errors": ("MarketError", "ScenarioError"),
    "fitting.choices": ("fit",),
    "fitting.fits": ("Fit", "Fits"),
    "market.open_market": ("OpenMarket", "open_market"),
    "model.book": ("Book", "highest", "leader"),
    "model.offers": ("Board", "best_deal"),
    "model.trajectory": ("Trajectory",),
    "results.results": ("Results",),
    "results.sweep_results": ("SweepResults",),
    "running.experiment": ("play", "run", "simulate", "sweep"),
    "running.load_results": ("load_results",),
    "scenario.scenario": ("Scenario", "load_scenario", "make_scenario"),
    "scenario.world": ("Market",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        """Import a public name when it is first used."""
        if name in ("gym", "theory"):
            return _import_module(f"{__name__}.{name}")
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(_import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value


def policies() -> Catalogue[Entry]:
    """Return the policies by name."""
    from kcmab_abm.catalogue.registry import POLICIES

    return POLICIES


def behaviours() -> Catalogue[Entry]:
    """Return the behaviours of customers by name."""
    from kcmab_abm.catalogue.registry import BEHAVIOURS

    return BEHAVIOURS


def decisions() -> Catalogue[Entry]:
    """Return the decisions of customers by name."""
    from kcmab_abm.catalogue.registry import DECISIONS

    return DECISIONS


def pricing_rules() -> Catalogue[Entry]:
    """Return the pricing rules by name."""
    from kcmab_abm.catalogue.registry import PRICING

    return PRICING


def disclosures() -> Catalogue[Entry]:
    """Return the disclosures by name: what customers may see of the record."""
    from kcmab_abm.catalogue.registry import DISCLOSURES

    return DISCLOSURES


def measures() -> Catalogue[Entry]:
    """Return the measures by name."""
    from kcmab_abm.catalogue.registry import MEASURES

    return MEASURES


def laws() -> Catalogue[Law]:
    """Return the reward laws by name."""
    from kcmab_abm.catalogue.registry import LAWS

    return LAWS


def __dir__() -> list[str]:
    """The public names only; folders and what they import are not part of them."""
    return [*__all__, "__version__"]
