"""Examples as the tests run them: a block that is a file shows its name, output is plain text."""

import re

from pygments.lexers.special import TextLexer

FILE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)


def show_names(app, document, source):
    """Turn the name after a block's language into a caption."""
    source[0] = FILE.sub(r"```{code-block} \1\n:caption: \2\n", source[0])


def setup(app):
    """Hear of every page as it is read."""
    app.connect("source-read", show_names)
    app.add_lexer("output", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
