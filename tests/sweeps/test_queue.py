"""One queue for all points and policies: nobody idles, nothing piles up, nothing depends on it."""

from __future__ import annotations

import random
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import pairwise

import pytest

from kcmab_abm import make_scenario, simulate, sweep
from kcmab_abm.running import chunk_queue, workers
from kcmab_abm.running.replications import Meter, Replications

from .conftest import BASE

PATIENCE = 60.0  # seconds; on an idle machine it takes a fraction of one
WORKERS = 3
HORIZONS = [20, 30, 40, 50]


def chunks_of(horizon, replications, engine="batch"):
    """The chunks of a scenario of three policies and nine arms."""
    means = [0.9 - 0.1 * place for place in range(9)]
    policies = [{"name": name} for name in ("ucb", "greedy", "modified-ts")]
    market = {"arms": {"law": "bernoulli", "means": means}}
    scenario = make_scenario(
        {"horizon": horizon, "replications": replications, "market": market, "policy": policies}
    )
    engines = {choice.label: engine for choice in scenario.policies}
    work = Replications(scenario, engines, meter=Meter(0))
    return list(next(work.stretches()))


def test_there_is_work_for_many_workers():
    """A thousand runs of three policies make dozens of chunks, ten thousand make hundreds."""
    assert len(chunks_of(10_000, 1_000)) >= 50
    assert len(chunks_of(10_000, 10_000)) >= 500
    assert len(chunks_of(1_000, 1_000, "market")) >= 500


def test_every_replication_is_in_one_chunk():
    """The chunks of a policy follow each other without gaps, and each has one policy."""
    chunks = chunks_of(1_000, 5_003)
    for label in ("ucb", "greedy", "modified-ts"):
        edges = [(each.first, each.first + each.count) for each in chunks if each.policy == label]
        assert edges[0][0] == 0
        assert edges[-1][1] == 5_003
        assert all(end == begin for (_, end), (begin, _) in pairwise(edges))


def swept(horizons=HORIZONS, **settings):
    """A sweep over the horizon."""
    return make_scenario({**BASE, "sweep": {"grid": {"horizon": list(horizons)}}, **settings})


class Demanding(Executor):
    """Does nothing unless as many chunks wait as may, or no more are to come.

    If chunks are kept back although its workers have room, it gives up.
    """

    def __init__(self, total, seed=0):
        self._max_workers = WORKERS
        self._total = total
        self._rng = random.Random(seed)
        self._waiting = []
        self._news = threading.Condition()
        self.has_given_up = False
        self.submitted = 0
        self.most = 0
        self.together = 0  # points that had chunks waiting at the same time, at most
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def submit(self, function, chunk, *given):
        """Put the call among those that wait."""
        future = Future()
        with self._news:
            self._waiting.append((future, chunk, lambda: function(chunk, *given)))
            self.submitted += 1
            self.most = max(self.most, len(self._waiting))
            points = {each.points[-1] for _, each, _ in self._waiting}
            self.together = max(self.together, len(points))
            self._news.notify()
            if self.has_given_up:
                self._fail_all()
        return future

    def _fail_all(self):
        for future, _, _ in self._waiting:
            future.set_exception(AssertionError("workers idle although there is work"))
        self._waiting.clear()

    def _is_content(self):
        left = self._total - self.submitted
        return len(self._waiting) == min(chunk_queue.AHEAD * WORKERS, len(self._waiting) + left)

    def _work(self):
        for _ in range(self._total):
            with self._news:
                if not self._news.wait_for(self._is_content, PATIENCE):
                    self.has_given_up = True
                    self._fail_all()
                    return
                place = self._rng.randrange(len(self._waiting))
                future, _, call = self._waiting.pop(place)
            future.set_result(call())


@pytest.mark.usefixtures("_small_chunks")
@pytest.mark.parametrize("seed", range(3))
def test_workers_never_idle_and_never_drown(seed):
    """In whatever order chunks are done, all workers have some, a bounded number, of all points."""
    scenario = swept(replications=48)
    total = len(HORIZONS) * 2 * 16
    executor = Demanding(total, seed)
    results = sweep(scenario, engine="market", executor=executor)
    assert executor.submitted == total
    assert executor.most == chunk_queue.AHEAD * WORKERS
    assert executor.together > 1
    assert results.digest() == sweep(scenario, engine="market").digest()


