"""Build the paper as PDF: nox -s paper, or python docs/joss/build.py where both libraries are."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pypandoc
import typst

HERE = Path(__file__).parent
PDF = HERE.parent / "_build" / "joss" / "paper.pdf"


def main() -> None:
    """Convert Markdown and bibliography with pandoc, and typeset the result with Typst."""
    PDF.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        source = Path(folder, "paper.typ")
        options = [
            "--standalone",
            "--citeproc",
            f"--template={HERE / 'paper.typ'}",
            f"--bibliography={HERE / 'paper.bib'}",
            f"--resource-path={HERE}",
            "--extract-media=media",
            "--fail-if-warnings",
        ]
        text = pypandoc.convert_file(
            str(HERE / "paper.md"), "typst", extra_args=options, cworkdir=folder
        )
        source.write_text(text, encoding="utf-8")
        typst.compile(source, output=PDF)
    print(f"wrote {PDF}")


if __name__ == "__main__":
    main()
