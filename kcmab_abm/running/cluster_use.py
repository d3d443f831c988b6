"""How busy the workers of a Dask cluster were, measured while they worked."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import Any, Self

CENSUS = 0.5  # seconds between two counts of the workers' threads


class ClusterUse:
    """Adds up the seconds that workers spent on chunks and those that they were there.

    The time counts from the first chunk that was submitted to the last that was done; threads of
    workers that come or go meanwhile count for as long as they are there. The seconds of a chunk
    are measured by its worker.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._counted = 0.0  # when the thread-seconds were last added up; 0 before the first chunk
        self._present = 0.0  # thread-seconds so far
        self._until_last = 0.0  # thread-seconds until the last chunk was done
        self._busy = 0.0
        self.threads = 0

    def __enter__(self) -> Self:
        self._count()
        threading.Thread(target=self._watch, name="census of workers", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()

    def begin(self) -> None:
        """Start the clock, if it does not run yet."""
        with self._lock:
            self._counted = self._counted or time.monotonic()

    def note(self, done: Future[Any]) -> None:
        """Count the time of a chunk that is done."""
        if done.cancelled() or done.exception() is not None:
            return
        seconds = float(getattr(done.result(), "seconds", 0.0))
        with self._lock:
            self._advance()
            self._busy += seconds
            self._until_last = self._present

    @property
    def share(self) -> float | None:
        """The share of the time that the threads worked; None if no chunk was done."""
        with self._lock:
            is_known = self._busy > 0.0 and self._until_last > 0.0
            return min(1.0, self._busy / self._until_last) if is_known else None

    def told(self) -> str:
        """Say how busy the workers were."""
        if self.share is None:
            return "Dask: no chunk was run, as all were there"
        threads = f"{self.threads} thread{'s'[: self.threads != 1]}"
        return f"Dask: workers ({threads}) busy {self.share:.0%} of the time"

    def _watch(self) -> None:
        while not self._closed.wait(CENSUS):
            try:
                self._count()
            except Exception:  # the scheduler is gone, which the client reports
                return

    def _count(self) -> None:
        threads = sum(self._client.nthreads().values())
        with self._lock:
            self._advance()
            self.threads = threads

    def _advance(self) -> None:
        """Add the time since the last count, at the number of threads that were there."""
        if self._counted:
            now = time.monotonic()
            self._present += self.threads * (now - self._counted)
            self._counted = now
