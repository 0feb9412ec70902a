"""The pairs that a score gets most wrong, with the words marked in which they differ."""

from __future__ import annotations

import html

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.arrays import Labels, Rows
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.difference.worddiff import Segment, diff_words

#: Longer sentences are shown without marks: comparing them takes too long.
_LONGEST = 6_000


def worst(score_column: ScoreColumn, labels: Labels, threshold: float, which: Outcome, most: int = 10) -> Rows:
    """Return the rows of false positives or negatives, (k,), those furthest beyond the threshold first."""
    kind = outcome(score_column.values, labels, threshold, score_column.higher_is_closer)
    rows = np.flatnonzero(kind == which)
    away = np.abs(score_column.values[rows] - threshold)
    return rows[np.argsort(-away, kind="stable")][:most]


def marked_pair(corpus: Corpus, row: int) -> tuple[str, str]:
    """Return both sentences of a pair as HTML, all text escaped, the differences in <mark> elements."""
    source, hypothesis = corpus.source[row], corpus.hypothesis[row]
    if len(source) + len(hypothesis) > _LONGEST:
        return html.escape(source), html.escape(hypothesis)
    found = diff_words(source, hypothesis)
    return _marked(source, found.source), _marked(hypothesis, found.hypothesis)


def _marked(text: str, segments: tuple[Segment, ...]) -> str:
    parts = []
    for each in segments:
        words = html.escape(text[each.start : each.end])
        parts.append(words if each.kind == "same" else f'<mark class="{each.kind}">{words}</mark>')
    return "".join(parts)
