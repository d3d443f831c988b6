"""What the class sees on the teacher's screen, as HTML that can be read from the last row."""

from __future__ import annotations

from html import escape

from kcmab_abm.lab.classroom.console import Console
from kcmab_abm.lab.classroom.pictures import bars, falling_dots, histogram, history
from kcmab_abm.lab.model.classroom.afterwards import expected_optimum
from kcmab_abm.lab.model.classroom.classroom import Asked, Guests, Message, Race
from kcmab_abm.lab.model.classroom.guests import TEACHER, GuestRoom
from kcmab_abm.lab.model.classroom.plan import Event

_LATEST = 3
_MOST_RANKS = 12
_WORDS = {
    "waiting": "The markets wait for others to finish …",
    "compiling": "The markets are being prepared, which takes some seconds the first time …",
    "running": "The markets are running …",
}


def stage(console: Console, address: str, qr: str) -> str:
    """The whole stage.

    Parameters
    ----------
    console
        The class.
    address, qr
        Where phones go, and that as a picture.
    """
    classroom = console.classroom
    activity = classroom.activity
    if isinstance(activity, Guests):
        found = "".join(_room(console, room, place) for place, room in enumerate(activity.rooms))
        return f'<div class="class-rooms">{found}</div>'
    if isinstance(activity, Race):
        return _race(console, activity)
    if isinstance(activity, Asked):
        return _asked(console, activity)
    if isinstance(activity, Message):
        return f"<h2>{escape(activity.title)}</h2><p>{escape(activity.text)}</p>"
    return _lobby(console, address, qr)


def _lobby(console: Console, address: str, qr: str) -> str:
    classroom = console.classroom
    names = "".join(
        f'<li class="{"here" if each.number in classroom.present else "away"}">'
        f"{escape(each.name)}</li>"
        for each in classroom.roster.students
    )
    return (
        f'<div class="class-door"><div class="class-qr">{qr}</div><div>'
        f"<p>Point your camera here, or open</p><p class='class-address'>{escape(address)}</p>"
        f"<p>and type the room code</p><p class='class-code'>{escape(classroom.plan.code)}</p>"
        f"</div></div><ul class='class-names'>{names}</ul>"
    )


def _room(console: Console, room: GuestRoom, place: int) -> str:
    classroom = console.classroom
    is_small = classroom.plan.rooms > 1
    title = f"Room {place + 1}: " if is_small else ""
    if classroom.ended:
        head = f"{title}{room.served} of {room.scenario.horizon} guests"
    elif room.turn is None:
        head = f"{title}Waiting for phones"
    else:
        name = classroom.roster.students[room.turn.who].name
        head = f"{title}{escape(name)} is choosing, guest {room.t} of {room.scenario.horizon}"
    offer = ""
    if room.posted is not None and room.posted[1] > 0:
        target, amount = room.posted
        offer = f"We offer {amount:.2f} for {escape(room.menu.name(target))}."
    if room.controller == TEACHER and room.is_short:
        offer = "The purse cannot afford the offer."
    parts = [f"<h2>{head}</h2>"]
    if not room.scenario.market.is_selective or classroom.revealed or classroom.ended:
        parts.append(bars(room, classroom.revealed, is_small))
    if offer:
        parts.append(f'<p class="class-offer">{offer}</p>')
    if classroom.ended and classroom.revealed and place < len(console.verdicts):
        lines = "".join(f"<li>{escape(each)}</li>" for each in console.verdicts[place])
        parts.append(f'<ul class="class-verdict">{lines}</ul>')
    else:
        told = classroom.stories[place][-_LATEST:][::-1]
        lines = "".join(f"<li>{escape(_story(each))}</li>" for each in told)
        parts.append(f'<ul class="class-stories">{lines}</ul>')
    parts.append(history(room, classroom.revealed))
    return f'<section class="class-room">{"".join(parts)}</section>'


def _story(each: Event) -> str:
    """What a guest did."""
    paid = f", was paid {each['paid']:.2f}" if each["paid"] else ""
    late = " (time was up)" if each["automatic"] else ""
    return (
        f"Guest {each['t']}, {each['who']}: {each['place']}, earned {each['earned']:g}{paid}{late}"
    )


def _race(console: Console, activity: Race) -> str:
    race, classroom = activity.race, console.classroom
    names, guests = classroom.roster.names, race.scenario.horizon
    done = len(race.finished())
    head = f"<h2>You are the controller: {done} of {len(race.desks)} have served all guests</h2>"
    if classroom.revealed:
        rows = "".join(
            f'<tr class="{"" if each.who >= 0 else "class-policy"}"><td>{place}</td>'
            f"<th scope='row'>{escape(each.label)}</th><td>{each.lost:.2f}</td>"
            f"<td>{each.paid:.2f}</td><td><b>{each.total:.2f}</b></td></tr>"
            for place, each in enumerate(console.ranks, 1)
            if place <= _MOST_RANKS or each.who < 0
        )
        best = expected_optimum(race.scenario)
        words = (
            ""
            if best is None
            else (f"<p>On average over all such markets, nobody can do better than {best:.2f}.</p>")
        )
        return (
            f"{head}<table class='class-ranks'><thead><tr><th></th><th>controller</th>"
            f"<th>lost</th><th>paid</th><th>together</th></tr></thead><tbody>{rows}</tbody></table>"
            f"{words}"
        )
    lines = "".join(
        f"<li>{escape(names[who])}: {min(desk.market.t - 1, guests)} of {guests}</li>"
        for who, desk in sorted(race.desks.items())
    )
    return (
        f"{head}<p>Send every guest to a restaurant. The least that you lose and pay wins.</p>"
        f"<ul class='class-names'>{lines}</ul>"
    )


def _asked(console: Console, activity: Asked) -> str:
    question, classroom = activity.question, console.classroom
    size = "class-small" if console.shape is not None else ""
    parts = [f"<h2 class='{size}'>{escape(question.prompt)}</h2>"]
    if question.text and console.shape is None:
        parts.append(f"<p>{escape(question.text)}</p>")
    counts = question.counts() if classroom.revealed else None
    parts.append(histogram(question, counts))
    if counts is None:
        parts.append(f"<p>{len(question.answers)} of {len(classroom.present)} have answered.</p>")
    if console.job is not None:
        parts.append(f"<p role='status'>{_WORDS.get(console.job.state, '')}</p>")
    if classroom.revealed and question.because:
        parts.append(f"<p class='class-because'>{escape(question.because)}</p>")
    if console.shape is not None:
        parts.append(falling_dots(console.shape))
    return "".join(parts)
