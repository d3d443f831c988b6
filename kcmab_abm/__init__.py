"""An agent-based market simulator for multi-armed bandits with compensation."""

from importlib.metadata import version as _version

# The folder first: imported later, it would take the place of the decorator of the same name.
from kcmab_abm import pricing as _folder  # noqa: F401
from kcmab_abm import theory
from kcmab_abm.book import highest, leader
from kcmab_abm.catalogue import behaviour, law, policy, pricing
from kcmab_abm.entries import LawSettings, Parameter, Settings
from kcmab_abm.errors import MarketError, ScenarioError
from kcmab_abm.experiment import play, simulate
from kcmab_abm.offers import best_deal
from kcmab_abm.output import run
from kcmab_abm.results import Results
from kcmab_abm.scenario import Scenario, load_scenario, make_scenario
from kcmab_abm.sweeps import SweepResults, sweep
from kcmab_abm.trajectory import Trajectory

__version__ = _version("kcmab-abm")

__all__ = [
    "LawSettings",
    "MarketError",
    "Parameter",
    "Results",
    "Scenario",
    "ScenarioError",
    "Settings",
    "SweepResults",
    "Trajectory",
    "behaviour",
    "best_deal",
    "highest",
    "law",
    "leader",
    "load_scenario",
    "make_scenario",
    "play",
    "policy",
    "pricing",
    "run",
    "simulate",
    "sweep",
    "theory",
]
