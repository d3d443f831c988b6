"""What pages that are read as they are say in another way than the site.

A block that is a file shows its name, output is plain text, and where a code host links to a source
file, the site shows it.
"""

import re

from docutils import nodes
from pygments.lexers.special import TextLexer

SOURCE = re.compile(r"^Source: \[(`[^`]+`)\]\((\S+)\)$", re.MULTILINE)
FILE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)


def for_the_site(app, document, source):
    """Turn the name after a block's language into a caption, and a link to a source into code."""
    source[0] = SOURCE.sub(r"\1:\n\n```{literalinclude} \2\n```", source[0])
    source[0] = FILE.sub(r"```{code-block} \1\n:caption: \2\n", source[0])


def break_names(app, document, docname):
    """Let long names of files break in tables, after a slash or an underscore."""
    for entry in document.findall(nodes.entry):
        for literal in entry.findall(nodes.literal):
            first, *rest = re.split(r"(?<=[/_])", literal.astext())
            parts = [nodes.Text(first)]
            for part in rest:
                parts += [nodes.raw("", "<wbr>", format="html"), nodes.Text(part)]
            literal.children = parts


def setup(app):
    """Hear of every page as it is read."""
    app.connect("source-read", for_the_site)
    app.connect("doctree-resolved", break_names)
    app.add_lexer("output", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
