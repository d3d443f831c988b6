"""The code blocks of a page: their kinds, their lines, and the marks that say how to run them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
IN_THE_ROOT = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
DIRECTIVES = {
    "include",
    "literalinclude",
    "note",
    "tip",
    "toctree",
    "warning",
}
RUN = {"python", "sh"}
READ = {"output", "text", "toml"}

_MARK = re.compile(r"<!-- (needs|not run|run by|serves|with)(?:: (.+?))? -->")
_SLOW = re.compile(r"^<!-- slow: (.+?) -->$", re.MULTILINE)
_GENERATED = re.compile(r"<!-- made from the code: .+? -->.*?<!-- end -->", re.DOTALL)
_INSTALLS = re.compile(r"\bpip install\b")


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
    section: int = 0
    marks: Mapping[str, str] = field(default_factory=dict)

    def error(self, message: str) -> PageError:
        """An error that names the page and the line."""
        return PageError(f"{self.page}:{self.line}: {message}")


def blocks_of(page: Path) -> list[Block]:
    """All blocks of a page that are examples; one of an unknown kind is an error.

    Examples in what is made from the code are run where they are written, in docstrings.
    """
    text = page.read_text(encoding="utf-8")
    tokens = MarkdownIt().parse(_GENERATED.sub(lambda part: "\n" * part[0].count("\n"), text))
    blocks = []
    section, comments = 0, ""
    for token in tokens:
        if token.type in ("fence", "code_block"):
            kind, _, name = token.info.strip().partition(" ")
            line = token.map[0] + (2 if token.type == "fence" else 1)
            plain = Block(page, line, kind, name.strip(), token.content, section)
            blocks.append(_marked(plain, _MARK.findall(comments)))
        section += token.type == "heading_open"
        comments = comments + token.content if token.type == "html_block" else ""
    return [block for block in blocks if not _is_directive(block)]


def _marked(block: Block, marks: list[tuple[str, str]]) -> Block:
    """The block with its marks, and with other words where a mark says so."""
    text = block.text
    for printed, _, run in (words.partition(" = ") for mark, words in marks if mark == "with"):
        if printed not in text:
            raise block.error(f"there is no {printed!r} in it that could be run as {run!r}")
        text = text.replace(printed, run)
    kept = dict(mark for mark in marks if mark[0] != "with")
    return Block(block.page, block.line, block.kind, block.name, text, block.section, kept)


def _is_directive(block: Block) -> bool:
    """Whether it is for the site alone; every other block is checked for its kind."""
    if block.kind.startswith("{"):
        if block.kind.strip("{}") not in DIRECTIVES:
            raise block.error(
                f"directive {block.kind}; allowed are {', '.join(sorted(DIRECTIVES))}"
            )
        return True
    if not (block.name or block.kind in RUN | READ):
        found = f"kind {block.kind!r}" if block.kind else "no kind"
        raise block.error(
            f"a block of {found}; allowed are {', '.join(sorted(RUN | READ))}, and a language with "
            "the name of a file"
        )
    return False


def blocks_run_by(page: Path, runner: str = "") -> list[Block]:
    """The blocks of a page that its own test runs, or those that somebody else does."""
    run = [block for block in blocks_of(page) if "not run" not in block.marks]
    return [block for block in run if block.marks.get("run by", "") == runner]


def installs(blocks: list[Block]) -> bool:
    """Whether one of the blocks installs something, so that they need an environment of theirs."""
    return any(block.kind == "sh" and _INSTALLS.search(block.text) for block in blocks)


def slow_reason(page: Path) -> str:
    """Why the examples of a page take long, if they do."""
    if installs(blocks_run_by(page)):
        return "it installs"
    found = _SLOW.search(page.read_text(encoding="utf-8"))
    return found[1] if found else ""


def pages() -> list[Path]:
    """Every page a reader may open."""
    docs = [page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts]
    return [*(ROOT / name for name in IN_THE_ROOT), *sorted(docs)]
