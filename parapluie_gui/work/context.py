"""The context of a request: the receiver of its events, its gate, and the loaded models."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.metrics.base import ModelCache
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.pluie.judge import Judge, judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.work.events import Event, JobNotice, JudgeLoaded, StageChanged
from parapluie_gui.work.gate import WorkGate


class UnexpectedError(Exception):
    """An unexpected error, worded for the user, with the original error as its cause.

    It is not a `ParapluieError`, because its traceback helps to find the cause.
    """

    @classmethod
    def from_error(cls, error: BaseException, summary: str) -> UnexpectedError:
        """Wrap an error of another library; only the first line of its message is shown."""
        failure = cls(f"{summary}: {first_line(error).rstrip('.')}.")
        failure.__cause__ = error
        return failure


@dataclass(frozen=True)
class RequestContext:
    """The context in which a request is computed.

    Attributes:
        job, urgent: As in `Job`.
        emit: The function that receives the events.
        gate: The gate, called often, which ends or interrupts the request.
        libraries: A function that waits until PyTorch and transformers are imported, which a worker does in the
            background.
        models, judges: Models of metrics, and judges, that stay loaded between requests.
    """

    emit: Callable[[Event], None]
    gate: WorkGate = field(default_factory=WorkGate)
    libraries: Callable[[], None] = lambda: None
    models: ModelCache = field(default_factory=ModelCache)
    judges: ModelCache = field(default_factory=ModelCache)
    job: int = 0
    urgent: bool = False

    def stage(self, text: str) -> None:
        """Emit the current step, such as the loading of a model."""
        self.emit(StageChanged(self.job, text))

    def notice(self, text: str) -> None:
        """Emit a sentence for the user."""
        self.emit(JobNotice(self.job, text))

    def load_libraries(self) -> None:
        """Wait until PyTorch and transformers are imported, and emit this as the current step."""
        if "transformers" not in sys.modules:
            self.stage("Loading PyTorch …")
        self.libraries()

    def judge(self, files: ModelFiles, settings: JudgeSettings) -> Judge:
        """Return the judge with these settings, loaded if necessary."""
        key = (files, settings.device, settings.precision)

        def load() -> Judge:
            kind = judge_class(*key)
            if kind.needs_pytorch:
                self.load_libraries()
            self.stage(f"Loading {files.name} …")
            judge = kind.load(*key, self.gate.check, self.notice)
            if settings.by_name().files.revision != files.revision:
                raise ModelError(f"The files of {files.name} changed while they were being loaded. Run it again.")
            return judge

        judge: Judge = self.judges.take(key, load)
        return judge

    def say_loaded(self, judge: Judge, *, exact: bool = False, notices: tuple[str, ...] = ()) -> None:
        """Emit the description of the loaded judge."""
        self.emit(JudgeLoaded(self.job, judge.describe(exact=exact), notices))
