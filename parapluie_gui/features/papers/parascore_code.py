"""The lexical metrics of the ParaScore paper as its authors' code computes them.

The authors' code (github.com/shadowkiller33/ParaScore, src/baseline.py, read on 2026-11-21) computes

- ROUGE-1, -2 and -L with the package `rouge`: words are split at spaces and keep their punctuation and case;
- BLEU as nltk's `sentence_bleu(references, hypothesis)` with the words of one sentence instead of a list of sentences:
  each word becomes a reference, and its letters are that reference's words;
- METEOR as nltk's `meteor_score(references, hypothesis)` with a text instead of a list of texts: each letter becomes a
  reference.

Chinese text first gets a space between all characters.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.lexical.stems import porter_stem
from parapluie_gui.metrics.lexical.tokens import treebank_tokens

_CHINESE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")

#: Number of texts from which the writing is recognised.
_SAMPLE = 200


def authors_scores(metric: str, references: Sequence[str | None], hypotheses: Sequence[str]) -> Scores:
    """Return a lexical metric of `AUTHORS_METRICS` as the authors' code computes it, (n,); NaN without a reference."""
    function = AUTHORS_METRICS[metric]
    pairs = [("", "") if one is None else (one, other) for one, other in zip(references, hypotheses, strict=True)]
    if _is_chinese(hypotheses):
        pairs = [(" ".join(one), " ".join(other)) for one, other in pairs]
    return np.array([function(one, other) if one and other else np.nan for one, other in pairs])


def _is_chinese(texts: Sequence[str]) -> bool:
    """Return True if most letters are Chinese characters."""
    sample = "".join(texts[:_SAMPLE])
    return 2 * len(_CHINESE.findall(sample)) > len(_LETTER.findall(sample))


# ROUGE (Lin, 2004)


def authors_rouge(reference: str, hypothesis: str, order: int) -> float:
    """Return the result of the package `rouge` 1.0.1: F1 of distinct n-grams of words split at spaces."""
    theirs, ours = (
        set(_grams([word for piece in _pieces(text) for word in piece], order)) for text in (reference, hypothesis)
    )
    return _rouge_f1(len(theirs & ours), len(ours), len(theirs))


def authors_rouge_l(reference: str, hypothesis: str) -> float:
    """Return the result of the package `rouge` 1.0.1: F1 of the distinct words in common subsequences.

    The subsequences are the longest ones of every two pieces between full stops.
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


def authors_bleu(reference: str, hypothesis: str) -> float:
    """Return the BLEU against the reference's words, each as a reference made of letters."""
    words = _words(hypothesis)
    # Only a word of one letter can be one of those letters.
    return _bleu(_words(reference), words) if any(len(word) == 1 for word in words) else 0.0


@lru_cache(maxsize=20_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(treebank_tokens(text.strip().lower()))


def _bleu(references: Sequence[Sequence[str]], hypothesis: Sequence[str]) -> float:
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


def authors_meteor(reference: str, hypothesis: str) -> float:
    """Return nltk's METEOR against the reference's letters, each as a reference; the best one counts.

    At most one word can match: then precision is 1 / length, recall 1, and the single chunk costs half.
    """
    words = hypothesis.lower().split()
    if not set(reference.lower()) & {porter_stem(word) for word in words}.union(words):
        return 0.0
    return 0.5 / (0.9 + 0.1 * len(words))


#: The paper's lexical metrics, from a reference and a hypothesis.
AUTHORS_METRICS: Mapping[str, Callable[[str, str], float]] = {
    "ROUGE-1": partial(authors_rouge, order=1),
    "ROUGE-2": partial(authors_rouge, order=2),
    "ROUGE-L": authors_rouge_l,
    "BLEU": authors_bleu,
    "METEOR": authors_meteor,
}
