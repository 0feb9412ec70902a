"""SBERT and SimCSE: the cosine of two sentence embeddings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import MetricInfo, References, Texts
from parapluie_gui.metrics.neural.encoder import EmbeddingRequest, EncoderMetric
from parapluie_gui.metrics.neural.model_files import MINILM, NetworkChoice, layer_count, read_config
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.options import choice

#: Maximum number of tokens of a sentence: the default of sentence-transformers, and the limit of SimCSE's own tool.
_TOKENS, _SIMCSE_TOKENS = 256, 128
_POOLING = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max"}


class _CosineMetric(EncoderMetric):
    """The cosine of two sentence vectors, in [-1, 1], pooled as `request` specifies."""

    def fields(self) -> dict[str, object]:
        request = self.request(self.choice.files())
        return self.model_fields(
            layer=request.layer, pool=request.kind, tokens=request.most_tokens, similarity="cosine"
        )

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        import torch

        encoder = self.encoder
        values = np.full(len(sources), np.nan)
        rows = [row for row, two in enumerate(zip(sources, hypotheses, strict=True)) if all(map(str.strip, two))]
        if rows:
            texts = [side[row] for side in (sources, hypotheses) for row in rows]
            vectors = torch.stack(encoder.embed(texts, self.request(encoder.files)))
            left, right = torch.nn.functional.normalize(vectors, dim=-1).view(2, len(rows), -1)
            values[rows] = (left * right).sum(-1).clamp(-1, 1).cpu().double().numpy()
        return values


class Sbert(_CosineMetric):
    """Cosine of sentence-transformers embeddings (Reimers and Gurevych, EMNLP 2019).

    By default all-MiniLM-L6-v2: the normalised mean over the tokens of its last layer, up to 256 tokens. Embeddings of
    a model saved by sentence-transformers are pooled and truncated as its files specify (mean, [CLS] or maximum); for
    any other encoder the mean is used.
    """

    info = MetricInfo(
        id="sbert",
        title="SBERT cosine",
        family="embedding",
        low=-1.0,
        high=1.0,
        needs="all-MiniLM-L6-v2 or another sentence encoder",
        summary="Cosine of the two sentences' vectors; each is the mean of its token vectors.",
        cost="model",
        argument="folder or hub id of a sentence encoder",
        takes_model=True,
    )

    def __init__(self, argument: str = "") -> None:
        super().__init__(
            NetworkChoice(argument, (MINILM, "sentence-transformers/all-MiniLM-L6-v2"), "a sentence encoder")
        )

    def request(self, files: ModelFiles) -> EmbeddingRequest:
        kinds = [
            str(part.get("type", "")).rsplit(".", 1)[-1] for part in read_config(files, "modules.json").get("", [])
        ]
        if unknown := [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]:
            raise MetricError(
                f"{files.name} has a {unknown[0]} layer after its transformer, which is not supported. Choose another "
                "sentence encoder."
            )
        pooling = read_config(files, "1_Pooling/config.json")
        modes = [kind for name, kind in _POOLING.items() if pooling.get(name)] or [pooling.get("pooling_mode", "mean")]
        if len(modes) > 1 or modes[0] not in _POOLING.values():
            raise MetricError(f"{files.name} pools its tokens in a way that is not supported. Choose another encoder.")
        tokens = read_config(files, "sentence_bert_config.json").get("max_seq_length") or _TOKENS
        return EmbeddingRequest(modes[0], layer_count(files), int(tokens))


_POOLS = {"": "by the model's name", "pooler": "the model's layer over [CLS]", "cls": "[CLS] itself"}


@dataclass(frozen=True)
class SimCseOptions:
    """Options of SimCSE."""

    pool: str = choice("Pool", _POOLS, "vector that represents a sentence (default: by the model's name)")


class SimCse(_CosineMetric):
    """Cosine of SimCSE embeddings (Gao, Yao, Chen, EMNLP 2021), pooled as in its own tool, up to 128 tokens.

    Supervised models: the model's pooler (a dense layer and tanh) over [CLS]; models with "unsup" in their name: [CLS]
    itself.

    Args:
        pool: "pooler" or "cls"; by default decided by the model's name.
    """

    info = replace(
        Sbert.info,
        id="simcse",
        title="SimCSE cosine",
        needs="an encoder trained by SimCSE, such as princeton-nlp/sup-simcse-bert-base-uncased",
        summary="Cosine of the two sentences' vectors, each read from the first token ([CLS]).",
        argument="folder or hub id of an encoder",
        options=SimCseOptions,
    )

    def __init__(self, argument: str = "", pool: str = SimCseOptions.pool) -> None:
        usual = ("princeton-nlp/sup-simcse-bert-base-uncased", "princeton-nlp/sup-simcse-roberta-large")
        super().__init__(NetworkChoice(argument, usual, "a SimCSE encoder"))
        self._pool = pool

    def request(self, files: ModelFiles) -> EmbeddingRequest:
        pool = self._pool or ("cls" if "unsup" in files.name.lower() else "pooler")
        return EmbeddingRequest(pool, layer_count(files), _SIMCSE_TOKENS)
