"""Sentence embeddings: the cosine of two sentences' vectors, by SBERT and by SimCSE."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import MetricContext, MetricInfo, Readiness
from parapluie_gui.metrics.neural.encoder import Encoder, Want, wanted
from parapluie_gui.metrics.neural.model_files import MINILM, Choice, config
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.scores.signature import Signature

INFO = MetricInfo(
    id="sbert",
    title="SBERT cosine",
    family="embedding",
    low=-1.0,
    high=1.0,
    needs="all-MiniLM-L6-v2 (`parapluie models get all-minilm-l6-v2`) or another sentence encoder",
    summary="Cosine of the two sentences' vectors, each the mean over its tokens.",
    cost="model",
    argument="folder or hub id of a sentence encoder",
    takes_model=True,
)

SIMCSE = MetricInfo(
    id="simcse",
    title="SimCSE cosine",
    family="embedding",
    low=-1.0,
    high=1.0,
    needs="an encoder trained by SimCSE, such as princeton-nlp/sup-simcse-bert-base-uncased",
    summary="Cosine of the two sentences' vectors, each read from the first token ([CLS]).",
    cost="model",
    argument="folder or hub id of an encoder",
    takes_model=True,
    options=(("pool", '"pooler" (the model\'s layer over [CLS]) or "cls" ([CLS] itself)'),),
)

#: Pairs at a time.
CHUNK = 64

#: How sentence-transformers cuts where the model's files do not say, and SimCSE's own tool.
_TOKENS, _SIMCSE_TOKENS = 256, 128
_POOLING = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max"}


class _Cosine:
    """The cosine of two sentence vectors; in [-1, 1], NaN where a sentence is empty.

    Subclasses say which encoder and how its layers become a vector.
    """

    info: MetricInfo
    chunk = CHUNK
    _choice: Choice

    def __init__(self) -> None:
        self._encoder: Encoder | None = None

    def readiness(self) -> Readiness:
        """Return whether the encoder is on this computer."""
        return self._choice.readiness()

    def announce(self, bench: MetricContext) -> None:
        """Say which vectors it will want."""
        files = self._choice.files()
        wanted(bench, files).add(self._want(files))

    def prepare(self, bench: MetricContext) -> None:
        """Load the encoder."""
        self._encoder = Encoder.on(bench, self._choice.files())

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        files = self._choice.files()
        want = self._want(files)
        return Signature.of(
            self.info.id,
            {
                "name": self.info.id,
                "model": files.name,
                "rev": files.revision,
                "tok": "model",
                "layer": want.layer,
                "pool": want.kind,
                "tokens": want.most_tokens,
                "similarity": "cosine",
                "precision": "float32",
                "version": __version__,
                "transformers": version("transformers"),
            },
        )

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        """Return why that pair has no number."""
        return "" if source.strip() and hypothesis.strip() else "a sentence is empty"

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the cosine of each pair, float64 of shape (n,) in [-1, 1]; references are not used."""
        import torch

        if self._encoder is None:
            self.prepare(MetricContext())
        assert self._encoder is not None
        values = np.full(len(sources), np.nan)
        rows = [
            row for row, two in enumerate(zip(sources, hypotheses, strict=True)) if two[0].strip() and two[1].strip()
        ]
        if rows:
            want = self._want(self._encoder.files)
            vectors = self._encoder.embed([text for side in (sources, hypotheses) for text in _pick(side, rows)], want)
            left, right = torch.nn.functional.normalize(torch.stack(vectors), dim=-1).view(2, len(rows), -1)
            values[rows] = (left * right).sum(-1).clamp(-1, 1).double().cpu().numpy()
        return values

    def _want(self, files: ModelFiles) -> Want:
        raise NotImplementedError


class Sbert(_Cosine):
    """Cosine of sentence-transformers embeddings (Reimers and Gurevych, EMNLP 2019).

    By default all-MiniLM-L6-v2: mean over the tokens of its last layer, normalised, 256 tokens at most. A folder that
    sentence-transformers saved is read as it says (mean, [CLS] or maximum; its number of tokens); any other encoder by
    the mean.

    Args:
        argument: Folder or hub id of a sentence encoder.
    """

    def __init__(self, argument: str = "") -> None:
        super().__init__()
        self.info = INFO
        self._choice = Choice(argument, (MINILM, "sentence-transformers/all-MiniLM-L6-v2"), "a sentence encoder")

    def _want(self, files: ModelFiles) -> Want:
        kinds = [str(part.get("type", "")).rsplit(".", 1)[-1] for part in config(files, "modules.json").get("", [])]
        if odd := [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]:
            raise MetricError(
                f"{files.name} has a {odd[0]} layer after its transformer, which is not supported; choose another "
                "sentence encoder."
            )
        pooling = config(files, "1_Pooling/config.json")
        modes = [kind for name, kind in _POOLING.items() if pooling.get(name)] or [pooling.get("pooling_mode", "mean")]
        if len(modes) > 1 or modes[0] not in _POOLING.values():
            raise MetricError(f"{files.name} pools its tokens in a way that is not supported; choose another encoder.")
        tokens = config(files, "sentence_bert_config.json").get("max_seq_length") or _TOKENS
        return Want(modes[0], _depth(files), int(tokens))


class SimCse(_Cosine):
    """Cosine of SimCSE embeddings (Gao, Yao, Chen, EMNLP 2021), read as its own tool does, 128 tokens at most.

    Supervised models: the model's pooler (a dense layer and tanh) over [CLS]; those called "unsup": [CLS] itself.

    Args:
        argument: Folder or hub id of an encoder.
        pool: "pooler" or "cls", where the model's name is not to decide.
    """

    def __init__(self, argument: str = "", pool: str = "") -> None:
        super().__init__()
        self.info = SIMCSE
        if pool not in ("", "pooler", "cls"):
            raise MetricError(f'SimCSE\'s pool is "pooler" or "cls", not "{pool}".')
        self._pool = pool
        usual = ("princeton-nlp/sup-simcse-bert-base-uncased", "princeton-nlp/sup-simcse-roberta-large")
        self._choice = Choice(argument, usual, "a SimCSE encoder")

    def _want(self, files: ModelFiles) -> Want:
        pool = self._pool or ("cls" if "unsup" in files.name.lower() else "pooler")
        return Want(pool, _depth(files), _SIMCSE_TOKENS)


def _depth(files: ModelFiles) -> int:
    settings: dict[str, Any] = config(files)
    return int(settings.get("num_hidden_layers") or settings.get("n_layers") or 0)


def _pick(texts: Sequence[str], rows: Sequence[int]) -> list[str]:
    return [texts[row] for row in rows]
