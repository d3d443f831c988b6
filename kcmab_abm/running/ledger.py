"""The ledger: one row per customer, written to Parquet.

One file, `policy=LABEL/FIRST-LAST.parquet`, holds some replications of one policy, so that readers
of Parquet see a table partitioned by policy. Rows are written in groups to limit memory.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kcmab_abm.model.trajectory import Floats, Ints, Trajectory
from kcmab_abm.scenario.entry_tables import ledger_folder

GROUP = 2**17  # rows that are compressed and written together

_SCHEMA = pa.schema(
    [
        ("replication", pa.int32()),
        ("customer", pa.int64()),
        ("clock", pa.float64()),
        ("target", pa.int32()),
        ("offer", pa.float64()),
        ("arm", pa.int32()),
        ("reward", pa.float64()),
        ("payment", pa.float64()),
        ("regret", pa.float64()),
        ("seeded", pa.bool_()),
        ("wait", pa.float64()),
        ("refused", pa.list_(pa.struct([("arm", pa.int32()), ("offer", pa.float64())]))),
    ]
)
# Measured: a third of the time and a tenth of the size of the defaults.
_FORMAT: dict[str, Any] = {
    "compression": "zstd",
    "write_page_checksum": True,
    "use_dictionary": ["replication", "target", "arm", "reward", "regret", "wait"],
    "column_encoding": {"customer": "DELTA_BINARY_PACKED", "clock": "BYTE_STREAM_SPLIT"},
    "write_statistics": ["replication", "customer", "clock"],  # others span all values in a group
}


def ledger_name(label: str, first: int, count: int) -> str:
    """Return the name of the file with some replications of a policy, within the ledger.

    >>> ledger_name("eps = 20", 0, 100)
    'policy=eps%20%3D%2020/00000000-00000099.parquet'
    """
    return f"{ledger_folder(label)}/{first:08d}-{first + count - 1:08d}.parquet"


class Segment(NamedTuple):
    """Consecutive customers of a replication, after `before` earlier ones."""

    replication: int
    before: int
    run: Trajectory


class Ledger:
    """An open file of the ledger."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._waiting: list[Segment] = []
        self._lines = 0

    def write(self, replication: int, before: int, run: Trajectory) -> None:
        """Add consecutive customers of a replication, after `before` earlier ones."""
        self._waiting.append(Segment(replication, before, run))
        self._lines += len(run)
        if self._lines >= GROUP:
            self.flush()

    def flush(self) -> None:
        """Write the waiting rows as one group."""
        if self._waiting:
            self._writer.write_table(_lines(self._waiting), GROUP)
        self._waiting = []
        self._lines = 0


@contextmanager
def new_ledger(where: Path | io.BytesIO) -> Iterator[Ledger]:
    """Open a new file of the ledger; close it at the end."""
    with pq.ParquetWriter(where, _SCHEMA, **_FORMAT) as writer:
        ledger = Ledger(writer)
        yield ledger
        ledger.flush()


def _lines(segments: list[Segment]) -> pa.Table:
    lengths = [len(each.run) for each in segments]

    def all_of(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(each.run, name) for each in segments])

    arms, targets, offers = all_of("arms"), all_of("targets"), all_of("offers")
    before = np.array([each.before for each in segments])
    places = np.arange(len(arms)) - np.repeat(np.cumsum([0, *lengths[:-1]]) - before, lengths)
    columns = [
        np.repeat(np.array([each.replication for each in segments], np.int32), lengths),
        places + 1,
        all_of("clock"),
        targets.astype(np.int32),
        offers,
        arms.astype(np.int32),
        all_of("rewards"),
        all_of("payments"),
        all_of("regrets"),
        all_of("seeded"),
        all_of("waits"),
        _refused(
            arms,
            np.column_stack([targets, all_of("beside")]),
            np.column_stack([offers, all_of("beside_offers")]),
        ),
    ]
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=_SCHEMA)


def _refused(taken: Ints, arms: Ints, offers: Floats) -> pa.Array:
    """Return the offers that each customer did not take, beginning with the target's."""
    refused = (offers > 0.0) & (arms != taken[:, None])
    ends = np.concatenate([[0], np.cumsum(refused.sum(axis=1))]).astype(np.int32)
    entries = pa.StructArray.from_arrays(
        [pa.array(arms[refused].astype(np.int32)), pa.array(offers[refused])], ["arm", "offer"]
    )
    return pa.ListArray.from_arrays(pa.array(ends), entries)
