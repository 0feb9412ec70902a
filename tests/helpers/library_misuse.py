"""The lexical metrics of the ParaScore paper by definition, and as the authors' code computes them.

The authors' code (github.com/shadowkiller33/ParaScore, src/baseline.py, read on 2026-11-21) computes

- ROUGE-1, -2 and -L with the package `rouge`: words are split at spaces and keep their punctuation and case;
- BLEU as nltk's `sentence_bleu(references, hypothesis)` with the words of one sentence instead of a list of sentences:
  each word becomes a reference, and its letters are that reference's words;
- METEOR as nltk's `meteor_score(references, hypothesis)` with a text instead of a list of texts: each letter becomes a
  reference.

Chinese text first gets a space between all characters. All numbers are computed from the corpus; test_library_misuse.py
prints the manual's rows of them (parascore.md, papers.md).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import single_meteor_score

from parapluie_gui.analysis.statistics.correlation import Correlation, correlation
from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.lexical.tokens import treebank_tokens
from parapluie_gui.pairs.corpus import Corpus

_WORD = re.compile(r"\w+")
_CHINESE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")
_PORTER = PorterStemmer()


@dataclass(frozen=True)
class MetricSlip:
    """One lexical metric's correlations with human scores.

    Attributes:
        metric: "ROUGE-1", "ROUGE-2", "ROUGE-L", "BLEU" or "METEOR".
        form: "free" (H against S) or "reference" (H against R).
        right: Correlation of the metric by definition.
        slipped: Correlation of the metric as the ParaScore authors' code computes it.
        published: Their published Pearson and Spearman correlations, or None.
    """

    metric: str
    form: str
    right: Correlation
    slipped: Correlation
    published: tuple[float, float] | None


@dataclass(frozen=True)
class LexicalSlip:
    """The lexical metrics computed both ways in each form, on a number of held-out pairs of a corpus."""

    corpus: str
    pairs: int
    rows: tuple[MetricSlip, ...]


#: Published Pearson and Spearman by file name, metric and form: Shen et al. (EMNLP 2022), table 1.
PUBLISHED: dict[tuple[str, str, str], tuple[float, float]] = {
    ("twitter-para", "ROUGE-1", "free"): (0.292, 0.300),
    ("twitter-para", "ROUGE-1", "reference"): (0.271, 0.276),
    ("twitter-para", "ROUGE-2", "free"): (0.228, 0.189),
    ("twitter-para", "ROUGE-2", "reference"): (0.181, 0.144),
    ("twitter-para", "ROUGE-L", "free"): (0.266, 0.253),
    ("twitter-para", "ROUGE-L", "reference"): (0.249, 0.239),
    ("twitter-para", "BLEU", "free"): (-0.113, -0.101),
    ("twitter-para", "BLEU", "reference"): (-0.119, -0.104),
    ("twitter-para", "METEOR", "free"): (0.469, 0.471),
    ("twitter-para", "METEOR", "reference"): (0.423, 0.418),
    ("bq-para", "ROUGE-1", "free"): (0.264, 0.232),
    ("bq-para", "ROUGE-1", "reference"): (0.229, 0.206),
    ("bq-para", "ROUGE-2", "free"): (0.252, 0.242),
    ("bq-para", "ROUGE-2", "reference"): (0.226, 0.216),
    ("bq-para", "ROUGE-L", "free"): (0.260, 0.230),
    ("bq-para", "ROUGE-L", "reference"): (0.221, 0.204),
    ("bq-para", "BLEU", "free"): (0.109, 0.136),
    ("bq-para", "BLEU", "reference"): (0.127, 0.144),
}


def lexical_slip(corpus: Corpus) -> LexicalSlip:
    """Compute ROUGE, BLEU and METEOR both ways and correlate them with the human scores, on the held-out pairs."""
    assert corpus.human is not None
    from parapluie_gui.features.papers.parascore_extension import split_corpus

    _, rest = split_corpus(corpus)
    rows = np.flatnonzero(rest & ~np.isnan(corpus.human))
    human = corpus.human[rows]
    hypotheses = [corpus.hypothesis[row] for row in rows.tolist()]
    forms: dict[str, list[str | None]] = {"free": [corpus.source[row] for row in rows.tolist()]}
    if corpus.reference is not None:
        forms["reference"] = [corpus.reference[row] for row in rows.tolist()]
    spaced = _is_chinese(corpus.source)
    slips = []
    for metric, functions in METRICS.items():
        for form, others in forms.items():
            texts = [
                ("", "") if other is None else (other, text) for other, text in zip(others, hypotheses, strict=True)
            ]
            if spaced:
                texts = [(" ".join(other), " ".join(text)) for other, text in texts]
            one, two = (correlation(_column(function, texts), human, kendall=False) for function in functions)
            slips.append(MetricSlip(metric, form, one, two, PUBLISHED.get((corpus.name, metric, form))))
    return LexicalSlip(corpus.name, len(rows), tuple(slips))


def _column(function: Callable[[str, str], float], texts: Sequence[tuple[str, str]]) -> Scores:
    return np.array([function(other, text) if other and text else np.nan for other, text in texts])


def _is_chinese(texts: Sequence[str]) -> bool:
    """Return True if most letters are Chinese characters."""
    sample = "".join(texts[:200])
    return 2 * len(_CHINESE.findall(sample)) > len(_LETTER.findall(sample))


# ROUGE (Lin, 2004)


def rouge_right(reference: str, hypothesis: str, order: int) -> float:
    """Return F1 of the common n-grams, in lower case, without punctuation, counting repetitions."""
    theirs, ours = (Counter(_grams(_WORD.findall(text.lower()), order)) for text in (reference, hypothesis))
    common = (theirs & ours).total()
    return 2 * common / (theirs.total() + ours.total()) if common else 0.0


def rouge_slipped(reference: str, hypothesis: str, order: int) -> float:
    """Return the result of the package `rouge` 1.0.1: F1 of distinct n-grams of words split at spaces."""
    theirs, ours = (
        set(_grams([word for piece in _pieces(text) for word in piece], order)) for text in (reference, hypothesis)
    )
    return _rouge_f1(len(theirs & ours), len(ours), len(theirs))


def rouge_l_right(reference: str, hypothesis: str) -> float:
    """Return F1 of the longest common subsequence of words, in lower case and without punctuation."""
    theirs, ours = (_WORD.findall(text.lower()) for text in (reference, hypothesis))
    common = len(_longest(theirs, ours))
    return 2 * common / (len(theirs) + len(ours)) if common else 0.0


def rouge_l_slipped(reference: str, hypothesis: str) -> float:
    """Return the result of the package `rouge` 1.0.1: F1 of the distinct words in common subsequences.

    The subsequences are the longest of each two pieces between full stops.
    """
    theirs, ours = _pieces(reference), _pieces(hypothesis)
    common = {word for one in theirs for other in ours for word in _longest(one, other)}
    return _rouge_f1(len(common), len({word for piece in ours for word in piece}), len(set().union(*theirs)))


def _pieces(text: str) -> list[list[str]]:
    """Split a text at full stops, and the pieces at spaces, as the package `rouge` does."""
    return [" ".join(piece.split()).split(" ") for piece in text.split(".") if piece]


def _rouge_f1(common: int, ours: int, theirs: int) -> float:
    """Return the package's F1; its 1e-8 determines ties, and with them the third decimal of Spearman's r."""
    precision, recall = common / (ours or 1), common / (theirs or 1)
    return 2 * (precision * recall / (precision + recall + 1e-8))


def _longest(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the longest common subsequence that the package `rouge` finds first, starting from the end of both."""
    table = [[0] * (len(other) + 1)]
    for word in one:
        row = [0]
        for place, other_word in enumerate(other):
            row.append(table[-1][place] + 1 if word == other_word else max(table[-1][place + 1], row[place]))
        table.append(row)
    common = []
    i, j = len(one), len(other)
    while i and j:
        if one[i - 1] == other[j - 1]:
            common.append(one[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return common[::-1]


# BLEU (Papineni et al., 2002), by nltk's rule with its smoothing method1


def bleu_right(reference: str, hypothesis: str) -> float:
    """Return the BLEU of the hypothesis against its reference."""
    return bleu([_words(reference)], _words(hypothesis))


def bleu_slipped(reference: str, hypothesis: str) -> float:
    """Return the BLEU against the reference's words, each as a reference made of letters."""
    words = _words(hypothesis)
    # Only a word of one letter can be one of those letters.
    return bleu(_words(reference), words) if any(len(word) == 1 for word in words) else 0.0


@lru_cache(maxsize=20_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(treebank_tokens(text.strip().lower()))


def bleu(references: Sequence[Sequence[str]], hypothesis: Sequence[str]) -> float:
    """Return sentence BLEU with n = 1..4 and equal weights as `nltk.translate.bleu_score.sentence_bleu` does.

    An order without a match counts as 0.1 matches; without a common word the score is 0. (nltk's function returns the
    same numbers in six times the time.)
    """
    if not references or not hypothesis:
        return 0.0
    logs = []
    for order in range(1, 5):
        grams = Counter(_grams(hypothesis, order))
        best: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            if len(reference) >= order:
                best |= Counter(gram for gram in _grams(reference, order) if gram in grams)
        matches = (grams & best).total()
        if not matches and order == 1:
            return 0.0
        logs.append(0.25 * math.log((matches or 0.1) / max(1, grams.total())))
    length = len(hypothesis)
    closest = min(map(len, references), key=lambda size: (abs(size - length), size))
    # In nltk's order of operations: the last binary digit determines ties, and with them the ranks.
    brevity = 1.0 if length > closest else math.exp(1 - closest / length)
    return brevity * math.exp(math.fsum(logs))


def _grams(words: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(order)), strict=False)


# METEOR (Lavie and Agarwal, 2007), without WordNet: exact words, then stems


def meteor_right(reference: str, hypothesis: str) -> float:
    """Return nltk's METEOR of the words."""
    return float(single_meteor_score(reference.split(), hypothesis.split(), stemmer=_Stemmer(), wordnet=_NoWordNet()))


def meteor_slipped(reference: str, hypothesis: str) -> float:
    """Return nltk's METEOR against the reference's letters, each as a reference; the best one counts.

    At most one word can match: then precision is 1 / length, recall 1, and the single chunk costs half.
    """
    words = hypothesis.lower().split()
    if not set(reference.lower()) & {_stem(word) for word in words}.union(words):
        return 0.0
    return 0.5 / (0.9 + 0.1 * len(words))


class _Stemmer:
    """Porter's stemmer with a cache of stems."""

    def stem(self, word: str) -> str:
        return _stem(word)


class _NoWordNet:
    """A WordNet without synonyms."""

    def synsets(self, word: str) -> list[object]:
        return []


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_PORTER.stem(word))


#: Each metric by definition, and as the authors' code computes it.
METRICS: dict[str, tuple[Callable[[str, str], float], Callable[[str, str], float]]] = {
    "ROUGE-1": (partial(rouge_right, order=1), partial(rouge_slipped, order=1)),
    "ROUGE-2": (partial(rouge_right, order=2), partial(rouge_slipped, order=2)),
    "ROUGE-L": (rouge_l_right, rouge_l_slipped),
    "BLEU": (bleu_right, bleu_slipped),
    "METEOR": (meteor_right, meteor_slipped),
}
