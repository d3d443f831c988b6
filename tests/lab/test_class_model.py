"""A class plays without any web: turns, deadlines, records, restarts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kcmab_abm import MarketError, make_scenario, play
from kcmab_abm.errors import OutputError
from kcmab_abm.lab.model.classroom.afterwards import (
    expected_optimum,
    race_record,
    ranking,
    record_of,
    verdict,
)
from kcmab_abm.lab.model.classroom.board import Menu, check_for_class
from kcmab_abm.lab.model.classroom.classroom import Classroom
from kcmab_abm.lab.model.classroom.guests import TEACHER
from kcmab_abm.lab.model.classroom.journal import JOURNAL, open_class
from kcmab_abm.lab.model.classroom.plan import Plan
from kcmab_abm.lab.model.classroom.question import Question
from kcmab_abm.lab.model.classroom.results import ANSWERS, plan_results, write_job
from kcmab_abm.lab.model.classroom.roster import MOST_STUDENTS, Roster
from kcmab_abm.running.verify_results import check
from kcmab_abm.theory import optimum
from tests.markets import OBSERVED, assert_same

THREE = {
    "horizon": 300,
    "seed": 4,
    "market": {"arms": {"law": "bernoulli", "means": [0.7, 0.6, 0.4]}},
    "policy": [{"name": "ucb"}, {"name": "greedy"}, {"name": "moss"}],
}
PHONES = 60


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self):
        """The time."""
        return self.now


def scenario_of(**changes):
    """The market of three arms."""
    return make_scenario({**THREE, **changes})


def class_of(phones=PHONES, clock=None, *, plan=None, **changes):
    """A class whose phones are all connected."""
    classroom = Classroom(plan or Plan(scenario_of(**changes)), clock or Clock())
    for number in range(phones):
        classroom.connect(classroom.join(f"key {number}").number, True)
    return classroom


def taps(classroom, count, rng, late=0.1):
    """Let guests choose at random, some of them not at all; return how many chose themselves."""
    chosen = 0
    for _ in range(count):
        for room in classroom.activity.rooms:
            classroom.tick()
            if room.turn is None:
                continue
            if rng.random() < late:
                classroom.clock.now += classroom.plan.seconds
            else:
                arm = int(rng.integers(3))
                classroom.choose(room.turn.who, room.t, arm)
                chosen += 1
    classroom.tick()
    return chosen


@pytest.mark.parametrize("controller", ["ucb", "moss", TEACHER])
def test_sixty_phones_equal_play_on_the_same_tapes(controller):
    """The ledger is that of `play` with recorded customers, also if the class stops early."""
    classroom = class_of(clock=Clock())
    classroom.begin_guests(controller)
    rng = np.random.default_rng(1)
    taps(classroom, 80, rng)
    if controller == TEACHER:
        classroom.offer(2, 0.4)
    taps(classroom, 60 if controller == "moss" else 300, rng)
    [room] = classroom.activity.rooms
    assert room.is_over == (controller != "moss")
    assert {each.automatic for each in room.answers} == {True, False}
    assert {each.who for each in room.answers} == set(range(PHONES))
    record = record_of(room)
    assert_same(room.run(), play(record, engine="market"))
    wanted = [each.arm for each in room.answers]
    assert record.settings["market"]["customers"]["choices"][3:] == wanted
    if controller == TEACHER:
        assert {0.0, 0.4} == {*room.run().offers.tolist()}


def test_a_deadline_is_the_greedy_choice():
    """Guests who do nothing make the market of greedy customers."""
    classroom = class_of(3)
    classroom.begin_guests("ucb")
    taps(classroom, 300, np.random.default_rng(0), late=1.0)
    [room] = classroom.activity.rooms
    assert all(each.automatic for each in room.answers)
    assert_same(room.run(), play(scenario_of(), "ucb", engine="market"))


def test_turns_go_round_and_latecomers_come_next():
    """Nobody has a second turn before everybody who is there has had one."""
    classroom = class_of(3)
    classroom.begin_guests("ucb")
    taps(classroom, 3, np.random.default_rng(0), late=0.0)
    [room] = classroom.activity.rooms
    assert [each.who for each in room.answers] == [0, 1, 2]
    late = classroom.join("late").number
    classroom.connect(late, True)
    classroom.connect(1, False)
    taps(classroom, 4, np.random.default_rng(0), late=0.0)
    assert [each.who for each in room.answers[3:]] == [0, late, 2, late]


def test_turns_of_others_and_late_taps_are_refused():
    """A second tap on the same board changes nothing."""
    classroom = class_of(2)
    classroom.begin_guests("ucb")
    classroom.tick()
    with pytest.raises(MarketError, match="not your turn"):
        classroom.choose(1, 4, 0)
    classroom.choose(0, 4, 0)
    with pytest.raises(MarketError, match="not your turn"):
        classroom.choose(0, 4, 0)
    with pytest.raises(MarketError, match="left already"):
        classroom.choose(1, 4, 0)
    with pytest.raises(MarketError, match="no such restaurant"):
        classroom.choose(1, 5, 3)
    assert len(classroom.activity.rooms[0].answers) == 1


def test_a_frozen_clock_stands_still():
    """Nobody can choose, and afterwards she has as long as before."""
    clock = Clock()
    classroom = class_of(1, clock)
    classroom.begin_guests("ucb")
    classroom.tick()
    clock.now = 15.0
    classroom.freeze(True)
    clock.now = 1000.0
    assert not classroom.tick()
    with pytest.raises(MarketError, match="stopped"):
        classroom.choose(0, 4, 0)
    classroom.freeze(False)
    clock.now = 1004.9
    assert not classroom.tick()
    clock.now = 1005.0
    assert classroom.tick()
    assert classroom.activity.rooms[0].answers[0].seconds == pytest.approx(20.0)


def test_rooms_play_the_same_tapes():
    """Two rooms that choose alike earn alike, and every student plays in her own room."""
    plan = Plan(scenario_of(horizon=40), rooms=2)
    classroom = class_of(10, plan=plan)
    classroom.begin_guests("ucb")
    rng = np.random.default_rng(3)
    for _ in range(37):
        classroom.tick()
        arm = int(rng.integers(3))
        for room in classroom.activity.rooms:
            classroom.choose(room.turn.who, room.t, arm)
    one, two = classroom.activity.rooms
    assert_same(one.run(), two.run())
    assert {each.who % 2 for each in one.answers} == {0}


def test_a_killed_class_goes_on(tmp_path):
    """What is restored from disk after every event, with half a line at its end, is the class."""
    clock = Clock()
    classroom, journal = open_class(tmp_path, lambda: Plan(scenario_of(horizon=60)), clock)
    classroom.join("one"), classroom.join("two")
    for who in (0, 1):
        classroom.connect(who, True)
    classroom.begin_guests(TEACHER)
    rng = np.random.default_rng(5)
    for lap in range(6):
        classroom.offer(lap % 3, lap / 10)
        classroom.tick()  # the board of the next guest shows the last offer, not the next one
        classroom.offer((lap + 1) % 3, lap / 10)
        taps(classroom, 4, rng, late=0.3)
        [room] = classroom.activity.rooms
        journal.close()
        with (tmp_path / JOURNAL).open("ab") as file:
            file.write(b'{"do": "choo')
        classroom, journal = open_class(tmp_path, pytest.fail, clock)
        [restored] = classroom.activity.rooms
        assert restored.answers == room.answers
        assert_same(restored.run(), room.run())
        assert classroom.roster.find("two").number == 1
        assert not classroom.present
        for who in (0, 1):
            classroom.connect(who, True)
    journal.close()
    assert len(room.answers) == 24
    assert_same(room.run(), play(record_of(room), engine="market"))


def test_a_class_that_cannot_be_recorded_stops():
    """What was not recorded is told to nobody else, and nothing can happen after it."""
    classroom = class_of(2)
    classroom.begin_guests("ucb")
    classroom.tick()

    def full(event):
        raise OutputError("disk full; make room on the disk")

    classroom.record = full
    for action in (lambda: classroom.choose(0, 4, 0), lambda: classroom.join("another")):
        with pytest.raises(OutputError, match="make room on the disk, and start the class again"):
            action()
    assert len(classroom.roster) == 2


def test_a_damaged_record_is_refused(tmp_path):
    """With a message that names the file."""
    _, journal = open_class(tmp_path, lambda: Plan(scenario_of()))
    journal.write({"do": "choose", "who": 7})
    journal.close()
    with pytest.raises(MarketError, match=r"class.jsonl: damaged .*use a new folder"):
        open_class(tmp_path, pytest.fail)


@pytest.mark.parametrize("names", [False, True])
def test_names_are_recorded_only_if_the_teacher_asks(names):
    """Otherwise a student is a number, and what she types is forgotten."""
    classroom = class_of(4, plan=Plan(scenario_of(horizon=30), names=names))
    assert (classroom.join("another", "Ada").name == "Ada") == names
    classroom.begin_guests("ucb")
    taps(classroom, 30, np.random.default_rng(2), late=0.4)
    room, _ = plan_results(classroom, Path("class"))
    header, *lines = room.answers.decode().splitlines()
    assert ("name" in header.split(",")) == names
    assert len(lines) == 27
    assert {line.split(",")[-2] for line in lines} == {"true", "false"}


def test_the_results_are_an_ordinary_folder(tmp_path):
    """`kcmab verify` finds nothing wrong in it, and the ledger holds what guests took."""
    classroom = class_of(4, horizon=30)
    classroom.begin_guests("ucb")
    taps(classroom, 30, np.random.default_rng(2), late=0.4)
    room, simulated = plan_results(classroom, tmp_path)
    write_job(room)
    assert check(room.folder).problems == []
    manifest = json.loads((room.folder / "manifest.json").read_text())
    assert ANSWERS in manifest["files"]
    policies = make_scenario(simulated.settings).policies
    assert [each.label for each in policies] == ["ucb", "modified-ts", "greedy"]
    table = pd.read_parquet(room.folder / "ledger")
    assert table["arm"].tolist() == classroom.activity.rooms[0].run().arms.tolist()


def test_the_verdict_says_when_a_class_locked_in():
    """Everybody goes to the second best restaurant from customer 5 on."""
    classroom = class_of(2)
    classroom.begin_guests("greedy")
    [room] = classroom.activity.rooms
    for t in range(4, 301):
        classroom.tick()
        classroom.choose(room.turn.who, t, 0 if t == 4 else 1)
    first, second, *others = verdict(room)
    assert first.startswith(f"You locked in on {room.menu.name(1)} at customer 2. ")
    assert first.endswith(f"The best was {room.menu.name(0)}.")
    lost = float(room.run().regrets.sum())
    assert second == f"You lost {lost:.1f}, and 0.0 was paid."
    run = play(scenario_of(), "ucb", engine="market")
    ucb = f"ucb would have lost {run.regrets.sum():.1f} and paid {run.payments.sum():.1f}."
    assert any(each.endswith(ucb) for each in others)


def test_controllers_are_ranked_on_the_same_tapes():
    """A student who sends everybody where UCB does has its costs; the record repeats everybody."""
    settings = {"arms": {"law": "bernoulli", "means": [0.7, 0.4]}}
    scenario = scenario_of(horizon=40, market=settings)
    classroom = class_of(3, plan=Plan(scenario, names=True))
    ucb = play(scenario, "ucb", engine="market")
    classroom.begin_race()
    race = classroom.activity.race
    for who in (0, 1):
        for t in range(3, 41):
            arm = int(ucb.targets[t - 1]) if who == 0 else t % 2
            classroom.send(who, t, arm)
    classroom.send(2, 3, 0)
    names = classroom.roster.names
    found = ranking(race, names)
    costs = {each.label: (each.lost, each.paid) for each in found}
    assert [each.total for each in found] == sorted(each.total for each in found)
    assert costs[names[0]] == costs["ucb"] == (ucb.regrets.sum(), ucb.payments.sum())
    assert set(costs) == {*names[:2], "ucb", "modified-ts", "greedy", "optimal"}
    best = optimum(40)
    assert expected_optimum(scenario) == best.regret + best.compensation
    assert expected_optimum(scenario_of()) is None
    record = race_record(race, names)
    assert_same(play(record, names[1], engine="market"), race.desks[1].run())
    [job] = plan_results(classroom, Path("class"))
    assert make_scenario(job.settings).settings == record.settings


def test_an_empty_purse_sends_nobody():
    """What the purse cannot afford is refused, and the guest still waits."""
    classroom = class_of(1, horizon=30, seed=0, purse={"budget": 0.3})
    classroom.begin_race()
    desk = classroom.activity.race.desk(0)
    dear = int(np.argmax(desk.prices))
    assert desk.prices[dear] == 1.0
    with pytest.raises(MarketError, match="purse"):
        classroom.send(0, 4, dear)
    free = int(np.argmin(desk.prices))
    classroom.send(0, 4, free)
    assert desk.market.t == 5


def test_a_question_counts_the_last_answer_until_it_is_revealed():
    """Everybody has one vote."""
    classroom = class_of(4)
    classroom.ask(Question("Who pays more?", ["UCB", "Thompson"]))
    for who, option in ((0, 0), (1, 1), (2, 1), (0, 1)):
        classroom.answer(who, option)
    with pytest.raises(MarketError, match="no such answer"):
        classroom.answer(3, 2)
    assert classroom.activity.question.counts() == [0, 3]
    classroom.reveal(True)
    with pytest.raises(MarketError, match="closed"):
        classroom.answer(3, 0)


def test_names_are_made_up_and_the_class_has_an_end():
    """Nobody has another's name, and the 201st phone is told why it stays out."""
    classroom = class_of(MOST_STUDENTS)
    assert len({*classroom.roster.names}) == MOST_STUDENTS
    with pytest.raises(MarketError, match="full"):
        classroom.join("one more")
    assert classroom.join("key 7").number == 7
    assert isinstance(classroom.roster, Roster)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"horizon": 5000}, "at most 2,000 customers, got 5,000"),
        ({"market": {"arms": {"law": "bernoulli", "means": [0.5] * 7}}}, "2 to 6 arms, got 7"),
        ({"market": {**THREE["market"], "report_probability": 0.5}}, "every guest reports"),
        ({"purse": {"also": 1}}, "single offer"),
        ({"market": {"arms": {"law": "empirical", **OBSERVED}}}, "reads no further files"),
    ],
)
def test_scenarios_that_people_cannot_play_are_refused(changes, complaint):
    """The message says what to change, and nothing else is wrong with them."""
    check_for_class(scenario_of())
    with pytest.raises(MarketError, match=complaint):
        check_for_class(scenario_of(**changes))


def test_letters_do_not_tell_which_restaurant_is_best():
    """Over many seeds the best arm has every letter."""
    best = {Menu(scenario_of(seed=seed)).short(0) for seed in range(20)}
    assert best == {"A", "B", "C"}
