"""Files as text, and lists of times in them; what cannot be read is said in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path


class Unreadable(Exception):
    """A file that cannot be read as text, and why."""


def read_text(path: Path) -> str:
    """The text of a file, which must be UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")  # editors on Windows begin with a mark
    except FileNotFoundError:
        reason = "no such file"
    except IsADirectoryError:
        reason = "is a directory; give a file"
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 text (byte {error.start}); save it as UTF-8"
    except ValueError as error:  # a NUL in the path
        reason = f"cannot be read: {error}"
    raise Unreadable(reason)


def read_times(text: str) -> Iterator[float]:
    """Arrival times, one a line, never decreasing; a line that is none is named."""
    before = 0.0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            time = float(line)
        except ValueError:
            raise ValueError(
                f"line {number}: must be one arrival time, a number; got {line.strip()[:60]!r}"
            ) from None
        if not (math.isfinite(time) and time >= before):
            raise ValueError(
                f"line {number}: times must be finite, >= 0 and not decrease, got {time}"
            )
        before = time
        yield time


def check_times(times: tuple[float, ...], horizon: int) -> None:
    """Refuse a list that is too short for the horizon."""
    if len(times) < horizon:
        raise ValueError(f"must hold at least {horizon} times (the horizon), got {len(times)}")
