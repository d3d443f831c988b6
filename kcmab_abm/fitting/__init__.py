"""Which customers made these choices: maximum likelihood."""

from kcmab_abm.fitting.choices import fit
from kcmab_abm.fitting.estimate import Estimate
from kcmab_abm.fitting.fits import Fit, Fits

__all__ = ["Estimate", "Fit", "Fits", "fit"]
