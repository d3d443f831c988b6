"""The students of a class: who has joined, under which name, in which room."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Container, Iterable
from dataclasses import dataclass

from kcmab_abm.errors import MarketError

MOST_STUDENTS = 200
LONGEST_NAME = 24
_LETTERS = "ABCDEFGHJKLMNPQRTUVWXY"  # without those that look like digits or each other
_CODE = 5

_ADJECTIVES = [
    *("Amber", "Azure", "Bold", "Brave", "Bright", "Calm", "Clever", "Cosy"),
    *("Crisp", "Curious", "Eager", "Early", "Fair", "Gentle", "Golden", "Grand"),
    *("Happy", "Honest", "Jolly", "Keen", "Kind", "Lively", "Lucky", "Mellow"),
    *("Merry", "Mild", "Neat", "Nimble", "Patient", "Plucky", "Polite", "Proud"),
    *("Quick", "Quiet", "Rapid", "Silver", "Sunny", "Swift", "Tidy", "Witty"),
]
_ANIMALS = [
    *("Badger", "Beaver", "Bison", "Cat", "Crane", "Deer", "Dolphin", "Duck"),
    *("Eagle", "Falcon", "Ferret", "Finch", "Fox", "Gecko", "Goose", "Hare"),
    *("Heron", "Horse", "Ibis", "Jay", "Koala", "Lark", "Lemur", "Lion"),
    *("Lynx", "Magpie", "Marten", "Mole", "Moose", "Newt", "Otter", "Owl"),
    *("Panda", "Parrot", "Puffin", "Raven", "Robin", "Seal", "Swan", "Tiger"),
]


@dataclass
class Student:
    """A student, numbered from 0 in order of joining; `lock` is the digest of her phone's key."""

    number: int
    name: str
    lock: str
    room: int = 0


def new_code() -> str:
    """A room code that can be read aloud and typed into a phone."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_CODE))


def lock_of(key: str) -> str:
    """What is kept of the key of a phone."""
    return hashlib.sha256(key.encode()).hexdigest()


def made_up_name(taken: Container[str]) -> str:
    """A name that nobody has yet."""
    while (name := f"{secrets.choice(_ADJECTIVES)} {secrets.choice(_ANIMALS)}") in taken:
        pass
    return name


def tidy_name(name: str, taken: Iterable[str]) -> str:
    r"""A typed name without odd characters, with a number if somebody has it already.

    >>> tidy_name("  Ada\t Lovelace ", ["Ada Lovelace"])
    'Ada Lovelace 2'
    """
    plain = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    plain = plain[:LONGEST_NAME].strip()
    others, count, found = {*taken}, 1, plain
    while found in others:
        count += 1
        found = f"{plain} {count}"
    return found


class Roster:
    """All students of a class."""

    def __init__(self) -> None:
        self.students: list[Student] = []
        self._places: dict[str, Student] = {}

    def __len__(self) -> int:
        return len(self.students)

    @property
    def names(self) -> list[str]:
        """The names, in order of joining."""
        return [student.name for student in self.students]

    def check_room(self) -> None:
        """Refuse another student if the class is full."""
        if len(self) >= MOST_STUDENTS:
            raise MarketError(
                f"The class is full: {MOST_STUDENTS} phones have joined. Look on with a neighbour."
            )

    def add(self, name: str, lock: str, room: int) -> Student:
        """Add a student."""
        student = Student(len(self), name, lock, room)
        self.students.append(student)
        self._places[lock] = student
        return student

    def find(self, key: str) -> Student | None:
        """The student whose phone has this key."""
        return self._places.get(lock_of(key))
