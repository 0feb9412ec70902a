"""Regularisation of a training: dropout, and word pieces hidden in both sentences.

Each part of a batch has a random generator for the thread that computes it, so that a resumed training continues with
the same numbers, whichever thread computes first.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parapluie_gui.pluie.cloze import FIRST, ClozeRow

if TYPE_CHECKING:
    import torch

#: Dropout compares random bytes with a share of 256, because bytes are drawn ten times as fast as numbers between 0 and
#: 1.
_BYTES = 256


class StepGenerator(threading.local):
    """The random generator of the current thread; None outside a training step, when dropout is off."""

    generator: np.random.Generator | None = None

    @contextmanager
    def drawn_from(self, *seed: int) -> Iterator[np.random.Generator]:
        """Provide this thread with a random generator during a training step."""
        self.generator = np.random.default_rng(seed)
        try:
            yield self.generator
        finally:
            self.generator = None


def replace_dropout(model: Any, share: float, source: StepGenerator) -> None:
    """Replace the dropout of a model's trained layers by one that draws from `source` and can be repeated."""
    import torch

    class Dropout(torch.nn.Module):
        """Sets a share of the values to 0 during a training step and scales up the others."""

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            if source.generator is None:
                return values
            threshold = round(share * _BYTES)
            is_kept = np.frombuffer(source.generator.bytes(values.numel()), dtype=np.uint8) >= threshold
            mask = torch.from_numpy(is_kept).to(values.device).view(values.shape)
            return values * mask.to(values.dtype) * (_BYTES / (_BYTES - threshold))

    for layer in model.base_model.encoder.layer:
        if any(parameter.requires_grad for parameter in layer.parameters()):
            for holder in list(layer.modules()):
                for name, module in list(holder.named_children()):
                    if isinstance(module, torch.nn.Dropout):
                        setattr(holder, name, Dropout())


def hide_shared(
    rows: Sequence[ClozeRow], share: float, mask: int, controls: Collection[int], rng: np.random.Generator
) -> list[ClozeRow]:
    """Return rows in which a share of the word pieces common to both sentences is masked in both.

    Word pieces of only one sentence are kept, since they may make the difference in meaning.

    Args:
        rows: Tokenised pairs.
        share: Share of the common word pieces, 0..1.
        mask: Id of the mask token.
        controls: Ids of special tokens, never masked.
        rng: Random generator.
    """
    return [_mask_shared(row, share, mask, controls, rng) for row in rows]


def _mask_shared(
    row: ClozeRow, share: float, mask: int, controls: Collection[int], rng: np.random.Generator
) -> ClozeRow:
    first = {id for id, kind in zip(row.ids, row.types, strict=True) if kind == FIRST}
    second = {id for id, kind in zip(row.ids, row.types, strict=True) if kind == FIRST + 1}
    shared = sorted((first & second) - set(controls))
    chosen = {id for id, drawn in zip(shared, rng.random(len(shared)), strict=True) if drawn < share}
    if not chosen:
        return row
    places = zip(row.ids, row.types, strict=True)
    return replace(row, ids=[mask if kind in (FIRST, FIRST + 1) and id in chosen else id for id, kind in places])
