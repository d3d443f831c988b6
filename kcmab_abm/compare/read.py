"""Read back what `kcmab run --out` wrote, and refuse whatever else is found in its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from kcmab_abm.errors import MarketError
from kcmab_abm.folders import MANIFEST, WANTED, read_manifest
from kcmab_abm.trajectory import CURVES

FINALS = "finals.parquet"


@dataclass(frozen=True)
class Record:
    """A run or a sweep as its folder tells it: `axes` are the swept settings, if any."""

    folder: Path
    scenario: dict[str, Any] = field(repr=False)
    seed: int
    digest: str
    axes: tuple[str, ...]
    finals: pd.DataFrame = field(repr=False)

    @property
    def policies(self) -> list[str]:
        """The labels of the policies, in the order of the file."""
        return [str(label) for label in self.finals["policy"].drop_duplicates()]


def read_record(folder: Path) -> Record:
    """The record in a folder; a `MarketError` says why there is none."""
    if not folder.is_dir():
        found = "is not a folder" if folder.exists() else "no such folder"
        raise MarketError(f"{folder}: {found}; {WANTED}")
    manifest = read_manifest(folder)
    if not (folder / FINALS).is_file():
        raise MarketError(f"{folder}: has no {FINALS}; {WANTED}")
    finals, axes = _read_finals(folder / FINALS)
    if bool(axes) != ("sweep" in manifest["scenario"]):
        raise MarketError(
            f"{folder}: {MANIFEST} and {FINALS} are not of the same results; run it again"
        )
    return Record(folder, manifest["scenario"], manifest["seed"], manifest["digest"], axes, finals)


def _read_finals(path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    try:
        table = pd.read_parquet(path)
    except Exception as error:  # pyarrow's are of many kinds
        raise _damaged(path, error) from error
    missing = [name for name in ("policy", "replication", *CURVES) if name not in table]
    if missing:
        raise MarketError(f"{path}: damaged: has no column {', '.join(missing)}; {WANTED}")
    numeric = all(pd.api.types.is_numeric_dtype(table[name]) for name in ("replication", *CURVES))
    axes = tuple(map(str, table.columns[: list(table.columns).index("policy")]))
    if not numeric or table.empty or table.duplicated([*axes, "policy", "replication"]).any():
        raise MarketError(
            f"{path}: damaged: must be one row of numbers a policy and replication; {WANTED}"
        )
    return table, axes


def _damaged(path: Path, error: Exception) -> MarketError:
    reason = " ".join(str(error).split())[:100]
    return MarketError(f"{path}: damaged: {reason}; run it again, or {WANTED}")
