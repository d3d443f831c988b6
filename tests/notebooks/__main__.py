"""Run every notebook and store what it shows: `python -m tests.notebooks [NAME ...]`.

A name is the beginning of a file's name, such as 1 or 2-three. Do this after a change that is meant
to change what the notebooks say, and read the difference.
"""

from __future__ import annotations

import sys
import tempfile

import nbformat

from tests.notebooks.executed import NOTEBOOKS, SOLUTIONS, executed


def main(names):
    """Execute the notebooks whose names begin so, all if there is none, and write them back."""
    for path in [*NOTEBOOKS, *SOLUTIONS]:
        if not names or path.name.startswith(tuple(names)):
            with tempfile.TemporaryDirectory() as folder:
                notebook = executed(path, folder)
            nbformat.write(notebook, path)
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
