"""Pause and cancel: how work in progress finds out that it should stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class Cancelled(Exception):
    """The job is to end now; the batch under way is given up."""


class Interrupted(Exception):
    """The batch under way is given up, to be done again after a pause or an urgent job."""


class Gate:
    """Lets all work pass; subclasses pause or end it."""

    def check(self) -> None:
        """Called many times within a batch (before each layer of the model).

        Raises:
            Cancelled: The job is to end.
            Interrupted: The job is to make way.
        """

    def guard(self, work: Callable[[], Result]) -> Result:
        """Do one batch of work; rests while paused, and does the batch again when it was interrupted.

        Raises:
            Cancelled: The job is to end.
        """
        return work()
