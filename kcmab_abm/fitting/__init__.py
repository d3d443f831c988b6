"""Which customers made these choices: maximum likelihood."""

from kcmab_abm.fitting.fit import Fit, Fits, fit
from kcmab_abm.fitting.intervals import Estimate

__all__ = ["Estimate", "Fit", "Fits", "fit"]
