"""Read columns of CSV and Parquet files, with readable errors.

Without threads, of which one that is still being started can abort a short command as it exits.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kcmab_abm.catalogue.registry import unknown
from kcmab_abm.scenario.paths import short
from kcmab_abm.scenario.reading import Unreadable, decoded, read_bytes

LARGEST_FILE = 256 * 10**6  # bytes; some twenty million arrivals
MOST_ROWS = 2 * 10**7  # a small Parquet file may have many more
_MOST_SHOWN = 1000


def read_columns(
    folder: Path, file: str, columns: Mapping[str, type]
) -> dict[str, NDArray[np.object_] | NDArray[np.float64]]:
    """Return columns of a file as texts (`str`) or finite numbers (`float`).

    Raises a ValueError that names the file and the row if one of them is unusable.
    """
    path = folder / file
    try:
        content = read_bytes(path, LARGEST_FILE)
        try:
            table = _parquet(content, columns) if content[:4] == b"PAR1" else _csv(content, columns)
            return {
                name: (_numbers if kind is float else _texts)(name, table.column(name))
                for name, kind in columns.items()
            }
        except (pa.ArrowException, OSError) as error:
            raise Unreadable(f"cannot be read: {short(' '.join(str(error).split()))!a}") from None
    except (Unreadable, ValueError) as error:
        raise ValueError(f"{str(path)!r}: {error}") from None


def _parquet(content: bytes, columns: Mapping[str, type]) -> Any:
    file = pq.ParquetFile(pa.BufferReader(content))
    _check(file.schema_arrow.names, columns, file.metadata.num_rows)
    return file.read(columns=list(columns), use_threads=False)


def _csv(content: bytes, columns: Mapping[str, type]) -> Any:
    table = pc.read_csv(
        pa.BufferReader(decoded(content).encode()),
        pc.ReadOptions(
            block_size=len(content) + 1, use_threads=False
        ),  # a row may be of any length
        pc.ParseOptions(newlines_in_values=True),
        pc.ConvertOptions(column_types=dict.fromkeys(columns, pa.string())),
    )
    _check(table.column_names, columns, len(table))
    return table


def _check(names: list[str], columns: Mapping[str, type], rows: int) -> None:
    """Raise an error unless the table has each column once, and some rows but not too many."""
    for name in columns:
        if name not in names:
            shown = [short(repr(each)[1:-1]) for each in names[:_MOST_SHOWN]]
            raise Unreadable(unknown("column", name, shown))
        if names.count(name) > 1:
            raise Unreadable(f"must have one column {name!r}, got {names.count(name)}")
    if not 1 <= rows <= MOST_ROWS:
        raise Unreadable(f"must have 1 to {MOST_ROWS:,} rows, got {rows:,}")


def _texts(name: str, column: Any) -> NDArray[np.object_]:
    texts = np.array(column.cast(pa.string()).to_pylist(), object)
    for row, text in enumerate(texts, 1):
        if not text:
            raise Unreadable(f"row {row}: {name!r} must not be empty")
    return texts


def _numbers(name: str, column: Any) -> NDArray[np.float64]:
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if is_number and not column.null_count:
        numbers: NDArray[np.float64] = column.cast(pa.float64()).to_numpy()
    else:
        texts = _texts(name, column)
        numbers = np.array([_number(name, row, text) for row, text in enumerate(texts, 1)])
    if not (finite := np.isfinite(numbers)).all():
        row = int(finite.argmin())
        raise Unreadable(f"row {row + 1}: {name!r} must be a finite number, got {numbers[row]}")
    return numbers


def _number(name: str, row: int, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Unreadable(f"row {row}: {name!r} must be a number, got {short(text)!r}") from None
