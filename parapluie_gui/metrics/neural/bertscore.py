"""BERTScore: each token of one sentence matched with the most similar token of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import MetricContext, MetricInfo
from parapluie_gui.metrics.neural.encoder import SPACED, Encoder, Tokens, Want, wanted
from parapluie_gui.metrics.neural.model_files import MINILM, Choice, config
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.scores.signature import Signature

if TYPE_CHECKING:
    import torch

_PARTS = ("p", "r", "f")

INFO = MetricInfo(
    id="bertscore",
    title="BERTScore",
    family="embedding",
    low=-1.0,
    high=1.0,
    needs="bert-base-uncased, or the MiniLM of `parapluie models get all-minilm-l6-v2`, or another encoder",
    summary="Each token matched with the most similar token of the other sentence, by cosine in context.",
    cost="model",
    argument="folder or hub id of an encoder",
    takes_model=True,
    options=(("part", "p (precision), r (recall) or f (their F1, the usual one)"), ("layer", "layer of the encoder")),
)

#: The layer that agreed best with human scores: of the MiniLM on STS-B's training pairs (see the manual), of the others
#: on WMT16, as the bert-score package has it.
LAYERS = {
    MINILM: 6,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "bert-base-chinese": 8,
    "bert-base-multilingual-cased": 9,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
    "distilbert-base-uncased": 5,
    "distilroberta-base": 5,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "mpnet-base": 8,
    "deberta-base-mnli": 9,
    "deberta-large-mnli": 18,
    "deberta-xlarge-mnli": 40,
    "deberta-v2-xlarge-mnli": 17,
    "deberta-v3-base": 9,
    "deberta-v3-large": 12,
    "sup-simcse-bert-base-uncased": 10,
    "sup-simcse-roberta-large": 16,
}

#: The encoders taken where none is named, the best first.
USUAL = ("bert-base-uncased", MINILM)

#: Where sentences are cut.
MOST_TOKENS = 512

CHUNK = 64
#: Results kept for the other metrics that need them (ParaScore, BERT-iBLEU, P and R).
_MATCHES = 200_000
#: Most cells of the similarity matrices of one multiplication.
_CELLS = 1 << 22


class TokenMatcher:
    """Matches the tokens of sentences under one encoder and layer; BERTScore and what is built on it share this.

    Zhang et al. (ICLR 2020), equation 1, without idf weights and without rescaling; cosine of the layer's token
    vectors. The tokens at both ends ([CLS], [SEP]) have weight 0 but may be matched with, as in the bert-score package.

    Args:
        argument: Folder or hub id of an encoder, "" for the usual ones.
        layer: Its layer, "" for the usual one.
        usual: The encoders taken where none is named, the best first.
    """

    def __init__(self, argument: str = "", layer: str = "", usual: Sequence[str] = USUAL) -> None:
        if layer and not (layer.isdecimal() and int(layer) >= 1):
            raise MetricError(f"A layer is a whole number from 1, not {layer}.")
        self.choice = Choice(argument, usual, "an encoder")
        self._layer = int(layer) if layer else 0
        self._encoder: Encoder | None = None

    def announce(self, bench: MetricContext) -> None:
        """Say that it will want token vectors."""
        files = self.choice.files()
        wanted(bench, files).add(self.want(files))

    def prepare(self, bench: MetricContext) -> None:
        """Load the encoder."""
        self._encoder = Encoder.on(bench, self.choice.files())

    def want(self, files: ModelFiles) -> Want:
        """Return what it wants of an encoder: the layer named, else the one known for it, else three quarters up."""
        settings = config(files)
        depth = int(settings.get("num_hidden_layers") or settings.get("n_layers") or 0)
        name = files.name.rsplit("/", 1)[-1]
        layer = self._layer or LAYERS.get(name) or max(1, round(0.75 * depth))
        if layer > depth:
            raise MetricError(f"{files.name} has {depth} layers; there is no layer {layer}.")
        return Want("tokens", layer, MOST_TOKENS, settings.get("model_type") in SPACED)

    def fields(self) -> dict[str, object]:
        """Return what its numbers depend on, for signatures."""
        files = self.choice.files()
        return {
            "model": files.name,
            "rev": files.revision,
            "tok": "model",
            "layer": self.want(files).layer,
            "tokens": MOST_TOKENS,
            "idf": "no",
            "rescale": "no",
            "precision": "float32",
            "version": __version__,
            "transformers": version("transformers"),
        }

    def match(self, sources: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return precision, recall and F1 of each pair, float64 of shape (n, 3); NaN where a sentence is empty.

        Precision is over the hypothesis's tokens, recall over the source's.
        """
        if self._encoder is None:
            self.prepare(MetricContext())
        assert self._encoder is not None
        encoder, want = self._encoder, self.want(self._encoder.files)
        pairs = list(zip(sources, hypotheses, strict=True))
        todo = [
            pair for pair in dict.fromkeys(pairs) if all(map(str.strip, pair)) and (want, *pair) not in encoder.matches
        ]
        if len(encoder.matches) + len(todo) > _MATCHES:
            encoder.matches.clear()
            todo = [pair for pair in dict.fromkeys(pairs) if all(map(str.strip, pair))]
        for group in self._groups(encoder, want, todo):
            vectors = iter(encoder.embed([text for pair in group for text in pair], want))
            tokens = [(next(vectors), next(vectors)) for _ in group]
            for pair, three in zip(group, greedy(tokens), strict=True):
                encoder.matches[(want, *pair)] = three
        missing = (np.nan, np.nan, np.nan)
        return np.array([encoder.matches.get((want, *pair), missing) for pair in pairs]).reshape(-1, 3)

    def _groups(self, encoder: Encoder, want: Want, pairs: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
        """Yield pairs of similar lengths, as many as fit into memory with all their token vectors."""
        if not pairs:
            return
        counts = encoder.count_tokens([text for pair in pairs for text in pair], want)
        lengths = [max(two) for two in zip(counts[::2], counts[1::2], strict=True)]
        order = sorted(range(len(pairs)), key=lambda number: lengths[number])
        group: list[int] = []
        for number in order:
            if group and lengths[number] ** 2 * (len(group) + 1) > _CELLS:
                yield [pairs[each] for each in group]
                group = []
            group.append(number)
        yield [pairs[each] for each in group]


def greedy(pairs: Sequence[tuple[Tokens, Tokens]]) -> list[tuple[float, float, float]]:
    """Return precision, recall and F1 of greedy matching for (source, hypothesis) pairs of token vectors."""
    import torch

    with torch.inference_mode():
        source, source_weights = _padded([pair[0] for pair in pairs])
        hypothesis, hypothesis_weights = _padded([pair[1] for pair in pairs])
        similarity = torch.bmm(hypothesis, source.transpose(1, 2))
        # Padding has weight -1: it is matched with nothing and counts for nothing.
        similarity.masked_fill_((source_weights < 0)[:, None, :] | (hypothesis_weights < 0)[:, :, None], -2.0)
        precision = _weighted(similarity.amax(2), hypothesis_weights)
        recall = _weighted(similarity.amax(1), source_weights)
        f1 = 2 * precision * recall / (precision + recall)
        values = torch.stack([precision, recall, f1], 1).double().tolist()
    return [(row[0], row[1], row[2]) for row in values]


def _padded(sentences: Sequence[Tokens]) -> tuple[torch.Tensor, torch.Tensor]:
    from torch.nn.utils.rnn import pad_sequence

    vectors = pad_sequence([each.vectors for each in sentences], batch_first=True)
    return vectors, pad_sequence([each.weights for each in sentences], batch_first=True, padding_value=-1.0)


def _weighted(best: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    positive = weights.clamp_min(0)
    return (best * positive).sum(1) / positive.sum(1)


class BertScore:
    """BERTScore of the hypothesis against the source: F1 by default; in [-1, 1], rarely under 0.3.

    Args:
        argument: Folder or hub id of an encoder; by default bert-base-uncased where it is at hand, else the MiniLM.
        layer: Its layer; by default the one that agrees best with people.
        part: "p", "r" or "f".
    """

    chunk = CHUNK

    def __init__(self, argument: str = "", layer: str = "", part: str = "f") -> None:
        if part not in _PARTS:
            raise MetricError(f"BERTScore's part is p, r or f, not {part}.")
        self.info = INFO
        self._part = part
        self._matcher = TokenMatcher(argument, layer)
        self.announce = self._matcher.announce
        self.prepare = self._matcher.prepare
        self.readiness = self._matcher.choice.readiness

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        return Signature.of(INFO.id, {"name": INFO.id, "part": self._part, **self._matcher.fields()})

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        """Return why that pair has no number."""
        return empty(source, hypothesis)

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the score of each pair, float64 of shape (n,); references are not used."""
        return self._matcher.match(sources, hypotheses)[:, _PARTS.index(self._part)]


def empty(source: str, hypothesis: str) -> str:
    """Return why a pair without a number has no token to match."""
    if source.strip() and hypothesis.strip():
        return "a sentence has nothing that the encoder can read"
    return "a sentence is empty"
