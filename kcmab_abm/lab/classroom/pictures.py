"""Pictures of the teacher's screen, drawn as HTML and SVG."""

from __future__ import annotations

import math
from html import escape

from kcmab_abm.lab.model.classroom.board import STARS
from kcmab_abm.lab.model.classroom.guests import GuestRoom
from kcmab_abm.lab.model.classroom.prediction import Shape
from kcmab_abm.lab.model.classroom.question import Question

_WIDE, _HIGH = 880, 210  # of the dots
_FALL = 2500  # milliseconds until the last dot falls


def bars(room: GuestRoom, revealed: bool, is_small: bool = False) -> str:
    """The record of every restaurant, and its true mean once that is revealed.

    If `is_small`, because several rooms share the screen, restaurants have their letters only.
    """
    book = room.market.book
    means = room.scenario.drawn(0).market.means
    rows = []
    for line in room.menu.lines(book.pulls, book.means):
        share = 100.0 * (line["earned"] or 0.0)
        truth = float(means[line["arm"]])
        mark = f'<i class="class-true" style="left:{100 * truth:.1f}%"></i>' if revealed else ""
        real = f"; truly {truth:.2f}" if revealed else ""
        name = line["letter"] if is_small else line["name"]
        stars = "-" if line["stars"] is None else f"{line['stars']:.1f}"
        guests = "1 guest" if line["guests"] == 1 else f"{line['guests']} guests"
        rows.append(
            f"<tr><th scope='row'>{escape(name)}</th>"
            f"<td class='class-stars'>{stars} ★</td>"
            f"<td class='class-bar'><div><b style='width:{share:.1f}%'></b>{mark}</div></td>"
            f"<td>{guests}{real}</td></tr>"
        )
    about = f"<caption>Stars are the average earned, times {STARS:g}.</caption>"
    return f"<table class='class-board'>{'' if is_small else about}{''.join(rows)}</table>"


def history(room: GuestRoom, revealed: bool) -> str:
    """Who went where: a row for every restaurant, a mark for every guest, full if she earned 1."""
    ledger, served = room.market.ledger, room.served
    rows = room.menu.order
    width, step = 880, 880 / (room.scenario.horizon + 4)
    high = 26
    marks = []
    for line in range(served):
        arm = int(ledger.arms[line])
        if arm < 0:
            continue
        x, y = 40 + (line + 0.5) * (width - 50) / room.scenario.horizon, high * rows.index(arm) + 13
        radius = min(7.0, max(1.2, 0.42 * step))
        full = "full" if ledger.rewards[line] >= 0.5 else "empty"
        paid = " paid" if ledger.payments[line] > 0 else ""
        marks.append(f'<circle cx="{x:.1f}" cy="{y}" r="{radius:.1f}" class="{full}{paid}"/>')
    best = int(room.scenario.drawn(0).market.means.argmax())
    names = "".join(
        f'<text x="4" y="{high * place + 19}">{escape(room.menu.short(arm))}'
        f"{' ✓' if revealed and arm == best else ''}</text>"
        for place, arm in enumerate(rows)
    )
    label = f"The restaurants that {served} guests took, one after another"
    return (
        f'<svg class="class-history" viewBox="0 0 {width} {high * len(rows)}" role="img" '
        f'aria-label="{label}">{names}{"".join(marks)}</svg>'
        '<p class="class-key">Each dot is a guest: full if she earned at least 0.5, with an orange '
        "ring if she was paid.</p>"
    )


def histogram(question: Question, counts: list[int] | None) -> str:
    """The options, with the number of answers once these are shown."""
    most = max(counts or [1]) or 1
    rows = []
    for place, option in enumerate(question.options):
        right = "class-right" if counts is not None and question.right == place else ""
        sign = " ✓" if right else ""
        bar = ""
        if counts is not None:
            share = 100.0 * counts[place] / most
            bar = f"<div><b style='width:{share:.1f}%'></b></div>"
        number = "" if counts is None else str(counts[place])
        rows.append(
            f"<tr class='{right}'><th scope='row'>{escape(option)}{sign}</th>"
            f"<td class='class-bar'>{bar}</td><td>{number}</td></tr>"
        )
    return f"<table class='class-board class-votes'>{''.join(rows)}</table>"


def falling_dots(shape: Shape) -> str:
    """A thousand markets as dots that fall into columns by what was lost in them."""
    heights = [0] * shape.columns
    for column, _ in shape.dots:
        heights[column] += 1
    wide = _WIDE / shape.columns
    across = next(
        n for n in range(1, 100) if math.ceil(max(heights) / n) * (wide / n) <= _HIGH or n == 99
    )
    size = wide / across
    filled = [0] * shape.columns
    marks = []
    for number, (column, stuck) in enumerate(shape.dots):
        row, place = divmod(filled[column], across)
        filled[column] += 1
        x, y = column * wide + (place + 0.5) * size, _HIGH - (row + 0.5) * size
        begun = f"animation-delay:{_FALL * number / len(shape.dots):.0f}ms"
        r = 0.44 * size
        if stuck:
            marks.append(
                f'<rect class="stuck" x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:.1f}" '
                f'height="{2 * r:.1f}" style="{begun}"/>'
            )
        else:
            marks.append(
                f'<circle class="free" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" style="{begun}"/>'
            )
    ticks = "".join(
        f'<text x="{_WIDE * share:.0f}" y="{_HIGH + 22}" text-anchor="{anchor}">'
        f"{shape.low + share * (shape.high - shape.low):.0f}</text>"
        for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end"))
    )
    words = f"{len(shape.dots):,} markets by what their guests lost; {shape.stuck} locked in"
    return (
        f'<svg class="class-dots" viewBox="0 0 {_WIDE} {_HIGH + 28}" role="img" '
        f'aria-label="{words}"><line x1="0" y1="{_HIGH}" x2="{_WIDE}" y2="{_HIGH}"/>'
        f"{''.join(marks)}{ticks}</svg>"
        "<p class='class-key'>Each mark is a market, further right if its guests lost more. Orange "
        f"squares locked in. On average {shape.mean:.1f} was lost and {shape.paid:.1f} paid.</p>"
    )
