"""BLEU, sacreBLEU and iBLEU: the precision of the hypothesis's n-grams of one to four words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain, islice

import numpy as np

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.metrics.base import READY, AllReferences, MetricInfo, MetricReadiness, References, Texts
from parapluie_gui.metrics.lexical.characters import zh_tokens
from parapluie_gui.metrics.lexical.ngrams import runs_in_references, shared_runs, totals
from parapluie_gui.metrics.lexical.tokens import SACREBLEU, WordMetric, WordNumbers, flatten
from parapluie_gui.metrics.variants import score_against_references
from parapluie_gui.options import choice, decimal, keys_as_titles

ALPHA = 0.2
ORDERS = 4


@dataclass(frozen=True)
class BleuOptions:
    """Options of BLEU."""

    tok: str = choice(
        "Tokeniser",
        {"treebank": "nltk's words", "whitespace": "at spaces"},
        "how a text is split into words",
        default="treebank",
    )


class _NgramPrecision(WordMetric):
    """A metric of the runs of words that the hypothesis shares, and of the lengths of both texts."""

    def _combine(self, shared: Rows, length: Rows, reference_length: Rows) -> Scores:
        """Return the scores from the shared runs, shape (orders, n), and the lengths in words, shape (n,)."""
        raise NotImplementedError

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        candidates, targets = map(flatten, self.words.pairs(hypotheses, sources))
        return self._combine(shared_runs(candidates, targets, ORDERS), candidates[1], targets[1])

    def score_against(self, hypotheses: Texts, references: Sequence[tuple[str, ...]]) -> Scores:
        """Return the scores of n hypotheses against all references of each.

        Runs are clipped to their largest number in any one reference; the length is that of the reference nearest in
        length, of two equally near ones the shorter.
        """
        own, theirs = self.words.pairs(
            [text for text, others in zip(hypotheses, references, strict=True) for _ in others],
            list(chain.from_iterable(references)),
        )
        tokens = [np.frombuffer(row, dtype=np.int32).tolist() for row in own]
        rest = iter([np.frombuffer(row, dtype=np.int32).tolist() for row in theirs])
        others = [list(islice(rest, len(texts))) for texts in references]
        starts = np.cumsum([0, *map(len, references[:-1])])
        candidates = [tokens[start] for start in starts]
        lengths = np.array(list(map(len, candidates)))
        nearest = [
            min((abs(length - len(candidate)), length) for length in map(len, texts))[1]
            for candidate, texts in zip(candidates, others, strict=True)
        ]
        return self._combine(runs_in_references(candidates, others, ORDERS), lengths, np.array(nearest))


class Bleu(_NgramPrecision):
    """Sentence BLEU of the hypothesis against the source, by the rule of torchtext's `bleu_score`.

    Papineni et al. (ACL 2002) with n = 1..4, equal weights and the brevity penalty, without smoothing: a pair that
    shares no run of some length scores exactly 0, so a hypothesis under four tokens always does. In [0, 1]. The
    ParaPLUIE paper uses torchtext (in single precision; here double) and does not name its tokeniser. Its table 1 gives
    0.40±0.21 / 0.28±0.18 for MRPC; NLTKWordTokenizer gives 0.396±0.212 / 0.267±0.187, the older TreebankWordTokenizer
    the same to three decimals, white space 0.353±0.221 / 0.223±0.187.

    Args:
        tok: "treebank", nltk's NLTKWordTokenizer with the whole text as one sentence, or "whitespace". With "treebank",
            a pair at least half of whose letters are Chinese or Japanese is split by sacreBLEU's "zh".

    Raises:
        MetricError: The tokeniser is unknown.
    """

    info = MetricInfo(
        id="bleu",
        title="BLEU",
        family="lexical",
        low=0.0,
        high=1.0,
        summary="Shared n-grams: runs of one to four words of the hypothesis that are also in the source; 0 if any "
        "length has none.",
        default=True,
        options=BleuOptions,
        parallel=True,
    )

    def __init__(self, tok: str = BleuOptions.tok) -> None:
        self.tokeniser = tok
        self.libraries = ("nltk", "sacrebleu") if tok == "treebank" else ()
        self._characters = {"cjk": "zh"} if tok == "treebank" else {}
        self.words = WordNumbers(tok, zh_tokens if self._characters else None)

    def fields(self) -> dict[str, object]:
        shape = {"order": ORDERS, "smooth": "none", "case": "kept", "tok": self.tokeniser}
        return {"rule": "torchtext", **shape, **self._characters}

    def _combine(self, shared: Rows, length: Rows, reference_length: Rows) -> Scores:
        return bleu(shared, length, reference_length)

    def why_zero(self, source: str, hypothesis: str) -> str:
        """Explain a score of 0: the hypothesis is too short, or the two share no run of some length."""
        candidates, targets = map(flatten, self.words.pairs([hypothesis], [source]))
        words = int(candidates[1][0])
        if words < ORDERS:
            count = "1 word" if words == 1 else f"{words} words"
            return (
                f"BLEU counts shared runs of one to {ORDERS} words, including punctuation. The hypothesis has "
                f"{count}, so it has no run of {ORDERS} and its BLEU is always 0."
            )
        missing = int((shared_runs(candidates, targets, ORDERS)[:, 0] > 0).argmin()) + 1
        runs = "no word" if missing == 1 else f"no run of {missing} words"
        return f"BLEU is 0 unless runs of every length from 1 to {ORDERS} are shared; here, {runs} is."


def bleu(shared: Rows, length: Rows, reference_length: Rows) -> Scores:
    """Return BLEU from counts, float64 of shape (n,) in [0, 1].

    `shared` counts the runs of 1 to 4 words that candidate and reference share, shape (4, n); the lengths are in words,
    shape (n,).
    """
    matched = (shared > 0).all(axis=0)
    precision = np.where(matched, shared, 1) / np.maximum(totals(length, ORDERS), 1)
    mean = np.exp(np.log(precision).sum(axis=0) / ORDERS)
    return np.where(matched, brevity_penalty(length, reference_length) * mean, 0.0)


def brevity_penalty(length: Rows, reference_length: Rows) -> Scores:
    """Return BLEU's factor in (0, 1] for candidates shorter than their references (Papineni et al., section 2.2.2)."""
    return np.asarray(np.exp(np.minimum(1.0 - reference_length / np.maximum(length, 1), 0.0)))


