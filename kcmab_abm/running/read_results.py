"""Read results that `kcmab run --out` wrote."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd

from kcmab_abm.errors import MarketError
from kcmab_abm.model.trajectory import CURVES
from kcmab_abm.results.record import Record
from kcmab_abm.running.manifest import (
    MANIFEST,
    WANTED,
    check_is_folder,
    read_checked,
    read_manifest,
)

FINALS = "finals.parquet"


def read_record(folder: Path) -> Record:
    """Return the record in a folder; raise a `MarketError` if there is none."""
    check_is_folder(folder)
    manifest = read_manifest(folder)
    content = read_checked(folder, FINALS, manifest)
    measures = (*CURVES, *manifest["scenario"].get("measures", {}))
    finals, axes = _read_finals(folder / FINALS, content, measures)
    if bool(axes) != ("sweep" in manifest["scenario"]):
        raise MarketError(
            f"{folder}: {MANIFEST} and {FINALS} are from different results; run it again"
        )
    return Record(folder, manifest["scenario"], manifest["seed"], manifest["digest"], axes, finals)


def _read_finals(
    path: Path, content: bytes, measures: tuple[str, ...]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    try:
        table = pd.read_parquet(io.BytesIO(content), page_checksum_verification=True)
    except Exception as error:  # pyarrow raises many kinds
        reason = " ".join(str(error).split())[:100]
        raise MarketError(f"{path}: damaged: {reason}; run it again, or {WANTED}") from error
    missing = [name for name in ("policy", "replication", *measures) if name not in table]
    if missing:
        raise MarketError(f"{path}: damaged: has no column {', '.join(missing)}; {WANTED}")
    numbers = ("replication", *measures)
    numeric = all(pd.api.types.is_numeric_dtype(table[name]) for name in numbers)
    axes = tuple(map(str, table.columns[: list(table.columns).index("policy")]))
    if not numeric or table.empty or table.duplicated([*axes, "policy", "replication"]).any():
        raise MarketError(
            f"{path}: damaged: must be one row of numbers per policy and replication; {WANTED}"
        )
    return table, axes
