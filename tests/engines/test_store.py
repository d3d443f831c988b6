"""Machine code on disk is used only if it is whole and one's own, else compiled in memory."""

from __future__ import annotations

import errno
import os
import stat
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit, types

from kcmab_abm.batch import store
from kcmab_abm.batch.store import cache_folder, keep, make_room, read_own, sealed, unsealed

ROOT = os.geteuid() == 0
STRANGER = 54_321  # nobody's number


def double(x):
    """What is compiled here; `triple` is of the same types."""
    return 2 * x


def triple(x):
    """Another function, whose file is whole and wrong for `double`."""
    return 3 * x


def compiled(folder, function=double):
    """The function as a new process compiles it, with what is in the folder."""
    ready = njit(function)
    keep(ready, folder, "kcmab_kernel_0", function.__name__)
    ready.compile((types.int64,))
    assert ready(21) == function(21)
    return ready


def is_loaded(ready):
    """Whether the function came from disk."""
    return sum(ready.stats.cache_hits.values()) == 1


@pytest.fixture
def warm(tmp_path):
    """A folder with the machine code of `double`, and its path."""
    folder = tmp_path / "kernels"
    folder.mkdir(0o700)
    assert not is_loaded(compiled(folder))
    (path,) = folder.iterdir()
    return path


def rewrite(path, change):
    """Replace a file's bytes by what a function makes of them."""
    path.write_bytes(change(path.read_bytes()))


def replace_by(make):
    """Put something else in a file's place."""

    def change(path):
        path.unlink()
        make(path)

    return change


def flip(place):
    """Change one bit of the byte at a place, counted in thousandths of the file."""

    def change(content):
        at = min(len(content) * place // 1000, len(content) - 1)
        return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]

    return lambda path: rewrite(path, change)


def other_function(path):
    """Put the whole file of another function in a file's place."""
    compiled(path.parent, triple)
    (other,) = set(path.parent.iterdir()) - {path}
    other.replace(path)


