"""BARTScore: log-probability of the hypothesis given the source, under a sequence-to-sequence model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import ModelError
from parapluie_gui.metrics.base import MetricInfo, References, Texts
from parapluie_gui.metrics.neural.loading import pad_ids
from parapluie_gui.metrics.neural.model_files import NetworkChoice
from parapluie_gui.metrics.neural.model_metric import PairNetwork

if TYPE_CHECKING:
    import torch

#: Maximum number of tokens of each sentence, as in the published code.
MOST_TOKENS = 1024


class BartScore(PairNetwork):
    """BARTScore (Yuan, Neubig, Liu, NeurIPS 2021): mean over the hypothesis's tokens of log p(token | source, before).

    The special tokens at both ends of the hypothesis count, as in the published code. The score is at most 0.
    """

    info = MetricInfo(
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
    most_tokens = MOST_TOKENS
    auto = "AutoModelForSeq2SeqLM"
    what = "a sequence-to-sequence model"

    def __init__(self, argument: str = "") -> None:
        super().__init__(NetworkChoice(argument, ("facebook/bart-large-cnn",), self.what))

    def fields(self) -> dict[str, object]:
        return self.model_fields(direction="source>hypothesis", mean="tokens", tokens=MOST_TOKENS)

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        loaded = self.network
        model, tokenizer = loaded.model, loaded.tokenizer
        shift_right = getattr(model, "prepare_decoder_input_ids_from_labels", None)
        if shift_right is None:
            raise ModelError("This model cannot score a given text. Choose BART, T5, PEGASUS or mBART.")
        source_ids = loaded.tokenize(sources, limit=MOST_TOKENS)["input_ids"]
        # A tokeniser without special tokens returns nothing for an empty text, but the end of the text must still be
        # predicted.
        target_ids = [
            ids or [tokenizer.eos_token_id]
            for ids in loaded.tokenize(hypotheses, limit=MOST_TOKENS, target=True)["input_ids"]
        ]
        source_ids = [ids or [tokenizer.eos_token_id] for ids in source_ids]
        pad = tokenizer.pad_token_id

        def compute(rows: list[int]) -> torch.Tensor:
            source, seen = pad_ids([source_ids[row] for row in rows], pad, loaded.device)
            target, counted = pad_ids([target_ids[row] for row in rows], pad, loaded.device)
            out = model(input_ids=source, attention_mask=seen.long(), decoder_input_ids=shift_right(labels=target))
            logs: torch.Tensor = out.logits.float().log_softmax(-1).gather(-1, target[:, :, None]).squeeze(-1)
            return logs.masked_fill(~counted, 0.0).sum(1) / counted.sum(1)

        return self.compute_in_batches(
            [max(len(a), len(b)) for a, b in zip(source_ids, target_ids, strict=True)], compute
        )
