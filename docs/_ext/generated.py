"""Fill in the parts of pages that are made from the code: python docs/_ext/generated.py.

Such a part stands between two comments, of which the first names one of `PARTS`. The text in
between is kept with the page, so that it can be read where no site is built; a test compares it
with the code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # the modules beside this one

import from_catalogue
import from_commands
import from_model
import from_python

DOCS = Path(__file__).parents[1]
PART = re.compile(r"(<!-- made from the code: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)

PARTS: dict[str, Callable[..., Iterable[str]]] = {
    **{kind: partial(from_catalogue.entries, kind) for kind in from_catalogue.KINDS},
    "submodels": from_model.submodels,
    "parameters": from_model.parameters,
    "commands": from_commands.every_command,
    "module": from_python.module,
    "names": from_python.names,
}


def filled(text: str) -> str:
    """A page with its parts as the code is now."""
    return PART.sub(lambda found: f"{found[1]}\n{_text(found[2])}\n\n{found[3]}", text)


def _text(part: str) -> str:
    name, *arguments = part.split()
    return "\n".join(PARTS[name](*arguments)).strip("\n")


def pages() -> list[Path]:
    """The pages that have such parts."""
    every = sorted(DOCS.rglob("*.md"))
    return [page for page in every if PART.search(page.read_text(encoding="utf-8"))]


def main() -> int:
    """Write the pages that have changed; return the exit code."""
    code = 0
    for page in pages():
        name, old = page.relative_to(DOCS.parent), page.read_text(encoding="utf-8")
        try:
            new = filled(old)
        except ModuleNotFoundError as error:
            print(f"{name}: not written, as it needs {error.name}; install the extra 'test-all'")
            code = 1
            continue
        if new != old:
            page.write_text(new, encoding="utf-8", newline="\n")
            print(f"{name}: written")
    return code


if __name__ == "__main__":
    sys.exit(main())
