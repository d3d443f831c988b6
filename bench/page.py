"""Update the tables between marks on a page after a measurement."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from bench.report import Row, markdown, sections

MARKED = re.compile(
    r"(?P<begin><!-- measured: (?P<name>.+?) -->\n).*?(?P<end><!-- measured: end -->)", re.DOTALL
)


def refresh(page: Path, rows: Iterable[Row]) -> None:
    """Replace the tables of the measurements that were made; keep the others."""
    page.write_text(renewed(page.read_text(encoding="utf-8"), rows), encoding="utf-8")


def renewed(text: str, rows: Iterable[Row]) -> str:
    """The text with new tables between the marks `measured: NAME` and `measured: end`."""
    tables = sections(rows)

    def replace(block: re.Match[str]) -> str:
        if block["name"] not in tables:
            return block[0]
        return f"{block['begin']}\n{markdown(tables[block['name']])}\n{block['end']}"

    return MARKED.sub(replace, text)
