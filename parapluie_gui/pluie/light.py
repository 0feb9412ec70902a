"""A judge without PyTorch, for models that read both sentences in the same way, computed in NumPy on the CPU.

Its scores equal those of `parapluie_gui.pluie.symmetric` for the same files, except for rounding (float32, 1e-4 of a
score). It is ready in a fraction of a second, because neither PyTorch nor transformers is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
from threadpoolctl import ThreadpoolController

from parapluie_gui.errors import ModelError
from parapluie_gui.models.batches import group_by_length
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.device import foresee
from parapluie_gui.models.manifest import check_files
from parapluie_gui.models.quantised import is_int8, read_int8_arrays, resolve_precision
from parapluie_gui.models.symmetric import TERMS, is_symmetric_bert
from parapluie_gui.models.word_pieces import WordPieces, read_word_pieces
from parapluie_gui.own_files import read_json_or_none
from parapluie_gui.pluie.cloze import CLOZE, FIRST, SECOND, ClozeRow
from parapluie_gui.pluie.evidence import SHOWN, JudgeAnswers
from parapluie_gui.pluie.fast.arithmetic import Array, gelu, norm
from parapluie_gui.pluie.fast.bert import BertEncoder, MissingWeight, TokenRow, WeightReader, product
from parapluie_gui.pluie.fast.choice import PassChoice, explain_switch_off
from parapluie_gui.pluie.judge import pluie_signature
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.masked_scorer import GapJudge
from parapluie_gui.pluie.symmetric import AnswerIds
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature

#: Number of tokens per pass and thread: more would not be faster, and points would appear in bursts.
_TOKENS = 1024
#: Maximum number of threads; more are no faster, because Python itself distributes the work.
_MOST_THREADS = 8


class LightJudge(GapJudge):
    """A loaded model that reads both sentences in the same way and needs no PyTorch."""

    needs_pytorch = False
    precision = "float32"
    device = "cpu"
    symmetric = True
    computed_by = PassChoice(rows=True, light=True)

    def __init__(
        self, files: ModelFiles, network: JudgeNetwork, tokenizer: WordPieces, check: Callable[[], None]
    ) -> None:
        self.files = files
        self.tokenizer = tokenizer
        self.parameters = network.parameters
        self._network = network
        self._check = check
        self._threads = count_threads()
        self._pool = ThreadPoolExecutor(self._threads, "light-judge")
        self._products = ThreadpoolController()

    @classmethod
    def may_load(cls, files: ModelFiles, device: str = "auto", precision: str = "auto") -> bool:
        """Return whether the model is a BERT from `train-judge` and neither a GPU nor half precision is requested.

        This includes computers with a GPU: most people score few pairs, which takes less time than loading PyTorch.
        """
        if device not in ("auto", "cpu") or files.gguf or files.adapter is not None:
            return False
        if explain_switch_off() or not is_int8(files.folder):
            return False
        suits = is_symmetric_bert(_read_config(files)) and read_word_pieces(files.folder) is not None
        return suits and foresee("cpu", resolve_precision(files.folder, precision)) == ("cpu", "float32")

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
        say: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Load a model from its local files; see `Judge.load`."""
        check_files(files.folder, files.known)
        tokenizer = read_word_pieces(files.folder)
        if tokenizer is None:
            raise ModelError(f"The tokenizer of {files.name} is damaged or was changed. Install or fetch it again.")
        try:
            network = JudgeNetwork(read_int8_arrays(files.folder), _read_config(files))
        except MissingWeight as missing:
            raise ModelError(
                f"{files.name} lacks weights that a judge needs ({missing.args[0]}). Install or fetch it again."
            ) from missing
        return cls(files, network, tokenizer, check)

    @classmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature of the scores; see `Judge.signature`."""
        return pluie_signature(files, template, cls.precision, exact=settings.exact)

    @property
    def most_tokens(self) -> int:
        """Length of the longest text that the model can read, in tokens."""
        return self._network.most_tokens

    @property
    def vocabulary(self) -> int:
        """Number of tokens in the model's vocabulary."""
        return self._network.vocabulary

    @property
    def batch_tokens(self) -> int:
        """The default for the maximum number of tokens per pass."""
        return _TOKENS * self._threads

    def answer(self, rows: Sequence[ClozeRow], answers: AnswerIds) -> tuple[list[float], JudgeAnswers]:
        """Return the scores of n texts and the other answers at their gaps; see `GapJudge.answer`."""
        lengths = [len(row.ids) for row in rows]
        shares = group_by_length(lengths, max(-(-sum(lengths) // self._threads), 1))
        gaps, cosines = np.empty((len(rows), self._network.width), np.float32), np.empty(len(rows), np.float32)

        def read(share: list[int]) -> None:
            gaps[share], cosines[share] = self._network.read([rows[number] for number in share], self._check)

        # Each thread computes its products alone: for a few hundred tokens they are too small to distribute.
        with self._products.limit(limits=1, user_api="blas"):
            list(self._pool.map(read, shares))
            logits = self._network.logits(gaps, cosines, answers)
        yes, no = answers
        return (_sum_logs(logits[:, yes]) - _sum_logs(logits[:, no]))[:, 0].tolist(), _judge_answers(logits, answers)


class JudgeNetwork:
    """The network of a symmetric judge: encoder, output head, and the weights for the two sentences.

    Args:
        weights: The weights by their names in the file.
        config: The model's configuration.

    Raises:
        MissingWeight: A weight is missing.
    """

    def __init__(self, weights: dict[str, Any], config: dict[str, Any]) -> None:
        reader, terms = WeightReader(weights, "cls.predictions."), WeightReader(weights, f"{TERMS}.")
        self._bert = BertEncoder(weights, config, "bert.", terms("across"))
        self._weight, self._middle = terms("cosine")
        self._dense = reader.read_layer("transform.dense")
        self._norm = reader.read_layer("transform.LayerNorm")
        self._bias = reader("bias")
        self._epsilon = float(config["layer_norm_eps"])
        self.most_tokens = int(config["max_position_embeddings"])
        self.vocabulary, self.width = map(int, self._bert.words.shape)
        self.parameters = sum(weight.size for weight in weights.values())

    def read(self, rows: Sequence[ClozeRow], check: Callable[[], None]) -> tuple[Array, Array]:
        """Return the last hidden states at the gaps (n, width), and the cosine of each row's two sentences (n,)."""
        texts = [TokenRow(row.ids, _count_parts(row)) for row in rows]
        states = self._bert.states(texts, check)
        means, gaps, start = np.empty((2, len(rows), self.width), np.float32), [], 0
        for number, (row, text) in enumerate(zip(rows, texts, strict=True)):
            first, second, _ = text.parts
            states[start : start + first].mean(0, out=means[0, number])
            states[start + first : start + first + second].mean(0, out=means[1, number])
            gaps.append(start + row.gap)
            start += len(row.ids)
        one, other = means
        lengths = np.sqrt(np.einsum("ij,ij->i", one, one) * np.einsum("ij,ij->i", other, other))
        return states[gaps], np.einsum("ij,ij->i", one, other) / np.maximum(lengths, np.float32(1e-8))

    def logits(self, gaps: Array, cosines: Array, answers: AnswerIds) -> Array:
        """Return the logits at the gaps (n, vocabulary); the cosine is added to the logits of the two answers."""
        x = norm(gelu(product(gaps, self._dense)), *self._norm, self._epsilon)
        logits = product(x, (self._bert.words, self._bias))
        share = self._weight * (cosines - self._middle) / 2
        yes, no = answers
        logits[:, yes] += share[:, None]
        logits[:, no] -= share[:, None]
        return logits


def count_threads() -> int:
    """Return the number of threads of a judge: OMP_NUM_THREADS if it is set, otherwise one for each core."""
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(int(allowed) if allowed.isdecimal() and int(allowed) else cores, _MOST_THREADS)


def _count_parts(row: ClozeRow) -> tuple[int, int, int]:
    counts = [row.types.count(kind) for kind in (FIRST, SECOND, CLOZE)]
    return counts[0], counts[1], counts[2]


def _sum_logs(logs: Array) -> Array:
    """Return the logarithms (n, 1) of the sums of n rows of numbers, from the numbers' logarithms."""
    largest = logs.max(-1, keepdims=True)
    sums: Array = largest + np.log(np.exp(logs - largest).sum(-1, keepdims=True))
    return sums


def _judge_answers(logits: Array, answers: AnswerIds) -> JudgeAnswers:
    logs = logits - _sum_logs(logits)
    top = np.argpartition(logs, -SHOWN)[:, -SHOWN:]
    order = np.argsort(-np.take_along_axis(logs, top, 1), 1, kind="stable")
    top = np.take_along_axis(top, order, 1)
    yes, no = (np.exp(logs[:, words]).tolist() for words in answers)
    return JudgeAnswers(yes, no, top.tolist(), np.exp(np.take_along_axis(logs, top, 1)).tolist())


def _read_config(files: ModelFiles) -> dict[str, Any]:
    """Return a model's configuration, {} if it cannot be read."""
    config = read_json_or_none(files.folder / "config.json")
    return config if isinstance(config, dict) else {}
