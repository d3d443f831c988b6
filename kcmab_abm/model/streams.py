"""Independent streams of randomness, one set per replication.

There are two kinds. *Tapes* are functions of a position: entry k of a tape depends only on its key
and on k, so an arm's k-th reward is the same whoever pulls it and whenever. *Generators* (NumPy's)
serve agents that draw sequentially: the policy, the customers, the arrivals, the durations. Every
tape and generator of replication r has its own key, a hash of (seed, r) and its purpose, so no
stream depends on how many numbers another one draws.

The functions below work on scalars in compiled code and on NumPy arrays in interpreted code.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence
from numpy.typing import NDArray

# The purposes of a replication's streams; arm i's tape has purpose ARMS + i.
POLICY: Final = 0
CUSTOMERS: Final = 1
ARRIVALS: Final = 2
DURATIONS: Final = 3
REPORTS: Final = 4
CHANGES: Final = 5
OFFERS: Final = 6
PATIENCE: Final = 7
DISCLOSURE: Final = 8
MEANS: Final = 9
ARMS: Final = 16

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_30 = np.uint64(30)
_27 = np.uint64(27)
_31 = np.uint64(31)
_11 = np.uint64(11)
_WARM_UP = 12  # rounds after which the state of SFC64 is well mixed


def mix(z: Any) -> Any:
    """Mix 64 bits by the finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


def bits_at(key: Any, position: Any) -> Any:
    """The 64 bits of the tape `key` at `position` (unsigned, from 0)."""
    return mix(mix((position + _ONE) * _GOLDEN) ^ key)


def uniform_at(key: Any, position: Any) -> Any:
    """The uniform in [0, 1) of the tape `key` at `position`, on a grid of 2**-53."""
    return (bits_at(key, position) >> _11) * 1.1102230246251565e-16


def stream_key(root: Any, replication: Any, purpose: Any) -> Any:
    """The key of one stream of one replication, in an experiment with this root key."""
    return bits_at(bits_at(root, replication), purpose)


def restart(words: Any, rng: Generator, key: Any) -> None:
    """Set the generator with the state `words` to the start of the stream `key`."""
    words[0] = bits_at(key, np.uint64(0))
    words[1] = bits_at(key, np.uint64(1))
    words[2] = bits_at(key, np.uint64(2))
    words[3] = _ONE
    words[4] = np.uint64(0)
    for _ in range(_WARM_UP):
        rng.random()


def root_key(seed: int) -> np.uint64:
    """The root key of an experiment with this seed."""
    return np.uint64(SeedSequence(seed).generate_state(1, np.uint64)[0])


def keyed_uniforms(key: np.uint64, first: int, count: int) -> NDArray[np.float64]:
    """Entries `first`, `first + 1`, ... of a tape."""
    positions = np.arange(first, first + count, dtype=np.uint64)
    uniforms: NDArray[np.float64] = uniform_at(key, positions)
    return uniforms


def replication_key(seed: int, replication: int, purpose: int) -> np.uint64:
    """The key of one stream, from plain integers."""
    with np.errstate(over="ignore"):
        key = stream_key(root_key(seed), np.uint64(replication), np.uint64(purpose))
    return np.uint64(key)


class Stream:
    """A NumPy generator that can be restarted at a key.

    Constructing and seeding a generator takes 25 microseconds, and a replication needs several.
    `words` is a view of the five 64-bit words of the SFC64 state (three of state, the counter, the
    buffer of half-used draws), so `restart` costs only twelve draws, in compiled code too.

    >>> stream = Stream()
    >>> stream.open(seed=1, replication=0, purpose=POLICY).random()
    0.7616121536612138
    """

    def __init__(self) -> None:
        bits = SFC64(0)
        self.rng = Generator(bits)
        self.words = _state_words(bits)

    def open(self, seed: int, replication: int, purpose: int) -> Generator:
        """Restart at the stream of (seed, replication, purpose) and return the generator."""
        with np.errstate(over="ignore"):
            restart(self.words, self.rng, replication_key(seed, replication, purpose))
        return self.rng


def _state_words(bits: SFC64) -> NDArray[np.uint64]:
    address = bits.ctypes.state_address
    words = np.ctypeslib.as_array((ctypes.c_uint64 * 5).from_address(address))
    if words[:4].tolist() != bits.state["state"]["state"].tolist():
        raise ImportError(f"NumPy {np.__version__} lays out the SFC64 state in an unknown way")
    return words
