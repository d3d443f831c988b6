"""What the teacher can do, and the work in the background that follows from it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.classroom.phones import Phones
from kcmab_abm.lab.model.batch_job import BatchJob
from kcmab_abm.lab.model.classroom.afterwards import ranking, verdict
from kcmab_abm.lab.model.classroom.classroom import Asked, Classroom, Guests, Race
from kcmab_abm.lab.model.classroom.controllers import Cost
from kcmab_abm.lab.model.classroom.prediction import (
    MARKETS,
    Shape,
    prediction,
    right_option,
    shape_of,
)
from kcmab_abm.lab.model.classroom.question import Question
from kcmab_abm.lab.model.classroom.results import Job, plan_results, write_job
from kcmab_abm.lab.model.market_setup import Setup
from kcmab_abm.running.manifest import MANIFEST
from kcmab_abm.scenario.scenario import Scenario, make_scenario


class Console:
    """The class as the teacher commands it; results are written by another process.

    `scenarios` are those that she may push, by name.
    """

    def __init__(
        self, classroom: Classroom, phones: Phones, folder: Path, scenarios: Mapping[str, Scenario]
    ) -> None:
        self.classroom = classroom
        self.phones = phones
        self.folder = folder
        self.scenarios = scenarios
        self.job: BatchJob | None = None
        self.shape: Shape | None = None
        self.problem = ""
        self.written: list[Path] = []
        self.verdicts: list[list[str]] = []
        self.ranks: list[Cost] = []
        self._pool: ProcessPoolExecutor | None = None
        self._writing: dict[Future[None], Path] = {}
        self._ranked = 0  # students who had finished when they were ranked
        self._finished = 0  # the number of the activity whose results have been asked for
        self.unwritten: list[Job] = []  # because the server was stopped meanwhile
        if classroom.ended:
            self._sum_up()
            self._finished = classroom.number
            jobs = plan_results(classroom, folder)
            self.unwritten = [job for job in jobs if not (job.folder / MANIFEST).exists()]

    @property
    def is_writing(self) -> bool:
        """Whether results are still being written."""
        return bool(self._writing)

    def begin_guests(self, controller: str) -> None:
        """Let students be the guests."""
        self._close()
        self.classroom.begin_guests(controller)
        self.phones.tell()

    def begin_race(self) -> None:
        """Let every student be the controller."""
        self._close()
        self.classroom.begin_race()
        self.phones.tell()

    def ask(self, question: Question) -> None:
        """Ask everybody."""
        self._close()
        self.classroom.ask(question)
        self.phones.tell()

    def predict(self, label: str) -> None:
        """Ask what a thousand markets under a policy will look like."""
        self.classroom.scenario.policy(label)
        self._close()
        self.classroom.ask(prediction(self.classroom.scenario, label), label)
        self.phones.tell()

    def run_markets(self) -> None:
        """Run the thousand markets that the class has predicted."""
        activity = self.classroom.activity
        if not isinstance(activity, Asked) or not activity.label:
            raise MarketError("Ask for a prediction first.")
        if self.job is not None and not self.job.is_over:
            raise MarketError("The markets are being run.")
        settings = {**self.classroom.scenario.settings, "replications": MARKETS}
        for word in ("precision", "sample", "sweep"):
            settings.pop(word, None)
        scenario = make_scenario({**settings, "record": "curves"})
        place = [each.label for each in scenario.policies].index(activity.label)
        self.shape, self.problem = None, ""
        self.job = BatchJob(Setup(scenario, left=place))

    def tell(self, title: str, text: str) -> None:
        """Put a text on all screens."""
        self._close()
        self.classroom.tell(title, text)
        self.phones.tell()

    def push(self, name: str) -> None:
        """Go on with another scenario."""
        self._close()
        self.classroom.push(self.scenarios[name])
        self.phones.tell()

    def deal(self) -> None:
        """Go on with the same scenario, other luck and other letters."""
        scenario = self.classroom.scenario
        self._close()
        self.classroom.push(scenario.replace(seed=scenario.seed + 1))
        self.phones.tell()

    def offer(self, target: int | None, amount: float) -> None:
        """Offer this to every guest from now on."""
        self.classroom.offer(target, amount)
        self.phones.tell()

    def freeze(self) -> None:
        """Stop all phones, or let them go on."""
        self.classroom.freeze(not self.classroom.frozen)
        self.phones.tell()

    def reveal(self) -> None:
        """Show the truth, or hide it again."""
        self.classroom.reveal(not self.classroom.revealed)
        self._rank()
        self.phones.tell()

    def end(self) -> None:
        """End what is going on, and write its results."""
        if self.job is not None:
            self.job.cancel()
        self._close()
        self.phones.tell()

    def look(self) -> None:
        """Take note of what has ended by itself; called several times per second."""
        classroom, activity = self.classroom, self.classroom.activity
        while self.unwritten:
            self._write(self.unwritten.pop(0))
        if isinstance(activity, Guests) and not classroom.ended:
            if all(room.is_over for room in activity.rooms):
                self.end()
        elif isinstance(activity, Race) and len(activity.race.finished()) != self._ranked:
            self._rank()
        if self.job is not None and self.job.is_over:
            self._see(self.job)
        for task in [task for task in self._writing if task.done()]:
            folder = self._writing.pop(task)
            if error := task.exception():
                self.problem = f"{folder}: not written: {error}"
            else:
                self.written.append(folder)

    def close(self) -> None:
        """Stop the work in the background, because the server is shutting down."""
        if self.job is not None:
            self.job.cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=True)  # a folder that is being written is finished

    def _see(self, job: BatchJob) -> None:
        """Show the markets of a job that is over."""
        self.job = None
        activity = self.classroom.activity
        if job.outcome is None or not isinstance(activity, Asked) or not activity.label:
            self.problem = job.problem or "The markets were not run."
            return
        self.shape = shape_of(job.outcome.results, activity.label)
        activity.question.right = right_option(self.shape.stuck)
        activity.question.because = (
            f"In {self.shape.stuck:,} of {MARKETS:,} markets nearly everybody ended up at a wrong "
            "restaurant."
        )
        self.classroom.reveal(True)
        self.phones.tell()

    def _close(self) -> None:
        """End the activity before another one begins."""
        self.shape, self.problem = None, ""
        if self.classroom.activity is None or self._finished == self.classroom.number:
            return
        if not self.classroom.ended:
            self.classroom.end()
        self._finished = self.classroom.number
        self._sum_up()
        for job in plan_results(self.classroom, self.folder):
            self._write(job)

    def _sum_up(self) -> None:
        activity = self.classroom.activity
        self.verdicts = []
        if isinstance(activity, Guests):
            self.verdicts = [verdict(room) for room in activity.rooms]
        self._rank()

    def _rank(self) -> None:
        activity = self.classroom.activity
        self.ranks = []
        if isinstance(activity, Race) and self.classroom.revealed:
            self._ranked = len(activity.race.finished())
            self.ranks = ranking(activity.race, self.classroom.roster.names)

    def _write(self, job: Job) -> None:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context)
        try:
            self._writing[self._pool.submit(write_job, job)] = job.folder
        except BrokenProcessPool:
            self._pool = None
            self.problem = f"{job.folder}: not written; end the activity again"
