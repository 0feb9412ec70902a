"""What a request is computed with: where its events go, the gate that it passes, and the loaded models."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from parapluie_gui.errors import first_line
from parapluie_gui.metrics.base import ModelCache
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.pluie.judge import Judge, judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.work.events import Event, JudgeLoaded, Notice, StageChanged
from parapluie_gui.work.gate import Gate


class Unforeseen(Exception):
    """Something failed in a way that nobody foresaw; the text is a sentence for the user, the cause the error itself.

    It is no `ParapluieError`: its traceback is worth reading.
    """

    @classmethod
    def of(cls, error: Exception, what: str) -> Unforeseen:
        """Return it for an error of another library; the rest of a long message is in the traceback."""
        failure = cls(f"{what}: {first_line(error).rstrip('.')}.")
        failure.__cause__ = error
        return failure


@dataclass(frozen=True)
class RequestContext:
    """What one request is given.

    Attributes:
        job, urgent: The number it was sent with, and whether it cuts in (see `Job`).
        emit: Takes what is said of it.
        gate: Called often; ends or interrupts it.
        libraries: Returns once PyTorch and transformers can be imported (a worker loads them beside its first job).
        models, judges: What stays loaded between requests: a metric's model, and a judge.
    """

    emit: Callable[[Event], None]
    gate: Gate = field(default_factory=Gate)
    libraries: Callable[[], None] = lambda: None
    models: ModelCache = field(default_factory=ModelCache)
    judges: ModelCache = field(default_factory=ModelCache)
    job: int = 0
    urgent: bool = False

    def stage(self, text: str) -> None:
        """Say what is being done before numbers can come."""
        self.emit(StageChanged(self.job, text))

    def notice(self, text: str) -> None:
        """Say something the user should know."""
        self.emit(Notice(self.job, text))

    def load_libraries(self) -> None:
        """Return once PyTorch and transformers can be imported; say what the user waits for."""
        if "transformers" not in sys.modules:
            self.stage("Loading PyTorch …")
        self.libraries()

    def judge(self, files: ModelFiles, settings: JudgeSettings) -> Judge:
        """Return the judge of these settings, loading it unless it is loaded already."""
        wanted = (files, settings.device, settings.precision)

        def load() -> Judge:
            kind = judge_class(*wanted)
            if kind.needs_pytorch:
                self.load_libraries()
            self.stage(f"Loading {files.name} …")
            return kind.load(*wanted, self.gate.check, self.notice)

        judge: Judge = self.judges.take(wanted, load)
        return judge

    def say_loaded(self, judge: Judge, *, exact: bool = False, notices: tuple[str, ...] = ()) -> None:
        """Describe the loaded judge."""
        self.emit(JudgeLoaded(self.job, judge.describe(exact=exact), notices))
