"""Reports in Markdown as one HTML file with its figures."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt

_STYLE = """
body { font: 18px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #1a1a1a; background: #fff; }
h1, h2, h3 { line-height: 1.2; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.9em; }
th, td { border-bottom: 1px solid #ccc; padding: 0.35rem 0.6rem; text-align: left; }
th { border-bottom: 2px solid #555; }
img { max-width: 100%; height: auto; }
pre { overflow-x: auto; }
code { background: #f2f2f2; padding: 0 0.2em; overflow-wrap: anywhere; }
"""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$&])")


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    lines = [f"| {' | '.join(cells)} |" for cells in (columns, *rows)]
    return [lines[0], "|---" * len(columns) + "|", *lines[1:]]


def as_text(words: object) -> str:
    r"""What somebody wrote, without what Markdown would take for markup.

    >>> print(as_text("a_b <i>"))
    a\_b \<i\>
    """
    return _MARKUP.sub(r"\\\1", str(words))


def html_page(text: str, title: str, folder: Path) -> str:
    """A report as a single file with its figures, readable offline."""
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    body = re.sub(r'src="([^"]+\.png)"', lambda match: _inline(folder / match[1]), body)
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}</body></html>\n"
    )


def _inline(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return f'src="data:image/png;base64,{data}"'
