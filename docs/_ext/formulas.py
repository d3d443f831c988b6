"""Formulas as drawings in the page, made when it is built: no script, no font, no network."""

import re
from functools import cache
from html import escape
from xml.etree import ElementTree

import ziamath
from docutils import nodes
from sphinx.util import logging

SIZE = 16  # pixels, of which the page makes em, so that a formula grows with the text
UNKNOWN = re.compile(r"<mi>(\\\w+|[{}])</mi>")

ziamath.config.svg2 = False  # or a glyph would be a reference into the page


@cache
def drawn(latex, inline):
    """Draw a formula in the colour of the text around it; its source is there to be read aloud."""
    formula = ziamath.Latex(latex, size=SIZE, inline=inline, color="currentColor")
    if unknown := UNKNOWN.search(formula.mathmlstr()):
        raise ValueError(f"{unknown[1]} means nothing here")
    drawing = formula.svgxml()
    _, top, width, height = map(float, drawing.get("viewBox").split())
    for size in ("width", "height"):
        del drawing.attrib[size]
    style = f"width:{width / SIZE:.3f}em;vertical-align:{-(top + height) / SIZE:.3f}em"
    attributes = f'<svg role="img" aria-label="{escape(latex.strip())}" style="{style}"'
    return ElementTree.tostring(drawing, encoding="unicode").replace("<svg", attributes, 1)


def put(translator, node, inline):
    """Write a formula into the page; one that cannot be read is a warning with its place."""
    try:
        translator.body.append(drawn(node.astext(), inline))
    except Exception as error:
        logging.getLogger(__name__).warning(
            "formula %r: %s %s", node.astext(), type(error).__name__, error, location=node
        )
    raise nodes.SkipNode


def visit_inline(translator, node):
    """Put a formula into a line."""
    put(translator, node, inline=True)


def visit_block(translator, node):
    """Put a formula on a line of its own."""
    translator.body.append('<div class="formula">')
    try:
        put(translator, node, inline=False)
    finally:
        translator.body.append("</div>\n")


def setup(app):
    """Register the renderer; `html_math_renderer` chooses it."""
    app.add_html_math_renderer("drawings", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
