"""The steps of a page in order: files to write, commands to type."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

# Not needed for a first result; the pages' other examples are run by the tests.
_OFF_THE_PATH = re.compile(r"\bpytest\b")
_LAB = re.compile(r"\bkcmab lab\b")
_CONTINUED = re.compile(r"\s*\\\n\s*")


@dataclass(frozen=True)
class Write:
    """Save this text under this name."""

    section: str
    name: str
    text: str

    @property
    def is_policy(self) -> bool:
        """True if the file contains a policy."""
        return "@policy(" in self.text

    def __str__(self) -> str:
        return f"save {self.name}"


@dataclass(frozen=True)
class Type:
    """Type this into the terminal."""

    section: str
    command: str

    @property
    def is_lab(self) -> bool:
        """True if the command serves the lab until it is stopped."""
        return _LAB.search(self.command) is not None

    def __str__(self) -> str:
        return self.command


Step = Write | Type


def steps_of(page: str) -> list[Step]:
    """The steps on a page, with their section headings."""
    steps: list[Step] = []
    section = ""
    tokens = MarkdownIt().parse(page)
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            section = tokens[place + 1].content
        elif token.type == "fence":
            kind, _, name = token.info.strip().partition(" ")
            if name and not kind.startswith("{"):
                steps.append(Write(section, name.strip(), token.content))
            elif kind == "sh":
                steps.extend(Type(section, line) for line in _commands(token.content))
    return steps


def _commands(block: str) -> list[str]:
    lines = _CONTINUED.sub(" ", block).splitlines()
    typed = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return [line for line in typed if not _OFF_THE_PATH.search(line)]
