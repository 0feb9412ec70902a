"""Request to the worker to compare all pairs with one of them; stored vectors are reused."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.models.catalogue import POCKET, find_model
from parapluie_gui.work.context import RequestContext
from parapluie_gui.work.events import Event
from parapluie_gui.work.meter import ProgressMeter
from parapluie_gui.work.request import PairsRequest
from parapluie_gui.work.score_stores import ScoreStores

#: Number of pairs encoded at a time.
_PART = 32


@dataclass(frozen=True)
class PairsCompared(Event):
    """Similarity of each pair to the chosen pair, in [-1, 1], shape (n,)."""

    likeness: Scores


@dataclass(frozen=True)
class CompareWithOne(PairsRequest):
    """Request to compare all pairs with one of them.

    Attributes:
        row: The pair to compare with.
        stores: SQLite files with stored vectors, to which new vectors are added.
    """

    row: int
    stores: tuple[Path, ...] = ()

    def run(self, context: RequestContext) -> None:
        """Emit the similarities as `PairsCompared`."""
        from parapluie_gui.features.alike.vectors import PairEncoder, likeness, pack, unpack, vector_signature

        files, pairs = find_model(POCKET.name), self.pairs
        signature, keys = vector_signature(files), pairs.keys()
        with ScoreStores(self.stores, context.notice) as stores:
            texts = stores.evidence(signature, keys)
            missing = [place for place, text in enumerate(texts) if text is None]
            meter = ProgressMeter(len(pairs), pairs=len(pairs))
            meter.count(context.job, len(pairs) - len(missing), signature.column, fresh=False)
            if missing:
                context.stage(f"Loading {files.name} …")
                load = partial(PairEncoder.load, files)
                encoder: PairEncoder = context.models.take((signature.column, signature), load)
            for start in range(0, len(missing), _PART):
                part = missing[start : start + _PART]
                sources, hypotheses = ([side[place] for place in part] for side in (pairs.sources, pairs.hypotheses))
                encode = partial(encoder.encode, sources, hypotheses, context.gate.check)
                vectors = pack(context.gate.guard(encode))
                stores.put(signature, [keys[place] for place in part], np.zeros(len(part)), evidence=vectors)
                for place, text in zip(part, vectors, strict=True):
                    texts[place] = text
                if progress := meter.count(context.job, len(part), signature.column, fresh=True):
                    context.emit(progress)
        context.emit(PairsCompared(context.job, likeness(unpack([text or "" for text in texts]), self.row)))