class Preferring(Executor):
    """Runs the chunks of one point at once; the others wait until it has asked for more.

    If it does not ask for a long time, it never will, and they are run.
    """

    def __init__(self, horizon, first):
        self._horizon = horizon
        self._first = first
        self._waiting = []
        self._lock = threading.Lock()
        self._patience = threading.Timer(PATIENCE, self._let_all_go)
        self._patience.daemon = True
        self._patience.start()
        self._all_may_go = False
        self.was_asked = False

    def submit(self, function, chunk, *given):
        """Run it, or let it wait."""
        future = Future()
        task = future, lambda: function(chunk, *given)
        if chunk.points[-1] != self._horizon and not self._all_may_go:
            with self._lock:
                self._waiting.append(task)
            return future
        if chunk.first >= self._first and self._waiting:
            self.was_asked = True
        self._run_all([task])
        if self.was_asked:
            self._patience.cancel()
            self._let_all_go()
        return future

    def _let_all_go(self):
        self._all_may_go = True
        self._run_all()

    def _run_all(self, tasks=None):
        with self._lock:
            tasks = self._waiting if tasks is None else tasks
            for future, call in tasks:
                future.set_result(call())
            tasks.clear()


def test_a_point_goes_on_while_others_run():
    """A point that is not precise yet gets more replications before the others are done."""
    precision = {"measure": "regret", "half_width": 0.5}
    scenario = swept([30, 10], replications=100, precision=precision)
    executor = Preferring(30, 100)
    results = sweep(scenario, engine="market", executor=executor)
    assert executor.was_asked
    alone = sweep(scenario, engine="market")
    assert results.replications == alone.replications
    assert results.replications[0] > 100
    assert results.digest() == alone.digest()


@pytest.mark.usefixtures("_small_chunks")
@pytest.mark.parametrize("how", [{"jobs": 2}, {"jobs": 3}, {"threads": 3}])
def test_engines_run_side_by_side(how):
    """Points of both engines, in threads and processes at once, give what one thread gives."""
    points = [
        {"seed": seed, **queues}
        for seed in (1, 2)
        for queues in ({}, {"market.capacity": 1, "market.service_time": 2.0})
    ]
    settings = {**BASE, "policy": [{"name": "ucb"}], "sweep": {"list": points}}
    scenario = make_scenario(settings)
    alone = sweep(scenario, jobs=1)
    assert [each.engines["ucb"].engine for each in alone.points] == ["batch", "market"] * 2
    with ThreadPoolExecutor(how.pop("threads", 1)) as pool:
        assert sweep(scenario, **(how or {"executor": pool})).digest() == alone.digest()


@pytest.mark.usefixtures("_small_chunks")
def test_an_error_stops_what_comes_later(monkeypatch):
    """After a failure nothing new is begun but what comes before it."""
    original, begun = workers.run_chunk, []

    def fail(chunk, *arguments, **options):
        begun.append((chunk.points[-1], chunk.first))
        if len(begun) == 3:
            raise ValueError("the third")
        return original(chunk, *arguments, **options)

    monkeypatch.setattr(workers, "run_chunk", fail)
    with pytest.raises(ValueError, match="the third"):
        sweep(swept(replications=48), engine="market")
    assert begun == [(20, 0), (20, 3), (20, 6)]


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_are_counted_from_one(jobs):
    """Nobody is asked to work with no workers."""
    with pytest.raises(ValueError, match=f"jobs must be >= 1, got {jobs}"):
        simulate(make_scenario(BASE), engine="market", jobs=jobs)


def paced(seconds, *given):
    """The sizes of chunks of 8 seconds' work, once replications were found to take so long."""
    scenario = make_scenario({**BASE, "replications": 400})
    pace = workers.Pace()
    for each in (*given, seconds):
        pace.note(workers.Chunk("market", "ucb", 0, 10, None), scenario, 10 * each)
    engines = {choice.label: "market" for choice in scenario.policies}
    work = Replications(scenario, engines, meter=Meter(0), pace=pace)
    return [chunk.count for chunk in next(work.stretches()) if chunk.policy == "ucb"]


def test_chunks_are_as_large_as_their_time():
    """Fast replications go together for 40 milliseconds, slow ones alone; no other limit."""
    assert paced(0.001)[:2] == [40, 40]
    assert paced(1e-7) == [400]
    assert set(paced(3.0)) == {1}
    assert sum(paced(0.001)) == 400


def test_one_slow_chunk_does_not_count():
    """The first may have compiled: the fastest of the last ones says how long replications take."""
    assert paced(0.001, 5.0) == paced(0.001)


def test_an_executor_may_grow():
    """More chunks wait as soon as there are more workers."""
    with ThreadPoolExecutor(1) as pool:
        lane = chunk_queue._executor_lane(pool)
        assert lane.room() == chunk_queue.AHEAD
        pool._max_workers = 5
        assert lane.room() == 5 * chunk_queue.AHEAD
