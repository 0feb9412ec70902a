"""Every column of a corpus and its scores under one name each, for filters, tables and exports alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, score_column
from parapluie_gui.analysis.statistics.disagreement import disagreement
from parapluie_gui.analysis.statistics.shared_errors import templates_or_all
from parapluie_gui.arrays import Numbers, Scores
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.changes import kinds
from parapluie_gui.metrics.changes.corrections import corrected_kinds, corrections_of
from parapluie_gui.pairs.column import NumberColumn, TextColumn
from parapluie_gui.pairs.corpus import ROLES, UNLABELLED, Corpus
from parapluie_gui.scores.identity import BOUNDS, identify
from parapluie_gui.scores.table import ScoreTable

#: The column that says how far scores disagree on a pair.
DISAGREEMENT = "disagreement"

#: What a score is by its code in `ScoreTable.bounds`: exact, "at least" at 1 and "at most" at -1.
_BOUNDS = np.array([None, *BOUNDS], dtype=object)


@dataclass(frozen=True)
class ColumnNames:
    """The columns in the order exports write them.

    Attributes:
        corpus: The roles this corpus has ("id", "source", ...).
        extra: The shown name of each of the corpus's own columns, to its name in the corpus; where it clashes with a
            role or a score it is shown with " (corpus)" behind it. Scores of the table are not among them.
        scores: Each score followed by its `.p_yes` and `.p_no`, then the gaps between a judge's two directions.
        derived: Columns computed from scores, to these scores: "disagreement", where two scores or more have numbers.
            Filters and the window's table use it; exports, which have the scores, do not write it.
        kinds: The column of the kinds of change ("type"), found by rule when it is asked for.
        bounds: The columns that say which scores are bounds ("at least", "at most", missing), to these scores.
    """

    corpus: tuple[str, ...]
    extra: dict[str, str]
    scores: tuple[str, ...]
    derived: dict[str, tuple[str, ...]]
    kinds: str
    bounds: dict[str, str] = field(default_factory=dict)

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all columns that are not derived, distinct."""
        return (*self.corpus, *self.extra, *self.scores)

    @property
    def filterable(self) -> tuple[str, ...]:
        """All names that a filter may use: `all`, then those derived."""
        return (*self.all, *self.derived, self.kinds, *self.bounds)


def column_names(corpus: Corpus, table: ScoreTable) -> ColumnNames:
    """Return the columns of a corpus with its scores; the roles it lacks (a reference, say) are left out."""
    roles = tuple(role for role in ROLES if getattr(corpus, role) is not None)
    scores = [name for score in table.scores for name in (score, *identify(score).evidence) if name in table]
    scores += table.gaps
    used = {*ROLES, *scores}
    extra: dict[str, str] = {}
    for name in corpus.extra:
        if name in table.own:
            continue
        shown = name
        while shown in used or (shown != name and shown in corpus.extra):
            shown += " (corpus)"
        used.add(shown)
        extra[shown] = name
    name, sources = DISAGREEMENT, _disagreeing(table)
    while name in used:
        name += " (scores)"
    kind = kinds.COLUMN
    while kind in used:
        kind += " (change)"
    bounds = {identify(score).bound: score for score in sorted(table.bounded) if identify(score).bound not in used}
    return ColumnNames(roles, extra, tuple(scores), {name: sources} if sources else {}, kind, bounds)


def column(corpus: Corpus, table: ScoreTable, names: ColumnNames, name: str) -> Numbers:
    """Return one of `names.filterable`, shape (n,): float64 with NaN where missing, or objects (str or None).

    Labels are 1.0, 0.0 or NaN.
    """
    if name in names.derived:
        return disagreement([_score(table, source) for source in names.derived[name]])
    if name == names.kinds:
        return kinds.kind_texts(change_kinds(corpus))
    if name in names.bounds:
        return _BOUNDS[table.bounds(names.bounds[name], np.arange(table.rows))]
    if name in names.extra:
        own = corpus.extra[names.extra[name]]
        return own.values if isinstance(own, NumberColumn) else _objects(own)
    if name in names.corpus:
        values: Numbers = getattr(corpus, name)
        if name == "label":
            return np.where(values == UNLABELLED, np.nan, values.astype(np.float64))
        if name == "human":
            return values
        return _objects(values)
    return table[name]


def change_kinds(corpus: Corpus) -> Scores:
    """Return the kinds of change of each pair, (n,), as `kinds.ChangeKinds` gives them; two milliseconds a pair.

    What people corrected counts, where the corpus has it as a column.
    """
    found = kinds.ChangeKinds().score(corpus.source, corpus.hypothesis)
    for row, text in corrections_of(corpus).items():
        found[row] = kinds.kinds_number(corrected_kinds(corpus.source[row], corpus.hypothesis[row], text))
    return found


def with_kinds(corpus: Corpus, table: ScoreTable, numbers: Scores | None = None) -> Corpus:
    """Return a corpus with its kinds of change as a further column of its own.

    Args:
        corpus: n pairs.
        table: Their scores.
        numbers: (n,) What is known of them already; NaN where nothing is.
    """
    found = np.full(len(corpus), np.nan) if numbers is None else numbers.copy()
    missing = np.flatnonzero(np.isnan(found))
    found[missing] = change_kinds(corpus.take(missing))
    column = TextColumn(kinds.kind_texts(found).tolist())
    return replace(corpus, extra={**corpus.extra, column_names(corpus, table).kinds: column})


def _disagreeing(table: ScoreTable) -> tuple[str, ...]:
    """Return the scores for `disagreement`: the templates if two have scores, otherwise all scores; () for fewer."""
    scores = tuple(name for name in table.scores if table.has_scores(name))
    chosen = tuple(templates_or_all(scores))
    return chosen if len(chosen) > 1 else ()


def _score(table: ScoreTable, name: str) -> ScoreColumn:
    """Return a score as a score column; its signature may say that it is a distance."""
    info = catalogue.info(name, table.signatures.get(name))
    return score_column(name, table[name], None if info is None else not info.higher_is_closer)


def _objects(values: Sequence[object] | Numbers) -> Numbers:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
