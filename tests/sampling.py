"""Pairs of which the slow checks try a sample and the exhaustive ones all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def sampled_pairs(rows: Sequence[Any], columns: Sequence[Any]) -> list[Any]:
    """All pairs as cases: slow are those of a sample in which every row and column occurs."""
    step = min(len(rows), len(columns))
    cases = []
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            mark = pytest.mark.slow if (i - j) % step == 0 else pytest.mark.exhaustive
            cases.append(pytest.param(row, column, marks=mark))
    return cases
