"""Asking a judge to write: the candidates of each source, batch by batch in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.writing import Sampling, check_can_write, writing_signature
from parapluie_gui.pluie.writing_templates import WritingTemplate
from parapluie_gui.work.context import RequestContext
from parapluie_gui.work.events import CandidatesWritten
from parapluie_gui.work.request import Request

#: Texts that are written side by side. Batches hold whole sources: whoever goes on after some gets the same batches.
AT_ONCE = 32


def sources_at_once(numbers: int) -> int:
    """Return how many sources are in a batch, by the number of candidates of each."""
    return max(AT_ONCE // numbers, 1)


@dataclass(frozen=True)
class WriteCandidates(Request):
    """Texts that are to be written after each source.

    Attributes:
        numbers: The candidates of each source, by their numbers from 1.
    """

    sources: tuple[str, ...]
    judge: JudgeSettings
    template: WritingTemplate
    sampling: Sampling
    numbers: tuple[int, ...]

    @property
    def extent(self) -> tuple[str, int]:
        """What a bar counts while it is computed, and how many."""
        return "text", len(self.sources) * len(self.numbers)

    def wanted_judge(self) -> JudgeSettings:
        """Return the judge."""
        return self.judge

    def run(self, context: RequestContext) -> None:
        """Emit the candidates, batch after batch."""
        settings = self.judge.locate()
        files = settings.files
        check_can_write(files)
        context.load_libraries()
        if files.gguf:  # llama.cpp scores, and does not draw from the random sequences that a candidate is known by
            settings = replace(settings, precision=choose_precision(settings.precision, choose_device(settings.device)))
        judge = context.judge(files, settings)
        context.say_loaded(judge)
        context.stage("Writing …")
        writer = context.gate.guard(partial(judge.writer, self.template, self.sampling, context.notice))
        signature = str(writing_signature(files, self.template, self.sampling, settings))
        size = sources_at_once(len(self.numbers))
        for start in range(0, len(self.sources), size):
            batch = range(start, min(start + size, len(self.sources)))
            rows = [row for row in batch for _ in self.numbers]
            numbers = [number for _ in batch for number in self.numbers]
            sources = [self.sources[row] for row in rows]
            candidates = context.gate.guard(partial(writer.write, sources, numbers))
            context.emit(CandidatesWritten(context.job, tuple(rows), tuple(candidates), signature))
