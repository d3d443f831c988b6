"""Read the ledger that a run wrote, as trajectories."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
import pyarrow.parquet as pq

from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import Trajectory
from kcmab_abm.running.manifest import check_is_folder, read_checked, read_manifest

_COLUMNS = {  # of the ledger, by the field of the trajectory
    "clock": "clock",
    "targets": "target",
    "offers": "offer",
    "arms": "arm",
    "rewards": "reward",
    "payments": "payment",
    "regrets": "regret",
    "seeded": "seeded",
    "waits": "wait",
}


class Recorded(NamedTuple):
    """A run in the ledger."""

    policy: str
    replication: int
    run: Trajectory


def read_ledger(folder: str | Path) -> Iterator[Recorded]:
    """Yield the runs in the ledger of a results folder, by policy and replication.

    Parameters
    ----------
    folder
        A folder that `kcmab run --out` wrote, without a sweep.

    Raises
    ------
    MarketError
        If there is no ledger, or it was changed.
    """
    folder = Path(folder)
    check_is_folder(folder)
    manifest = read_manifest(folder)
    if "sweep" in manifest["scenario"]:
        raise MarketError(
            f"{folder}: holds a sweep, whose customers may differ from point to point; give a "
            "folder with a single scenario"
        )
    names = sorted(name for name in manifest.get("files", {}) if name.startswith("ledger/policy="))
    if not names:
        raise MarketError(
            f"{folder}: has no ledger, so that single choices are not known; set "
            'record = "paths" in the scenario and run it again'
        )
    for name in names:
        file = pq.ParquetFile(io.BytesIO(read_checked(folder, name, manifest)), pre_buffer=False)
        # Threads that start while the process ends, as after an error, would abort it.
        table = file.read(use_threads=False)
        label = unquote(Path(name).parent.name.removeprefix("policy="))
        numbers = table["replication"].to_numpy()
        ends = np.flatnonzero(np.diff(numbers)) + 1
        for first, last in zip([0, *ends], [*ends, len(numbers)], strict=True):
            part = table.slice(first, last - first)
            yield Recorded(label, int(numbers[first]), _trajectory(part))


def _trajectory(table: Any) -> Trajectory:
    columns = {field: table[word].to_numpy() for field, word in _COLUMNS.items()}
    for word in ("targets", "arms"):
        columns[word] = columns[word].astype(np.int64)
    offered = [
        [(each["arm"], each["offer"]) for each in refused if each["arm"] != target]
        + ([(arm, payment)] if payment > 0.0 and arm != target else [])
        for refused, target, arm, payment in zip(
            table["refused"].to_pylist(),
            *(columns[word].tolist() for word in ("targets", "arms", "payments")),
            strict=True,
        )
    ]
    width = max(map(len, offered), default=0)
    beside = np.full((len(offered), width), -1, np.int64)
    beside_offers = np.zeros((len(offered), width))
    for line, each in enumerate(offered):
        for place, (arm, offer) in enumerate(each):
            beside[line, place], beside_offers[line, place] = arm, offer
    return Trajectory(**columns, beside=beside, beside_offers=beside_offers)
