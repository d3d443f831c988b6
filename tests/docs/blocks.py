"""The code blocks of a page: their kinds, their lines, and whether they are to be run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DIRECTIVES = {
    "catalogue",
    "eval-rst",
    "include",
    "literalinclude",
    "note",
    "tip",
    "toctree",
    "warning",
}
RUN = {"python", "sh"}
READ = {"output", "text", "toml"}

_NOT_RUN = re.compile(r"<!-- not run: (.+?) -->")
_SLOW = re.compile(r"^<!-- slow: (.+?) -->$", re.MULTILINE)


class PageError(AssertionError):
    """A page that does not do what it says, with the place."""


@dataclass(frozen=True)
class Block:
    """One code block: what it is, what it holds, where it stands (its first line of code)."""

    page: Path
    line: int
    kind: str
    name: str
    text: str
    not_run: str = ""

    def error(self, message: str) -> PageError:
        """An error that names the page and the line."""
        return PageError(f"{self.page}:{self.line}: {message}")


def blocks_of(page: Path) -> list[Block]:
    """All blocks of a page that are examples; one of an unknown kind is an error."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    blocks = []
    comment = ""
    for token in tokens:
        if token.type in ("fence", "code_block"):
            kind, _, name = token.info.strip().partition(" ")
            mark = _NOT_RUN.match(comment)
            line = token.map[0] + (2 if token.type == "fence" else 1)
            reason = mark[1] if mark else ""
            blocks.append(Block(page, line, kind, name.strip(), token.content, reason))
        comment = token.content if token.type == "html_block" else ""
    return [block for block in blocks if not _is_directive(block)]


def _is_directive(block: Block) -> bool:
    """Whether it is for the site alone; every other block is checked for its kind."""
    if block.kind.startswith("{"):
        if block.kind.strip("{}") not in DIRECTIVES:
            raise block.error(
                f"directive {block.kind}; allowed are {', '.join(sorted(DIRECTIVES))}"
            )
        return True
    if not (block.name or block.not_run or block.kind in RUN | READ):
        found = f"kind {block.kind!r}" if block.kind else "no kind"
        raise block.error(
            f"a block of {found}; allowed are {', '.join(sorted(RUN | READ))}, a language with the "
            "name of a file, or the line <!-- not run: why --> before it"
        )
    return False


def slow_reason(page: Path) -> str:
    """Why the page says that its examples take long, if it does."""
    found = _SLOW.search(page.read_text(encoding="utf-8"))
    return found[1] if found else ""


def pages() -> list[Path]:
    """Every page a reader may open."""
    docs = [page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts]
    return [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(docs)]
