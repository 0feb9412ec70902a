"""Writes after many prompts at once; finished rows leave the batch, and their keys and values can be reused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parapluie_gui.pluie.fast.attention import KeysValues, PastKeysValues
from parapluie_gui.pluie.fast.packing import pack

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.fast.forward import PackedForward

#: Finished rows are removed from the memory when this share of its rows, or less, is unfinished.
_LARGEST_SHARE_TO_CUT = 0.75


#: Chooses the next token of each row from the logits (n, vocabulary) and the numbers of the rows.
TokenChooser = Callable[["torch.Tensor", Sequence[int]], list[int]]


def choose_likeliest(logits: torch.Tensor, rows: Sequence[int]) -> list[int]:
    """Return the likeliest token of each row."""
    tokens: list[int] = logits.argmax(-1).tolist()
    return tokens


@dataclass(frozen=True)
class WrittenTokens:
    """The tokens that a model wrote after one prompt.

    Attributes:
        ids: The new tokens, without the token that ends the turn.
        past: Keys and values of the prompt (after the prefix) and of the new tokens; None = not stored.
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
    """Continue each row until a token of `ends` or `limit` (≥ 1) new tokens; `choose` picks the tokens.

    `head` maps hidden states (rows, hidden size) to logits (rows, vocabulary). `rows` are token ids after the prefix,
    and `prefix` is the number of tokens in the prefix with their keys and values.
    """
    import torch

    before, shared = prefix
    packing = pack(rows, share=False)
    opening = forward.row_attention(packing, shared, keep=True)
    places = [place + before for place in packing.positions]
    hidden = forward(packing.tokens, places, opening, [end - 1 for end in packing.ends])
    memory = _arrange_memory(opening.stored, packing.ends, [len(row) for row in rows], limit)

    writing = list(range(len(rows)))  # the rows in the memory, some of which may be finished
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
                # The last new token was never fed to the model, so its keys are unknown.
                ids = (*rows[row], *new[row])[: lengths[place]]
                done[row] = PastKeysValues(tuple(ids), memory[:, :, place, :, : len(ids)].clone())
        left = [place for place, row in enumerate(writing) if row not in done]
        if not left:
            return [WrittenTokens(new[row], done[row]) for row in range(len(rows))]
        if len(left) <= _LARGEST_SHARE_TO_CUT * len(writing):
            memory = memory[:, :, torch.tensor(left, device=memory.device)]
            chosen = [chosen[place] for place in left]
            lengths = [lengths[place] for place in left]
            writing = [writing[place] for place in left]
        hidden = forward(
            chosen, [length + before for length in lengths], forward.step_attention(memory, lengths, shared)
        )
        lengths = [length + 1 for length in lengths]


def _arrange_memory(
    stored: Sequence[KeysValues], ends: Sequence[int], lengths: Sequence[int], more: int
) -> torch.Tensor:
    """Return keys and values of packed rows separated by row, with room for more tokens; see `StepwiseAttention`."""
    heads, size = stored[0][0].shape[1:]
    memory = stored[0][0].new_zeros((len(stored), 2, len(lengths), heads, max(lengths) + more, size))
    for layer, keys_values in enumerate(stored):
        for kind, tensor in enumerate(keys_values):
            for row, (end, length) in enumerate(zip(ends, lengths, strict=True)):
                memory[layer, kind, row, :, :length] = tensor[end - length : end].transpose(0, 1)
    return memory
