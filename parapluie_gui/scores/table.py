"""The scores of one corpus in memory: a column of numbers per score, filled as results arrive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from parapluie_gui.arrays import Bounds, Rows, Scores
from parapluie_gui.scores.identity import Identity, Kind, Maker, apart, identify, judge_word
from parapluie_gui.scores.signature import Signature


class ScoreTable:
    """Columns of float64 values, one row per pair of a corpus, NaN where there is no score yet.

    Where a judge has scored both directions under a template, the column of their gap is kept up beside them. In the
    window the GUI thread owns the table and nobody else writes it.

    Attributes:
        rows: Number of pairs n.
        signatures: The signature of each score column that has one.
        own: Columns that hold what the corpus's own column of that name holds.
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.signatures: dict[str, Signature] = {}
        self.own: set[str] = set()
        self._columns: dict[str, Scores] = {}
        self._filled: set[str] = set()
        self._bounded: set[str] = set()

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __getitem__(self, column: str) -> Scores:
        """Return a column, shape (n,); a live view that the caller must not write."""
        return self._columns[column]

    @property
    def scores(self) -> list[str]:
        """The columns that are scores, without what belongs to them (`.p_yes`, `.p_no`, `.gap`)."""
        return [name for name in self._columns if identify(name).is_score]

    def identity(self, column: str) -> Identity:
        """Return what one of the columns is, and who made it as far as the signature of its score says."""
        return identify(column, self.signatures.get(identify(column).score))

    @property
    def gaps(self) -> list[str]:
        """The columns of the gap between a judge's scores in both directions."""
        return [name for name in self._columns if identify(name).kind is Kind.GAP]

    def declare(self, column: str, signature: Signature | None = None) -> str:
        """Make sure a column exists, and return what it is called here.

        A judge's score has a column for each judge, precision and revision: the first under a template is called as
        asked, a further one by its judge too. What is computed otherwise in anything else starts afresh.
        """
        column = self.place(column, signature)
        before = self.signatures.get(column)
        other = signature is not None and before != signature and (before is not None or column in self.own)
        if column not in self._columns or other:
            self.drop(column)
            self._columns[column] = np.full(self.rows, np.nan)
        if signature is not None:
            self.signatures[column] = signature
        return column

    def place(self, column: str, signature: Signature | None) -> str:
        """Return what a score with this signature is, or would be, called here."""
        asked = identify(column, signature)
        if signature is None or asked.maker is None or not asked.judged or not asked.maker.judge:
            return column
        maker, others = asked.maker, self._answers(asked.maker)
        for each, other in others:
            if other.who == maker.who:
                return asked.named(each.word)
        taken = {each.word for each, _ in others}
        if asked.word not in taken:
            return column
        return asked.named(apart([maker.words, *{other.words for _, other in others}], taken)[0])

    def column_for(self, column: str, judge: str, precision: str = "auto") -> str:
        """Return what a judge's score is, or will be, called here, as far as the names of judge and precision tell."""
        asked, word = identify(column), judge_word(judge)
        if asked.maker is None or not word:
            return column
        for each, maker in reversed(self._answers(asked.maker)):
            if judge_word(maker.judge) == word and precision in ("auto", maker.precision):
                return asked.named(each.word)
        return self.place(column, Signature.of(column, {"model": judge, "precision": precision}))

    def _answers(self, maker: Maker) -> list[tuple[Identity, Maker]]:
        """Return the scores of known judges who were asked what this one was, with their makers."""
        made = [(each, each.maker) for each in map(self.identity, self.signatures) if each.judged]
        return [(each, one) for each, one in made if one and one.judge and one.template == maker.template]

    def columns_for(self, name: str) -> list[str]:
        """Return the columns that a plain name fits: that of the name, otherwise all with a judge it may be said of."""
        if name in self._columns:
            return [name]
        return [column for column in self if name in self.identity(column).names]

    def judge_words(self) -> dict[str, str]:
        """Return what the names of columns say of their judges, by `Maker.key`, where any name says something."""
        made = [(each, each.maker) for each in map(self.identity, self.signatures) if each.judged]
        found = {maker.key: each.word for each, maker in made if maker is not None and maker.judge}
        return found if any(found.values()) else {}

    def full_names(self) -> dict[str, str]:
        """Return what columns are called where several judges answered one question and they do not say which.

        What the corpus itself calls so is not among them.
        """
        found: dict[str, str] = {}
        for each in map(self.identity, self.signatures):
            maker = each.maker
            if not each.judged or maker is None or not maker.judge or each.word or each.column in self.own:
                continue
            answers = self._answers(maker)
            if words := {other.words for _, other in answers if other.who != maker.who}:
                word = apart([maker.words, *words], {other.word for other, _ in answers})[0]
                mine = (name for name in self if identify(name).score == each.column)
                found.update((name, identify(name).named(word)) for name in mine)
        return found

    def with_full_names(self) -> ScoreTable:
        """Return the table as it is to be written: where several judges answered one question, each says which."""
        names = self.full_names()
        if not names:
            return self
        table = ScoreTable(self.rows)
        table._columns = {names.get(name, name): values for name, values in self._columns.items()}
        table.signatures = {names.get(name, name): signature for name, signature in self.signatures.items()}
        table.own = set(self.own)
        table._filled = {names.get(name, name) for name in self._filled}
        table._bounded = {names.get(name, name) for name in self._bounded}
        return table

    def put(self, rows: Rows, values: Mapping[str, Scores]) -> None:
        """Write values of several columns at the given rows; columns appear when first written."""
        for column, numbers in values.items():
            if column not in self._columns:
                self._columns[column] = np.full(self.rows, np.nan)
            self._columns[column][rows] = numbers
            if column not in self._filled and not np.isnan(numbers).all():
                self._filled.add(column)
        made = [identify(column) for column in values]
        for score in {each.score for each in made if each.kind is Kind.EVIDENCE} - self._bounded:
            if self._bounds(score, rows).any():
                self._bounded.add(score)
        for gap in {each.gap for each in made if each.judged}:
            self._renew(gap, rows)

    def _renew(self, gap: str, rows: Rows) -> None:
        """Compute a gap again at the given rows, if there are scores of both directions."""
        forward, reverse = identify(gap).orders
        if not {forward, reverse} <= self._filled:
            return
        if gap not in self._columns:
            self._columns[gap], rows = np.full(self.rows, np.nan), np.arange(self.rows)
            self._filled.add(gap)
        values = self._columns[forward][rows] - self._columns[reverse][rows]
        for score in (forward, reverse):  # how far a bound is from another number is not known
            values[self.bounds(score, rows) != 0] = np.nan
        self._columns[gap][rows] = values

    def bounds(self, column: str, rows: Rows) -> Bounds:
        """Return which of a judge's scores are bounds, by the numbers of k pairs: int8 (k,).

        1: the score is at least that, as p(no) was not told; -1: at most that, as p(yes) was not; 0: it is exact.
        """
        return self._bounds(column, rows) if column in self._bounded else np.zeros(len(rows), dtype=np.int8)

    @property
    def bounded(self) -> frozenset[str]:
        """The scores among which there are bounds."""
        return frozenset(self._bounded)

    def all_bounds(self, column: str) -> Bounds | None:
        """Return `bounds` of all n pairs, (n,); None where all scores of the column are exact."""
        return self._bounds(column, np.arange(self.rows)) if column in self._bounded else None

    def bound_counts(self, column: str) -> tuple[int, int]:
        """Return how many scores of a column are at least what they say, and how many at most."""
        bounds = self.all_bounds(column)
        return (0, 0) if bounds is None else (int(np.count_nonzero(bounds > 0)), int(np.count_nonzero(bounds < 0)))

    def _bounds(self, column: str, rows: Rows) -> Bounds:
        names = (column, *identify(column).evidence)
        if not all(name in self._columns for name in names):
            return np.zeros(len(rows), dtype=np.int8)
        known, yes, no = (~np.isnan(self._columns[name][rows]) for name in names)
        return (known & yes & ~no).astype(np.int8) - (known & no & ~yes).astype(np.int8)

    def drop(self, column: str) -> None:
        """Forget a column and what belongs to it."""
        for name in (column, *identify(column).evidence, identify(column).gap):
            self._columns.pop(name, None)
            self._filled.discard(name)
            self._bounded.discard(name)
            self.own.discard(name)
        self.signatures.pop(column, None)

    def take(self, rows: Rows) -> ScoreTable:
        """Return a copy of the scores of some pairs, with their signatures."""
        part = ScoreTable(len(rows))
        for column in self:
            part.declare(column, self.signatures.get(column))
            part.put(np.arange(len(rows)), {column: self[column][rows]})
        part.own = set(self.own)
        return part

    def has_scores(self, column: str) -> bool:
        """Return whether a number was ever written to a column; unlike `scored`, without looking at the values."""
        return column in self._filled

    def scored(self, column: str) -> int:
        """Return how many pairs have a score in this column."""
        return int(np.count_nonzero(~np.isnan(self._columns[column]))) if column in self._columns else 0
