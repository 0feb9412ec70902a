"""Running jobs one after the other; for the worker process and the command line."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import replace

from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics.base import ModelCache
from parapluie_gui.packages import find_missing_package
from parapluie_gui.work.context import RequestContext, Unforeseen
from parapluie_gui.work.events import Event, Failed, Finished
from parapluie_gui.work.gate import Cancelled, Gate
from parapluie_gui.work.job import Job


class Runner:
    """Runs jobs, and keeps the loaded models between them.

    Arguments as of `RequestContext`.
    """

    def __init__(
        self, emit: Callable[[Event], None], gate: Gate | None = None, libraries: Callable[[], None] = lambda: None
    ) -> None:
        self.emit = emit
        self._context = RequestContext(emit, gate or Gate(), libraries)

    @property
    def models(self) -> ModelCache:
        """The model of a metric that is loaded."""
        return self._context.models

    def run(self, job: Job) -> None:
        """Compute a job; ends with exactly one Finished or Failed, whatever happens."""
        started = time.monotonic()
        try:
            job.request.run(replace(self._context, emit=self.emit, job=job.id, urgent=job.urgent))
        except Cancelled:
            self.emit(Finished(job.id, cancelled=True, seconds=time.monotonic() - started))
        except ParapluieError as error:
            self.emit(Failed(job.id, str(error)))
        except Exception as error:  # the worker must outlive whatever a model or a metric throws
            if (lacking := find_missing_package(error)) is not None:
                self.emit(Failed(job.id, str(lacking)))
                return
            failure = error if isinstance(error, Unforeseen) else Unforeseen.of(error, "Scoring failed")
            self.emit(Failed(job.id, str(failure), traceback.format_exc()))
        else:
            self.emit(Finished(job.id, seconds=time.monotonic() - started))
