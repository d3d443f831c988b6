"""Induction over the records of two Bernoulli arms, one block of records at a time.

This file is a template like `driver.py`: `compile.py` executes it, and its machine code is kept on
disk. A block has numbers for all records with `n1` and `n2` reports, by s1 and s2. It is written in
place: `here` also has the numbers for one more report on arm 2, and `after` those for one more on
arm 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.options import compiled_entry

Floats = NDArray[np.float64]


@compiled_entry
def promote_cheaper(
    here: Floats, after: Floats, first: Floats, second: Floats, lead: Floats, behind: Floats
) -> None:
    """Promote the arm that costs less in each record, arm 1 if both cost the same.

    `here` has the costs after one more report on arm 2, and then those of the records: all costs,
    and the payments among them. `after` has those after one more report on arm 1.
    `first` and `second` are the expected rewards of both arms for every s1 and s2; `lead` and
    `behind` are what customers pay attention to, their empirical means times the price.
    """
    for s1 in range(len(first)):
        p = first[s1]
        q = 1.0 - p
        for s2 in range(len(second)):
            u = second[s2]
            v = 1.0 - u
            gap = lead[s1] - behind[s2]
            offer_1 = max(-gap, 0.0)
            offer_2 = max(gap, 0.0)
            total_1 = p * (after[0, s1 + 1, s2] - 1.0) + q * after[0, s1, s2] + offer_1
            total_2 = u * (here[0, s1, s2 + 1] - 1.0) + v * here[0, s1, s2] + offer_2
            paid_1 = p * after[1, s1 + 1, s2] + q * after[1, s1, s2] + offer_1
            paid_2 = u * here[1, s1, s2 + 1] + v * here[1, s1, s2] + offer_2
            is_first = total_1 <= total_2
            here[0, s1, s2] = total_1 if is_first else total_2
            here[1, s1, s2] = paid_1 if is_first else paid_2


@compiled_entry
def spread_by_chance(
    here: Floats,
    after: Floats,
    first: Floats,
    second: Floats,
    lead: Floats,
    behind: Floats,
    chances: Floats,
    row: Floats,
) -> tuple[float, float]:
    """Promote each arm with a given probability; returns the expected reward and payment.

    `here` has the probabilities of the records by state, s1 and s2, and then those with one more
    report on arm 2; those with one more on arm 1 are added to `after`.
    `chances[state, arm, then, s1, s2]` is the probability that in this state of its memory the
    controller promotes this arm and remembers `then`. `row` is space for one record.
    """
    states = len(here)
    reward = 0.0
    paid = 0.0
    for s1 in range(len(first)):
        p = first[s1]
        for s2 in range(len(second) - 1, -1, -1):
            u = second[s2]
            gap = lead[s1] - behind[s2]
            for state in range(states):
                row[state] = here[state, s1, s2]
                here[state, s1, s2] = 0.0
            for state in range(states):
                if row[state] == 0.0:
                    continue
                for then in range(states):
                    one = row[state] * chances[state, 0, then, s1, s2]
                    two = row[state] * chances[state, 1, then, s1, s2]
                    reward += one * p + two * u
                    paid += one * max(-gap, 0.0) + two * max(gap, 0.0)
                    after[then, s1 + 1, s2] += one * p
                    after[then, s1, s2] += one * (1.0 - p)
                    here[then, s1, s2 + 1] += two * u
                    here[then, s1, s2] += two * (1.0 - u)
    return reward, paid
