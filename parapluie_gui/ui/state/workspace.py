"""The shared state of the window: corpus, scores, axes, threshold and selection, with one signal for each change.

Views read from here and listen here; they never talk to each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.analysis.columns import LENGTH, Column, ColumnMaterial, columns_of, decimals_for, kinds_column
from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import Meaning, meaning
from parapluie_gui.arrays import Floats, Labels, Numbers, Rows, Scores
from parapluie_gui.judgements.columns import People
from parapluie_gui.pairs.column import Column as OwnColumn
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.reading.large import SampleOrigin
from parapluie_gui.scores.identity import identify, judge_column
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.derived import Derived
from parapluie_gui.ui.state.kinds import Kinds
from parapluie_gui.ui.state.selection import Selection
from parapluie_gui.ui.state.throttle import Throttle

Result = TypeVar("Result")

#: Least milliseconds between two `scores_changed`; more for a large corpus, so that views stay responsive: 400 for a
#: million pairs.
THROTTLE_MS = 100
_PAIRS_PER_MS = 2500


class Workspace(QObject):
    """Corpus, scores, axes, threshold and selection; for the GUI thread only.

    Attributes:
        judgements: What people said of the corpus.
        whole: What the corpus is a sample of; None for any other.
        brought: What features bring for their kinds of column, of whatever corpus, by the feature's name.

    Signals:
        corpus_changed: Another corpus is shown (or none).
        columns_changed: A column of numbers appeared, has its first number or vanished.
        scores_changed: (frozenset of column names) Numbers arrived; at most every 100 ms.
        axes_changed: Another column is on an axis.
        threshold_changed: (value) The threshold is another one.
    """

    corpus_changed = Signal()
    columns_changed = Signal()
    scores_changed = Signal(frozenset)
    axes_changed = Signal()
    threshold_changed = Signal(float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.corpus: Corpus | None = None
        self.judgements = People()
        self.key: object = None
        self.whole: SampleOrigin | None = None
        self.table = ScoreTable(0)
        self.selection = Selection(self)
        self.derived = Derived(self)
        self.kinds = Kinds(self)
        self.brought: dict[str, object] = {}
        self._brought_here: dict[str, object] = {}
        self._bringings = 0
        self.x = "edit_distance"
        self.y = judge_column("direct")
        self._awaited = self._awaited_x = ""
        self.threshold = 0.0
        self._dirty: set[str] = set()
        self._made = Cache()
        self._corpora = 0
        self._versions: Counter[str] = Counter()
        self._signatures: dict[str, Signature | None] = {}
        self._telling = Throttle(self._tell, THROTTLE_MS, self)
        # Connected before any view, which may then ask.
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
        judgements: People | None = None,
        whole: SampleOrigin | None = None,
    ) -> None:
        """Show another corpus with its stored scores.

        Args:
            corpus: The corpus, or None.
            table: Its scores.
            key: The same when the same corpus is shown again.
            judgements: What people said of it.
            whole: What it is a sample of.
        """
        self.key, self.whole = key, whole
        self.corpus, self.judgements = corpus, judgements or People()
        rows = 0 if corpus is None else len(corpus)
        self.table = table if table is not None else ScoreTable(rows)
        self._brought_here = {}
        self._dirty.clear()
        self._corpora += 1
        self._made.clear()
        self.derived.reset()
        self.kinds.reset(rows)
        if corpus is not None:
            self.kinds.correct(corpus, self.judgements)
        self._telling.wait = max(THROTTLE_MS, rows // _PAIRS_PER_MS)
        self.selection.reset(rows)
        self.corpus_changed.emit()
        self.columns_changed.emit()

    @property
    def people(self) -> Mapping[str, OwnColumn]:
        """What people said of the corpus, as columns; see `judgements.columns`."""
        return self.judgements.columns

    @property
    def judged(self) -> Corpus | None:
        """The corpus with what people said of it as further columns."""
        if self.corpus is None or not self.people:
            return self.corpus
        return replace(self.corpus, extra={**self.corpus.extra, **self.people})

    def set_judgements(self, judgements: People) -> None:
        """Take what people say by now."""
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

    def set_brought(self, feature: str, value: object, columns: Iterable[str] = (), *, here: bool = False) -> None:
        """Take what a feature brings for its kinds of column; None for nothing.

        Args:
            feature: Its name.
            value: As its kinds of column find it in `ColumnMaterial.brought`.
            columns: Those of its columns that have other values from now on, though they are called and made as before.
            here: It is about the corpus that is shown, and goes with it.
        """
        before, place = self.columns, self._brought_here if here else self.brought
        if value is None:
            place.pop(feature, None)
        else:
            place[feature] = value
        self._bringings += 1
        after = self.columns
        differing = {key for key in {**before, **after} if before.get(key) != after.get(key)}
        self._note({*columns, *differing, *(key for key, each in after.items() if each.changes == "derived")})
        self.columns_changed.emit()
        self.selection.refresh()

    def brought_here(self, feature: str) -> object:
        """Return what a feature brought for the corpus that is shown; None for nothing."""
        return self._brought_here.get(feature)

    @property
    def material(self) -> ColumnMaterial:
        """What columns are made of; there must be a corpus."""
        assert self.judged is not None
        return ColumnMaterial(
            self.judged,
            self.table,
            self.judgements.holds,
            self.kinds.texts,
            lambda name, values: self.once(f"decimals {name}", partial(decimals_for, values), name),
            {**self.brought, **self._brought_here},
        )

    def declare(self, column: str, signature: Signature | None = None) -> str:
        """Announce that a score column is about to fill, and return what it is called here."""
        column = self.table.declare(column, signature)
        self.columns_changed.emit()
        return column

    def put(self, rows: Rows, values: Mapping[str, Scores]) -> None:
        """Add scores for pairs; `scores_changed` follows."""
        before = set(self.table)
        empty = [column for column in values if not self.table.has_scores(column)]
        self.table.put(rows, values)
        if set(self.table) != before or any(map(self.table.has_scores, empty)):
            self.columns_changed.emit()
            self._show_awaited()
        self._dirty.update(values, filter(self.table.__contains__, (identify(column).gap for column in values)))
        self._telling.ask()

    @property
    def columns(self) -> Mapping[str, Column]:
        """Every column of the corpus and its scores by its plain name; none without a corpus."""
        table = self.table
        scores = tuple((name, table.has_scores(name), table.signatures.get(name)) for name in table)
        versions = self.version(*self.people)
        return self._made.get(
            "columns", (scores, table.bounded, frozenset(table.own), self._bringings, versions), self._columns
        )

    def _columns(self) -> Mapping[str, Column]:
        return {} if self.corpus is None else columns_of(self.material)

    def numeric_columns(self) -> list[str]:
        """Return the names of all columns for axes: scores first, then numeric columns of the corpus."""
        more = [each.key for each in self.columns.values() if each.axis and each.key not in self.table]
        return [*self.table, *sorted(more, key=lambda name: self.columns[name].own != "")]

    def values(self, column: str) -> Floats | None:
        """Return a column that may stand on an axis, float64 (n,) with NaN where missing; None when there is none."""
        if column in self.table:
            return self.table[column]
        found = self.columns.get(column)
        return self.column_values(column) if found is not None and found.axis else None

    def column_values(self, key: str) -> Numbers:
        """Return a column as filters compare it, (n,): float64, or objects that are texts; all NaN when it is gone.

        Score columns are live views; what is derived from scores is not, `derived` tells when to ask again.
        """
        found = self.columns.get(key)
        if found is None:
            return self.table[key] if key in self.table else np.full(self.table.rows, np.nan)
        if found.changes == "derived":
            return self.derived.values(key, found.sources, found.values)
        if found.changes in ("scores", "kinds"):
            return found.values()
        return self.once(f"column {key}", found.values, key)

    def texts(self, key: str) -> Sequence[object]:
        """Return a column of texts: n values, None where a cell is empty; a column that is gone is all None."""
        found = self.columns.get(key)
        if found is None:
            return [None] * self.table.rows
        return list(found.values()) if found.cells is None else found.cells()

    def once(self, key: str, work: Callable[[], Result], column: str = "") -> Result:
        """Return a function's result on the corpus, which does not change, or on a column that people add to.

        It is computed once for each key and state of the column.
        """
        return self._made.get(key, self.version(column), work)

    def version(self, *columns: str) -> tuple[int, ...]:
        """Return a state for a `Cache`: it stays equal as long as the corpus and the numbers of these columns do."""
        return (self._corpora, *(self._versions[column] for column in columns))

    def labels(self) -> Labels:
        """Return the labels, int8 (n,): 1, 0, or -1 where there is none."""
        if self.corpus is None:
            return np.full(self.table.rows, UNLABELLED, dtype=np.int8)
        return self.corpus.labels

    def title(self, column: str) -> str:
        """Return a column's name for a person, beside the others: "DIRECT", "DIRECT · SmolLM2", "verdict (mean)"."""
        said = self.columns.get(column) if column in self.people and column not in self.table else None
        if said is not None:
            return said.title
        return shown_name(self.table.identity(column), map(self.table.identity, self.table.signatures))

    def model_of(self, column: str) -> str:
        """Return the judge of a judge's score, or of what belongs to one; "" where it is not known."""
        maker = self.table.identity(column).maker
        return "" if maker is None else maker.judge

    def higher_is_closer(self, column: str) -> bool:
        """Return True if larger numbers of this column mean closer in meaning."""
        return self.meaning(column).higher_is_closer

    def meaning(self, column: str) -> Meaning:
        """Return how to read the numbers of a column, also before it is there."""
        found = self.columns.get(column)
        return meaning(identify(column), self.table.signatures.get(column)) if found is None else found.meaning

    def set_axes(self, x: str | None = None, y: str | None = None) -> None:
        """Put other columns on the axes; another score on y puts the threshold back to its natural one."""
        self._awaited = "" if y else self._awaited
        self._awaited_x = "" if x else self._awaited_x
        x, y = x or self.x, y or self.y
        if (x, y) == (self.x, self.y):
            return
        moved = y != self.y
        self.x, self.y = x, y
        # A rule may be about the column on y: it has other members now.
        self.selection.refresh()
        self.axes_changed.emit()
        if moved:
            self.set_threshold(self.natural_threshold(y))

    def show_judge_score(self, chosen: Sequence[str]) -> None:
        """Put a stored judge's score on y, or the first of the chosen ones, unless y shows something already."""
        columns = [column for column in self.table if identify(column).judged] or list(chosen)
        if columns and self.y not in [*columns, *self.table] and self.values(self.y) is None:
            self.await_score(columns[0])
        self._fill_x()

    def await_score(self, column: str) -> None:
        """Put a score on y as soon as it has a number; until then y shows what has points, if anything has."""
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
        elif self.y == LENGTH or not self._has_points(self.y):  # a length is better than nothing, no more
            self.set_axes(y=self._best_axis() or awaited)
            self._awaited = awaited

    def _fill_x(self) -> None:
        """Put a metric or the length on x while what is there has no numbers and y has some: a file of scores."""
        wanted = self._awaited_x or self.x
        if self._has_points(wanted):
            self.set_axes(x=wanted)
        elif not self._has_points(self.x) and self._has_points(self.y):
            metrics = (name for name in self.table.scores if name != self.y and not identify(name).judged)
            found = next(filter(self.table.has_scores, metrics), LENGTH if LENGTH in self.columns else wanted)
            self.set_axes(x=found)
            self._awaited_x = wanted

    def _has_points(self, column: str) -> bool:
        values = self.values(column)
        return values is not None and bool(np.isfinite(values).any())

    def _best_axis(self) -> str:
        """Return what says most beside x: a judge's score, a metric's, the length; "" while nothing is scored."""
        scored = [column for column in self.table.scores if self.table.has_scores(column)]
        others = [column for column in scored if column != self.x]
        judged = [column for column in others if identify(column).judged]
        return next(iter([*judged, *others, *([LENGTH] if scored and LENGTH in self.columns else [])]), "")

    def natural_threshold(self, column: str) -> float:
        """Return 0 for ParaPLUIE, a metric's own threshold if it has one, or the middle of its range."""
        read = self.meaning(column)
        if read.threshold is not None:
            return read.threshold
        middle = (read.low + read.high) / 2
        return middle if np.isfinite(middle) else 0.0

    def set_threshold(self, value: float) -> None:
        if value != self.threshold:
            self.threshold = value
            self.selection.refresh()
            self.threshold_changed.emit(value)

    def _tell(self) -> None:
        changed, self._dirty = frozenset(self._dirty), set()
        self._note(changed)
        self.derived.take(changed)
        self.selection.refresh()
        self.scores_changed.emit(changed)

    def _take_kinds(self) -> None:
        if self.judged is not None:
            changed = frozenset({kinds_column(self.columns)})
            self._note(changed)
            self.derived.take(changed)
            self.selection.refresh()
            self.scores_changed.emit(changed)

    def _note(self, columns: Iterable[str]) -> None:
        self._versions.update(columns)

    def _note_columns(self) -> None:
        """Update the versions of columns that came, went or are computed in another way, and of derived columns."""
        now = {column: self.table.signatures.get(column) for column in self.table}
        differing = {column for column, _ in now.items() ^ self._signatures.items()}
        self._signatures = now
        self._note(differing | self.derived.asked)
