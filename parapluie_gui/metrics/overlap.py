"""BLEU: how many runs of one to four words the hypothesis shares with the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.metadata import version

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.scores.signature import Signature

INFO = MetricInfo(
    id="bleu",
    title="BLEU",
    family="lexical",
    low=0.0,
    high=1.0,
    summary="Runs of one to four words of the hypothesis that are in the source too; 0 when any length has none.",
)

ORDERS = 4

#: Pairs counted at a time: bounds the memory (about 3 kB a pair of newspaper sentences) and keeps the sorts in cache.
_CHUNK = 4096


def whitespace_tokens(text: str) -> list[str]:
    """Split at white space only."""
    return text.split()


@lru_cache(maxsize=1)
def _treebank() -> Callable[[str], list[str]]:
    # Loaded at the first sentence: nltk takes a good part of a second to import.
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer().tokenize


def treebank_tokens(text: str) -> list[str]:
    """Split in the manner of the Penn Treebank, by nltk's NLTKWordTokenizer, the whole text taken as one sentence."""
    return _treebank()(text)


#: Tokenisers by the name that stands in the signature.
TOKENISERS: dict[str, Callable[[str], list[str]]] = {"treebank": treebank_tokens, "whitespace": whitespace_tokens}


class Bleu:
    """Sentence BLEU of the hypothesis against the source, by the rule of torchtext's `bleu_score`.

    Papineni et al. (ACL 2002) with n = 1..4, equal weights and the brevity penalty, without smoothing: a pair that
    shares no run of some length scores exactly 0, so a hypothesis under four tokens always does. In [0, 1].
    The ParaPLUIE paper uses torchtext (in single precision; here double) and does not name its tokeniser. Its table 1
    has 0.40±0.21 / 0.28±0.18 for MRPC; NLTKWordTokenizer gives 0.396±0.212 / 0.267±0.187, the older
    TreebankWordTokenizer the same to three decimals, white space 0.353±0.221 / 0.223±0.187.

    Args:
        tokeniser: A name of `TOKENISERS`.
    """

    def __init__(self, tokeniser: str = "treebank") -> None:
        self.tokeniser = tokeniser
        self._split = TOKENISERS[tokeniser]

    @property
    def info(self) -> MetricInfo:
        """Return what its numbers mean."""
        return INFO

    def signature(self) -> Signature:
        """Return what its numbers depend on."""
        fields: dict[str, object] = {
            "name": INFO.id,
            "rule": "torchtext",
            "order": ORDERS,
            "smooth": "none",
            "case": "kept",
            "tok": self.tokeniser,
            "version": __version__,
        }
        if self.tokeniser == "treebank":
            fields["nltk"] = version("nltk")
        return Signature.of(INFO.id, fields)

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Return the BLEU of each pair, float64 of shape (n,) in [0, 1]; references are not used."""
        if len(sources) != len(hypotheses):
            raise ValueError(f"{len(sources)} sources but {len(hypotheses)} hypotheses")
        values = np.empty(len(sources))
        for start in range(0, len(sources), _CHUNK):
            part = slice(start, start + _CHUNK)
            # Splitting costs ten times what counting does, and corpora repeat their sources.
            tokens = {text: self._split(text) for text in {*sources[part], *hypotheses[part]}}
            values[part] = bleu_of_tokens(
                [tokens[text] for text in hypotheses[part]], [tokens[text] for text in sources[part]]
            )
        return values


def bleu_of_tokens(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> np.ndarray:
    """Return the BLEU of each tokenised candidate against its one reference, float64 of shape (n,) in [0, 1]."""
    pairs = len(candidates)
    numbers: dict[str, int] = {}
    length = _lengths(candidates)
    reference_length = _lengths(references)
    # All tokens of all pairs in one row, candidates first, so that every step below is one numpy call.
    token = np.fromiter(
        (numbers.setdefault(word, len(numbers)) for side in (candidates, references) for text in side for word in text),
        dtype=np.int64,
        count=int(length.sum() + reference_length.sum()),
    )
    lengths = np.concatenate([length, reference_length])
    pair = np.tile(np.arange(pairs), 2)
    text = np.repeat(np.arange(2 * pairs), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(token))  # tokens from here to the end of the text

    # `run` numbers each distinct (pair, n-gram); longer n-grams extend it by one token at a time.
    start = np.arange(len(token))
    run = pair[text]
    log_precision = np.zeros(pairs)
    matched = np.ones(pairs, dtype=bool)
    for order in range(ORDERS):
        keep = left[start] > order
        start, run = start[keep], run[keep]
        distinct, run = np.unique(run * max(len(numbers), 1) + token[start + order], return_inverse=True)
        is_candidate = text[start] < pairs
        in_candidate = np.bincount(run[is_candidate], minlength=len(distinct))
        in_reference = np.bincount(run[~is_candidate], minlength=len(distinct))
        owner = np.zeros(len(distinct), dtype=np.int64)
        owner[run] = pair[text[start]]
        clipped = np.bincount(owner, np.minimum(in_candidate, in_reference), minlength=pairs)
        matched &= clipped > 0
        total = np.maximum(length - order, 1)
        log_precision += np.log(np.where(clipped > 0, clipped / total, 1.0)) / ORDERS

    brevity = np.exp(np.minimum(1.0 - reference_length / np.maximum(length, 1), 0.0))
    return np.where(matched, brevity * np.exp(log_precision), 0.0)


def _lengths(texts: Iterable[Sequence[str]]) -> np.ndarray:
    return np.fromiter((len(text) for text in texts), dtype=np.int64)
