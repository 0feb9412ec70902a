"""What keeps a model from learning its pairs by heart: dropout, and word pieces hidden from both sentences.

Chance comes from a generator that a thread is given for the part of a batch that it computes, so that a training that
was stopped goes on with the same numbers, whichever thread computes first.
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

#: Dropout compares random bytes with a share of this many: drawn ten times as fast as numbers between 0 and 1.
_BYTES = 256


class Chance(threading.local):
    """The generator of the thread that asks; None outside of a training step, when nothing is left to chance."""

    generator: np.random.Generator | None = None

    @contextmanager
    def drawn_from(self, *seed: int) -> Iterator[np.random.Generator]:
        """Let this thread draw from a generator of its own."""
        self.generator = np.random.default_rng(seed)
        try:
            yield self.generator
        finally:
            self.generator = None


def loosen(model: Any, share: float, chance: Chance) -> None:
    """Give the layers of a model that are learnt dropout by `chance` in the place of their own, which stays off."""
    import torch

    class Dropout(torch.nn.Module):
        """Sets a share of the numbers to 0 while a generator is there, and makes the others as much greater."""

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            if chance.generator is None:
                return values
            least = round(share * _BYTES)
            drawn = np.frombuffer(chance.generator.bytes(values.numel()), dtype=np.uint8) >= least
            kept = torch.from_numpy(drawn).to(values.device).view(values.shape)
            return values * kept.to(values.dtype) * (_BYTES / (_BYTES - least))

    for layer in model.base_model.encoder.layer:
        if any(each.requires_grad for each in layer.parameters()):
            for holder in list(layer.modules()):
                for name, module in list(holder.named_children()):
                    if isinstance(module, torch.nn.Dropout):
                        setattr(holder, name, Dropout())


def hide_shared(
    rows: Sequence[ClozeRow], share: float, mask: int, controls: Collection[int], rng: np.random.Generator
) -> list[ClozeRow]:
    """Return texts in which a share of the word pieces that stand in both sentences is hidden in both.

    What one sentence alone says stays, since it may be what makes the other one say something else.
    """
    return [_hidden(row, share, mask, controls, rng) for row in rows]


def _hidden(row: ClozeRow, share: float, mask: int, controls: Collection[int], rng: np.random.Generator) -> ClozeRow:
    first = {id for id, kind in zip(row.ids, row.types, strict=True) if kind == FIRST}
    second = {id for id, kind in zip(row.ids, row.types, strict=True) if kind == FIRST + 1}
    shared = sorted((first & second) - set(controls))
    chosen = {id for id, drawn in zip(shared, rng.random(len(shared)), strict=True) if drawn < share}
    if not chosen:
        return row
    places = zip(row.ids, row.types, strict=True)
    return replace(row, ids=[mask if kind in (FIRST, FIRST + 1) and id in chosen else id for id, kind in places])
