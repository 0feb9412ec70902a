"""Computing a job that writes: the candidates of each source, batch by batch in a fixed order."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from parapluie_gui.models.catalogue import find_model
from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.pluie.writing import check_can_write, writing_signature
from parapluie_gui.work.job import Job, JudgeLoaded, Notice, StageChanged, Writing, Written

if TYPE_CHECKING:
    from parapluie_gui.work.runner import Runner

#: Texts that are written side by side. Batches hold whole sources: whoever goes on after some gets the same batches.
AT_ONCE = 32


def sources_at_once(numbers: int) -> int:
    """Return how many sources are in a batch, by the number of candidates of each."""
    return max(AT_ONCE // numbers, 1)


def write_candidates(runner: Runner, job: Job, writing: Writing) -> None:
    """Write the candidates of a job's sources.

    Raises:
        ParapluieError: The judge cannot write, or not these.
        Cancelled: The job is to end.
    """
    settings = job.judge
    assert settings is not None
    files = find_model(settings.model)
    check_can_write(files)
    if "transformers" not in sys.modules:
        runner.emit(StageChanged(job.id, "Loading PyTorch …"))
    runner.libraries()
    if files.gguf:  # llama.cpp scores, and does not draw from the random sequences that a candidate is known by
        settings = replace(settings, precision=choose_precision(settings.precision, choose_device(settings.device)))
    judge = runner.judge(job, files, settings)
    runner.emit(JudgeLoaded(job.id, judge.describe(), (files.note,) if files.note else ()))

    def warn(text: str) -> None:
        runner.emit(Notice(job.id, text))

    runner.emit(StageChanged(job.id, "Writing …"))
    writer = runner.gate.guard(partial(judge.writer, writing.template, writing.sampling, warn))
    signature = str(writing_signature(files, writing.template, writing.sampling, settings))
    size = sources_at_once(len(writing.numbers))
    for start in range(0, len(job), size):
        rows = [row for row in range(start, min(start + size, len(job))) for _ in writing.numbers]
        numbers = [number for _ in range(start, min(start + size, len(job))) for number in writing.numbers]
        sources = [job.sources[row] for row in rows]
        found = runner.gate.guard(partial(writer.write, sources, numbers))
        runner.emit(Written(job.id, tuple(rows), tuple(found), signature))
