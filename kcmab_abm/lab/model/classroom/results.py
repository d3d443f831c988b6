"""The results folders of a class, which `kcmab verify`, `paths` and `compare` read."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kcmab_abm.lab.model.classroom.afterwards import race_record, record_of, simulated_for
from kcmab_abm.lab.model.classroom.classroom import Classroom, Guests, Race
from kcmab_abm.lab.model.classroom.guests import GuestRoom
from kcmab_abm.running.durable_files import write_file
from kcmab_abm.running.experiment import run
from kcmab_abm.running.manifest import read_manifest, write_manifest
from kcmab_abm.scenario.scenario import make_scenario

ANSWERS = "answers.csv"
_MADE = ("files", "versions", "checksum")  # which `write_manifest` computes


class Job(NamedTuple):
    """A results folder to write, perhaps by another process; `answers` is a table to add."""

    settings: dict[str, Any]
    folder: Path
    answers: bytes = b""


def plan_results(classroom: Classroom, folder: Path) -> list[Job]:
    """Plan the results of what is on the screens; none for questions and texts.

    Parameters
    ----------
    classroom
        The class.
    folder
        The folder of the class.

    Returns
    -------
    list of Job
        The results folders to write.
    """
    activity, place = classroom.activity, f"{classroom.number:02d}"
    names = classroom.roster.names if classroom.plan.names else None
    if isinstance(activity, Guests):
        here = folder / f"{place}-guests"
        played = [(place, room) for place, room in enumerate(activity.rooms, 1) if room.answers]
        jobs = [
            Job(record_of(room).settings, here / f"room-{place}", _answers(room, names))
            for place, room in played
        ]
        if played:
            longest = max((room for _, room in played), key=lambda room: len(room.run()))
            jobs.append(Job(simulated_for(longest).settings, here / "simulated"))
        return jobs
    if isinstance(activity, Race) and activity.race.finished():
        record = race_record(activity.race, classroom.roster.names)
        return [Job(record.settings, folder / f"{place}-controllers")]
    return []


def write_job(job: Job) -> None:
    """Write a results folder; what is there from an earlier attempt is replaced."""
    run(make_scenario(job.settings), job.folder, force=True, engine="market")
    if job.answers:
        write_file(job.folder / ANSWERS, job.answers)
        manifest = read_manifest(job.folder)
        kept = {word: each for word, each in manifest.items() if word not in _MADE}
        write_manifest(job.folder, kept)


def _answers(room: GuestRoom, names: Sequence[str] | None) -> bytes:
    """Who chose what and how, as CSV; with names only if the teacher asked for them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    own = ["name"] if names is not None else []
    writer.writerow(["customer", "student", *own, "arm", "restaurant", "automatic", "seconds"])
    for each in room.answers:
        name = [names[each.who]] if names is not None else []
        words = [room.menu.name(each.arm), str(each.automatic).lower(), each.seconds]
        writer.writerow([each.t, each.who + 1, *name, each.arm, *words])
    return text.getvalue().encode()
