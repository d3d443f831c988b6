"""A batch run in the background, from waiting to done, which can be cancelled at any time."""

from __future__ import annotations

import logging
import threading
import time
from typing import Literal, NamedTuple
from weakref import WeakSet

import pandas as pd

from kcmab_abm.errors import EngineError, MarketError
from kcmab_abm.lab.model import batch_queue
from kcmab_abm.lab.model.batch_queue import BatchQueue
from kcmab_abm.lab.model.market_setup import Setup, shown_settings
from kcmab_abm.results.results import Results
from kcmab_abm.running.engine_choice import choose_engine
from kcmab_abm.running.experiment import simulate
from kcmab_abm.running.options import Engine
from kcmab_abm.running.workers import cores
from kcmab_abm.scenario.scenario import make_scenario

State = Literal["waiting", "compiling", "running", "done", "cancelled", "failed"]

AT_ONCE = 2  # runs of all visitors together; others wait their turn
DEADLINE = 180.0  # seconds that a run may take, without compilation
MOST_INTERPRETED = 2_000_000  # customers in a run of the market engine: a few minutes
# Combinations of controllers and customers that are compiled: machine code takes up to 11 MB each
# and cannot be unloaded, and visitors can mix customers in any number of ways.
MOST_KERNELS = 60
# One core is left to the page. With two or more jobs the market engine runs in processes of its
# own and does not compete with the page for Python's lock.
_JOBS = max(2, cores() - 1)

_queue = BatchQueue(AT_ONCE)
_jobs: WeakSet[BatchJob] = WeakSet()
_compiling = threading.Lock()  # two runs that need the same kernel compile it once
_compiled: set[tuple[object, ...]] = set()  # the combinations of all visitors so far


class Outcome(NamedTuple):
    """The results of a run, with the tables that the page shows."""

    results: Results
    summary: pd.DataFrame
    curves: pd.DataFrame


class _Cancelled(Exception):
    """The run was cancelled."""


class _TooLong(Exception):
    """The run has taken longer than it may."""


class BatchJob:
    """All replications of a setup, run by other threads or processes.

    `owner` is the visitor whose quota it counts towards; '' has none.

    The job can be inspected from any thread at any time. `cancel` ends it at once, except that
    compilation is finished first.
    """

    def __init__(self, setup: Setup, owner: str = "") -> None:
        self.setup = setup
        self.scenario = make_scenario(shown_settings(setup))
        self.state: State = "waiting"
        self.served = 0
        self.outcome: Outcome | None = None
        self.problem = ""
        self.seconds = 0.0
        self._cancelled = threading.Event()
        self._begun = 0.0
        _jobs.add(self)
        self._task = _queue.submit(self._run, float(self.customers), owner)

    @property
    def customers(self) -> int:
        """The number of customers in all replications."""
        scenario = self.scenario
        return scenario.horizon * scenario.replications * len(scenario.policies)

    @property
    def is_over(self) -> bool:
        """True if the run is done, cancelled or failed."""
        return self._task.done.done()

    @property
    def before(self) -> int:
        """The number of runs that will be started before this one while it waits."""
        return _queue.place(self._task)

    def cancel(self) -> None:
        """Stop the run and discard what it has done so far."""
        self._cancelled.set()
        if _queue.withdraw(self._task):
            self.state = "cancelled"

    def wait(self, seconds: float) -> None:
        """Wait until the run has ended."""
        batch_queue.wait(self._task, seconds)

    def _run(self) -> None:
        try:
            self.state = "compiling"
            engine = self._find_engine()
            self.state = "running"
            self._begun = begun = time.perf_counter()
            results = simulate(self.scenario, engine=engine, jobs=_JOBS, progress=self._note)
            self.seconds = time.perf_counter() - begun
            self.outcome = Outcome(results, results.summary(), results.curves())
            self.state = "done"
        except _Cancelled:
            self.state = "cancelled"
        except _TooLong:
            self._fail(
                f"stopped after {DEADLINE:.0f} seconds, the longest that a run may take here: "
                "reduce the replications or the horizon, or use 'kcmab run'"
            )
        except MarketError as error:
            self._fail(str(error))
        except Exception as error:  # raised by a visitor's own policy or behaviour
            logging.getLogger(__name__).exception("a batch run failed")
            self._fail(f"{type(error).__name__}: {error}")

    def _find_engine(self) -> Engine:
        """Compile what can be compiled; refuse what would keep the market engine busy for hours."""
        scenario = self.scenario
        with _compiling:
            self._stop_if_cancelled()
            engine: Engine = "auto" if self._may_compile() else "market"
            used = [choose_engine(scenario, each, engine) for each in scenario.policies]
        for each in used:
            if each.engine == "market" and self.customers > MOST_INTERPRETED:
                full = f"the lab has already compiled {MOST_KERNELS} combinations, its maximum"
                reason = each.reason if engine == "auto" else full
                raise EngineError(
                    f"this needs the slower market engine ({reason}), which serves at most "
                    f"{MOST_INTERPRETED:,} customers here, not {self.customers:,}: reduce the "
                    "replications or the horizon, or use 'kcmab run'"
                )
        return engine

    def _may_compile(self) -> bool:
        """Return True if there is room for the machine code that this run needs."""
        market = self.scenario.market
        own = self.scenario.measures.entries
        world = market.customers.entry, self.scenario.purse.offer.entry, *own
        plain = market.is_steady and self.scenario.purse.is_plain
        kind = plain, market.is_timed, self.scenario.purse.sight(market)
        wanted = {(each.entry, *world, *kind) for each in self.scenario.policies}
        if len(_compiled | wanted) > MOST_KERNELS:
            return wanted <= _compiled
        _compiled.update(wanted)
        return True

    def _note(self, served: int, _: int) -> None:
        self.served = served
        self._stop_if_cancelled()
        if time.perf_counter() - self._begun > DEADLINE:
            raise _TooLong

    def _stop_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise _Cancelled

    def _fail(self, problem: str) -> None:
        self.problem, self.state = problem, "failed"


def cancel_all() -> None:
    """Stop every run of every visitor, because the server is shutting down."""
    for job in [*_jobs]:
        job.cancel()
