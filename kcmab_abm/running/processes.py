"""Worker processes on this machine.

They do not run the script or notebook that starts them again; functions that they cannot import are
sent by value. They end when this process ends, for whatever reason.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import sysconfig
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import Any

from kcmab_abm.catalogue.user_files import current
from kcmab_abm.errors import MarketError, WorkerError

_KEPT = 64  # values that a process keeps unpacked
_GRACE = 5.0  # seconds for a process to end
_INSTALLED = {"site-packages", "dist-packages"}
_PACKAGE = __name__.partition(".")[0]

_starting = threading.Lock()
_reading = threading.RLock()  # other clients may send other files of the same names


def pack(value: Any) -> bytes:
    """Pickle a value for another process, with functions outside installed packages by value.

    So the other process runs the same code, even if a file has been edited in the meantime.
    """
    own = [*_own_modules()]
    try:
        return _pickled(value, own)
    except Exception:
        # A module may hold what cannot be sent; send it by name if it can be imported from a file.
        return _pickled(value, [module for module in own if module.__spec__ is None])


def _pickled(value: Any, by_value: list[ModuleType]) -> bytes:
    # Late, because most runs send nothing.
    import cloudpickle

    try:
        for module in by_value:
            cloudpickle.register_pickle_by_value(module)
        return bytes(cloudpickle.dumps(value))
    finally:
        for module in by_value:
            cloudpickle.unregister_pickle_by_value(module)


def unpack(content: bytes) -> Any:
    """Unpickle a value; equal content gives the same object."""
    try:
        with _reading:
            return _unpacked(content)
    except ImportError as error:
        raise WorkerError(
            f"a worker cannot import what it was sent ({error}); install it where the workers "
            "run, or load the file with --with"
        ) from error


@lru_cache(_KEPT)
def _unpacked(content: bytes) -> Any:
    return pickle.loads(content)


def _own_modules() -> Iterator[ModuleType]:
    """Yield the modules outside installed packages, which may be missing elsewhere."""
    library = Path(sysconfig.get_path("stdlib"))
    files, neighbours = current()  # these are sent whole
    brought = {file.module for file in files} | {source.name for source in neighbours}
    for name, module in [*sys.modules.items()]:
        if name in brought or name.partition(".")[0] in (_PACKAGE, "__main__"):
            continue
        if not isinstance(module, ModuleType) or module.__name__ != name:
            continue
        file = getattr(module, "__file__", None)
        if file is None:
            is_own = module.__spec__ is None  # made by hand
        else:
            path = Path(file)
            is_own = not (_INSTALLED.intersection(path.parts) or path.is_relative_to(library))
        if is_own:
            yield module


class Here(Executor):
    """An executor that makes calls in the submitting thread, for debuggers and Ctrl-C."""

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Make the call."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*given, **named))
        except Exception as error:
            future.set_exception(error)
        return future


class Processes(Executor):
    """An executor with several worker processes, each of which makes one call at a time."""

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="process")
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._workers: list[_Worker] = []
        try:
            with _starting, _deaf_to_interrupts(), _without_script():
                for _ in range(count):
                    self._workers.append(_Worker())
                    self._idle.put(self._workers[-1])
        except BaseException:
            self.shutdown()
            raise

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Make the call in a worker process; its arguments are pickled by reference."""
        return self._threads.submit(self._call, (function, given, named))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes without waiting for calls in progress."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.process.terminate()
        self._threads.shutdown()
        for worker in self._workers:
            worker.process.join(_GRACE)
            worker.line.close()

    def _call(self, call: Any) -> Any:
        worker = self._idle.get()
        try:
            worker.line.send(call)
            is_fine, value = worker.line.recv()
        except (EOFError, OSError) as error:
            raise WorkerError(worker.obituary()) from error
        finally:
            self._idle.put(worker)
        if is_fine:
            return value
        raise value


class _Worker:
    """A worker process and the connection to it."""

    def __init__(self) -> None:
        # Not forked: a copy of a process with threads may hang.
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def obituary(self) -> str:
        """Say how the process ended and what to do."""
        self.process.join(_GRACE)
        code = self.process.exitcode
        if code == -getattr(signal, "SIGKILL", 9):
            return (
                "a worker process was killed (SIGKILL), which the system does when memory runs "
                "out; give fewer --jobs, or reduce the horizon or the number of replications"
            )
        if code is not None and code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        else:
            how = f"ended itself with exit code {code}" if code is not None else "was lost"
        return (
            f"a worker process {how} in the middle of its work; look for the cause in the "
            "functions that it runs: without --jobs they run in this process"
        )


def _serve(line: Connection[Any, Any]) -> None:
    """Make the calls that arrive over the connection; runs in a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):  # the other end is closed
        while True:
            line.send(_answer(*line.recv()))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _answer(
    function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]
) -> tuple[bool, Any]:
    try:
        return True, function(*given, **named)
    except Exception as error:
        return False, error


def portable(error: Exception) -> Exception:
    """Return the error, or a picklable one with the same message."""
    if not isinstance(error, MarketError):
        error.add_note("in a worker process:\n" + "".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return WorkerError(f"{type(error).__name__} in a worker process: {error}")
    return error


@contextmanager
def _without_script() -> Iterator[None]:
    """Keep processes that are started meanwhile from running this script again."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Keep processes that are started meanwhile from receiving Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
