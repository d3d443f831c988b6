"""Make the n-th call that can fail on a full or broken disk fail, whatever it is.

All ways to the disk that the package uses go through these functions: `open` and what is written to
the file, folders made, files renamed, linked and synced, and the Parquet writer, which opens files
by itself.
"""

from __future__ import annotations

import builtins
import io
import os
import shutil
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

FULL = OSError(28, "No space left on device")
BROKEN = OSError(5, "Input/output error")
MEMORY = MemoryError("Unable to allocate 1. MiB")

DISK = [
    (os, "fsync"),
    (os, "rename"),
    (os, "replace"),
    (os, "mkdir"),
    (os, "link"),
    (os, "open"),
    (pq.ParquetWriter, "__init__"),
    (pq.ParquetWriter, "write_table"),
    (pq.ParquetWriter, "close"),
]
ALLOCATIONS = [
    (np, "savez"),
    (np, "concatenate"),
    (np, "zeros"),
    (pd, "concat"),
    (pd.DataFrame, "to_csv"),
    (pd.DataFrame, "to_parquet"),
]


class Faults:
    """Counts calls, and raises an error at the one that is due."""

    def __init__(self, due: int, error: BaseException, place: str) -> None:
        self.calls: list[str] = []
        self._due = due
        self._error = error
        self._place = place  # what lies elsewhere does not count
        self._is_cleaning = False

    def call(self, name: str, *given: object) -> None:
        """One more call of a function, given these arguments."""
        if any(isinstance(each, int) or self._place in str(each) for each in given):
            self.count(name)

    def count(self, name: str) -> None:
        """One more call."""
        if self._is_cleaning:
            return
        self.calls.append(name)
        if len(self.calls) == self._due:
            raise self._error

    def cleaning(self, original):
        """A function that removes things: where that fails, nobody can help what is left."""

        def clean(*given, **named):
            self._is_cleaning = True
            try:
                return original(*given, **named)
            finally:
                self._is_cleaning = False

        return clean

    @property
    def struck(self) -> bool:
        """Whether the call that was due has come."""
        return len(self.calls) >= self._due


def _checked(original, name, faults):
    def checked(*given, **named):
        faults.call(name, *given)
        return original(*given, **named)

    return checked


def _counted(original, name, faults):
    def counted(*given, **named):
        faults.count(name)
        return original(*given, **named)

    return counted


def _opener(original, faults):
    """`open`, for files to be written into the place: opening and every write count."""

    def opened(file, mode="r", *given, **named):
        is_writing = isinstance(mode, str) and set(mode) & set("wxa+")
        if is_writing:
            faults.call("open", file)
        result = original(file, mode, *given, **named)
        if is_writing and faults._place in str(file):
            return _File(result, faults)
        return result

    return opened


class _File:
    """A file whose writes count, half of each coming through before it fails."""

    def __init__(self, file, faults) -> None:
        self._file = file
        self._faults = faults

    def write(self, content):
        try:
            self._faults.count("write")
        except BaseException:
            self._file.write(content[: len(content) // 2])
            raise
        return self._file.write(content)

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __iter__(self):
        return iter(self._file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()


@contextmanager
def faults_at(monkeypatch, due, error, place):
    """Within this, the call number `due` fails; it yields the `Faults` that count."""
    faults = Faults(due, error, str(place))
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", faults.cleaning(shutil.rmtree))
        if isinstance(error, MemoryError):
            for owner, name in ALLOCATIONS:
                patch.setattr(owner, name, _counted(getattr(owner, name), name, faults))
        else:
            for owner, name in DISK:
                wrap = _checked if owner is os else _counted
                patch.setattr(owner, name, wrap(getattr(owner, name), name, faults))
            patch.setattr(builtins, "open", _opener(builtins.open, faults))
            patch.setattr(io, "open", builtins.open)
        yield faults
