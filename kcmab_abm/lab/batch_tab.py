"""A thousand replications of what is on screen, by the batch engine."""

from __future__ import annotations

from pathlib import Path

from nicegui import app, ui

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.batch_job import BatchJob, cancel_all
from kcmab_abm.lab.batch_outcome import show_outcome
from kcmab_abm.lab.desk import Desk, shown_settings
from kcmab_abm.lab.limits import MOST_REPLICATIONS
from kcmab_abm.lab.session import News, Session
from kcmab_abm.lab.theme import card, complain

LOOK = 0.1  # seconds between two looks at a run

_CSS = Path(__file__).with_name("batch.css")

app.on_shutdown(cancel_all)


def build_batch(session: Session) -> None:
    """Put the batch runs on the page."""
    ui.add_css(_CSS)
    BatchTab(session)


class BatchTab:
    """One visitor's batch runs: one at a time, its results below it until the next."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.job: BatchJob | None = None
        with ui.element("div").classes("lab-stack"):
            self._build_controls()
            self.results = ui.element("div").classes("lab-stack")
        self.stale: ui.label | None = None
        self.timer = ui.timer(LOOK, self._look, active=False)
        session.listeners.append(self._hear)
        ui.context.client.on_delete(self._leave)
        self._describe()

    def _build_controls(self) -> None:
        with card("Run it many times"):
            self.about = ui.label().props("data-testid=batch-about")
            with ui.row().classes("items-end gap-3"):
                self.replications = ui.number(
                    "Replications",
                    min=1,
                    max=MOST_REPLICATIONS,
                    step=100,
                    precision=0,
                    format="%d",
                ).classes("w-36")
                self.replications.on("blur", self._replicate)
                self.run = ui.button("Run", icon="play_arrow", on_click=self._run)
                self.run.props("no-caps")
                self.cancel = ui.button("Cancel", icon="stop", on_click=self._cancel)
                self.cancel.props("no-caps outline").set_enabled(False)
            self.progress = ui.linear_progress(0.0, show_value=False)
            self.progress.props('aria-label="Customers served"').set_visibility(False)
            self.status = ui.label("Nothing has been run yet.").classes("lab-quiet")
            self.status.props("data-testid=batch-status role=status")

    def _describe(self) -> None:
        desk = self.session.desk
        scenario = desk.scenario
        names = " and ".join(dict.fromkeys(choice.label for choice in desk.policies))
        self.about.text = (
            f"The market on screen ({scenario.title or 'no title'}: {len(scenario.market.arms)} "
            f"arms, {scenario.horizon:,} customers, {scenario.market.customers.label} customers) "
            f"under {names}, each time with other luck, the same for every controller."
        )
        self.replications.value = scenario.replications

    def _replicate(self) -> bool:
        """Take over the number of replications; whether it is one."""
        number = self.replications.value
        if number is None or not 1 <= number <= MOST_REPLICATIONS:
            complain(f"Replications: a whole number from 1 to {MOST_REPLICATIONS:,}, please.")
            self.replications.value = self.session.desk.scenario.replications
            return False
        if int(number) != self.session.desk.scenario.replications:
            self.session.desk = self.session.desk.replicate(int(number))
            self._mark()
        return True

    def _run(self) -> None:
        if not self._replicate():
            return
        try:
            self.job = BatchJob(self.session.desk)
        except ScenarioError as error:
            complain(str(error))
            return
        self.results.clear()
        self.stale = None
        self.timer.activate()
        self._look()

    def _cancel(self) -> None:
        if self.job is not None:
            self.job.cancel()

    def _leave(self) -> None:
        self._cancel()
        self.timer.deactivate()

    def _look(self) -> None:
        """See how far the run has come."""
        job = self.job
        if job is None:
            return
        over = job.is_over
        self.status.text = _words(job)
        self.progress.value = job.served / job.customers
        self.progress.set_visibility(not over)
        self.run.set_enabled(over)
        self.cancel.set_enabled(not over)
        if over:
            self.timer.deactivate()
            self._finish(job)

    def _finish(self, job: BatchJob) -> None:
        if job.state == "failed":
            complain(job.problem)
        elif job.outcome is not None:
            with self.results:
                self.stale = ui.label("These are results of other settings than those on screen.")
                self.stale.classes("lab-card lab-stale").props("data-testid=batch-stale")
                show_outcome(job.desk, job.outcome)
            self._mark()

    def _hear(self, news: News) -> None:
        if news == "opened":
            self._describe()
            self._mark()

    def _mark(self) -> None:
        """Say so if the results are not those of what is on screen."""
        if self.stale is not None and self.job is not None:
            self.stale.set_visibility(not _same(self.job.desk, self.session.desk))


def _same(one: Desk, other: Desk) -> bool:
    return shown_settings(one) == shown_settings(other)


def _words(job: BatchJob) -> str:
    """What a run is doing, for the visitor."""
    customers = f"{job.customers:,} customers"
    return {
        "waiting": "Waiting until others have done with theirs …",
        "compiling": "Compiling the controllers, which takes some seconds the first time …",
        "running": f"Served {job.served:,} of {customers} …",
        "done": f"Served {customers} in {job.seconds:.1f} seconds.",
        "cancelled": f"Cancelled after {job.served:,} of {customers}.",
        "failed": job.problem,
    }[job.state]