DAMAGES = {
    "emptied": lambda path: rewrite(path, lambda content: b""),
    "cut in the seal": lambda path: rewrite(path, lambda content: content[:20]),
    "cut after the seal": lambda path: rewrite(path, lambda content: content[:32]),
    "cut in half": lambda path: rewrite(path, lambda content: content[: len(content) // 2]),
    **{f"bit flipped at {place}": flip(place) for place in (0, 1, 10, 500, 1000)},
    "longer": lambda path: rewrite(path, lambda content: content + b"\0"),
    "doubled": lambda path: rewrite(path, lambda content: content * 2),
    "garbage": lambda path: rewrite(path, lambda content: os.urandom(len(content))),
    "a pickle that ends Python": lambda path: rewrite(path, lambda _: b"cos\n_exit\n(I3\ntR."),
    "another function's": other_function,
    "deleted": lambda path: path.unlink(),
    "a folder": replace_by(Path.mkdir),
    "a pipe": replace_by(os.mkfifo),
    "a device": replace_by(lambda path: path.symlink_to("/dev/zero")),
    "a dangling link": replace_by(lambda path: path.symlink_to("nowhere")),
    "a link to itself": replace_by(lambda path: path.symlink_to(path.name)),
    "writable for all": lambda path: path.chmod(0o666),
    "writable for the group": lambda path: path.chmod(0o620),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.filterwarnings("ignore:compiled kernels are not kept")
def test_damaged_code_is_compiled_anew(warm, damage):
    """A file that is not what was written is never used; the next process finds a whole one."""
    assert is_loaded(compiled(warm.parent))
    DAMAGES[damage](warm)
    assert not is_loaded(compiled(warm.parent))
    mended = damage != "a folder"  # what a folder holds may be somebody's: it stays
    assert is_loaded(compiled(warm.parent)) is mended
    assert {path for path in warm.parent.iterdir() if path.suffix != ".kernel"} == set()


@pytest.mark.skipif(ROOT, reason="root reads every file")
def test_code_that_may_not_be_read_is_compiled_anew(warm):
    """A file without permissions is replaced."""
    warm.chmod(0)
    assert not is_loaded(compiled(warm.parent))
    assert is_loaded(compiled(warm.parent))


@pytest.mark.skipif(not ROOT, reason="only root can give files away")
def test_code_of_another_user_is_not_run(warm):
    """A whole file in the right place counts for nothing if somebody else wrote it."""
    os.chown(warm, STRANGER, -1)
    assert not is_loaded(compiled(warm.parent))
    assert warm.stat().st_uid == os.geteuid()


def test_a_copy_for_another_kernel_is_not_run(warm):
    """The seal names the kernel: code renamed to where another kernel's belongs is refused."""
    ready = njit(double)
    keep(ready, warm.parent, "kcmab_kernel_1", "double")
    ready.compile((types.int64,))
    (other,) = set(warm.parent.iterdir()) - {warm}
    warm.replace(other)
    again = njit(double)
    keep(again, warm.parent, "kcmab_kernel_1", "double")
    again.compile((types.int64,))
    assert not is_loaded(again)


@given(content=st.binary(max_size=200), purpose=st.binary(max_size=20), data=st.data())
def test_the_seal_breaks_with_every_change(content, purpose, data):
    """What was sealed comes back; any other bytes, or another purpose, are refused."""
    written = sealed(content, purpose)
    assert unsealed(written, purpose) == content
    place = data.draw(st.integers(0, len(written) - 1))
    changed = bytes([written[place] ^ data.draw(st.integers(1, 255))])
    length = data.draw(st.integers(0, len(written) - 1))
    for wrong in (
        written[:place] + changed + written[place + 1 :],
        written[:length],
        written + changed,
    ):
        with pytest.raises(ValueError, match="damaged"):
            unsealed(wrong, purpose)
    with pytest.raises(ValueError, match="written for something else"):
        unsealed(written, purpose + b"x")
    if content:  # the border between the two counts
        with pytest.raises(ValueError, match="damaged"):
            unsealed(written[:32] + content[1:], purpose + content[:1])


CODES = [errno.ENOSPC, errno.EMFILE, errno.EROFS, errno.EIO, errno.ESTALE]


class Faults:
    """Makes the n-th of all steps on disk fail."""

    def __init__(self, monkeypatch, fails, code):
        self.left = fails
        self.code = code
        for name in ("open", "fstat", "utime"):
            monkeypatch.setattr(store.os, name, self._counted(getattr(os, name)))
        for name in ("replace", "unlink", "mkdir", "lstat", "iterdir"):
            monkeypatch.setattr(Path, name, self._counted(getattr(Path, name)))
        monkeypatch.setattr(store, "open", self._opened, raising=False)

    def _step(self):
        self.left -= 1
        if self.left == 0:
            raise OSError(self.code, os.strerror(self.code))

    def _counted(self, function):
        def call(*arguments, **named):
            self._step()
            return function(*arguments, **named)

        return call

    def _opened(self, descriptor, mode):
        file = open(descriptor, mode, buffering=0)  # noqa: SIM115
        if mode == "wb":
            whole = file.write

            def write(content):
                whole(content[: len(content) // 2])  # as much as there was room for
                self._step()
                whole(content[len(content) // 2 :])

            file.write = write
        return file


@pytest.mark.filterwarnings("ignore:compiled kernels are not kept")
def test_any_step_on_disk_may_fail(tmp_path, monkeypatch):
    """Whichever step fails, the function is compiled and right, and nothing is half there."""
    failed = 0
    for n in range(1, 100):
        folder = tmp_path / str(n)
        folder.mkdir()
        with monkeypatch.context() as patch:
            faults = Faults(patch, n, CODES[n % len(CODES)])
            compiled(folder)  # written
            compiled(folder)  # read
        if faults.left > 0:
            break
        failed += 1
        compiled(folder)
        assert is_loaded(compiled(folder))
    assert failed >= 8  # it was the disk's every step, not one


def test_a_failed_write_is_said_once(tmp_path, monkeypatch):
    """A full disk costs time in every process, so the user hears of it, and how to mend it."""
    monkeypatch.setattr(store, "write_own", _no_room)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        compiled(tmp_path)
        compiled(tmp_path, triple)
    (one,) = said
    assert "No space left" in str(one.message)
    assert "KCMAB_CACHE_DIR" in str(one.message)


def _no_room(path, content):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def test_what_cannot_be_pickled_is_kept_in_memory(tmp_path, monkeypatch):
    """Numba's own failure to write a function down is no failure of the run."""
    monkeypatch.setattr(store, "dumps", lambda _: 1 / 0)
    compiled(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder of the test's own, and no setting."""
    monkeypatch.delenv("KCMAB_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    store._say.cache_clear()
    return tmp_path


def test_folders_are_made_for_this_user_alone(home, monkeypatch):
    """Whatever the umask, nobody else may write to a folder that we make, nor to those above."""
    monkeypatch.setenv("KCMAB_CACHE_DIR", str(home / "one" / "two" / "kernels"))
    before = os.umask(0)
    try:
        folder = cache_folder()
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (folder, *folder.parents[:2])]
    assert modes == [0o700] * 3


def test_the_default_is_the_users_cache(home):
    """Without a setting it is in the home folder."""
    assert cache_folder() == home / ".cache" / "kcmab"


def make_loop(path):
    """A folder that is a link to itself."""
    path.symlink_to(path.name)


def make_open(path):
    """A folder that everybody may write to, reached by a link."""
    real = path.with_name("real")
    real.mkdir()
    real.chmod(0o1777)
    path.symlink_to(real)


def make_shared(path):
    """A folder that a group may write to."""
    path.mkdir()
    path.chmod(0o770)


UNUSABLE = {
    "a file": Path.touch,
    "below a file": lambda path: path.parent.touch(),
    "a link to itself": make_loop,
    "open to all": make_open,
    "open to a group": make_shared,
}


@pytest.mark.parametrize("make", UNUSABLE)
def test_a_folder_that_cannot_be_trusted_or_made(home, monkeypatch, make):
    """It is left as it is, and the user is told why and what to do."""
    path = home / "cache" / "kernels" if make == "below a file" else home / "kernels"
    UNUSABLE[make](path)
    monkeypatch.setenv("KCMAB_CACHE_DIR", str(path))
    with pytest.warns(RuntimeWarning, match="not kept on disk.*set KCMAB_CACHE_DIR to a folder"):
        assert cache_folder() is None


@pytest.mark.skipif(not ROOT, reason="only root can give folders away")
def test_a_folder_of_another_user_is_not_used(home, monkeypatch):
    """Who owns a folder can put anything into it; a link to it is the same folder."""
    (home / "theirs").mkdir(0o755)
    os.chown(home / "theirs", STRANGER, -1)
    (home / "link").symlink_to("theirs")
    for name in ("theirs", "link"):
        store._say.cache_clear()
        monkeypatch.setenv("KCMAB_CACHE_DIR", str(home / name))
        with pytest.warns(RuntimeWarning, match="theirs is another user's"):
            assert cache_folder() is None


@pytest.mark.parametrize("unknown", ["raises", "relative"])
def test_no_home_is_known(home, monkeypatch, unknown):
    """A number without a name and without HOME: nothing is made in the working folder."""

    def user_cache_path(*_, **__):
        if unknown == "raises":
            raise RuntimeError("could not determine the home directory")
        return Path("~/.cache/kcmab")

    monkeypatch.setattr(store.platformdirs, "user_cache_path", user_cache_path)
    monkeypatch.chdir(home)
    with pytest.warns(RuntimeWarning, match="home"):
        assert cache_folder() is None
    assert list(home.iterdir()) == []


def test_a_name_that_no_disk_takes(home, monkeypatch):
    """A name that is too long is a folder that cannot be made."""
    monkeypatch.setenv("KCMAB_CACHE_DIR", str(home / ("x" * 300)))
    with pytest.warns(RuntimeWarning, match="not kept on disk"):
        assert cache_folder() is None


def test_what_was_used_longest_ago_makes_room(tmp_path, monkeypatch):
    """Code is removed once there is too much of it, leftovers after a day, and nothing else."""
    names = ["a.kernel", "b.kernel", "c.kernel", "new.partial", "old.partial", "notes.txt"]
    for age, name in enumerate(names):
        (tmp_path / name).write_bytes(b"x" * 100)
        os.utime(tmp_path / name, (1000 - age, 1000))
    (tmp_path / "a.kernel").chmod(0o600)
    read_own(tmp_path / "c.kernel")  # the one that was used longest ago, until now
    (tmp_path / "new.partial").touch()
    monkeypatch.setattr(store, "ROOM", 250)
    make_room(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"a.kernel", "c.kernel", "new.partial", "notes.txt"}
    make_room(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == left
