"""What a sentence encoder makes of both sentences of a pair, to find pairs that are alike; no PyTorch is loaded.

The encoder is the pocket judge's own, which is always at hand, reading each sentence alone: the mean over its tokens of
the last states (Reimers and Gurevych, EMNLP 2019).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from parapluie_gui.arrays import Floats
from parapluie_gui.errors import ModelError
from parapluie_gui.models.batches import grouped
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.manifest import check_files
from parapluie_gui.models.quantised import read_int8_arrays
from parapluie_gui.models.word_pieces import WordPieces, read_word_pieces
from parapluie_gui.pluie.fast.bert import Bert, MissingWeight, TokenRow
from parapluie_gui.pluie.light import threads
from parapluie_gui.scores.signature import Signature

Vectors = NDArray[np.float32]

#: Both sentences' vectors as int8 (k, 2, width): their directions, since each is divided by its largest number.
Codes = NDArray[np.int8]

#: Of a pair's vector, the weight of the difference of both sentences against that of what they are about.
_DIFFERENCE = np.float32(2.0)
#: Pairs whose vectors are in memory at a time.
_BLOCK = 4096
#: Where a sentence is cut, as sentence-transformers does it.
_TOKENS = 256
#: To be raised when the same files give other vectors.
_REVISION = 1


def vector_signature(files: ModelFiles) -> Signature:
    """Return what vectors depend on."""
    fields = {"name": "pair_vectors", "model": files.name, "rev": files.revision, "pool": "mean", "tokens": _TOKENS}
    return Signature.of("pair_vectors", {**fields, "revision": _REVISION})


class PairEncoder:
    """A loaded encoder of sentences."""

    def __init__(self, network: Bert, tokenizer: WordPieces) -> None:
        self._network, self._tokenizer = network, tokenizer
        self._threads = threads()
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
            config = json.loads((files.folder / "config.json").read_text("utf-8"))
            network = Bert(read_int8_arrays(files.folder), config, "bert.")
        except (MissingWeight, OSError, ValueError, KeyError) as error:
            raise ModelError(f"{files.name} cannot be read as an encoder ({error}). Fetch it anew.") from error
        if tokenizer is None:
            raise ModelError(f"The tokenizer of {files.name} is damaged or was changed. Fetch it anew.")
        return cls(network, tokenizer)

    def encode(
        self, sources: Sequence[str], hypotheses: Sequence[str], check: Callable[[], None] = lambda: None
    ) -> Codes:
        """Return the vectors of n pairs, int8 (n, 2, width); `check` is called before each layer."""
        texts = list(dict.fromkeys([*sources, *hypotheses]))
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        ids = self._tokenizer(readable, max_length=_TOKENS)["input_ids"]
        lengths = [len(each) for each in ids]
        shares = grouped(lengths, max(-(-sum(lengths) // self._threads), 1))
        found = np.zeros((len(texts), self._network.words.shape[1]), np.int8)
        read = partial(self._read, ids, found, check)
        with self._products.limit(limits=1, user_api="blas"), ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(read, shares))
        at = {text: place for place, text in enumerate(texts)}
        return np.stack([found[[at[text] for text in side]] for side in (sources, hypotheses)], 1)

    def _read(self, ids: Sequence[Sequence[int]], found: Codes, check: Callable[[], None], share: list[int]) -> None:
        states = self._network.states([TokenRow(ids[at], (len(ids[at]), 0, 0)) for at in share], check)
        start = 0
        for at in share:
            mean = states[start : start + len(ids[at])].mean(0)
            start += len(ids[at])
            found[at] = np.rint(127 * mean / max(float(np.abs(mean).max()), 1e-9))


def pack(codes: Codes) -> list[str]:
    """Return the vectors of each pair as text, for the store."""
    return [base64.b85encode(each.tobytes()).decode() for each in codes]


def unpack(texts: Sequence[str]) -> Codes:
    """Return what `pack` was given."""
    raw = b"".join(map(base64.b85decode, texts))
    return np.frombuffer(raw, np.int8).reshape(len(texts), 2, -1)


def likeness(codes: Codes, row: int) -> Floats:
    """Return how like each pair is to one of them, in [-1, 1], shape (n,).

    A pair's vector is what the pair is about (the direction of the sum of both sentences' directions, from the
    corpus's mean) beside twice the absolute difference of these directions. Alike is the cosine of two such vectors,
    again from the corpus's mean.

    Args:
        codes: (n, 2, width) The directions of source and hypothesis, of any length.
        row: The pair that the others are compared with.
    """
    about = np.sum([both.sum(0) for both, _ in _directions(codes)], 0) / np.float32(len(codes))

    def vectors(of: Codes) -> Iterator[Vectors]:
        for both, apart in _directions(of):
            yield np.hstack([_unit(both - about), apart])

    mean = np.sum([block.sum(0) for block in vectors(codes)], 0) / np.float32(len(codes))
    (wanted,) = (_unit(block - mean)[0] for block in vectors(codes[row : row + 1]))
    found: Floats = np.concatenate([_unit(block - mean) @ wanted for block in vectors(codes)]).astype(np.float64)
    return found.clip(-1.0, 1.0)


def _directions(codes: Codes) -> Iterator[tuple[Vectors, Vectors]]:
    """Yield the sums of both sentences' directions, and twice their absolute differences, block after block."""
    for start in range(0, len(codes), _BLOCK):
        first, second = (_unit(codes[start : start + _BLOCK, side].astype(np.float32)) for side in (0, 1))
        yield first + second, _DIFFERENCE * np.abs(first - second)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.float32(1e-9)), dtype=np.float32)
