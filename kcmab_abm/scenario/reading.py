"""Read files as text and as TOML, with readable errors."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kcmab_abm.errors import ScenarioError

LARGEST_SCENARIO = 2 * 10**6  # bytes; ten thousand arms take a tenth of it
LONGEST_KEY = 20  # parts; [market.arms] has two

_PART = r"""(?:(?<![\w-])[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?:{_PART}[ \t]*+\.[ \t]*+){{{LONGEST_KEY}}}")
_LONG_NUMBER = re.compile(r"(?<!\w)0[xob][0-9a-fA-F_]{1000}")


class Unreadable(Exception):
    """A file that cannot be read."""


def read_text(path: Path, most: int) -> str:
    """Return the text of a UTF-8 file of at most `most` bytes."""
    return decoded(read_bytes(path, most))


def decoded(content: bytes) -> str:
    """Return the text of a UTF-8 file with this content."""
    try:
        return content.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def read_bytes(path: Path, most: int) -> bytes:
    """Return the content of a file of at most `most` bytes."""
    try:
        return _read(path, most)
    except FileNotFoundError:
        reason = "no such file"
    except IsADirectoryError:
        reason = "is a directory; give a file"
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except ValueError as error:  # a NUL in the path
        reason = f"cannot be read: {error}"
    raise Unreadable(reason)


def _read(path: Path, most: int) -> bytes:
    """Return the content of a file; refuse pipes and devices, which may never end."""
    found = path.stat()
    if stat.S_ISREG(found.st_mode) and found.st_size > most:
        raise Unreadable(f"must be at most {most:,} bytes, got {found.st_size:,}")
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise Unreadable("is a pipe or a device; give a file")
    return path.read_bytes()


def files_named(settings: Any) -> Iterator[str]:
    """Yield the files that some settings name; without recursion, as they may be nested deeply."""
    waiting = [settings]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Mapping):
            if isinstance(here.get("file"), str):
                yield here["file"]
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here


def read_settings(path: str | Path) -> dict[str, Any]:
    """Read a TOML file without checking the settings."""
    try:
        return parse_settings(read_text(Path(path), LARGEST_SCENARIO))
    except (Unreadable, ScenarioError) as error:
        raise ScenarioError([f"{path}: {error}"]) from None


def parse_settings(text: str) -> dict[str, Any]:
    """Parse TOML without checking the settings."""
    try:
        _check_toml(text)
        return tomllib.loads(text)
    except Unreadable as error:
        reason = f"not a scenario: {error}"
    except tomllib.TOMLDecodeError as error:
        reason = f"not TOML: {error}"
    except RecursionError:
        reason = "not a scenario: nested too deeply"
    except ValueError:  # Python converts no more than 4,300 digits
        reason = "not a scenario: a number in it has thousands of digits"
    raise ScenarioError([reason])


def _check_toml(text: str) -> None:
    """Refuse input that exhausts Python's TOML parser or cannot be written back.

    The parser stores every prefix of a key: a key with very many parts, `a.a.a...`, in a file of
    200 kB takes 40 GB of memory. Numbers of thousands of digits cannot be written back.
    """
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise Unreadable(f"a key in it (line {line}) has more than {LONGEST_KEY} parts")
    if _LONG_NUMBER.search(text):
        raise Unreadable("a number in it has thousands of digits")
