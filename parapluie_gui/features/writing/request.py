"""The request for paraphrases: the candidates of each source, in batches of a fixed order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.writing import SamplingSettings, check_can_write, writing_signature
from parapluie_gui.pluie.writing_templates import WritingTemplate
from parapluie_gui.work.context import RequestContext
from parapluie_gui.work.events import CandidatesWritten
from parapluie_gui.work.request import Request

#: Maximum number of texts in a batch. All candidates of a source are in one batch, so that a continued run has the same
#: batches.
BATCH_TEXTS = 32


def count_sources_per_batch(numbers: int) -> int:
    """Return the number of sources in a batch, by the number of candidates of each."""
    return max(BATCH_TEXTS // numbers, 1)


@dataclass(frozen=True)
class WriteCandidates(Request):
    """The request to write candidates for each source.

    Attributes:
        numbers: Numbers of the candidates of each source, from 1.
    """

    sources: tuple[str, ...]
    judge: JudgeSettings
    template: WritingTemplate
    sampling: SamplingSettings
    numbers: tuple[int, ...]

    @property
    def extent(self) -> tuple[str, int]:
        """Return the unit and total of the progress bar."""
        return "text", len(self.sources) * len(self.numbers)

    def wanted_judge(self) -> JudgeSettings:
        """Return the judge that writes."""
        return self.judge

    def run(self, context: RequestContext) -> None:
        """Emit the candidates, one batch after another."""
        settings = self.judge.locate(context.stage)
        files = settings.files
        check_can_write(files)
        context.load_libraries()
        if files.gguf:  # llama.cpp cannot sample from the random sequence of a candidate, so PyTorch writes
            settings = replace(settings, precision=choose_precision(settings.precision, choose_device(settings.device)))
        judge = context.judge(files, settings)
        context.say_loaded(judge)
        context.stage("Writing …")
        writer = context.gate.guard(partial(judge.writer, self.template, self.sampling, context.notice))
        signature = str(writing_signature(files, self.template, self.sampling, settings))
        size = count_sources_per_batch(len(self.numbers))
        for start in range(0, len(self.sources), size):
            batch = range(start, min(start + size, len(self.sources)))
            rows = [row for row in batch for _ in self.numbers]
            numbers = [number for _ in batch for number in self.numbers]
            sources = [self.sources[row] for row in rows]
            candidates = context.gate.guard(partial(writer.write, sources, numbers))
            context.emit(CandidatesWritten(context.job, tuple(rows), tuple(candidates), signature))
