"""Pairs with their scores for the stage; the scores of a talk are read from score files."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.errors import SessionError
from parapluie_gui.features.explain.page import known_explanations
from parapluie_gui.features.talks.shown import DecidingWords, StagePair, stage_pair
from parapluie_gui.features.talks.talk import Talk
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.scores.identity import ColumnIdentity, identify, judge_word
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage.store import ScoreStore


@dataclass(eq=False)
class StagedPairs:
    """Pairs with their scores for the stage.

    Attributes:
        judge, baselines: The columns shown.
        title: Returns the title of a score.
        words: The words that decided, by row; None if unknown.
        expected: The expected verdicts, by row.
        never: Rows whose score was computed but is not a number, by column.
    """

    corpus: Corpus
    table: ScoreTable
    judge: str
    baselines: tuple[str, ...]
    title: Callable[[ColumnIdentity], str] = shown_name
    words: dict[int, DecidingWords | None] = field(default_factory=dict)
    never: dict[str, set[int]] = field(default_factory=dict)
    expected: dict[int, bool] = field(default_factory=dict)

    def pair(self, row: int) -> StagePair:
        pair = stage_pair(self.corpus, self.table, row, self.judge, self.baselines, self.title)
        return replace(pair, words=self.words.get(row), expected=self.expected.get(row))

    def find_not_numbers(self, row: int) -> list[str]:
        """Return the columns that were computed for a pair but are not a number."""
        return [column for column, rows in self.never.items() if row in rows]

    def explain(self, *rows: int) -> dict[int, DecidingWords | None]:
        """Return the words that decided, by row, None if not stored. Runs in a thread."""
        name = self.judge or next((name for name in self.baselines if name in self.table), "")
        if not name:
            return dict.fromkeys(rows)
        column = score_column(name, self.table[name], signature=self.table.signatures.get(name))
        threshold = 0.0 if column.threshold is None else column.threshold
        words: dict[int, DecidingWords | None] = {}
        with known_explanations(self.corpus, self.table.signatures, places.score_cache()) as explain:
            for row in rows:
                explanation = explain(column, row, threshold)
                if explanation is None or any(math.isnan(value) for value in explanation.values):
                    words[row] = None
                else:
                    words[row] = DecidingWords.from_explanation(explanation, column.higher_is_closer)
        return words


def talk_corpus(talk: Talk) -> Corpus:
    """Return the pairs of a talk as a corpus; the ids are their places from 1."""
    sources, hypotheses = ([getattr(pair, side) for pair in talk.pairs] for side in ("source", "hypothesis"))
    labels = [UNLABELLED if pair.label is None else int(pair.label) for pair in talk.pairs]
    ids = [str(place + 1) for place in range(len(talk.pairs))]
    labelled = any(label != UNLABELLED for label in labels)
    return Corpus(talk.title, ids, sources, hypotheses, label=np.array(labels, dtype=np.int8) if labelled else None)


def stage_talk(talk: Talk, judge: str, template: str, stores: Sequence[Path]) -> StagedPairs:
    """Return the pairs of a talk with their stored scores and the words that decided. Runs in a thread.

    Args:
        talk: The talk.
        judge: Judge shown if the talk names none.
        template: Template shown if the talk names none.
        stores: The score files.
    """
    judge, template = talk.judge or judge, talk.template or template
    corpus = talk_corpus(talk)
    staged = StagedPairs(corpus, ScoreTable(len(corpus)), "", talk.baselines)
    staged.expected = {row: pair.expected for row, pair in enumerate(talk.pairs) if pair.expected is not None}
    keys = [pair_key(*texts) for texts in zip(corpus.source, corpus.hypothesis, strict=True)]
    for path in stores:
        with contextlib.suppress(SessionError), ScoreStore(path, reading=True, waits=True) as store:
            for signature in reversed(store.signatures()):  # latest first
                _take(staged, signature, store, keys, judge, template)
    staged.words.update(staged.explain(*range(len(corpus))))
    return staged


def _take(
    staged: StagedPairs, signature: Signature, store: ScoreStore, keys: list[bytes], judge: str, template: str
) -> None:
    """Copy the scores of a signature, if its column is shown and it has more scores than those already copied."""
    identity, table = identify(signature.column, signature), staged.table
    if identity.is_from_judge:
        maker = identity.maker
        named = maker is not None and judge_word(maker.judge) == judge_word(judge)
        if maker is None or not named or maker.reverse or maker.template.upper() != template.upper():
            return
    elif signature.column not in staged.baselines:
        return
    known = store.known(signature, keys)
    if not known.known.any() or known.known.sum() <= (
        table.count_scores(signature.column) if identity.column in table else 0
    ):
        return
    table.declare(signature.column, signature)
    table.put(np.arange(len(keys)), {signature.column: known.value})
    staged.never[signature.column] = set(np.flatnonzero(known.known & np.isnan(known.value)).tolist())
    if identity.is_from_judge:
        staged.judge = signature.column
