"""Many markets of one scenario side by side, each advanced by one customer per call."""

from __future__ import annotations

from typing import Any, NoReturn, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from kcmab_abm.batch.linking import link_stepper
from kcmab_abm.batch.picking import STREAMS, WORDS
from kcmab_abm.batch.ready import prepare
from kcmab_abm.batch.state import DONE, Block, Markets
from kcmab_abm.errors import EngineError
from kcmab_abm.model import streams
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice


class SideBySide:
    """Markets under a policy, and perhaps a pricing rule, that do what their memory says.

    `markets` has the states of all markets after their last customers, and `block` these customers,
    one line per market; the next step overwrites them.
    """

    def __init__(self, scenario: Scenario, policy: Choice, count: int) -> None:
        horizon = scenario.horizon
        ready = prepare(scenario, policy, count, np.array([horizon]), horizon)
        self._advance, self._streams, self._job = ready.advance, ready.streams, ready.job
        self.markets = Markets(
            states=_repeated(ready.job.state, count, {}),
            words=np.zeros((count, len(STREAMS), WORDS), np.uint64),
            status=np.zeros(count, np.int64),
            affordable=np.zeros(count),
        )
        self._stepper = link_stepper(self._streams, self._job, self.markets)
        self._kept = np.zeros(self._stepper.room, np.uint8)
        self._address = self._kept.ctypes.data

    @property
    def block(self) -> Block:
        """The last customer of each market."""
        return self._job.block

    def open(self, seed: int, replications: NDArray[np.uint64]) -> None:
        """Begin these replications of the experiment with this seed, one per market."""
        world = self._job.world._replace(root=streams.root_key(seed))
        self._job = self._job._replace(world=world)
        self._stepper.keep_markets(
            self._advance, self._streams, self._job, self.markets, self._address
        )
        self._stepper.open_markets(self._address, replications)

    def step(self, start: int, targets: NDArray[np.int64], offers: NDArray[np.float64]) -> None:
        """Simulate customer `start + 1` of every market; see `status` for whether all went well."""
        self.markets.status[:] = DONE
        self._stepper.step_markets(self._address, start, targets, offers)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise EngineError(
            "markets in compiled code cannot be copied or pickled; make another environment, or "
            "use engine='market'"
        )


def _repeated(part: Any, count: int, made: dict[int, NDArray[Any]]) -> Any:
    """A named tuple of arrays with another axis: `count` copies of every array.

    An array that occurs twice is still one array; `made` has them by the identity of the original.
    """
    if isinstance(part, tuple):
        return type(part)(*(_repeated(each, count, made) for each in part))
    if isinstance(part, np.ndarray):
        if id(part) not in made:
            made[id(part)] = np.repeat(part[np.newaxis], count, axis=0)
        return made[id(part)]
    return part
