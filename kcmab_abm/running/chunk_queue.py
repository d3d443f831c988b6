"""One queue of chunks for all scenarios and policies, and the workers that run them.

Chunks are submitted in order, a few ahead of every worker, and collected as they finish. Further
replications of a scenario come before those of later scenarios.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import NamedTuple

from kcmab_abm.results.results import EngineName
from kcmab_abm.running import workers
from kcmab_abm.running.options import RunOptions
from kcmab_abm.running.processes import Here, Processes
from kcmab_abm.running.replications import Meter, Replications
from kcmab_abm.running.workers import Chunk, Control, Outcome, cores, new_control

AHEAD = 4  # chunks that wait for each worker
ELSEWHERE = 256  # workers of an executor that does not say how many it has
SIGHT = 10_000  # chunks that are skipped in search of some for idle workers
_POLL = 0.05  # seconds between two reports of progress

Finish = Callable[[int, Replications], None]


def work_off(
    works: Iterable[Replications],
    engines: Iterable[EngineName],
    finish: Finish,
    meter: Meter,
    options: RunOptions,
) -> None:
    """Run all replications of these scenarios, which need these engines.

    Each scenario is started when there are workers for it; when it is done, `finish` is called with
    its place, counted from 0, and its replications. The batch engine runs in `jobs` threads, the
    market engine in this thread or in `jobs` > 1 processes; an executor replaces both.
    """
    with ExitStack() as stack:
        if options.executor is not None:
            lanes = dict.fromkeys(engines, _executor_lane(options.executor))
        else:
            # Threads come first: this thread cannot serve them while it runs a chunk itself.
            lanes = {name: _own_lane(name, options.jobs, stack) for name in sorted({*engines})}
        _Queue(works, lanes, finish, meter).run()


def _executor_lane(executor: Executor) -> _Lane:
    """Workers may come and go, so executors are asked for their number again and again."""
    is_near = isinstance(executor, ThreadPoolExecutor)

    def room() -> int:
        return AHEAD * int(getattr(executor, "_max_workers", ELSEWHERE))

    return _Lane(lambda: executor, room, is_near, may_write=False)


def _own_lane(engine: EngineName, jobs: int | None, stack: ExitStack) -> _Lane:
    if engine == "batch":
        count = jobs or cores()
        return _Lane(lambda: stack.enter_context(ThreadPoolExecutor(count)), lambda: AHEAD * count)
    if jobs is not None and jobs > 1:
        count = jobs
        return _Lane(lambda: stack.enter_context(Processes(count)), lambda: AHEAD * count, False)
    return _Lane(Here, lambda: 1)


class _Place(NamedTuple):
    """The place of a chunk in the queue: its scenario, and its number there."""

    work: int
    number: int


@dataclass
class _Task:
    """A chunk in the queue, with its control array if it runs in this process."""

    place: _Place
    chunk: Chunk
    line: Control | None = None


@dataclass(eq=False)
class _Lane:
    """Workers of one kind and the chunks waiting for them; near ones are in this process."""

    open: Callable[[], Executor]
    room: Callable[[], int]
    is_near: bool = True
    may_write: bool = True
    busy: int = 0
    waiting: deque[_Task] = field(default_factory=deque)

    @cached_property
    def pool(self) -> Executor:
        """The workers, started on first use."""
        return self.open()

    def submit(self, task: _Task, work: Replications) -> Future[Outcome]:
        """Submit a chunk to a worker."""
        folder = work.folder if self.may_write else None
        if self.is_near:
            task.line = new_control()
            return self.pool.submit(workers.run_chunk, task.chunk, work.scenario, task.line, folder)
        return self.pool.submit(workers.run_parcel, task.chunk, work.parcel, folder)


@dataclass
class _Open:
    """A scenario in progress; `out` counts the chunks that were submitted and are not done."""

    work: Replications
    stretches: Iterator[Iterator[Chunk]]
    chunks: Iterator[Chunk] | None = None
    number: int = 0
    out: int = 0


class _Queue:
    def __init__(
        self,
        works: Iterable[Replications],
        lanes: dict[EngineName, _Lane],
        finish: Finish,
        meter: Meter,
    ) -> None:
        self._works: Iterator[tuple[int, Replications]] = enumerate(works)
        self._lanes = lanes
        self._finish = finish
        self._meter = meter
        self._open: dict[int, _Open] = {}  # by place
        self._ready: list[int] = []  # a heap: places with chunks to submit
        self._tasks: dict[Future[Outcome], _Task] = {}
        self._done: SimpleQueue[Future[Outcome]] = SimpleQueue()
        self._failure: tuple[_Place, Exception] | None = None

    def run(self) -> None:
        """Run everything; if anything fails, raise the error of the first chunk that fails."""
        try:
            while True:
                self._hand_out()
                if not self._tasks:
                    break
                for future in self._come_back():
                    self._take(future)
                lines = (task.line for task in self._tasks.values())
                self._meter.show(sum(int(line[1]) for line in lines if line is not None))
            if self._failure is not None:
                place, error = self._failure
                with self._open[place.work].work.named():
                    raise error
        finally:
            for future in [*self._tasks]:
                self._stop(future)

    def _hand_out(self) -> None:
        """Submit chunks until all workers have enough or none are left."""
        for lane in dict.fromkeys(self._lanes.values()):
            while lane.busy < lane.room() and (task := self._next(lane)) is not None:
                self._submit(task, lane)

    def _submit(self, task: _Task, lane: _Lane) -> None:
        try:
            future = lane.submit(task, self._open[task.place.work].work)
        except Exception as error:
            self._fail(task.place, error)
        else:
            lane.busy += 1
            self._tasks[future] = task
            future.add_done_callback(self._done.put)

    def _next(self, lane: _Lane) -> _Task | None:
        """Return the next chunk for these workers; set aside chunks for others."""
        if lane.waiting:
            return lane.waiting.popleft()
        while all(len(each.waiting) < SIGHT for each in self._lanes.values()):
            task = self._pull()
            other = lane if task is None else self._lanes[task.chunk.engine]
            if other is lane:
                return task
            assert task is not None
            other.waiting.append(task)
        return None

    def _pull(self) -> _Task | None:
        """Return the next chunk of the first scenario that has any."""
        while self._ready or self._begin():
            if not self._ready:
                continue  # the journal held all replications
            place = self._ready[0]
            here = self._open[place]
            assert here.chunks is not None
            with here.work.named():
                chunk = next(here.chunks, None)
            if chunk is not None:
                here.out += 1
                here.number += 1
                return _Task(_Place(place, here.number), chunk)
            heapq.heappop(self._ready)
            here.chunks = None
            self._go_on(place)
        return None

    def _begin(self) -> bool:
        """Start the next scenario; return False if there is none."""
        place, work = next(self._works, (0, None))
        if work is None:
            return False
        self._open[place] = _Open(work, work.stretches())
        self._go_on(place)
        return True

    def _go_on(self, place: int) -> None:
        """Once all chunks of a scenario are done, start its next stretch or finish it."""
        here = self._open[place]
        if here.out > 0 or here.chunks is not None:
            return
        with here.work.named():
            here.chunks = next(here.stretches, None)
        if here.chunks is None:
            del self._open[place]
            self._finish(place, here.work)
        else:
            heapq.heappush(self._ready, place)

    def _come_back(self) -> Iterator[Future[Outcome]]:
        """Yield finished chunks, after waiting for a short time."""
        try:
            yield self._done.get(timeout=_POLL)
        except Empty:
            return
        while not self._done.empty():
            yield self._done.get()

    def _take(self, future: Future[Outcome]) -> None:
        task = self._tasks.pop(future, None)
        if task is None:
            return  # it was stopped
        self._lanes[task.chunk.engine].busy -= 1
        try:
            outcome = future.result()
        except Exception as error:
            self._fail(task.place, error)
            return
        place = task.place.work
        here = self._open[place]
        with here.work.named():
            here.work.take(task.chunk, outcome)
        here.out -= 1
        self._go_on(place)

    def _fail(self, place: _Place, error: Exception) -> None:
        """Record the error and keep only earlier chunks, which may fail as well."""
        if self._failure is None or place < self._failure[0]:
            self._failure = place, error
        first, _ = self._failure
        self._works = enumerate(())
        self._ready = sorted(each for each in self._ready if each < first.work)
        for lane in self._lanes.values():
            lane.waiting = deque(task for task in lane.waiting if task.place < first)
        for future, task in [*self._tasks.items()]:
            if task.place > first:
                self._stop(future)

    def _stop(self, future: Future[Outcome]) -> None:
        task = self._tasks.pop(future)
        self._lanes[task.chunk.engine].busy -= 1
        future.cancel()
        if task.line is not None:
            task.line[0] = 1
