"""Draw the package's layers from the contract in pyproject.toml: python docs/_ext/layers.py."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from textwrap import wrap
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[2]
DRAWING = ROOT / "docs" / "assets" / "layers.svg"
PACKAGE = "kcmab_abm"

LEFT, TOP, WIDTH = 80, 20, 760  # all in pixels
PAD, LINE, NAMES = 14, 17, 130
LETTER = 7.5  # width of a letter in a wide font
FRONT, FRONT_HEIGHT = "#f7e7dd", 41
COLOURS = ["#f3cdb4", "#e9dbe6", "#d5e9f5", "#d9ead3", "#f7f0b5", "#f6dfae", "#e3e3e3"]

FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
aria-labelledby="title description" font-family="Helvetica, Arial, sans-serif">
  <!-- made by docs/_ext/layers.py -->
  <title id="title">The layers of kcmab_abm</title>
  <desc id="description">Folders in layers, the public names at the top and the errors at the \
bottom. Imports go down only, and folders in one layer do not import each other.</desc>
  <style>
    .box {{ stroke: #333; stroke-width: 1.5 }}
    .name {{ font: bold 16px Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #111 }}
    .text {{ font-size: 14px; fill: #333 }}
    .arrow {{ stroke: #555; stroke-width: 2; fill: none }}
  </style>
  <defs>
    <marker id="tip" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="8" markerHeight="8" \
orient="auto"><path d="M0 0 10 5 0 10z" fill="#555"/></marker>
  </defs>
  <rect width="{width}" height="{height}" rx="12" fill="#fff"/>
{boxes}
  <path class="arrow" d="M{arrow} {start} V{end}" marker-end="url(#tip)"/>
  <text class="text" transform="translate({beside} {middle}) rotate(-90)" text-anchor="middle">\
imports go down only</text>
</svg>
"""


def layers() -> list[list[str]]:
    """The folders of each layer, from the top down, as in the import contract."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (found,) = (
        contract["layers"] for contract in contracts if contract.get("containers") == [PACKAGE]
    )
    return [layer.split(" | ") for layer in found]


def caption(folder: str) -> str:
    """The first sentence of the docstring of a folder or module."""
    path = ROOT / PACKAGE / folder
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split()).rstrip(".")


def draw() -> str:
    """The drawing as SVG."""
    public = ["the public names: import kcmab_abm as kcmab"]
    parts, down = _wide(PACKAGE, public, TOP, FRONT_HEIGHT, FRONT), TOP + FRONT_HEIGHT
    for number, layer in enumerate(layers()):
        height, drawn = _layer(layer, down, COLOURS[number % len(COLOURS)])
        parts += drawn
        down += height
    return FRAME.format(
        width=LEFT + WIDTH + 20,
        height=down + 20,
        boxes="\n".join(parts),
        arrow=LEFT - 24,
        beside=LEFT - 36,
        start=TOP + 10,
        end=down - 10,
        middle=(TOP + down) / 2,
    )


def _layer(layer: list[str], top: int, colour: str) -> tuple[int, list[str]]:
    """The height of a layer, and its folders side by side."""
    if len(layer) == 1:
        lines = wrap(caption(layer[0]), int((WIDTH - NAMES - 2 * PAD) / LETTER))
        height = 24 + LINE * max(len(lines), 1)
        return height, _wide(layer[0], lines, top, height, colour)
    width = WIDTH / len(layer)
    texts = [wrap(caption(folder), int((width - PAD) / LETTER)) for folder in layer]
    height = 34 + LINE * max(map(len, texts))
    drawn = []
    for number, (folder, lines) in enumerate(zip(layer, texts, strict=True)):
        left = LEFT + number * width
        drawn.append(_box(left, top, width, height, colour))
        drawn.append(_name(folder, left, top + 23))
        drawn += _lines(lines, left, top + 42)
    return height, drawn


def _wide(name: str, lines: list[str], top: int, height: int, colour: str) -> list[str]:
    """A layer of one folder, with its caption beside its name."""
    box = _box(LEFT, top, WIDTH, height, colour)
    return [box, _name(name, LEFT, top + 26), *_lines(lines, LEFT + NAMES, top + 26)]


def _box(left: float, top: float, width: float, height: float, colour: str) -> str:
    place = f'x="{left:.1f}" y="{top}" width="{width:.1f}" height="{height}"'
    return f'  <rect class="box" {place} fill="{colour}"/>'


def _name(folder: str, left: float, down: float) -> str:
    return f'  <text class="name" x="{left + PAD:.1f}" y="{down}">{escape(folder)}</text>'


def _lines(lines: list[str], left: float, down: int) -> list[str]:
    texts = [escape(line) for line in lines]
    return [
        f'  <text class="text" x="{left + PAD:.1f}" y="{down + number * LINE}">{text}</text>'
        for number, text in enumerate(texts)
    ]


if __name__ == "__main__":
    DRAWING.write_text(draw(), encoding="utf-8", newline="\n")
