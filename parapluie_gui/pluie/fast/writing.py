"""Writing of many rows at once: rows that have ended leave, and what was computed serves the next question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parapluie_gui.pluie.fast.attention import KeysValues, PastKeysValues
from parapluie_gui.pluie.fast.packing import pack

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.fast.forward import PackedForward

#: Rows that have ended are cut out of the memory when this share of the rows or less is still writing.
_WORTH_CUTTING = 0.75


#: Chooses the next token of each row: logits (n, vocabulary), and the numbers of their rows.
TokenChooser = Callable[["torch.Tensor", Sequence[int]], list[int]]


def choose_likeliest(logits: torch.Tensor, rows: Sequence[int]) -> list[int]:
    """Return the likeliest token of each row."""
    found: list[int] = logits.argmax(-1).tolist()
    return found


@dataclass(frozen=True)
class WrittenTokens:
    """What the model wrote after one prompt.

    Attributes:
        ids: The new tokens, without the one that ends the turn.
        past: Keys and values of the prompt after the prefix and of what was written, to go on from; None = not kept.
    """

    ids: list[int]
    past: PastKeysValues | None = None


def write(
    forward: PackedForward,
    head: Callable[[torch.Tensor], torch.Tensor],
    rows: Sequence[Sequence[int]],
    prefix: tuple[int, Sequence[KeysValues]],
    limit: int,
    ends: Sequence[int],
    choose: TokenChooser = choose_likeliest,
) -> list[WrittenTokens]:
    """Write after each row until a token of `ends` or `limit` tokens, at least 1; greedily unless `choose` says more.

    `head` maps hidden states (rows, hidden size) to logits (rows, vocabulary); `rows` are token ids after the prefix,
    and `prefix` says how many tokens all rows go on from, and their keys and values.
    """
    import torch

    before, shared = prefix
    packing = pack(rows, share=False)
    opening = forward.rows(packing, shared, keep=True)
    places = [place + before for place in packing.positions]
    hidden = forward(packing.tokens, places, opening, [end - 1 for end in packing.ends])
    memory = _laid_out(opening.kept, packing.ends, [len(row) for row in rows], limit)

    writing = list(range(len(rows)))  # the rows in the memory, some of which may have ended
    lengths = [len(row) for row in rows]
    new: list[list[int]] = [[] for _ in rows]
    done: dict[int, PastKeysValues] = {}
    while True:
        chosen = choose(head(hidden), writing)
        for place, (row, token) in enumerate(zip(writing, chosen, strict=True)):
            if row in done:
                continue
            if token not in ends:
                new[row].append(token)
            if token in ends or len(new[row]) == limit:
                # The last token written was never given to the model, so its keys are not known.
                ids = (*rows[row], *new[row])[: lengths[place]]
                done[row] = PastKeysValues(tuple(ids), memory[:, :, place, :, : len(ids)].clone())
        left = [place for place, row in enumerate(writing) if row not in done]
        if not left:
            return [WrittenTokens(new[row], done[row]) for row in range(len(rows))]
        if len(left) <= _WORTH_CUTTING * len(writing):
            memory = memory[:, :, torch.tensor(left, device=memory.device)]
            chosen, lengths, writing = ([each[place] for place in left] for each in (chosen, lengths, writing))
        hidden = forward(chosen, [length + before for length in lengths], forward.steps(memory, lengths, shared))
        lengths = [length + 1 for length in lengths]


def _laid_out(kept: Sequence[KeysValues], ends: Sequence[int], lengths: Sequence[int], more: int) -> torch.Tensor:
    """Return the memory of packed rows row by row, with room for more tokens: see `StepwiseAttention`."""
    heads, size = kept[0][0].shape[1:]
    memory = kept[0][0].new_zeros((len(kept), 2, len(lengths), heads, max(lengths) + more, size))
    for layer, both in enumerate(kept):
        for kind, each in enumerate(both):
            for row, (end, length) in enumerate(zip(ends, lengths, strict=True)):
                memory[layer, kind, row, :, :length] = each[end - length : end].transpose(0, 1)
    return memory
