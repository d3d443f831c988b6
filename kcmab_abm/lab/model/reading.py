"""What lessons recommend for reading: pages of the documentation, notebooks, scenario files."""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from markdown_it import MarkdownIt

from kcmab_abm.lab.model.lessons import all_lessons

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)")  # within the repository
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")


@cache
def reading_list() -> tuple[str, ...]:
    """Everything that some lesson recommends, by its path in the repository."""
    return tuple(dict.fromkeys(path for lesson in all_lessons() for path in lesson.reading))


def address_of(path: str) -> str:
    """The address in the lab under which a recommended file opens."""
    if path.endswith(".toml"):
        return f"/?tab=market&file={Path(path).stem}"
    return f"/reading/{path}"


def page_of(path: str) -> str | None:
    """A recommended page as HTML; None if no lesson recommends it, or if it is not installed."""
    place = _place(path) if path in reading_list() else None
    if place is None or not place.is_file():
        return None
    text = place.read_text("utf-8")
    return _html(_cells(text) if path.endswith(".ipynb") else text)


def _html(markdown: str) -> str:
    """Markdown without HTML of its own; links that lead elsewhere in the repository become text."""
    plain = _LINK.sub(r"\1", _IMAGE.sub(r"*Figure: \1*", _COMMENT.sub("", markdown)))
    return str(MarkdownIt("commonmark", {"html": False}).enable("table").render(plain))


def _cells(text: str) -> str:
    """The cells of a notebook, code in blocks."""
    cells = json.loads(text)["cells"]
    told = (("".join(cell["source"]), cell["cell_type"]) for cell in cells)
    return "\n\n".join(
        source if kind == "markdown" else f"```python\n{source}\n```" for source, kind in told
    )


def title_of(path: str) -> str:
    """What a recommended file is called on the page."""
    name = escape(Path(path).stem.replace("-", " "), quote=False)
    kind = {".toml": "scenario", ".ipynb": "notebook"}.get(Path(path).suffix, "page")
    return f"{name} ({kind})"


def _place(path: str) -> Path | None:
    """The file: in the repository beside the package, or else where pip has put it."""
    found = Path(__file__).parents[3] / path
    if found.is_file():
        return found
    try:
        listed = files("kcmab-abm") or []
    except PackageNotFoundError:
        return None
    ending = f"share/kcmab_abm/{path}"
    return next((Path(str(each.locate())) for each in listed if str(each).endswith(ending)), None)
