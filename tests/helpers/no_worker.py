"""A driver without a worker; the test emits the worker's events."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from parapluie_gui.work.events import Event, JobFinished
from parapluie_gui.work.job import Job
from parapluie_gui.work.request import Request


class NoWorker(QObject):
    """A replacement for the driver.

    Attributes:
        jobs: Submitted jobs.
        cancelled: Numbers of cancelled jobs.
    """

    received = Signal(object)
    silent = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[Job] = []
        self.cancelled: list[int] = []

    def submit(self, job: Job) -> None:
        self.jobs.append(job)

    def cancel(self, job: int) -> None:
        self.cancelled.append(job)
        self.received.emit(JobFinished(job, cancelled=True))

    def resume(self) -> None:
        pass

    @property
    def requests(self) -> list[Request]:
        return [job.request for job in self.jobs]

    def say(self, *events: Event) -> None:
        """Emit events of a job."""
        for event in events:
            self.received.emit(event)
