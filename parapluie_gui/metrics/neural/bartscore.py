"""BARTScore: how likely a sequence-to-sequence model is to write the hypothesis, given the source."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.errors import ModelError
from parapluie_gui.metrics.base import MetricContext, MetricInfo, Readiness
from parapluie_gui.metrics.neural.loading import readable
from parapluie_gui.metrics.neural.model_files import Choice
from parapluie_gui.metrics.neural.pair_encoder import CHUNK, Network, padded
from parapluie_gui.scores.signature import Signature

if TYPE_CHECKING:
    import torch

INFO = MetricInfo(
    id="bartscore",
    title="BARTScore",
    family="generation",
    low=float("-inf"),
    high=0.0,
    needs="facebook/bart-large-cnn, or another sequence-to-sequence model",
    summary="Mean log probability of the hypothesis's tokens when the model rewrites the source.",
    cost="model",
    argument="folder or hub id of a sequence-to-sequence model",
    takes_model=True,
)

#: Where both sentences are cut, as in the published code.
MOST_TOKENS = 1024

_WHAT = "a sequence-to-sequence model"


class BartScore:
    """BARTScore (Yuan, Neubig, Liu, NeurIPS 2021): mean over the hypothesis's tokens of log p(token | source, before).

    The special tokens at both ends of the hypothesis count, as in the published code. At most 0.

    Args:
        argument: Folder or hub id of a sequence-to-sequence model; by default facebook/bart-large-cnn.
    """

    chunk = CHUNK

    def __init__(self, argument: str = "") -> None:
        self.info = INFO
        self._network = Network(Choice(argument, ("facebook/bart-large-cnn",), _WHAT), "AutoModelForSeq2SeqLM", _WHAT)

    def readiness(self) -> Readiness:
        """Return whether the model is on this computer."""
        return self._network.choice.readiness()

    def prepare(self, bench: MetricContext) -> None:
        """Load the model."""
        self._network.prepare(bench)

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        files = self._network.choice.files()
        return Signature.of(
            INFO.id,
            {
                "name": INFO.id,
                "model": files.name,
                "rev": files.revision,
                "tok": "model",
                "direction": "source>hypothesis",
                "mean": "tokens",
                "tokens": MOST_TOKENS,
                "precision": "float32",
                "version": __version__,
                "transformers": version("transformers"),
            },
        )

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return mean log p(H|S) of each pair, float64 of shape (n,), at most 0; references are not used."""
        if not len(sources):
            return np.empty(0)
        loaded = self._network.loaded
        model, tokenizer = loaded.model, loaded.tokenizer
        begin = getattr(model, "prepare_decoder_input_ids_from_labels", None)
        if begin is None:
            raise ModelError("This model cannot be told what to have written; choose BART, T5, PEGASUS or mBART.")
        most = min(MOST_TOKENS, loaded.most_tokens)
        given = tokenizer(readable(sources), truncation=True, max_length=most)["input_ids"]
        # A tokeniser without special tokens has nothing to say of an empty text; its end is still to be predicted.
        wanted = [
            ids or [tokenizer.eos_token_id]
            for ids in tokenizer(text_target=readable(hypotheses), truncation=True, max_length=most)["input_ids"]
        ]
        given = [ids or [tokenizer.eos_token_id] for ids in given]
        pad = tokenizer.pad_token_id

        def compute(rows: list[int]) -> torch.Tensor:
            source, seen = padded([given[row] for row in rows], pad, loaded.device)
            target, counted = padded([wanted[row] for row in rows], pad, loaded.device)
            out = model(input_ids=source, attention_mask=seen.long(), decoder_input_ids=begin(labels=target))
            logs: torch.Tensor = out.logits.float().log_softmax(-1).gather(-1, target[:, :, None]).squeeze(-1)
            return logs.masked_fill(~counted, 0.0).sum(1) / counted.sum(1)

        return self._network.in_batches([max(len(a), len(b)) for a, b in zip(given, wanted, strict=True)], compute)
