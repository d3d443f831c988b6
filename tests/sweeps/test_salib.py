"""Sobol indices against those of SALib."""

from __future__ import annotations

import numpy as np
from SALib.analyze import sobol as analyze
from SALib.sample import sobol as sample

from kcmab_abm.results.sensitivity import sobol_indices
from tests.sweeps.test_sensitivity import estimated, ishigami

PROBLEM = {"num_vars": 3, "names": ["x1", "x2", "x3"], "bounds": [[-np.pi, np.pi]] * 3}


def test_indices_of_the_ishigami_function_agree_with_salib():
    """On SALib's design the estimates are the same, and on ours to the second digit."""
    points = sample.sample(PROBLEM, 2**13, calc_second_order=False, seed=1)
    theirs = analyze.analyze(PROBLEM, ishigami(points), calc_second_order=False, seed=1)
    values = ishigami(points).reshape(-1, 5)
    same = sobol_indices(values[:, 0], values[:, 4], values[:, 1:4].T, resamples=2)
    ours = estimated(ishigami, 3, 2**13)
    for name, kind in (("S1", "first"), ("ST", "total")):
        assert np.allclose(getattr(same, kind), theirs[name], rtol=0.0, atol=1e-9)
        assert np.abs(getattr(ours, kind) - theirs[name]).max() < 0.005
