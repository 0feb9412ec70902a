"""The gate by which a pause or a cancel stops work in progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class JobCancelled(Exception):
    """The job was cancelled; the current batch is discarded."""


class BatchInterrupted(Exception):
    """The current batch is discarded, to be repeated after a pause or an urgent job."""


class WorkGate:
    """A gate that lets all work pass; subclasses can pause or end the work."""

    def check(self) -> None:
        """Check whether to stop; called many times within a batch (before each layer of the model).

        Raises:
            Cancelled: The job was cancelled.
            Interrupted: The job has to wait for a pause or an urgent job.
        """

    def guard(self, work: Callable[[], Result]) -> Result:
        """Do one batch of work; wait during a pause, and repeat the batch if it was interrupted.

        Raises:
            Cancelled: The job was cancelled.
        """
        return work()
