"""How busy workers were is what they worked over what they were there."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from kcmab_abm.running import cluster_use
from kcmab_abm.running.cluster_use import ClusterUse


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still unless it is moved."""
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(cluster_use.time, "monotonic", lambda: now.seconds)
    return now


def done(seconds):
    """A chunk that took a worker so long."""
    future = Future()
    future.set_result(SimpleNamespace(seconds=seconds))
    return future


def test_the_share_is_work_over_presence(clock):
    """A second worker that comes later counts from then on; the end is the last chunk."""
    threads = {"one": 1}
    use = ClusterUse(SimpleNamespace(nthreads=lambda: threads))
    use._count()
    assert use.share is None
    clock.seconds += 50.0  # before the first chunk nobody could work
    use.begin()
    clock.seconds += 4.0
    use.note(done(3.0))
    assert use.share == pytest.approx(3.0 / 4.0)
    threads["two"] = 1
    use._count()
    clock.seconds += 2.0
    use.note(done(2.0))
    use.note(done(1.0))
    assert use.share == pytest.approx(6.0 / 8.0)
    clock.seconds += 9.0
    use._count()
    assert use.told() == "Dask: workers (2 threads) busy 75% of the time"


def test_what_failed_or_was_stopped_is_not_counted(clock):
    """Their time is unknown, so the share is rather too low."""
    use = ClusterUse(SimpleNamespace(nthreads=lambda: {"one": 1}))
    use._count()
    use.begin()
    failed, stopped = Future(), Future()
    failed.set_exception(ValueError("mine"))
    stopped.cancel()
    clock.seconds += 1.0
    use.note(failed)
    use.note(stopped)
    assert use.share is None
    assert use.told() == "Dask: no chunk was run, as all were there"
