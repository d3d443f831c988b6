"""Docstrings are plain text in which `code` stands between single backticks, as in Markdown."""

import re

CODE = re.compile(r"(?<![`:\w])`([^`\n]+)`(?!`)")


def as_rst(app, what, name, thing, options, lines):
    """Double the backticks, which is how Sphinx reads docstrings."""
    lines[:] = [CODE.sub(r"``\1``", line) for line in lines]


def show_example(app, context, lines):
    """Show the example in a command's help as code: the lines that click is told to keep."""
    shown = "\n".join(line.removeprefix("| ") for line in lines)
    lines[:] = shown.replace("Example:\n", "Example::\n\n").split("\n")


def setup(app):
    """Let every docstring pass through here."""
    app.connect("autodoc-process-docstring", as_rst)
    app.connect("sphinx-click-process-description", show_example)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
