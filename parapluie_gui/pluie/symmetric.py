"""Symmetric judges, which read both sentences of a pair in the same way, so that their order does not matter.

A BERT model trained by `train-judge` reads each sentence as a separate text: between its own control tokens, from the
first position on. In every layer except the first ones, each attention head multiplies the weights of the other
sentence's tokens by e to the power of a learnt number (`across`). At the beginning of the training most heads hardly
attend to the other sentence, and the model equals the sentence encoder that it started from. The words of the cloze
come last and attend to both sentences. Nothing depends on the order of the two sentences.

The score is that of any cloze, log p(yes) − log p(no) at the gap, with the cosine of the two sentences' mean last
hidden states: half of weight · (cosine − middle) is added to the logit of yes, and half is subtracted from that of no.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from parapluie_gui.models.symmetric import TERMS
from parapluie_gui.pluie.cloze import CLOZE, FIRST, SECOND, ClozeRow

if TYPE_CHECKING:
    import torch

#: The ids of all spellings of yes, and of no.
AnswerIds = tuple[Sequence[int], Sequence[int]]

#: The part (`ClozeRow.types`) of padding tokens.
_PADDING = 3


def place_rows(rows: Sequence[ClozeRow], pad: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return rows as int64 tensors: token ids, parts and positions of tokens (n, longest), and gaps (n,)."""
    import torch

    fill = partial(torch.nn.utils.rnn.pad_sequence, batch_first=True)
    ids = fill([torch.tensor(row.ids) for row in rows], padding_value=pad)
    where = fill([torch.tensor(row.types) for row in rows], padding_value=_PADDING)
    first, second = (where == FIRST).sum(1), (where == SECOND).sum(1)
    longer = torch.maximum(first, second)
    # Each sentence begins at position 0, and the cloze after the longer sentence.
    begins = torch.stack([torch.zeros_like(first), first, first + second - longer, first], 1)
    positions = (torch.arange(ids.shape[1])[None] - begins.gather(1, where)).clamp_(min=0)
    positions[where == _PADDING] = 0
    return ids, where, positions, torch.tensor([row.gap for row in rows])


def gap_logits(
    model: Any,
    rows: Sequence[ClozeRow],
    pad: int,
    answers: AnswerIds | None,
    check: Callable[[], None] = lambda: None,
) -> torch.Tensor:
    """Return the logits at the gaps, float32 (n, vocabulary), with the cosine added to those of the answers.

    `pad` is the id of the padding token; `check` is called before each layer.
    """
    import torch

    terms = model.get_submodule(TERMS)
    ids, where, positions, gaps = (tensor.to(model.device) for tensor in place_rows(rows, pad))
    hidden = _states(model, ids, where, positions, check)
    chosen = hidden[torch.arange(len(ids), device=ids.device), gaps]
    head = model.get_submodule("cls")
    logits: torch.Tensor = head(chosen[:, None])[:, 0].float()
    if answers is None:
        return logits
    weight, middle = terms.cosine.float()
    share = weight * (_cosines(hidden.float(), where) - middle) / 2
    yes, no = answers
    change = torch.zeros_like(logits)
    change[:, list(yes)], change[:, list(no)] = share[:, None], -share[:, None]
    return logits + change


def _cosines(hidden: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
    """Return the cosine of the two sentences' mean states for each row (n,)."""
    import torch

    means = [torch.einsum("nl,nld->nd", (where == place).to(hidden.dtype), hidden) for place in (FIRST, SECOND)]
    cosine: torch.Tensor = torch.nn.functional.cosine_similarity(means[0], means[1])
    return cosine


def _states(
    model: Any, ids: torch.Tensor, where: torch.Tensor, positions: torch.Tensor, check: Callable[[], None]
) -> torch.Tensor:
    """Return the last hidden states (n, longest, width)."""
    import torch

    terms = model.get_submodule(TERMS)
    words = model.base_model.embeddings
    x: torch.Tensor = (
        words.word_embeddings(ids) + words.position_embeddings(positions) + words.token_type_embeddings.weight[0]
    )
    x = words.LayerNorm(x)
    heads = model.config.num_attention_heads
    one, other = where[:, :, None], where[:, None, :]
    # Sentences do not attend to the cloze, so that their states are the same for every cloze.
    hidden = (other == _PADDING) | ((other == CLOZE) & (one != CLOZE))
    across = ((one + other) == FIRST + SECOND) & (one != other)
    shut = torch.zeros(hidden.shape, device=ids.device).masked_fill_(hidden, -1e4)[:, None]
    across = across.float()[:, None]
    for layer, look in zip(model.base_model.encoder.layer, terms.across, strict=True):
        check()
        if not layer.output.LayerNorm.weight.requires_grad:
            look = look.detach()  # a frozen layer needs no gradients
        attention = layer.attention
        query, key, value = (
            part(x).unflatten(-1, (heads, -1)).transpose(1, 2)
            for part in (attention.self.query, attention.self.key, attention.self.value)
        )
        weights = query @ key.transpose(-1, -2)
        weights = weights * (1 / math.sqrt(query.shape[-1])) + (shut + across * look.float()[None, :, None, None])
        # Dropout is active in training only.
        context = attention.self.dropout(weights.softmax(-1).to(value.dtype)) @ value
        change = attention.output.dropout(attention.output.dense(context.transpose(1, 2).flatten(-2)))
        x = attention.output.LayerNorm(change + x)
        x = layer.output.LayerNorm(layer.output.dropout(layer.output.dense(layer.intermediate(x))) + x)
    return x
