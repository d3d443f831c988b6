"""Formulas as MathML, made when the page is built: a reader needs no script and no network."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging


def written(node, display):
    """The formula of a node as MathML; one that cannot be read is a warning with its place."""
    try:
        return convert(node.astext(), display=display)
    except Exception as error:
        said = f"{type(error).__name__} {error}".strip()
        logging.getLogger(__name__).warning(
            "formula %r cannot be read: %s", node.astext(), said, location=node
        )
        return ""


def inline(self, node):
    """A formula within a line."""
    self.body.append(written(node, "inline"))
    raise nodes.SkipNode


def block(self, node):
    """A formula on lines of its own."""
    self.body.append(f'<div class="formula">{written(node, "block")}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer; `html_math_renderer = "mathml"` chooses it."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
