"""Asking how like all pairs are to one of them: stored vectors first, the others part by part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.models.catalogue import POCKET, find_model
from parapluie_gui.work.context import RequestContext
from parapluie_gui.work.events import Event
from parapluie_gui.work.keeper import Keeper
from parapluie_gui.work.meter import Meter
from parapluie_gui.work.request import PairsRequest

#: Pairs that are read together.
_PART = 32


@dataclass(frozen=True)
class Compared(Event):
    """How like each pair is to the one that all were compared with, in [-1, 1], shape (n,)."""

    likeness: Scores


@dataclass(frozen=True)
class CompareWithOne(PairsRequest):
    """Pairs, and the one that all are compared with.

    Attributes:
        stores: SQLite files in which known vectors are looked up and new ones kept.
    """

    row: int
    stores: tuple[Path, ...] = ()

    def run(self, context: RequestContext) -> None:
        """Emit how like each pair is to that one."""
        from parapluie_gui.features.alike.vectors import PairEncoder, likeness, pack, unpack, vector_signature

        files, pairs = find_model(POCKET.name), self.pairs
        signature, keys = vector_signature(files), pairs.keys()
        with Keeper(self.stores, context.notice) as keeper:
            texts = keeper.evidence(signature, keys)
            missing = [place for place, text in enumerate(texts) if text is None]
            meter = Meter(len(pairs), pairs=len(pairs))
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
                keeper.put(signature, [keys[place] for place in part], np.zeros(len(part)), evidence=vectors)
                for place, text in zip(part, vectors, strict=True):
                    texts[place] = text
                if progress := meter.count(context.job, len(part), signature.column, fresh=True):
                    context.emit(progress)
        context.emit(Compared(context.job, likeness(unpack([text or "" for text in texts]), self.row)))
