"""The workers of a Dask cluster as an executor.

Results must not depend on the worker that computed them. So every worker compares its versions,
code and arithmetic with those of the client before it reads a task.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from kcmab_abm.errors import MarketError, WorkerError
from kcmab_abm.running.cluster_use import ClusterUse
from kcmab_abm.running.manifest import versions
from kcmab_abm.running.options import Tell, silent
from kcmab_abm.running.run_identity import DECISIVE

PATIENCE = 10.0  # seconds for the scheduler to answer
LEAST_WORKERS = 64  # for which chunks wait, while few are there
_POLL = 0.2  # seconds between two attempts to read a file
_LOGS = ("distributed", "distributed.client", "tornado.application", "asyncio")
_CODE = "code of kcmab-abm"

Makings = dict[str, str]


@contextmanager
def cluster(address: str, tell: Tell = silent) -> Iterator[ClusterExecutor]:
    """Connect to the cluster whose scheduler is at an address, or wrote a scheduler file.

    `tell` is called if there are no workers yet; `use` of the executor says how busy they were.
    """
    library = _library()
    with _quiet():
        client = library.Client(_scheduler(library, address), set_as_default=False)
        try:
            with _explained(library, address):
                # Do not wait: some clusters start workers only when there is work.
                if not client.nthreads():
                    tell(f"{address}: no workers yet; the work waits for them")
                _check_all(client)
                executor = ClusterExecutor(client)
                with executor.use:
                    yield executor
        finally:
            client.close()


class ClusterExecutor(Executor):
    """Sends pickled calls to the workers of a Dask cluster, which unpickle them."""

    def __init__(self, client: Any) -> None:
        # Not pure, or Dask would hash every argument to find equal calls.
        self._inner = client.get_executor(pure=False)
        self.use = ClusterUse(client)

    @property
    def _max_workers(self) -> int:
        """Enough chunks for all threads, also for those that come while they wait."""
        return max(LEAST_WORKERS, 2 * self.use.threads)

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Submit a call to the workers."""
        self.use.begin()
        call = pickle.dumps((function, given, named))
        future: Future[Any] = self._inner.submit(run_call, makings(), call)
        future.add_done_callback(self.use.note)
        return future


def run_call(wanted: Makings, call: bytes) -> Any:
    """Run a call on a worker, if it has the same versions, code and arithmetic as the client."""
    import distributed

    problem = _difference(wanted, makings())
    if problem:
        raise WorkerError(f"worker {distributed.get_worker().address}: {problem}")
    function, given, named = pickle.loads(call)
    return function(*given, **named)


@cache
def makings() -> Makings:
    """Return everything in this process on which the bits of results depend."""
    known = versions()
    code = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        code.update(path.read_bytes())
    return {**{name: known[name] for name in DECISIVE}, _CODE: code.hexdigest()[:12]}


def _difference(mine: Makings, theirs: Makings) -> str:
    """Say how a worker differs from the client and what to do; '' if it does not differ."""
    for name, value in mine.items():
        other = theirs.get(name, "unknown")
        if other != value and name == "arithmetic":
            return (
                f"has another processor or C library (arithmetic {other} instead of {value} as "
                "here), whose functions differ in the last digits, so results could differ; use "
                "machines and images with equal arithmetic"
            )
        if other != value:
            return (
                f"has {name} {other} instead of {value} as here, so results could differ; install "
                "the same on all machines and restart the workers"
            )
    return ""


def _library() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise MarketError(
            f'--dask: needs a package that is not installed ({error}); pip install "kcmab-abm'
            '[cluster]"'
        ) from error
    return distributed


def _scheduler(library: Any, address: str) -> str:
    """Return the address of the scheduler, once it has answered."""
    advice = (
        "give the address of a running Dask scheduler, such as tcp://127.0.0.1:8786, or its "
        "scheduler file"
    )
    place = _read_scheduler_file(address) if address.endswith(".json") else address
    try:
        # In a thread of its own: this one may have a running event loop, as in a notebook.
        with ThreadPoolExecutor(1) as thread:
            kind = thread.submit(asyncio.run, _greet(library, place)).result()
    except (TimeoutError, OSError) as error:
        raise MarketError(
            f"--dask {address}: no scheduler answers there within {PATIENCE:g} seconds; {advice}"
        ) from error
    except (ValueError, TypeError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise MarketError(f"--dask {address}: not an address ({reason}); {advice}") from error
    if kind != "Scheduler":
        raise MarketError(f"--dask {address}: a {kind} answers there; {advice}")
    return place


async def _greet(library: Any, address: str) -> str:
    """Return the kind of server at an address; a client would wait forever for a silent one."""
    security = library.Security().get_connection_args("client")
    async with (
        asyncio.timeout(PATIENCE),
        library.rpc(address, timeout=PATIENCE, connection_args=security) as scheduler,
    ):
        return str((await scheduler.identity())["type"])


def _read_scheduler_file(path: str) -> str:
    """Return the address in a scheduler file; wait for a scheduler that is just starting."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return str(json.loads(Path(path).read_bytes())["address"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            if time.monotonic() < until:
                time.sleep(_POLL)
                continue
            problem = "not a scheduler file"
            if isinstance(error, OSError):
                problem = f"cannot be read: {error.strerror}"
            raise MarketError(
                f"--dask {path}: {problem}; give the file written by "
                "'dask scheduler --scheduler-file'"
            ) from error


def _check_all(client: Any) -> None:
    """Refuse workers with other versions, code or arithmetic."""
    found: Mapping[str, Any] = client.run(makings, on_error="return")
    for worker, theirs in sorted(found.items()):
        if isinstance(theirs, Exception):
            reason = " ".join(f"{type(theirs).__name__}: {theirs}".split())
            raise WorkerError(
                f"worker {worker}: has no kcmab-abm like the one here ({reason}); install the "
                "same on all machines and restart the workers"
            ) from theirs
        problem = _difference(makings(), theirs)
        if problem:
            raise WorkerError(f"worker {worker}: {problem}")


@contextmanager
def _explained(library: Any, address: str) -> Iterator[None]:
    """Turn the loss of a cluster into one-line messages."""
    try:
        yield
    except library.KilledWorker as error:
        raise WorkerError(
            f"{address}: one chunk was on {error.allowed_failures + 1} workers when they died, "
            "which happens when memory runs out; give workers more memory or fewer threads, or "
            "reduce the horizon or the number of replications"
        ) from error
    except (CancelledError, library.comm.CommClosedError) as error:
        raise WorkerError(
            f"{address}: lost the scheduler; start it again, then continue with --resume"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own messages off the terminal."""
    before = {name: logging.getLogger(name).level for name in _LOGS}
    try:
        for name in _LOGS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="distributed")
            yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
