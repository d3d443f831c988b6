"""Contract checks for policies, behaviours, pricing rules and laws, the package's own and yours."""

from kcmab_abm.testing.checks import (
    check_behaviour,
    check_decision,
    check_disclosure,
    check_law,
    check_policy,
    check_pricing,
)
from kcmab_abm.testing.measures import check_measure

__all__ = [
    "check_behaviour",
    "check_decision",
    "check_disclosure",
    "check_law",
    "check_measure",
    "check_policy",
    "check_pricing",
]
