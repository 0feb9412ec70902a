"""What the stage shows of one pair: its sentences, its scores on scales that are the same for every pair, its words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import meaning
from parapluie_gui.features.explain.explanation import Explanation
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.scores.identity import ColumnIdentity
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.pair.sentences import Tint
from parapluie_gui.ui.state import score_names

#: A judge's scale ends here on both sides: 22,000 to 1.
JUDGE_END = 10.0

#: Baselines that come first where nothing says otherwise, and how many there is room for.
FIRST_BASELINES, MOST_BASELINES = ("edit_distance", "bleu"), 4


@dataclass(frozen=True)
class Scale:
    """One score on its scale.

    Attributes:
        title: What it is called.
        value: The score; None where there is none.
        text: The score in figures, or that there is none.
        ends: The numbers at the ends, not in meaning and near in meaning.
        zero: Where its bar begins.
        threshold: Where paraphrases begin, None where that is not known.
    """

    title: str
    value: float | None
    text: str
    ends: tuple[float, float]
    zero: float
    threshold: float | None = None

    def place(self, value: float) -> float:
        """Return where a number is between the ends, 0 to 1; further right is nearer in meaning."""
        far, near = self.ends
        return min(max((value - far) / (near - far), 0.0), 1.0)

    @property
    def verdict(self) -> bool | None:
        """Whether it says "paraphrase"; None without a score or a threshold."""
        if self.value is None or self.threshold is None:
            return None
        return self.value >= self.threshold if self.ends[1] > self.ends[0] else self.value <= self.threshold


@dataclass(frozen=True)
class Words:
    """Which words decided: the edits with what each did, and the stretches of both sentences.

    Attributes:
        edits: (what, value, towards a paraphrase), what did most first.
        source, hypothesis: The stretches of the sentences that have a colour.
    """

    edits: tuple[tuple[str, float, bool], ...] = ()
    source: tuple[Tint, ...] = ()
    hypothesis: tuple[Tint, ...] = ()

    @classmethod
    def of(cls, found: Explanation, higher_is_closer: bool) -> Words:
        """Return what an explanation says."""
        largest = max(map(abs, found.values), default=0.0) or 1.0
        order = sorted(range(len(found.edits)), key=lambda edit: -abs(found.values[edit]))
        sides: tuple[list[Tint], list[Tint]] = ([], [])
        for edit, value in zip(found.edits, found.values, strict=True):
            for side, (start, end) in zip(sides, (edit.source_at, edit.hypothesis_at), strict=True):
                if start < end:
                    side.append(Tint(start, end, abs(value) / largest, (value > 0) == higher_is_closer))
        edits = ((str(found.edits[at]), found.values[at], (found.values[at] > 0) == higher_is_closer) for at in order)
        return cls(tuple(edits), tuple(sides[0]), tuple(sides[1]))


@dataclass(frozen=True)
class StagePair:
    """One pair.

    Attributes:
        source, hypothesis: The sentences.
        label: 1, 0, or None where there is none.
        judge: The judge's score; None where no judge gave one.
        baselines: The scores beside it.
        words: None where it is not known which words decided.
    """

    source: str
    hypothesis: str
    label: int | None = None
    judge: Scale | None = None
    baselines: tuple[Scale, ...] = ()
    words: Words | None = None

    @property
    def odds(self) -> str:
        """How much likelier the judge's answer is than the other, in words; "" without a score."""
        if self.judge is None or self.judge.value is None:
            return ""
        return score_names.odds(math.exp(min(self.judge.value, 700.0)), 1.0)

    def with_words(self, words: Words | None) -> StagePair:
        return replace(self, words=words)


def judge_of(table: ScoreTable, preferred: str) -> str:
    """Return the judge's column to show: the preferred one if it has scores, otherwise the first that has; or ""."""
    judged = [name for name in table.scores if table.identity(name).judged and table.has_scores(name)]
    return preferred if preferred in judged else next(iter(judged), "")


def baselines_of(table: ScoreTable, preferred: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the other scores to show: the preferred ones, otherwise all, the usual ones first."""
    there = [name for name in table.scores if not table.identity(name).judged and table.has_scores(name)]
    wanted = preferred or [*(name for name in FIRST_BASELINES if name in there), *there]
    return tuple(name for name in dict.fromkeys(wanted) if math.isfinite(sum(_range(table, name))))[:MOST_BASELINES]


def stage_pair(
    corpus: Corpus,
    table: ScoreTable,
    row: int,
    judge: str,
    baselines: Sequence[str],
    title: Callable[[ColumnIdentity], str] = shown_name,
) -> StagePair:
    """Return what is shown of a pair, by its row in the corpus and its table."""
    label = None if corpus.label is None else int(corpus.label[row])
    return StagePair(
        corpus.source[row],
        corpus.hypothesis[row],
        None if label == UNLABELLED else label,
        scale(table, judge, row, title) if judge else None,
        tuple(scale(table, name, row, title) for name in baselines),
    )


def scale(table: ScoreTable, column: str, row: int, title: Callable[[ColumnIdentity], str] = shown_name) -> Scale:
    """Return a score of a pair on its scale."""
    identity = table.identity(column)
    read = meaning(identity, table.signatures.get(column))
    number = float(table[column][row]) if column in table else math.nan
    value = None if math.isnan(number) else number
    low, high = _range(table, column)
    text = "–" if value is None else score_names.written(column, value)
    ends = (low, high) if read.higher_is_closer else (high, low)
    return Scale(title(identity), value, text, ends, 0.0 if identity.judged else ends[0], read.threshold)


def _range(table: ScoreTable, column: str) -> tuple[float, float]:
    if table.identity(column).judged:
        return -JUDGE_END, JUDGE_END
    read = meaning(table.identity(column), table.signatures.get(column))
    return read.low, read.high
