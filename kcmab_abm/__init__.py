"""An agent-based market simulator for multi-armed bandits with compensation."""

from importlib.metadata import version as _version

from kcmab_abm import theory
from kcmab_abm.book import highest, leader
from kcmab_abm.catalogue import LawSettings, Parameter, behaviour, law, policy
from kcmab_abm.errors import MarketError, ScenarioError
from kcmab_abm.experiment import Results, play, simulate
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
    "SweepResults",
    "Trajectory",
    "behaviour",
    "highest",
    "law",
    "leader",
    "load_scenario",
    "make_scenario",
    "play",
    "policy",
    "simulate",
    "sweep",
    "theory",
]
