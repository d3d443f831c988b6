"""Markdown for the parts of pages that are made from the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_CODE = re.compile(r"(`+[^`]*`+)")


def plain(text: str) -> str:
    """Escape what Markdown would format, except in code."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if part.startswith("`") else _escaped(part) for part in parts)


def _escaped(text: str) -> str:
    return re.sub(r"([*_<>|\[\]])", r"\\\1", text)


def cell(text: str) -> str:
    """The same for a cell of a table, in which a bar would end the cell."""
    return plain(text).replace("\\|", "|").replace("|", "\\|")


def table(head: tuple[str, ...], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A table in Markdown, line by line."""
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"
