"""Run a notebook from a fresh kernel, and tidy what it shows so that it can be stored."""

from __future__ import annotations

import copy
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SOLUTIONS = sorted((FOLDER / "solutions").glob("*.ipynb"))
LONGEST = 300  # seconds a cell, on a slow machine that has compiled nothing yet

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def read(path):
    """A notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def executed(path, folder):
    """The notebook with the outputs of a fresh kernel that works in some folder."""
    notebook = copy.deepcopy(read(path))
    client = NotebookClient(
        notebook,
        timeout=LONGEST,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
    )
    client.execute()
    return tidied(notebook)


def tidied(notebook):
    """Without what differs from machine to machine: times, versions, who ran it."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
    return notebook


def texts(notebook):
    """What every code cell says in words: its streams and the plain text of its results."""
    return {
        cell.id: [_words(output) for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def _words(output):
    if output.output_type == "stream":
        return output.name, output.text
    if output.output_type == "error":
        return "error", output.evalue
    kinds = sorted(output.data)
    if "image/png" in kinds:
        return "image", kinds  # the pixels depend on fonts
    return "result", output.data["text/plain"]
