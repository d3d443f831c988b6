"""Machine code kept on disk: loaded only if it is intact and belongs to this user.

A file holds one compiled function: a seal, then numba's pickle of it. The seal is a digest of the
pickle and its purpose (kernel, function, types, processor), so a file that is damaged or belongs
elsewhere is not unpickled. If anything goes wrong on disk, the function is compiled in memory
instead: nothing here raises.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import secrets
import stat
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

ROOM = 2**30  # bytes of machine code kept; the least recently used is removed first
SUFFIX = ".kernel"
PARTIAL = ".partial"

_SETTING = "KCMAB_CACHE_DIR"
_SEAL = hashlib.sha256().digest_size
_DAY = 86_400
# Do not follow links, do not wait for the other end of a pipe; both are missing on Windows.
_CAREFULLY = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


class Store(_Cache):
    """Numba's cache interface. Its own implementation unpickles whatever is in its files."""

    def __init__(self, folder: Path, kernel: str, function: str) -> None:
        self._folder = folder
        self._kernel = kernel
        self._function = function

    @property
    def cache_path(self) -> str:
        """The folder, for numba's statistics."""
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function from disk; None if it must be compiled."""
        try:
            target_context.refresh()
            path, purpose = self._place(sig, target_context.codegen())
            parts = pickle.loads(unsealed(read_own(path), purpose))
            return CompileResult._rebuild(target_context, *parts)
        except Exception:  # whatever it is, compiling solves it
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled function, if possible."""
        with contextlib.suppress(Exception):  # it also runs from memory
            if data.library.has_dynamic_globals:  # addresses of this process
                return
            path, purpose = self._place(sig, data.codegen)
            content = sealed(dumps(data._reduce()), purpose)
            try:
                write_own(path, content)
                make_room(self._folder)
            except OSError as error:
                _say(f"{self._folder}: {error.strerror}")

    def _place(self, sig: Any, codegen: Any) -> tuple[Path, bytes]:
        """The file of one function for these types, and its purpose."""
        purpose = repr((self._kernel, self._function, str(sig), codegen.magic_tuple())).encode()
        name = f"{self._function}-{hashlib.sha256(purpose).hexdigest()[:32]}{SUFFIX}"
        return self._folder / name, purpose

    def enable(self) -> None:
        """Do nothing: the store is always enabled."""

    def disable(self) -> None:
        """Do nothing: the store is always enabled."""

    def flush(self) -> None:
        """Do nothing: files are written at once."""


def keep(dispatcher: Any, folder: Path, kernel: str, function: str) -> None:
    """Keep the machine code of a function in this folder."""
    dispatcher._cache = Store(folder, kernel, function)


def cache_folder() -> Path | None:
    """The folder of machine code: $KCMAB_CACHE_DIR, or the user's cache folder.

    None, with a warning, if it cannot be used: then every process compiles for itself. Permissions
    of the folders above do not matter: a file is checked again after it is opened, and this user's
    code in a wrong place has the wrong seal.
    """
    try:
        folder = _wanted().resolve()
        _make(folder)
        found = folder.stat()
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(f"{folder} is not a folder")
        if others_write(found):
            raise PermissionError(f"{folder} is another user's, or others can write to it")
    except (OSError, RuntimeError, ValueError) as error:  # no home, a circle of links, a NUL
        _say(str(error))
        return None
    return folder


def _wanted() -> Path:
    given = os.environ.get(_SETTING)
    if given:
        return Path(given)
    own = platformdirs.user_cache_path("kcmab", appauthor=False)
    if not own.is_absolute():  # as some versions return if the home folder is unknown
        raise FileNotFoundError("no home folder is known")
    return own


@cache  # warn once; numba resets the warnings module's own record
def _say(why: str) -> None:
    warnings.warn(
        f"compiled kernels are not kept on disk, so every process compiles them anew: {why}; "
        f"set {_SETTING} to a folder that only you can write to",
        RuntimeWarning,
        stacklevel=1,
    )


def _make(folder: Path) -> None:
    """Create a folder and its parents, for this user alone."""
    if not folder.exists():
        _make(folder.parent)
        folder.mkdir(0o700, exist_ok=True)


def sealed(content: bytes, purpose: bytes) -> bytes:
    """The content, preceded by a digest of it and of its purpose."""
    return hashlib.sha256(hashlib.sha256(purpose).digest() + content).digest() + content


def unsealed(written: bytes, purpose: bytes) -> bytes:
    """The content of a file written for this purpose.

    >>> unsealed(sealed(b"code", b"ucb"), b"ucb")
    b'code'
    >>> unsealed(sealed(b"code", b"ucb"), b"greedy")
    Traceback (most recent call last):
    ValueError: damaged, or written for something else
    """
    content = written[_SEAL:]
    if sealed(content, purpose) != written:
        raise ValueError("damaged, or written for something else")
    return content


def read_own(path: Path) -> bytes:
    """The bytes of a regular file that only this user and root can have written."""
    with open(os.open(path, os.O_RDONLY | _CAREFULLY), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > ROOM or others_write(found):
            raise PermissionError(f"{path}: not a file of this user's")
        content = file.read()
    with contextlib.suppress(OSError):
        os.utime(path, ns=(time.time_ns(), found.st_mtime_ns))  # used now, by this clock
    return content


def write_own(path: Path, content: bytes) -> None:
    """Write a file atomically, for this user alone."""
    # Not named by the process number, because machines may share the disk.
    partial = path.with_name(f"{path.name}-{secrets.token_hex(8)}{PARTIAL}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFULLY
    try:
        with open(os.open(partial, flags, 0o600), "wb") as file:
            file.write(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def others_write(found: os.stat_result) -> bool:
    """Return True if anybody but this user and root can write to a file or folder."""
    if not hasattr(os, "geteuid"):  # Windows keeps users apart by other means
        return False
    return found.st_uid not in (0, os.geteuid()) or bool(found.st_mode & 0o022)


def make_room(folder: Path) -> None:
    """Remove the least recently used files, and unfinished files older than a day."""
    files = []
    for path in folder.iterdir():
        with contextlib.suppress(OSError):  # another process may have removed it
            found = path.lstat()
            if path.suffix == SUFFIX:
                files.append((found.st_atime, found.st_size, path))
            elif path.suffix == PARTIAL and found.st_mtime < time.time() - _DAY:
                path.unlink()
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= ROOM:
            return
        total -= size
        with contextlib.suppress(OSError):
            path.unlink()
