"""A pool of other processes that ends at once, and quietly, when it has to."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from kcmab_abm.errors import WorkerError

_DIGEST = 2.0  # seconds that a pool may take to put away what was cancelled
_POLL = 0.005  # seconds between two looks whether it has


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """So many other processes, which end at once if anything fails or this one is interrupted."""
    # Started afresh: a copy of a process with threads may hang.
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))
    try:
        with _deaf_to_interrupts():
            for _ in range(count):
                pool.submit(_nothing)
        yield pool
    except BrokenProcessPool as error:
        raise WorkerError(
            "a worker process ended in the middle of its work, which happens when memory runs out; "
            "give fewer --jobs, or ask for fewer customers or runs"
        ) from error
    except BaseException:
        _end(pool)
        raise
    finally:
        pool.shutdown()


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool, whatever they are doing."""
    processes = [*pool._processes.values()]
    pool.shutdown(wait=False, cancel_futures=True)
    # The pool's thread must have put away what was cancelled, or it stumbles over it aloud.
    until = time.monotonic() + _DIGEST
    while pool._cancel_pending_futures and time.monotonic() < until:
        time.sleep(_POLL)
    for process in processes:
        process.terminate()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes that are started meanwhile not hear Ctrl-C, which all processes are sent."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _nothing() -> None:
    """What makes a pool start a process."""
