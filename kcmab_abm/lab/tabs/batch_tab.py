"""The batch tab: many replications of the market on screen."""

from __future__ import annotations

from nicegui import app, ui

from kcmab_abm.errors import MarketError
from kcmab_abm.lab.model.batch_job import BatchJob, cancel_all
from kcmab_abm.lab.model.limits import MOST_REPLICATIONS
from kcmab_abm.lab.model.market_setup import Setup, shown_settings
from kcmab_abm.lab.model.session import News, Session
from kcmab_abm.lab.tabs.batch_results import show_results
from kcmab_abm.lab.widgets.theme import card, complain

LOOK = 0.1  # seconds between checks of a run

app.on_shutdown(cancel_all)


class BatchTab:
    """One visitor's batch runs, one at a time, with the results of the last one."""

    def __init__(self, session: Session, owner: str = "") -> None:
        self.session = session
        self.owner = owner  # the visitor, for her quota
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
        with card("Run the market many times"):
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
                self.cancel = ui.button("Cancel", icon="stop", on_click=self._cancel)
                self.cancel.props("outline").set_enabled(False)
            self.progress = ui.linear_progress(0.0, show_value=False)
            self.progress.props('aria-label="Customers served"').set_visibility(False)
            self.status = ui.label("Nothing has been run yet.").classes("lab-quiet")
            self.status.props("data-testid=batch-status role=status")

    def _describe(self) -> None:
        setup = self.session.setup
        scenario = setup.scenario
        names = " and ".join(dict.fromkeys(choice.label for choice in setup.policies))
        self.about.text = (
            f"The market on screen ({scenario.title or 'untitled'}: {len(scenario.market.arms)} "
            f"arms, {scenario.horizon:,} customers, behaviour {scenario.market.customers.label}) "
            f"under {names}. Each replication has luck of its own, the same for all controllers."
        )
        self.replications.value = scenario.replications

    def _replicate(self) -> bool:
        """Apply the number of replications; False if it is not valid."""
        number = self.replications.value
        if number is None or not 1 <= number <= MOST_REPLICATIONS:
            complain(f"Replications: enter a whole number from 1 to {MOST_REPLICATIONS:,}.")
            self.replications.value = self.session.setup.scenario.replications
            return False
        if int(number) != self.session.setup.scenario.replications:
            self.session.setup = self.session.setup.replicate(int(number))
            self._mark()
        return True

    def _run(self) -> None:
        if not self._replicate():
            return
        try:
            self.job = BatchJob(self.session.setup, self.owner)
        except MarketError as error:
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
        """Show the progress of the run."""
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
                self.stale = ui.label("The settings on screen have changed since this run.")
                self.stale.classes("lab-card lab-stale").props("data-testid=batch-stale")
                show_results(job.setup, job.outcome)
            self._mark()

    def _hear(self, news: News) -> None:
        if news == "opened":
            self._describe()
            self._mark()

    def _mark(self) -> None:
        """Show a note if the settings have changed since the run."""
        if self.stale is not None and self.job is not None:
            self.stale.set_visibility(not _same(self.job.setup, self.session.setup))


def _same(one: Setup, other: Setup) -> bool:
    return shown_settings(one) == shown_settings(other)


def _words(job: BatchJob) -> str:
    """The state of a run in words."""
    customers = f"{job.customers:,} customers"
    return {
        "waiting": _waiting(job.before) if job.state == "waiting" else "",
        "compiling": "Compiling the controllers, which takes some seconds the first time …",
        "running": f"Served {job.served:,} of {customers} …",
        "done": f"Served {customers} in {job.seconds:.1f} seconds.",
        "cancelled": f"Cancelled after {job.served:,} of {customers}.",
        "failed": job.problem,
    }[job.state]


def _waiting(before: int) -> str:
    """The place in the queue in words."""
    if before <= 0:
        return "Waiting for a run to finish; this one is the next …"
    runs = "one run is" if before == 1 else f"{before} runs are"
    return f"Waiting in the queue, in which the shortest come first: {runs} before this one …"
