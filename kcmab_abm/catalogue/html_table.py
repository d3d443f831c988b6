"""Tables of two columns in HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping


def html_table(rows: Mapping[str, str], caption: str = "") -> str:
    """Return a table with one row per word, whose text is escaped."""
    head = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    cells = (f"<tr><th>{word}</th><td>{html.escape(text)}</td></tr>" for word, text in rows.items())
    return f"<table>{head}{''.join(cells)}</table>"
