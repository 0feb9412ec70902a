"""A pair as the stage shows it: its sentences, its scores on fixed scales and the words that decided."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import meaning
from parapluie_gui.features.explain.explanation import Explanation
from parapluie_gui.features.explain.sentence import flip_sentence
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.scores.identity import ColumnIdentity
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.pair.sentences import TintedSpan
from parapluie_gui.ui.state import score_names

#: Ends of a judge's scale, ±; log odds of 22,000 to 1.
JUDGE_END = 10.0

#: Smallest effect of an edit that is shown, where smaller ones would be printed as 0.00, and its share of the largest.
NO_EFFECT, LEAST_SHARE = 0.005, 0.05

#: Baselines shown first by default, and the maximum number shown.
FIRST_BASELINES, MOST_BASELINES = ("edit_distance", "bleu"), 4


@dataclass(frozen=True)
class ScoreScale:
    """A score with the scale on which it is drawn.

    Attributes:
        title: Title of the score.
        value: The score; None if missing.
        text: The score as text, "–" if missing.
        ends: The values at the ends: far in meaning, near in meaning.
        zero: The value at which the bar begins.
        threshold: The value at which paraphrases begin, None if unknown.
    """

    title: str
    value: float | None
    text: str
    ends: tuple[float, float]
    zero: float
    threshold: float | None = None

    def place(self, value: float) -> float:
        """Return the position of a value between the ends, clipped to 0 to 1; 1 is nearer in meaning."""
        far, near = self.ends
        return min(max((value - far) / (near - far), 0.0), 1.0)

    @property
    def answer(self) -> bool | None:
        """The verdict, at the middle of the scale for a score without a threshold; None without a score."""
        if self.value is None:
            return None
        return self.place(self.value) >= 0.5 if self.threshold is None else self.verdict

    @property
    def verdict(self) -> bool | None:
        """Whether the score means "paraphrase"; None without a score or a threshold."""
        if self.value is None or self.threshold is None:
            return None
        return self.value >= self.threshold if self.ends[1] > self.ends[0] else self.value <= self.threshold


@dataclass(frozen=True)
class DecidingWords:
    """The edits between both sentences with their effect on the score, and the spans to colour.

    Attributes:
        edits: Triples (edit, effect, whether it favours "paraphrase"), the largest effect first, without edits that
            have next to no effect.
        sentence: The sentence about what changes the verdict, as in the Pair panel; "" if it is unknown.
        source, hypothesis: The coloured spans of the sentences.
    """

    edits: tuple[tuple[str, float, bool], ...] = ()
    source: tuple[TintedSpan, ...] = ()
    hypothesis: tuple[TintedSpan, ...] = ()
    sentence: str = ""

    @classmethod
    def from_explanation(cls, explanation: Explanation, higher_is_closer: bool) -> DecidingWords:
        values = explanation.values
        largest = max(map(abs, values), default=0.0) or 1.0
        places = [at for at, value in enumerate(values) if abs(value) >= max(NO_EFFECT, LEAST_SHARE * largest)]
        order = sorted(places, key=lambda edit: -abs(values[edit]))
        sides: tuple[list[TintedSpan], list[TintedSpan]] = ([], [])
        for edit, value in zip(explanation.edits, values, strict=True):
            for side, (start, end) in zip(sides, (edit.source_at, edit.hypothesis_at), strict=True):
                if start < end:
                    side.append(TintedSpan(start, end, abs(value) / largest, (value > 0) == higher_is_closer))
        edits = ((str(explanation.edits[at]), values[at], (values[at] > 0) == higher_is_closer) for at in order)
        return cls(tuple(edits), tuple(sides[0]), tuple(sides[1]), flip_sentence(explanation))


@dataclass(frozen=True)
class StagePair:
    """A pair with the scores that the stage shows.

    Attributes:
        source, hypothesis: The sentences.
        label: 1, 0, or None if unlabelled.
        expected: The verdict that the talk expects; None without one.
        judge: The judge's score; None without a judge.
        baselines: The other scores.
        words: The words that decided; None if unknown.
        caution: What to keep in mind of the judge, in a few words; "" for nothing.
    """

    source: str
    hypothesis: str
    label: int | None = None
    judge: ScoreScale | None = None
    baselines: tuple[ScoreScale, ...] = ()
    words: DecidingWords | None = None
    expected: bool | None = None
    caution: str = ""

    @property
    def truth(self) -> bool | None:
        """The label or, without one, the expected verdict."""
        return self.expected if self.label is None else bool(self.label)

    @property
    def odds(self) -> str:
        """The odds of the judge's answer in words; "" without a score."""
        if self.judge is None or self.judge.value is None:
            return ""
        return score_names.odds(math.exp(min(self.judge.value, 700.0)), 1.0)

    def with_words(self, words: DecidingWords | None) -> StagePair:
        return replace(self, words=words)