@dataclass(frozen=True)
class IBleuOptions:
    """Options of iBLEU."""

    alpha: float = decimal("Alpha", 0, 1, ALPHA, "weight of BLEU with the source")


class IBleu(WordMetric):
    """BLEU(H, R) - α BLEU(H, S), α = 0.2 by default: high if near the reference without copying the source. In [-α, 1].

    Sun and Zhou (ACL 2012) in the form of the ParaScore paper (Shen et al., EMNLP 2022, equation 11). If a pair has no
    reference, the source is used instead, which gives (1 - α) BLEU(H, S).
    """

    info = MetricInfo(
        id="ibleu",
        title="iBLEU",
        family="lexical",
        low=-ALPHA,
        high=1.0,
        summary=f"BLEU with the reference minus {ALPHA} BLEU with the source; without a reference, the source is used "
        f"instead, which leaves {1 - ALPHA} BLEU.",
        uses_reference=True,
        reference_form=False,
        options=IBleuOptions,
        parallel=True,
    )

    takes_all_references = True

    def __init__(self, alpha: float = IBleuOptions.alpha) -> None:
        self._alpha = alpha
        self._bleu = Bleu()
        self.words = self._bleu.words
        self.libraries = self._bleu.libraries

    def fields(self) -> dict[str, object]:
        return {"alpha": self._alpha, "no_reference": "source", **self._bleu.fields()}

    def _score(self, sources: Texts, hypotheses: Texts, references: AllReferences) -> Scores:
        copied = self._bleu.score(sources, hypotheses)
        close = score_against_references(self._bleu, references or (), hypotheses, copied.copy())
        return close - self._alpha * copied


@dataclass(frozen=True)
class SacreBleuOptions:
    """Options of sacreBLEU."""

    tok: str = choice(
        "Tokeniser",
        keys_as_titles(list(SACREBLEU)) | {"13a": "zh for Chinese and Japanese pairs"},
        "how a text is split into words",
        default="13a",
    )


class SacreBleu(_NgramPrecision):
    """`sacrebleu.sentence_bleu` of the hypothesis against the source (Post, WMT 2018), in [0, 100].

    n = 1..4, or up to the hypothesis's length if that is shorter ("effective order"). The first order without a match
    counts as half a match, the next one as a quarter, and so on (Chen and Cherry, WMT 2014, method 3). A pair without a
    common word scores 0. All pairs are counted at once.

    Args:
        tok: The library's tokeniser: "13a", with which a pair at least half of whose letters are Chinese or Japanese is
            split by "zh"; or "zh", "char", "intl" or "ja-mecab" for all pairs.

    Raises:
        MetricError: The tokeniser is unknown.
    """

    info = MetricInfo(
        id="sacrebleu",
        title="sacreBLEU",
        family="lexical",
        low=0.0,
        high=100.0,
        summary="Sentence BLEU as computed by sacreBLEU: mteval-v13a tokens, exponential smoothing, 0 to 100.",
        options=SacreBleuOptions,
        parallel=True,
    )
    libraries = ("sacrebleu",)

    def __init__(self, tok: str = SacreBleuOptions.tok) -> None:
        self.tokeniser = tok
        self._characters = {"cjk": "zh"} if tok == "13a" else {}
        self.words = WordNumbers(tok, zh_tokens if self._characters else None)

    def readiness(self) -> MetricReadiness:
        """Check that MeCab is installed if the Japanese tokeniser is chosen."""
        if self.tokeniser == "ja-mecab" and find_spec("MeCab") is None:
            return MetricReadiness("sacreBLEU's ja-mecab needs MeCab: pip install 'sacrebleu[ja]'.")
        return READY

    def fields(self) -> dict[str, object]:
        """Return the fields of sacreBLEU's own signature, and the tokeniser for Chinese and Japanese pairs."""
        return {"nrefs": 1, "case": "mixed", "eff": "yes", "tok": self.tokeniser, "smooth": "exp", **self._characters}

    def _combine(self, shared: Rows, length: Rows, reference_length: Rows) -> Scores:
        total = totals(length, ORDERS)
        possible = total > 0
        unmatched = possible & (shared == 0)
        halvings = 2.0 ** np.cumsum(unmatched, axis=0)
        precision = np.where(unmatched, 1.0 / halvings, shared) / np.maximum(total, 1)
        logarithms = np.log(100 * precision, where=possible, out=np.zeros(precision.shape))
        mean = logarithms.sum(axis=0) / np.maximum(possible.sum(axis=0), 1)
        return np.where(shared[0] > 0, brevity_penalty(length, reference_length) * np.exp(mean), 0.0)
