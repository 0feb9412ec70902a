"""The shared state of the window: corpus, scores, axes, threshold and selection.

Views read it and connect to its signals; they never call each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.analysis.columns import LENGTH, Column, ColumnMaterial, columns_of, decimals_for, kinds_column
from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import VERDICT_THRESHOLD, ColumnMeaning, is_prediction, meaning
from parapluie_gui.arrays import Floats, Labels, Numbers, Rows, Scores
from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.pairs.column import Column as OwnColumn
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.reading.large import SampleOrigin
from parapluie_gui.scores.identity import identify, judge_column
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.derived import DerivedColumns
from parapluie_gui.ui.state.kinds import PairKinds
from parapluie_gui.ui.state.score_order import arrange_scores
from parapluie_gui.ui.state.selection import PairSelection
from parapluie_gui.ui.state.throttle import CallThrottle

Result = TypeVar("Result")

#: Minimum time between two `scores_changed`, in milliseconds. It is longer for a large corpus, so that views stay
#: responsive: 400 for a million pairs.
THROTTLE_MS = 100
_PAIRS_PER_MS = 2500

#: Number of pairs beyond which views show a change of many pairs in separate events, so that none takes long.
LARGE = 10_000


class CorpusWorkspace(QObject):
    """Corpus, scores, axes, threshold and selection; for the GUI thread only.

    Attributes:
        judgements: People's answers about the corpus.
        sample_origin: The file or folder of which the corpus is a sample; None if the corpus is complete.
        feature_material: Data for features' kinds of column, for any corpus, by the feature's name.

    Signals:
        corpus_changed: A different corpus is shown, or none.
        columns_changed: A column of numbers appeared, got its first number or vanished.
        scores_changed: (frozenset of column names) Numbers arrived; at most every 100 ms.
        axes_changed: A different column is on an axis.
        threshold_changed: (value) The threshold changed.
        threshold_moved: (start, value) The user moved it; a movement in several parts has the same start.
    """

    corpus_changed = Signal()
    columns_changed = Signal()
    scores_changed = Signal(frozenset)
    axes_changed = Signal()
    threshold_changed = Signal(float)
    threshold_moved = Signal(float, float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.corpus: Corpus | None = None
        self.judgements = CorpusJudgements()
        self.key: object = None
        self.sample_origin: SampleOrigin | None = None
        self.table = ScoreTable(0)
        self.selection = PairSelection(self)
        self.derived = DerivedColumns(self)
        self.kinds = PairKinds(self)
        self.feature_material: dict[str, object] = {}
        self._corpus_material: dict[str, object] = {}
        self._material_version = 0
        self.x = "edit_distance"
        self.y = judge_column("direct")
        self._awaited = self._awaited_x = ""
        self.threshold = 0.0
        self._dirty: set[str] = set()
        self._cache = StateCache()
        self._corpora = 0
        self._versions: Counter[str] = Counter()
        self._signatures: dict[str, Signature | None] = {}
        self._telling = CallThrottle(self._emit_scores, THROTTLE_MS, self)
        # Connected before any view, so that views read up-to-date values.
        self.columns_changed.connect(self._note_columns)
        self.columns_changed.connect(self.derived.forget)
        self.kinds.changed.connect(self._take_kinds)
        self.derived.changed.connect(self._note)
        self.derived.changed.connect(self.selection.refresh)
        self.derived.changed.connect(self.scores_changed)

    def show(
        self,
        corpus: Corpus | None,
        table: ScoreTable | None = None,
        key: object = None,
        judgements: CorpusJudgements | None = None,
        sample_origin: SampleOrigin | None = None,
    ) -> None:
        """Show a corpus with its stored scores.

        Args:
            corpus: The corpus, or None.
            table: Its scores.
            key: Identifies the corpus: equal whenever the same corpus is shown again.
            judgements: People's answers about it.
            sample_origin: The file or folder that it is a sample of.
        """
        self.key, self.sample_origin = key, sample_origin
        self.corpus, self.judgements = corpus, judgements or CorpusJudgements()
        rows = 0 if corpus is None else len(corpus)
        self.table = table if table is not None else ScoreTable(rows)
        arrange_scores(self.table)
        self._corpus_material = {}
        self._dirty.clear()
        self._corpora += 1
        self._cache.clear()
        self.derived.reset()
        self.kinds.reset(rows)
        if corpus is not None:
            self.kinds.correct(corpus, self.judgements)
        self._telling.wait = max(THROTTLE_MS, rows // _PAIRS_PER_MS)
        self.selection.reset(rows)
        self.corpus_changed.emit()
        self.columns_changed.emit()

    @property
    def is_large(self) -> bool:
        """Whether views show a change of many pairs in separate events, once for all changes of one event."""
        return self.table.rows > LARGE

    @property
    def people(self) -> Mapping[str, OwnColumn]:
        """People's answers about the corpus, as columns; see `judgements.columns`."""
        return self.judgements.columns

    @property
    def judged_corpus(self) -> Corpus | None:
        """The corpus with people's answers as further columns."""
        if self.corpus is None or not self.people:
            return self.corpus
        return replace(self.corpus, extra={**self.corpus.extra, **self.people})

    def set_judgements(self, judgements: CorpusJudgements) -> None:
        """Set people's answers."""
        before, self.judgements = self.people, judgements
        after = judgements.columns
        changed = frozenset(name for name in {**before, **after} if before.get(name) is not after.get(name))
        self._note(changed)
        self.derived.take(changed)
        if self.corpus is not None:
            self.kinds.correct(self.corpus, judgements)
        if list(before) != list(judgements.columns):
            self.columns_changed.emit()
        self.selection.refresh()
        self.scores_changed.emit(changed)

    def set_feature_material(
        self, feature: str, value: object, columns: Iterable[str] = (), *, here: bool = False
    ) -> None:
        """Set or remove the material of a feature for its kinds of column.

        Args:
            feature: The feature's name.
            value: The material, as the kinds of column read it from `ColumnMaterial.feature_material`; None removes it.
            columns: The feature's columns whose values change although their names and definitions do not.
            here: The material belongs to the corpus shown, and is dropped with it.
        """
        before, place = self.columns, self._corpus_material if here else self.feature_material
        if value is None:
            place.pop(feature, None)
        else:
            place[feature] = value
        self._material_version += 1
        after = self.columns
        differing = {key for key in {**before, **after} if before.get(key) != after.get(key)}
        self._note({*columns, *differing, *(key for key, column in after.items() if column.changes == "derived")})
        self.columns_changed.emit()
        self.selection.refresh()

    def corpus_material(self, feature: str) -> object:
        """Return a feature's material for the corpus shown, or None."""
        return self._corpus_material.get(feature)

    @property
    def material(self) -> ColumnMaterial:
        """The material that columns are computed from; a corpus must be shown."""
        assert self.judged_corpus is not None
        return ColumnMaterial(
            self.judged_corpus,
            self.table,
            self.judgements.holds,
            self.kinds.texts,
            lambda name, values: self.once(f"decimals {name}", partial(decimals_for, values), name),
            {**self.feature_material, **self._corpus_material},
        )

    def declare(self, column: str, signature: Signature | None = None) -> str:
        """Add a score column whose scores will follow, and return its name in this corpus."""
        column = self.table.declare(column, signature)
        arrange_scores(self.table)
        self.columns_changed.emit()
        return column

    def remark(self, column: str, sentence: str, cost: str, cut: Iterable[int]) -> None:
        """Add a sentence on the scores of a column, their cost, and the rows of cut pairs."""
        self.table.remark(column, sentence, cost, cut)
        self.columns_changed.emit()

    def put(self, rows: Rows, values: Mapping[str, Scores]) -> None:
        """Add scores of pairs; `scores_changed` follows."""
        before = set(self.table)
        empty = [column for column in values if not self.table.has_scores(column)]
        self.table.put(rows, values)
        if set(self.table) != before or any(map(self.table.has_scores, empty)):
            arrange_scores(self.table)
            self.columns_changed.emit()
            self._show_awaited()
        self._dirty.update(values, filter(self.table.__contains__, (identify(column).gap for column in values)))
        self._telling.ask()

    @property
    def columns(self) -> Mapping[str, Column]:
        """All columns of the corpus and its scores, by plain name; empty without a corpus."""
        table = self.table
        scores = tuple((name, table.has_scores(name), table.signatures.get(name)) for name in table)
        versions = self.version(*self.people)
        return self._cache.get(
            "columns",
            (scores, table.bounded_columns, frozenset(table.own), self._material_version, versions),
            self._columns,
        )

    def _columns(self) -> Mapping[str, Column]:
        return {} if self.corpus is None else columns_of(self.material)

    def numeric_columns(self) -> list[str]:
        """Return the names of the columns that an axis can show: scores first, then numeric columns of the corpus."""
        more = [column.key for column in self.columns.values() if column.axis and column.key not in self.table]
        return [*self.table, *sorted(more, key=lambda name: self.columns[name].own != "")]

    def values(self, column: str) -> Floats | None:
        """Return a column that an axis can show, float64 (n,) with NaN for missing values, or None."""
        if column in self.table:
            return self.table[column]
        definition = self.columns.get(column)
        return self.column_values(column) if definition is not None and definition.axis else None

    def predicts(self, column: str) -> bool:
        """Return whether a column can be compared with the labels as a score."""
        definition = self.columns.get(column)
        return definition is None or definition.predicts

    def column_values(self, key: str) -> Numbers:
        """Return a column as filters compare it, (n,): float64, or an object array of texts. All NaN if it was removed.

        Score columns are live views. Columns derived from scores are not: read them again after `derived.changed`.
        """
        definition = self.columns.get(key)
        if definition is None:
            return self.table[key] if key in self.table else np.full(self.table.rows, np.nan)
        if definition.changes == "derived":
            return self.derived.values(key, definition.sources, definition.values)
        if definition.changes in ("scores", "kinds"):
            return definition.values()
        return self.once(f"column {key}", definition.values, key)

    def texts(self, key: str) -> Sequence[object]:
        """Return a column of n texts, None for an empty cell; all None if the column was removed."""
        definition = self.columns.get(key)
        if definition is None:
            return [None] * self.table.rows
        return list(definition.values()) if definition.cells is None else definition.cells()

    def once(self, key: str, work: Callable[[], Result], column: str = "") -> Result:
        """Return the result of `work`, computed once for each key and version of the column.

        `work` depends only on the corpus, which does not change, or also on `column`, to which people may add answers.
        """
        return self._cache.get(key, self.version(column), work)

    def version(self, *columns: str) -> tuple[int, ...]:
        """Return a version for a `StateCache`: equal while the corpus and these columns are unchanged."""
        return (self._corpora, *(self._versions[column] for column in columns))

    def labels(self) -> Labels:
        """Return the labels, int8 (n,): 1, 0, or -1 for a pair without a label."""
        if self.corpus is None:
            return np.full(self.table.rows, UNLABELLED, dtype=np.int8)
        return self.corpus.labels

    def title(self, column: str) -> str:
        """Return a column's title, distinct from the others' ("DIRECT", "DIRECT · SmolLM2", "verdict (mean)")."""
        answers = self.columns.get(column) if column in self.people and column not in self.table else None
        if answers is not None:
            return answers.title
        return shown_name(self.table.identity(column), map(self.table.identity, self.table.signatures))

    def model_of(self, column: str) -> str:
        """Return the judge of a column that holds or derives from a judge's score, "" if it is unknown."""
        maker = self.table.identity(column).maker
        return "" if maker is None else maker.judge

    def higher_is_closer(self, column: str) -> bool:
        """Return True if larger numbers of this column mean nearer in meaning."""
        return self.meaning(column).higher_is_closer

    def meaning(self, column: str) -> ColumnMeaning:
        """Return the meaning of a column's numbers; the column need not exist yet."""
        definition = self.columns.get(column)
        return (
            meaning(identify(column), self.table.signatures.get(column)) if definition is None else definition.meaning
        )

    def set_axes(self, x: str | None = None, y: str | None = None) -> None:
        """Change the columns on the axes; a different score on y resets the threshold to its natural one."""
        self._awaited = "" if y else self._awaited
        self._awaited_x = "" if x else self._awaited_x
        x, y = x or self.x, y or self.y
        if (x, y) == (self.x, self.y):
            return
        moved = y != self.y
        self.x, self.y = x, y
        # The rule may depend on the column on y.
        self.selection.refresh()
        self.axes_changed.emit()
        if moved:
            self.set_threshold(self.natural_threshold(y))

    def show_judge_score(self, chosen: Sequence[str]) -> None:
        """Show a stored judge's score on y, or the first of the chosen scores, unless y already shows something."""
        columns = [column for column in self.table if identify(column).is_from_judge] or list(chosen)
        if columns and self.y not in [*columns, *self.table] and self.values(self.y) is None:
            self.await_score(columns[0])
        self._fill_x()

    def await_score(self, column: str) -> None:
        """Show a score on y as soon as it has a number; until then y shows the best column that has points."""
        self._awaited = column
        self._show_awaited()

    def _show_awaited(self) -> None:
        if self._awaited_x:
            self._fill_x()
        awaited = self._awaited
        if not awaited:
            return
        if self.table.has_scores(awaited):
            self.set_axes(y=awaited)
        elif not self.predicts(self.y) or not self._has_points(self.y):  # any score is preferred to a length
            self.set_axes(y=self._best_axis() or awaited)
            self._awaited = awaited

    def _fill_x(self) -> None:
        """Show a metric or the length on x if y has numbers but the column chosen for x has none."""
        wanted = self._awaited_x or self.x
        if self._has_points(wanted):
            self.set_axes(x=wanted)
        elif not self._has_points(self.x) and self._has_points(self.y):
            metrics = (name for name in self.table.scores if name != self.y and not identify(name).is_from_judge)
            metric = next(filter(self.table.has_scores, metrics), LENGTH if LENGTH in self.columns else wanted)
            self.set_axes(x=metric)
            self._awaited_x = wanted

    def _has_points(self, column: str) -> bool:
        values = self.values(column)
        return values is not None and bool(np.isfinite(values).any())

    def _best_axis(self) -> str:
        """Return the best column for y: a judge's score, a metric's, then the length; "" if nothing is scored."""
        scored = [column for column in self.table.scores if self.table.has_scores(column)]
        others = [column for column in scored if column != self.x]
        judged = [column for column in others if identify(column).is_from_judge]
        return next(iter([*judged, *others, *([LENGTH] if scored and LENGTH in self.columns else [])]), "")

    def natural_threshold(self, column: str) -> float:
        """Return 0 for ParaPLUIE, a metric's own threshold, or the middle of its range or of verdicts."""
        read = self.meaning(column)
        if read.threshold is not None:
            return read.threshold
        if (values := self.values(column)) is not None and is_prediction(values):
            return VERDICT_THRESHOLD
        middle = (read.low + read.high) / 2
        return middle if np.isfinite(middle) else 0.0

    def set_threshold(self, value: float) -> None:
        if value != self.threshold:
            self.threshold = value
            self.selection.refresh()
            self.threshold_changed.emit(value)

    def move_threshold(self, value: float, start: float | None = None) -> None:
        """Set the threshold as the user wishes, which can be undone back to `start`, by default where it is."""
        start = self.threshold if start is None else start
        self.set_threshold(value)
        self.threshold_moved.emit(start, value)

    def _emit_scores(self) -> None:
        changed, self._dirty = frozenset(self._dirty), set()
        self._announce(changed)

    def _take_kinds(self) -> None:
        if self.judged_corpus is not None:
            self._announce(frozenset({kinds_column(self.columns)}))

    def _announce(self, changed: frozenset[str]) -> None:
        """Update what depends on changed columns of scores, then emit `scores_changed`."""
        self._note(changed)
        self.derived.take(changed)
        self.selection.refresh()
        self.scores_changed.emit(changed)

    def _note(self, columns: Iterable[str]) -> None:
        self._versions.update(columns)

    def _note_columns(self) -> None:
        """Update the versions of columns that were added, removed or redefined, and of derived columns."""
        now = {column: self.table.signatures.get(column) for column in self.table}
        differing = {column for column, _ in now.items() ^ self._signatures.items()}
        self._signatures = now
        self._note(differing | self.derived.asked)


#: The earlier name, which other packages may import.
Workspace = CorpusWorkspace
