"""The tables of arms: with means that are given, or drawn from a prior."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Union

from pydantic import Discriminator, Field, Tag

from kcmab_abm.catalogue.registry import LAWS
from kcmab_abm.scenario.entry_tables import LawTable, any_of, one_or_list
from kcmab_abm.scenario.random_arms import RandomArmsTable, is_random, random_arms_tables
from kcmab_abm.scenario.world import Arm


def arms_tables() -> Any:
    """Return the type of the arms: one table, or a list of tables."""
    fixed = any_of(LAWS.values(), "law", LawTable)
    drawn: Any = Annotated[
        Union[random_arms_tables(LAWS.values())],  # noqa: UP007
        Field(discriminator="law"),
    ]
    both = Annotated[fixed, Tag("fixed")] | Annotated[drawn, Tag("random")]  # type: ignore[valid-type]
    arms = Annotated[both, Discriminator(is_random)]
    several = Annotated[list[arms], Field(min_length=1)]
    shapes = Annotated[arms, Tag("table")] | Annotated[several, Tag("list")]
    return Annotated[shapes, Discriminator(one_or_list)]


def build_arms(table: LawTable | RandomArmsTable, folder: Path, tabulated: bool) -> tuple[Arm, ...]:
    """Return the arms of a table for the engines, as its `build` does."""
    if isinstance(table, RandomArmsTable):
        return RandomArmsTable.build(table, folder, tabulated)
    return LawTable.build(table, folder, tabulated)
