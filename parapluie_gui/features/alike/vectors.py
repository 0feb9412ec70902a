"""Sentence vectors of pairs, and the similarity of pairs computed from them, without PyTorch.

The encoder is the pocket judge's own, which is always installed. A sentence's vector is the mean of the last hidden
states over its tokens (Reimers and Gurevych, EMNLP 2019).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from parapluie_gui.arrays import Floats
from parapluie_gui.errors import ModelError, OwnFileError
from parapluie_gui.models.batches import group_by_length
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.manifest import check_files
from parapluie_gui.models.quantised import read_int8_arrays
from parapluie_gui.models.word_pieces import WordPieces, read_word_pieces
from parapluie_gui.own_files import UNEXPECTED_VALUE, read_json
from parapluie_gui.pluie.fast.bert import BertEncoder, MissingWeight, TokenRow
from parapluie_gui.pluie.light import count_threads
from parapluie_gui.scores.signature import Signature

Vectors = NDArray[np.float32]

#: Vectors of both sentences as int8 (k, 2, width), each scaled by its largest absolute value: only directions count.
Codes = NDArray[np.int8]

#: Weight of the difference between the sentences, relative to their common direction, in a pair's vector.
_DIFFERENCE = np.float32(2.0)
#: Number of pairs whose float vectors are in memory at a time.
_BLOCK = 4096
#: Length in tokens to which sentences are cut, as in sentence-transformers.
_TOKENS = 256
#: Revision of the vectors; increase it when the same files give different vectors.
_REVISION = 1


def vector_signature(files: ModelFiles) -> Signature:
    """Return the signature of the vectors of a model."""
    fields = {"name": "pair_vectors", "model": files.name, "rev": files.revision, "pool": "mean", "tokens": _TOKENS}
    return Signature.from_fields("pair_vectors", {**fields, "revision": _REVISION})


class PairEncoder:
    """A loaded sentence encoder."""

    def __init__(self, network: BertEncoder, tokenizer: WordPieces) -> None:
        self._network, self._tokenizer = network, tokenizer
        self._threads = count_threads()
        self._products = ThreadpoolController()

    @classmethod
    def load(cls, files: ModelFiles) -> PairEncoder:
        """Load an encoder.

        Raises:
            ModelError: Its files are damaged.
        """
        check_files(files.folder, files.known)
        tokenizer = read_word_pieces(files.folder)
        try:
            config = read_json(files.folder / "config.json")
            network = BertEncoder(read_int8_arrays(files.folder), config, "bert.")
        except (MissingWeight, OSError, OwnFileError, *UNEXPECTED_VALUE) as error:
            raise ModelError(f"{files.name} cannot be read as an encoder ({error}). Download it again.") from error
        if tokenizer is None:
            raise ModelError(f"The tokenizer of {files.name} is damaged or was changed. Download it again.")
        return cls(network, tokenizer)

    def encode(
        self, sources: Sequence[str], hypotheses: Sequence[str], check: Callable[[], None] = lambda: None
    ) -> Codes:
        """Return the vectors of n pairs, int8 (n, 2, width); `check` is called before each layer."""
        texts = list(dict.fromkeys([*sources, *hypotheses]))
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        ids = self._tokenizer(readable, max_length=_TOKENS)["input_ids"]
        lengths = [len(tokens) for tokens in ids]
        shares = group_by_length(lengths, max(-(-sum(lengths) // self._threads), 1))
        codes = np.zeros((len(texts), self._network.words.shape[1]), np.int8)
        encode = partial(self._encode_share, ids, codes, check)
        with self._products.limit(limits=1, user_api="blas"), ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(encode, shares))
        at = {text: place for place, text in enumerate(texts)}
        return np.stack([codes[[at[text] for text in side]] for side in (sources, hypotheses)], 1)

    def _encode_share(
        self, ids: Sequence[Sequence[int]], codes: Codes, check: Callable[[], None], share: list[int]
    ) -> None:
        states = self._network.states([TokenRow(ids[at], (len(ids[at]), 0, 0)) for at in share], check)
        start = 0
        for at in share:
            mean = states[start : start + len(ids[at])].mean(0)
            start += len(ids[at])
            codes[at] = np.rint(127 * mean / max(float(np.abs(mean).max()), 1e-9))


def pack(codes: Codes) -> list[str]:
    """Return the vectors of each pair as text, for the store."""
    return [base64.b85encode(pair.tobytes()).decode() for pair in codes]


def unpack(texts: Sequence[str]) -> Codes:
    """Return the vectors that `pack` turned into text."""
    raw = b"".join(map(base64.b85decode, texts))
    return np.frombuffer(raw, np.int8).reshape(len(texts), 2, -1)


def likeness(codes: Codes, row: int) -> Floats:
    """Return the similarity of each pair to one of them, in [-1, 1], shape (n,).

    A pair's vector is the direction of the sum of both sentences' unit vectors, minus the corpus mean, followed by
    twice the absolute difference of the unit vectors. The similarity is the cosine of two such vectors, minus
    their corpus mean.

    Args:
        codes: (n, 2, width) The vectors of source and hypothesis, of any length.
        row: The pair to compare with.
    """
    about = np.sum([both.sum(0) for both, _ in _directions(codes)], 0) / np.float32(len(codes))

    def vectors(of: Codes) -> Iterator[Vectors]:
        for both, apart in _directions(of):
            yield np.hstack([_unit(both - about), apart])

    mean = np.sum([block.sum(0) for block in vectors(codes)], 0) / np.float32(len(codes))
    (target,) = (_unit(block - mean)[0] for block in vectors(codes[row : row + 1]))
    cosines: Floats = np.concatenate([_unit(block - mean) @ target for block in vectors(codes)]).astype(np.float64)
    return cosines.clip(-1.0, 1.0)


def _directions(codes: Codes) -> Iterator[tuple[Vectors, Vectors]]:
    """Yield the sums of both sentences' unit vectors and their weighted absolute differences, block by block."""
    for start in range(0, len(codes), _BLOCK):
        first, second = (_unit(codes[start : start + _BLOCK, side].astype(np.float32)) for side in (0, 1))
        yield first + second, _DIFFERENCE * np.abs(first - second)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.float32(1e-9)), dtype=np.float32)
