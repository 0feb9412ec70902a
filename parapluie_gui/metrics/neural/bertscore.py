"""BERTScore: matches each token of one sentence with the most similar token of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parapluie_gui import places
from parapluie_gui.arrays import Floats, Scores
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import MetricInfo, References, Texts
from parapluie_gui.metrics.neural.encoder import SPACED, EmbeddingRequest, Encoder, EncoderMetric, TokenEmbeddings
from parapluie_gui.metrics.neural.model_files import MINILM, NetworkChoice, layer_count, read_config
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.options import choice, integer

if TYPE_CHECKING:
    import torch

_PARTS = ("p", "r", "f")

#: The layer of each encoder that correlates best with human scores.
LAYERS: dict[str, int] = places.model_list()["bertscore_layers"]

#: The default encoders, the best first.
DEFAULT_ENCODERS = ("bert-base-uncased", MINILM)

#: Maximum number of tokens of a sentence.
MOST_TOKENS = 512

#: Number of results cached for other metrics that need them (ParaScore, BERT-iBLEU, P and R).
_MATCHES = 200_000
#: Maximum number of cells of the similarity matrices in one multiplication.
_CELLS = 1 << 22


def layer() -> Any:
    """Return the option for the layer of the encoder."""
    return integer("Layer", 0, 200, 0, "layer of the encoder", special="automatic")


class TokenMetric(EncoderMetric):
    """A metric that matches the tokens of both sentences under one encoder and layer.

    Zhang et al. (ICLR 2020), equation 1, without idf weights and without rescaling, on the cosines of the layer's token
    vectors. The tokens at both ends ([CLS], [SEP]) have weight 0 but can be matched, as in the bert-score package.

    Args:
        usual: The default encoders, the best first.
    """

    def __init__(self, argument: str = "", layer: int = 0, usual: Sequence[str] = DEFAULT_ENCODERS) -> None:
        super().__init__(NetworkChoice(argument, usual, "an encoder"))
        self._layer = layer

    def request(self, files: ModelFiles) -> EmbeddingRequest:
        """Request the tokens of the chosen layer; by default that in `LAYERS`, or at three quarters of the depth."""
        layers = layer_count(files)
        layer = self._layer or LAYERS.get(files.name.rsplit("/", 1)[-1]) or max(1, round(0.75 * layers))
        if layer > layers:
            raise MetricError(f"{files.name} has {layers} layers, so there is no layer {layer}.")
        return EmbeddingRequest("tokens", layer, MOST_TOKENS, read_config(files).get("model_type") in SPACED)

    def fields(self) -> dict[str, object]:
        layer = self.request(self.choice.files()).layer
        return self.model_fields(layer=layer, tokens=MOST_TOKENS, idf="no", rescale="no")

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return super().why_missing(source, hypothesis) or "the encoder cannot read anything in a sentence"

    def match(self, sources: Texts, hypotheses: Texts) -> Floats:
        """Return precision, recall and F1 of each pair, float64 of shape (n, 3); NaN for a pair with an empty sentence.

        Precision is over the hypothesis's tokens, recall over the source's.
        """
        encoder = self.encoder
        request = self.request(encoder.files)
        pairs = list(zip(sources, hypotheses, strict=True))
        distinct = [pair for pair in dict.fromkeys(pairs) if all(map(str.strip, pair))]
        pending = [pair for pair in distinct if (request, *pair) not in encoder.matches]
        if len(encoder.matches) + len(pending) > _MATCHES:
            encoder.matches.clear()
            pending = distinct
        for group in self._groups(encoder, request, pending):
            vectors = iter(encoder.embed([text for pair in group for text in pair], request))
            tokens = [(next(vectors), next(vectors)) for _ in group]
            for pair, scores in zip(group, greedy(tokens), strict=True):
                encoder.matches[(request, *pair)] = scores
        missing = (np.nan, np.nan, np.nan)
        return np.array([encoder.matches.get((request, *pair), missing) for pair in pairs]).reshape(-1, 3)

    def _groups(
        self, encoder: Encoder, request: EmbeddingRequest, pairs: list[tuple[str, str]]
    ) -> Iterator[list[tuple[str, str]]]:
        """Yield groups of pairs of similar length, as large as the memory for their token vectors allows."""
        if not pairs:
            return
        counts = encoder.count_tokens([text for pair in pairs for text in pair], request)
        lengths = [max(two) for two in zip(counts[::2], counts[1::2], strict=True)]
        order = sorted(range(len(pairs)), key=lambda index: lengths[index])
        group: list[int] = []
        for index in order:
            if group and lengths[index] ** 2 * (len(group) + 1) > _CELLS:
                yield [pairs[member] for member in group]
                group = []
            group.append(index)
        yield [pairs[member] for member in group]


def greedy(pairs: Sequence[tuple[TokenEmbeddings, TokenEmbeddings]]) -> list[tuple[float, float, float]]:
    """Return precision, recall and F1 of greedy matching for (source, hypothesis) pairs of token vectors."""
    import torch

    with torch.inference_mode():
        source, source_weights = _pad_vectors([pair[0] for pair in pairs])
        hypothesis, hypothesis_weights = _pad_vectors([pair[1] for pair in pairs])
        similarity = torch.bmm(hypothesis, source.transpose(1, 2))
        # Padding has weight -1; it is never matched and does not count.
        similarity.masked_fill_((source_weights < 0)[:, None, :] | (hypothesis_weights < 0)[:, :, None], -2.0)
        precision = _weighted_mean(similarity.amax(2), hypothesis_weights)
        recall = _weighted_mean(similarity.amax(1), source_weights)
        f1 = 2 * precision * recall / (precision + recall)
        values = torch.stack([precision, recall, f1], 1).tolist()
    return [(row[0], row[1], row[2]) for row in values]


def _pad_vectors(sentences: Sequence[TokenEmbeddings]) -> tuple[torch.Tensor, torch.Tensor]:
    from torch.nn.utils.rnn import pad_sequence

    vectors = pad_sequence([sentence.vectors for sentence in sentences], batch_first=True)
    return vectors, pad_sequence([sentence.weights for sentence in sentences], batch_first=True, padding_value=-1.0)


def _weighted_mean(best: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    positive = weights.clamp_min(0)
    return (best * positive).sum(1) / positive.sum(1)


@dataclass(frozen=True)
class BertScoreOptions:
    """Options of BERTScore."""

    part: str = choice(
        "Part",
        {"f": "F1 of both", "p": "precision", "r": "recall"},
        "which of BERTScore's numbers is the score",
        default="f",
    )
    layer: int = layer()


class BertScore(TokenMetric):
    """BERTScore of the hypothesis against the source: F1 by default; in [-1, 1], rarely under 0.3.

    Args:
        argument: Folder or hub id of an encoder; by default bert-base-uncased if it is installed, otherwise MiniLM.
        layer: The layer of the encoder; by default the one that correlates best with human scores.
        part: "p", "r" or "f".
    """

    info = MetricInfo(
        id="bertscore",
        title="BERTScore",
        family="embedding",
        low=-1.0,
        high=1.0,
        needs="bert-base-uncased, all-MiniLM-L6-v2, or another encoder",
        summary="Matches each token with the most similar token of the other sentence, by the cosine of their vectors "
        "in context.",
        cost="model",
        argument="folder or hub id of an encoder",
        takes_model=True,
        options=BertScoreOptions,
    )

    def __init__(
        self, argument: str = "", layer: int = BertScoreOptions.layer, part: str = BertScoreOptions.part
    ) -> None:
        super().__init__(argument, layer)
        self._part = part

    def fields(self) -> dict[str, object]:
        return {"part": self._part, **super().fields()}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        return self.match(sources, hypotheses)[:, _PARTS.index(self._part)]
