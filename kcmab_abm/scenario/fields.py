"""Types of single settings (texts, amounts, whole numbers) and their limits."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, TypedDict, TypeVar

import numpy as np
from pydantic import AfterValidator, BaseModel, Field

from kcmab_abm.catalogue.entries import integral
from kcmab_abm.errors import ScenarioError

LARGEST_HORIZON = 10**11
LARGEST_REPLICATIONS = 10**8
LARGEST_SEED = 2**63 - 1
LARGEST_AMOUNT = 1e12  # of time or money: sums over many customers stay finite
DEEPEST = 20  # levels of tables and lists: twice the depth of a whole scenario

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control and format characters, ends of lines
JOINERS = "\u200c\u200d"  # which Persian, Hindi and emoji need
_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")  # the latter as wide as Chinese letters

Number = int | float | np.integer[Any] | np.floating[Any]
Table = TypeVar("Table", bound=BaseModel)
Built = TypeVar("Built")
Arguments = ParamSpec("Arguments")


def _one_line(text: str) -> str:
    """Refuse control characters, and what a spreadsheet would take for a formula."""
    for letter in text:
        if unicodedata.category(letter) in _UNSEEN and letter not in JOINERS:
            raise ValueError(
                f"must be one line without control characters, got {letter!a} in {text[:20]!a}"
            )
    if text.startswith(_FORMULA):
        raise ValueError(
            f"must not begin with {text[0]!r}, which spreadsheets take for a formula; begin with "
            "a letter or a digit"
        )
    return text


Title = Annotated[str, Field(max_length=200), AfterValidator(_one_line)]
Label = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_one_line)]
Amount = Annotated[float, Field(ge=0, le=LARGEST_AMOUNT)]
Share = Annotated[float, Field(ge=0, le=1)]
Customers = Annotated[int, Field(ge=1, le=LARGEST_HORIZON), integral]
Replications = Annotated[int, Field(ge=1, le=LARGEST_REPLICATIONS), integral]


class ScenarioSettings(TypedDict, total=False):
    """The top-level settings of a scenario, for type checkers."""

    title: str
    horizon: Number
    replications: Number
    precision: Mapping[str, Any] | None
    seed: Number
    record: Literal["curves", "paths", "sample"]
    sample: Sequence[Number] | None
    market: Mapping[str, Any]
    purse: Mapping[str, Any]
    policy: Sequence[Mapping[str, Any]]
    measures: Mapping[str, Any] | None
    sweep: Mapping[str, Any] | None


def plain(value: Any, levels: int = DEEPEST) -> Any:
    """Convert NumPy numbers and arrays in settings to plain Python values.

    >>> import numpy as np
    >>> plain({"horizon": np.int64(100), "means": np.array([0.5, 0.25])})
    {'horizon': 100, 'means': [0.5, 0.25]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if levels and isinstance(value, Mapping):
        return {key: plain(each, levels - 1) for key, each in value.items()}
    if levels and isinstance(value, list | tuple):
        return [plain(each, levels - 1) for each in value]
    return value


def built_once(
    build: Callable[Concatenate[Table, Arguments], Built],
) -> Callable[Concatenate[Table, Arguments], Built]:
    """Cache what a table builds, since the points of a sweep share their tables."""

    @wraps(build)
    def remember(self: Table, /, *given: Arguments.args, **named: Arguments.kwargs) -> Built:
        memory = self.__dict__.setdefault("_built", {})
        key = (build.__name__, given)
        if key not in memory:
            memory[key] = build(self, *given, **named)
        return memory[key]  # type: ignore[no-any-return]

    return remember


class Problems:
    """Collects problems, one line each."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, place: str, words: object) -> None:
        """Add a problem at a place in the file."""
        self.lines.append(f"{place}: {words}")

    def of(
        self, build: Callable[Arguments, Built], *given: Arguments.args, **named: Arguments.kwargs
    ) -> Built | None:
        """Return what a table builds; None if it has problems, which are added."""
        try:
            return build(*given, **named)
        except ScenarioError as error:
            self.lines += error.problems
            return None

    def tell(self) -> None:
        """Raise an error that lists all problems, if any."""
        if self.lines:
            raise ScenarioError(self.lines)
