"""Computing a job that asks how like its pairs are to one of them: stored vectors first, the others part by part."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.analysis.errors.likeness import likeness
from parapluie_gui.models.catalogue import POCKET, find_model
from parapluie_gui.scores.identity import LIKENESS
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.work.job import Batch, Job, StageChanged
from parapluie_gui.work.keeper import Keeper
from parapluie_gui.work.meter import Meter

if TYPE_CHECKING:
    from parapluie_gui.work.runner import Runner

#: Pairs that are read together.
_PART = 32


def find_likeness(runner: Runner, job: Job, keeper: Keeper, row: int) -> None:
    """Emit one batch: how like each pair is to that of `row`.

    Raises:
        ModelError: The encoder's files are damaged.
        Cancelled: The job is to end.
    """
    from parapluie_gui.pluie.pair_vectors import PairEncoder, pack, unpack, vector_signature

    files = find_model(POCKET.name)
    signature = vector_signature(files)
    keys = [pair_key(source, hypothesis) for source, hypothesis in zip(job.sources, job.hypotheses, strict=True)]
    texts = keeper.evidence(signature, keys)
    missing = [place for place, text in enumerate(texts) if text is None]
    meter = Meter(len(job), pairs=len(job))
    meter.count(job.id, len(job) - len(missing), LIKENESS, fresh=False)
    if missing:
        runner.emit(StageChanged(job.id, f"Loading {files.name} …"))
        encoder: PairEncoder = runner.models.take(("pair_vectors", signature), partial(PairEncoder.load, files))
    for start in range(0, len(missing), _PART):
        part = missing[start : start + _PART]
        sources, hypotheses = ([side[place] for place in part] for side in (job.sources, job.hypotheses))
        found = pack(runner.gate.guard(partial(encoder.encode, sources, hypotheses, runner.gate.check)))
        keeper.put(signature, [keys[place] for place in part], np.zeros(len(part)), evidence=found)
        for place, text in zip(part, found, strict=True):
            texts[place] = text
        if progress := meter.count(job.id, len(part), LIKENESS, fresh=True):
            runner.emit(progress)
    values = likeness(unpack([text or "" for text in texts]), row)
    runner.emit(Batch(job.id, np.arange(len(job)), {LIKENESS: values}, fresh=bool(missing)))
