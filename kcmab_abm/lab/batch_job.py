"""A batch run in the background: waiting, compiling, running, and stopped when nobody wants it."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Literal, NamedTuple
from weakref import WeakSet

import pandas as pd

from kcmab_abm.errors import EngineError, MarketError
from kcmab_abm.experiment import choose_engine, simulate
from kcmab_abm.lab.desk import Desk, shown_settings
from kcmab_abm.results import Results
from kcmab_abm.scenario import make_scenario
from kcmab_abm.workers import cores

State = Literal["waiting", "compiling", "running", "done", "cancelled", "failed"]

AT_ONCE = 2  # runs of all visitors together; the others wait their turn
MOST_INTERPRETED = 2_000_000  # customers that the market engine serves in a batch: some minutes
# A core is left to the page. With two the market engine runs in processes of its own, and the page
# need not share Python's lock with it.
_JOBS = max(2, cores() - 1)

_lanes = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="batch")
_jobs: WeakSet[BatchJob] = WeakSet()
_compiling = threading.Lock()  # two runs that need the same kernel compile it once


class Outcome(NamedTuple):
    """What came out of a run, its tables worked out already."""

    results: Results
    summary: pd.DataFrame
    curves: pd.DataFrame


class _Cancelled(Exception):
    """Nobody wants the results any more."""


class BatchJob:
    """All replications of what is on a desk, run by other threads or processes.

    It may be looked at from any thread at any time. `cancel` ends it within a moment, unless it
    compiles: that is finished first.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.scenario = make_scenario(shown_settings(desk))
        self.state: State = "waiting"
        self.served = 0
        self.outcome: Outcome | None = None
        self.problem = ""
        self.seconds = 0.0
        self._unwanted = threading.Event()
        _jobs.add(self)
        self._task = _lanes.submit(self._run)

    @property
    def customers(self) -> int:
        """How many customers there are in all replications."""
        scenario = self.scenario
        return scenario.horizon * scenario.replications * len(scenario.policies)

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self._task.done()

    def cancel(self) -> None:
        """Stop it; what it has done so far is thrown away."""
        self._unwanted.set()
        if self._task.cancel():
            self.state = "cancelled"

    def wait(self, seconds: float) -> None:
        """Wait until it is over."""
        wait([self._task], seconds)

    def _run(self) -> None:
        try:
            self.state = "compiling"
            self._find_engines()
            self.state = "running"
            begun = time.perf_counter()
            results = simulate(self.scenario, jobs=_JOBS, progress=self._note)
            self.seconds = time.perf_counter() - begun
            self.outcome = Outcome(results, results.summary(), results.curves())
            self.state = "done"
        except _Cancelled:
            self.state = "cancelled"
        except MarketError as error:
            self._fail(str(error))
        except Exception as error:  # of a policy or behaviour that is not the package's own
            logging.getLogger(__name__).exception("a batch run failed")
            self._fail(f"{type(error).__name__}: {error}")

    def _find_engines(self) -> None:
        """Compile what can be compiled, and refuse what would take the market engine hours."""
        with _compiling:
            self._stop_if_unwanted()
            used = [choose_engine(self.scenario, each, "auto") for each in self.scenario.policies]
        for each in used:
            if each.engine == "market" and self.customers > MOST_INTERPRETED:
                raise EngineError(
                    f"this needs the market engine ({each.reason}), for which "
                    f"{self.customers:,} customers are too many here; at most "
                    f"{MOST_INTERPRETED:,}: ask for fewer replications or customers, or use "
                    "'kcmab run'"
                )

    def _note(self, served: int, _: int) -> None:
        self.served = served
        self._stop_if_unwanted()

    def _stop_if_unwanted(self) -> None:
        if self._unwanted.is_set():
            raise _Cancelled

    def _fail(self, problem: str) -> None:
        self.problem, self.state = problem, "failed"


def cancel_all() -> None:
    """Stop every run of every visitor, for a server that ends."""
    for job in [*_jobs]:
        job.cancel()
