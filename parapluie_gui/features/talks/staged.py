"""Pairs with their scores as the stage shows them; those of a talk are read from where scores are kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.errors import SessionError
from parapluie_gui.features.explain.page import known_explanations
from parapluie_gui.features.talks.shown import StagePair, Words, stage_pair
from parapluie_gui.features.talks.talk import Talk
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import ColumnIdentity, identify, judge_word
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage.store import ScoreStore


@dataclass(eq=False)
class Staged:
    """Pairs with their scores.

    Attributes:
        judge, baselines: The columns that are shown.
        title: Names a score.
        words: What is known of which words decided, by the row.
        never: The rows of which a score was computed and has no number, by its column.
    """

    corpus: Corpus
    table: ScoreTable
    judge: str
    baselines: tuple[str, ...]
    title: Callable[[ColumnIdentity], str] = shown_name
    words: dict[int, Words | None] = field(default_factory=dict)
    never: dict[str, set[int]] = field(default_factory=dict)

    def pair(self, row: int) -> StagePair:
        found = stage_pair(self.corpus, self.table, row, self.judge, self.baselines, self.title)
        return found.with_words(self.words.get(row))

    def without(self, row: int) -> list[str]:
        """Return the scores that were computed of a pair and have no number."""
        return [column for column, rows in self.never.items() if row in rows]

    def explain(self, *rows: int) -> dict[int, Words | None]:
        """Return which words decided each of some pairs, None where that is not kept; for a thread."""
        name = self.judge or next((name for name in self.baselines if name in self.table), "")
        if not name:
            return dict.fromkeys(rows)
        column = score_column(name, self.table[name], signature=self.table.signatures.get(name))
        threshold, found = 0.0 if column.threshold is None else column.threshold, dict[int, Words | None]()
        with known_explanations(self.corpus, self.table.signatures, places.score_cache()) as explain:
            for row in rows:
                each = explain(column, row, threshold)
                whole = each is not None and not any(value != value for value in each.values)
                found[row] = Words.of(each, column.higher_is_closer) if each is not None and whole else None
        return found


def talk_corpus(talk: Talk) -> Corpus:
    """Return the pairs of a talk, each by its place from 1 on."""
    sources, hypotheses = ([getattr(pair, side) for pair in talk.pairs] for side in ("source", "hypothesis"))
    return Corpus(talk.title, [str(place + 1) for place in range(len(talk.pairs))], sources, hypotheses)


def stage_talk(talk: Talk, judge: str, template: str, stores: Sequence[Path]) -> Staged:
    """Return the pairs of a talk with their kept scores and which words decided; for a thread.

    Args:
        talk: The talk.
        judge: Whose scores are shown where the talk does not say.
        template: The same.
        stores: The files that scores are kept in.
    """
    judge, template = talk.judge or judge, talk.template or template
    corpus = talk_corpus(talk)
    staged = Staged(corpus, ScoreTable(len(corpus)), "", talk.baselines)
    keys = [pair_key(*texts) for texts in zip(corpus.source, corpus.hypothesis, strict=True)]
    for path in stores:
        with contextlib.suppress(SessionError), ScoreStore(path, reading=True, waits=True) as store:
            for signature in reversed(store.signatures()):  # the one used last first
                _take(staged, signature, store, keys, judge, template)
    staged.words.update(staged.explain(*range(len(corpus))))
    return staged


def _take(
    staged: Staged, signature: Signature, store: ScoreStore, keys: list[bytes], judge: str, template: str
) -> None:
    """Take the scores of a signature, if it is one of those that are shown and has more of them than the last."""
    identity, table = identify(signature.column, signature), staged.table
    if identity.judged:
        maker = identity.maker
        named = maker is not None and judge_word(maker.judge) == judge_word(judge)
        if maker is None or not named or maker.reverse or maker.template.upper() != template.upper():
            return
    elif signature.column not in staged.baselines:
        return
    known = store.known(signature, keys)
    if not known.known.any() or known.known.sum() <= (
        table.scored(signature.column) if identity.column in table else 0
    ):
        return
    table.declare(signature.column, signature)
    table.put(np.arange(len(keys)), {signature.column: known.value})
    staged.never[signature.column] = set(np.flatnonzero(known.known & np.isnan(known.value)).tolist())
    if identity.judged:
        staged.judge = signature.column
