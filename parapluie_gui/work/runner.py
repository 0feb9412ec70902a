"""Runs jobs one after another, in the worker process and on the command line."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import replace

from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics.base import ModelCache
from parapluie_gui.packages import find_missing_package
from parapluie_gui.work.context import RequestContext, UnexpectedError
from parapluie_gui.work.events import Event, JobFailed, JobFinished
from parapluie_gui.work.gate import JobCancelled, WorkGate
from parapluie_gui.work.job import Job


class JobRunner:
    """A runner of jobs that keeps models loaded between them; its arguments are as in `RequestContext`."""

    def __init__(
        self, emit: Callable[[Event], None], gate: WorkGate | None = None, libraries: Callable[[], None] = lambda: None
    ) -> None:
        self.emit = emit
        self._context = RequestContext(emit, gate or WorkGate(), libraries)

    @property
    def models(self) -> ModelCache:
        """The loaded models of metrics."""
        return self._context.models

    def run(self, job: Job) -> None:
        """Compute a job; its last event is always a JobFinished or JobFailed."""
        started = time.monotonic()
        try:
            job.request.run(replace(self._context, emit=self.emit, job=job.id, urgent=job.urgent))
        except JobCancelled:
            self.emit(JobFinished(job.id, cancelled=True, seconds=time.monotonic() - started))
        except ParapluieError as error:
            self.emit(JobFailed(job.id, str(error)))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # the worker must survive any error; panics of Rust libraries are not Exceptions
            if (package_error := find_missing_package(error)) is not None:
                self.emit(JobFailed(job.id, str(package_error)))
                return
            if not isinstance(error, UnexpectedError):
                error = UnexpectedError.from_error(error, "Scoring failed")
            self.emit(JobFailed(job.id, str(error), traceback.format_exc()))
        else:
            self.emit(JobFinished(job.id, seconds=time.monotonic() - started))
