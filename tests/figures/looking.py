"""What a reader would complain about in a figure: markup, cut or covered words, legends on lines.

`complaints(figure)` draws a figure and returns what is wrong with it, in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unittest import mock

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from kcmab_abm.figures.style import SCREEN, styled

SLACK = 2.0  # pixels by which two boxes may touch: letters do not fill theirs
SMALLEST_FONT = 9.9  # in a figure of 13 inches with letters of 13 points
MARKUP = re.compile(r"[$\\{}]")

Shown = list[tuple[Text, Bbox]]


def shown_texts(figure: Figure) -> Shown:
    """Every text that is drawn when the figure is, with the box that it fills, in pixels."""
    found: dict[Text, None] = {}
    draw = Text.draw

    def noted(text: Text, renderer, *args, **kwargs):
        if text.get_visible() and text.get_text().strip():
            found[text] = None
        return draw(text, renderer, *args, **kwargs)

    with styled():
        canvas = FigureCanvasAgg(figure)
        with mock.patch.object(Text, "draw", noted):
            canvas.draw()
        return [(text, Text.get_window_extent(text)) for text in found]


def complaints(figure: Figure, written: str = "") -> list[str]:
    """What is wrong with the figure; `written` is all that its user wrote, markup or not."""
    shown = shown_texts(figure)
    return [
        *_markup(shown, written),
        *_small(shown, SMALLEST_FONT * getattr(figure, "look", SCREEN).scale),
        *_cut(figure, shown),
        *_on_each_other(shown),
        *_off_their_place(figure, shown),
        *_on_lines(figure, shown),
    ]


def _markup(shown: Shown, written: str) -> Iterator[str]:
    """What a formatter wrote for a typesetter, and words of the user that are typeset."""
    own = {word.strip(",.:") for word in written.split()}
    for text, _ in shown:
        words = [word for word in text.get_text().split() if word.strip(",.:") not in own]
        if MARKUP.search(" ".join(words)):
            yield f"markup: {text.get_text()!r}"
        if text.get_parse_math():
            yield f"a dollar would be markup in {text.get_text()!r}"


def _small(shown: Shown, smallest: float) -> Iterator[str]:
    for text, _ in shown:
        if text.get_fontsize() < smallest:
            yield f"small: {text.get_text()!r}"


def _cut(figure: Figure, shown: Shown) -> Iterator[str]:
    width, height = figure.canvas.get_width_height()
    for text, box in shown:
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
            yield f"cut by the edge: {text.get_text()!r}"


def _on_each_other(shown: Shown) -> Iterator[str]:
    for place, (text, box) in enumerate(shown):
        for other, other_box in shown[place + 1 :]:
            if _meet(box, other_box):
                yield f"{text.get_text()!r} lies on {other.get_text()!r}"


def _off_their_place(figure: Figure, shown: Shown) -> Iterator[str]:
    """Words of axes that cross their frame, and words around them that come in."""
    inside = {text: axes for axes in figure.get_axes() for text in _words_within(axes)}
    for text, box in shown:
        if text in inside:
            frame = inside[text].get_window_extent()
            if _meet(frame, box) and not _holds(frame, box):
                yield f"leaves its axes: {text.get_text()!r}"
            continue
        for axes in figure.get_axes():
            if axes.get_visible() and _meet(box, axes.get_window_extent()):
                yield f"lies over axes: {text.get_text()!r}"


def _on_lines(figure: Figure, shown: Shown) -> Iterator[str]:
    """Legends within axes that cover a line, and annotations that one runs through."""
    boxes = dict(shown)
    for axes in figure.get_axes():
        legend = axes.get_legend()
        if legend is not None and _is_crossed(axes, legend.get_window_extent()):
            yield f"legend on lines: {[text.get_text() for text in legend.get_texts()]}"
        for text in axes.texts:
            if text in boxes and _is_crossed(axes, boxes[text]):
                yield f"a line runs through {text.get_text()!r}"


def _words_within(axes: Axes) -> Iterator[Text]:
    """Annotations and legends of the axes themselves, and what is packed into boxes there."""
    for child in axes.get_children():
        if child in axes.texts or isinstance(child, Legend) or child in axes.artists:
            yield from child.findobj(Text)


def _is_crossed(axes: Axes, box: Bbox) -> bool:
    small = Bbox.from_extents(box.x0 + SLACK, box.y0 + SLACK, box.x1 - SLACK, box.y1 - SLACK)
    return any(
        line.get_transform().transform_path(line.get_path()).intersects_bbox(small, filled=False)
        for line in axes.lines
        if line.get_visible() and line.get_linestyle() != "None" and len(line.get_xdata())
    )


def _meet(one: Bbox, other: Bbox) -> bool:
    return (
        min(one.x1, other.x1) - max(one.x0, other.x0) > SLACK
        and min(one.y1, other.y1) - max(one.y0, other.y0) > SLACK
    )


def _holds(frame: Bbox, box: Bbox) -> bool:
    return (
        frame.x0 - SLACK <= box.x0
        and box.x1 <= frame.x1 + SLACK
        and frame.y0 - SLACK <= box.y0
        and box.y1 <= frame.y1 + SLACK
    )
