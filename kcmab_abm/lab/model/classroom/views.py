"""What the phone of a student shows, as JSON values: one small table, sent when it changes."""

from __future__ import annotations

from typing import Any

from kcmab_abm.lab.model.classroom.classroom import Asked, Classroom, Guests, Message, Race
from kcmab_abm.lab.model.classroom.guests import GuestRoom

View = dict[str, Any]
_LATEST = 3  # guests whose stories are shown


def view_of(classroom: Classroom, who: int) -> View:
    """What a student sees.

    Parameters
    ----------
    classroom
        The class.
    who
        Her number.

    Returns
    -------
    dict
        The name of the `screen` and what stands on it. True means and what was lost are on it only
        once the teacher has revealed them.
    """
    student, activity = classroom.roster.students[who], classroom.activity
    common = {
        "name": student.name,
        "room": student.room + 1 if classroom.plan.rooms > 1 else 0,
        "frozen": classroom.frozen,
        "ended": classroom.ended,
    }
    if isinstance(activity, Guests):
        return common | _guest(classroom, activity.rooms[student.room], who)
    if isinstance(activity, Race):
        return common | _controller(classroom, activity, who)
    if isinstance(activity, Asked):
        return common | _asked(classroom, activity, who)
    if isinstance(activity, Message):
        return common | {"screen": "text", "title": activity.title, "text": activity.text}
    return common | {"screen": "lobby"}


def _guest(classroom: Classroom, room: GuestRoom, who: int) -> View:
    is_mine = room.turn is not None and room.turn.who == who and not classroom.ended
    view: View = {
        "screen": "choose" if is_mine else "wait",
        "t": room.t,
        "served": room.served,
        "guests": room.scenario.horizon,
        "over": room.is_over or classroom.ended,
        "turns": room.turns.taken(who),
        "earned": room.earned.get(who, 0.0),
        "paid": room.paid.get(who, 0.0),
        "stories": classroom.stories[student_room(classroom, who)][-_LATEST:][::-1],
    }
    if is_mine and room.board is not None and room.turn is not None:
        board, turn = room.board, room.turn
        left = turn.deadline - classroom.clock() if turn.left is None else turn.left
        offers = board.offers.tolist()
        view["arms"] = room.menu.lines(board.pulls, board.means, offers)
        return view | {"left": round(max(0.0, left), 1), "seconds": room.seconds}
    if room.turn is not None:
        here = [each.number for each in classroom.members(student_room(classroom, who))]
        others = [each for each in here if each in classroom.present and each != room.turn.who]
        queue = room.turns.queue(others)
        view["ahead"] = queue.index(who) + 1 if who in queue else len(queue) + 1
        view["choosing"] = classroom.roster.students[room.turn.who].name
    if not room.scenario.market.is_selective:
        view["arms"] = room.menu.lines(room.market.book.pulls, room.market.book.means)
    return view | _truth(classroom, room)


def _truth(classroom: Classroom, room: GuestRoom) -> View:
    if not classroom.revealed:
        return {}
    means = room.scenario.drawn(0).market.means
    return {"truth": {str(arm): float(mean) for arm, mean in enumerate(means)}}


def _controller(classroom: Classroom, activity: Race, who: int) -> View:
    race = activity.race
    desk = race.desk(who)
    market, last = desk.market, desk.last
    limit = desk.affordable
    lines = race.menu.lines(market.book.pulls, market.book.means)
    prices = [] if desk.is_over else desk.prices
    for line in lines:
        price = prices[line["arm"]] if prices else 0.0
        line |= {"price": price, "open": bool(prices) and price <= limit}
    view: View = {
        "screen": "control",
        "t": market.t,
        "guests": race.scenario.horizon,
        "over": desk.is_over,
        "arms": lines,
        "earned": desk.earned,
        "paid": desk.paid,
        "purse": race.budget - desk.paid if race.budget < float("inf") else None,
    }
    if last is not None and last.arm is not None:
        view["last"] = {
            "t": last.t,
            "place": race.menu.name(last.arm),
            "earned": last.reward,
            "paid": last.payment,
            "refused": last.arm != last.target,
        }
    if classroom.revealed:
        means = race.scenario.drawn(0).market.means
        view["truth"] = {str(arm): float(mean) for arm, mean in enumerate(means)}
        view["lost"] = float(desk.run().regrets.sum())
    return view


def _asked(classroom: Classroom, activity: Asked, who: int) -> View:
    question = activity.question
    view: View = {
        "screen": "question",
        "prompt": question.prompt,
        "text": question.text,
        "options": question.options,
        "mine": question.answers.get(who, -1),
    }
    if classroom.revealed:
        view |= {
            "counts": question.counts(),
            "right": question.right,
            "because": question.because,
        }
    return view


def student_room(classroom: Classroom, who: int) -> int:
    """The place of a student's room."""
    return classroom.roster.students[who].room