def find_judge_column(table: ScoreTable, preferred: str) -> str:
    """Return the judge's column to show: `preferred` if it has scores, otherwise the first with scores, or ""."""
    judged = [name for name in table.scores if table.identity(name).is_from_judge and table.has_scores(name)]
    return preferred if preferred in judged else next(iter(judged), "")


def find_baseline_columns(table: ScoreTable, preferred: Sequence[str] = ()) -> tuple[str, ...]:
    """Return up to `MOST_BASELINES` columns to show: `preferred`, or all with the default ones first."""
    scored = [name for name in table.scores if not table.identity(name).is_from_judge and table.has_scores(name)]
    wanted = preferred or [*(name for name in FIRST_BASELINES if name in scored), *scored]
    return tuple(name for name in dict.fromkeys(wanted) if math.isfinite(sum(_range(table, name))))[:MOST_BASELINES]


def stage_pair(
    corpus: Corpus,
    table: ScoreTable,
    row: int,
    judge: str,
    baselines: Sequence[str],
    title: Callable[[ColumnIdentity], str] = shown_name,
) -> StagePair:
    """Return the pair in a row of a corpus, with its scores from the table."""
    label = None if corpus.label is None else int(corpus.label[row])
    return StagePair(
        corpus.source[row],
        corpus.hypothesis[row],
        None if label == UNLABELLED else label,
        score_scale(table, judge, row, title) if judge else None,
        tuple(score_scale(table, name, row, title) for name in baselines),
        caution=_caution(table.identity(judge)) if judge else "",
    )


def _caution(identity: ColumnIdentity) -> str:
    """Return a short caution to follow the judge's name if it is the pocket judge, otherwise ""."""
    if identity.maker is None or identity.maker.judge != POCKET.name:
        return ""
    return QCoreApplication.translate("Stage", "small, trained, not a language model")


def _room_title(identity: ColumnIdentity) -> str:
    """Return the name of a judge for an audience, which knows no templates; "" for another score."""
    if not identity.is_from_judge or identity.maker is None or not identity.maker.judge:
        return ""
    return score_names.audience_name(identity.maker.judge)


def score_scale(
    table: ScoreTable, column: str, row: int, title: Callable[[ColumnIdentity], str] = shown_name
) -> ScoreScale:
    """Return the score in a row of a column, with its scale."""
    identity = table.identity(column)
    read = meaning(identity, table.signatures.get(column))
    number = float(table[column][row]) if column in table else math.nan
    value = None if math.isnan(number) else number
    low, high = _range(table, column)
    text = "–" if value is None else score_names.format_score(column, value)
    ends = (low, high) if read.higher_is_closer else (high, low)
    return ScoreScale(
        _room_title(identity) or title(identity),
        value,
        text,
        ends,
        0.0 if identity.is_from_judge else ends[0],
        read.threshold,
    )


def _range(table: ScoreTable, column: str) -> tuple[float, float]:
    if table.identity(column).is_from_judge:
        return -JUDGE_END, JUDGE_END
    read = meaning(table.identity(column), table.signatures.get(column))
    return read.low, read.high
