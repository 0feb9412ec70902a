"""The scores of one corpus in memory, a column per score, filled as results arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from parapluie_gui.arrays import Bounds, Mask, Rows, Scores
from parapluie_gui.own_files import skipping_damage
from parapluie_gui.scores.identity import (
    ColumnIdentity,
    ScoreKind,
    ScoreMaker,
    distinguish_judges,
    identify,
    judge_word,
)
from parapluie_gui.scores.signature import Signature


def is_scored(scores: Scores) -> Mask:
    """Return which pairs have a score, (n,): any number, also an infinite one; NaN is a missing score."""
    return ~np.isnan(np.asarray(scores, dtype=np.float64))


class ScoreTable:
    """Columns of float64 values, one row per pair of a corpus; NaN for missing scores.

    If a judge has scored both orders under a template, the table also maintains the column of their gap. In the window
    only the GUI thread writes to the table.

    Attributes:
        rows: Number of pairs n.
        signatures: The signature of each score column that has one.
        own: Columns copied from the corpus's column of the same name.
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.signatures: dict[str, Signature] = {}
        self.own: set[str] = set()
        self.cut: dict[str, set[int]] = {}
        self._columns: dict[str, Scores] = {}
        self._filled: set[str] = set()
        self._bounded: set[str] = set()

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __getitem__(self, column: str) -> Scores:
        """Return a column, shape (n,): a live view, not to be written to."""
        return self._columns[column]

    @property
    def scores(self) -> list[str]:
        """The score columns, without their `.p_yes`, `.p_no` and `.gap`."""
        return [name for name in self._columns if identify(name).is_score]

    def identity(self, column: str) -> ColumnIdentity:
        """Return the identity of a column; its maker comes from the signature of its score."""
        return identify(column, self.signatures.get(identify(column).score))

    @property
    def gaps(self) -> list[str]:
        """The columns with the gap between a judge's scores in both orders."""
        return [name for name in self._columns if identify(name).kind is ScoreKind.GAP]

    def declare(self, column: str, signature: Signature | None = None) -> str:
        """Add a column if it is missing, and return its name in this table.

        A judge's score has a column for each judge, precision and revision: the first judge under a template gets the
        given name, later ones a name with the judge. A column with a different signature is emptied first.
        """
        column = self.place(column, signature)
        before = self.signatures.get(column)
        other = signature is not None and before != signature and (before is not None or column in self.own)
        if column not in self._columns or other:
            self.drop(column)
            self._columns[column] = np.full(self.rows, np.nan)
        if signature is not None:
            # Columns computed before keep their cost.
            self.signatures[column] = signature.with_remark("", before.cost) if before == signature else signature
        return column

    def remark(self, column: str, sentence: str, cost: str = "", cut: Iterable[int] = ()) -> None:
        """Add a sentence on the scores of a column, or their cost, to its signature, and the rows of cut pairs."""
        if column in self.signatures:
            self.signatures[column] = self.signatures[column].with_remark(sentence, cost)
            self.cut.setdefault(column, set()).update(cut)

    def remarks_to_json(self) -> dict[str, object]:
        """Convert what `remark` added to lists and texts, by the signatures' keys, for `take_remarks`."""
        remarked = {
            column: signature
            for column, signature in self.signatures.items()
            if signature.remarks or signature.cost or self.cut.get(column)
        }
        return {
            signature.key: [signature.to_json(with_remarks=True), sorted(self.cut.get(column, ()))]
            for column, signature in remarked.items()
        }

    def take_remarks(self, stored: object) -> None:
        """Add the remarks that `remarks_to_json` returned; damaged ones are skipped."""
        known = stored if isinstance(stored, dict) else {}
        for column, signature in tuple(self.signatures.items()):
            with skipping_damage():
                text, cut = known[signature.key]
                rows = [row for row in cut if type(row) is int and 0 <= row < self.rows]
                earlier = Signature.from_json(text)
                for sentence in ("", *earlier.remarks):
                    self.remark(column, sentence, earlier.cost, rows)

    def forget_costs(self) -> None:
        """Remove the cost of every score from its signature."""
        self.signatures.update({column: replace(signature, cost="") for column, signature in self.signatures.items()})

    def place(self, column: str, signature: Signature | None) -> str:
        """Return the present or future name, in this table, of a score with this signature."""
        identity = identify(column, signature)
        if signature is None or identity.maker is None or not identity.is_from_judge or not identity.maker.judge:
            return column
        maker, others = identity.maker, self._scores_of_template(identity.maker)
        for known, known_maker in others:
            if known_maker.who == maker.who:
                return identity.with_word(known.word)
        taken = {known.word for known, _ in others}
        if identity.word not in taken:
            return column
        return identity.with_word(distinguish_judges([maker.words, *{other.words for _, other in others}], taken)[0])

    def column_for(self, column: str, judge: str, precision: str = "auto") -> str:
        """Return the present or future name, in this table, of a score by a judge of this name and precision."""
        identity, word = identify(column), judge_word(judge)
        if identity.maker is None or not word:
            return column
        for known, maker in reversed(self._scores_of_template(identity.maker)):
            if judge_word(maker.judge) == word and precision in ("auto", maker.precision):
                return identity.with_word(known.word)
        return self.place(column, Signature.from_fields(column, {"model": judge, "precision": precision}))

    def _scores_of_template(self, maker: ScoreMaker) -> list[tuple[ColumnIdentity, ScoreMaker]]:
        """Return the scores of all known judges under the maker's template, with their makers."""
        return [(identity, other) for identity, other in self._scores_of_judges() if other.template == maker.template]

    def _scores_of_judges(self) -> list[tuple[ColumnIdentity, ScoreMaker]]:
        """Return the scores of all known judges with their makers."""
        scores = ((identity, identity.maker) for identity in map(self.identity, self.signatures))
        return [(score, maker) for score, maker in scores if score.is_from_judge and maker and maker.judge]

    def columns_for(self, name: str) -> list[str]:
        """Return the columns that a name can mean: the column of this name, or else those of its judges."""
        if name in self._columns:
            return [name]
        return [column for column in self if name in self.identity(column).names]

    def judge_words(self) -> dict[str, str]:
        """Return the judges' words in column names, by `ScoreMaker.key`; {} if no name has one."""
        words = {maker.key: identity.word for identity, maker in self._scores_of_judges()}
        return words if any(words.values()) else {}

    def full_names(self) -> dict[str, str]:
        """Return the full names of columns without a judge in their name whose template has several judges.

        Columns of the corpus are left out.
        """
        names: dict[str, str] = {}
        for identity in map(self.identity, self.signatures):
            maker = identity.maker
            if (
                not identity.is_from_judge
                or maker is None
                or not maker.judge
                or identity.word
                or identity.column in self.own
            ):
                continue
            answers = self._scores_of_template(maker)
            if words := {other.words for _, other in answers if other.who != maker.who}:
                word = distinguish_judges([maker.words, *words], {other.word for other, _ in answers})[0]
                related = (name for name in self if identify(name).score == identity.column)
                names.update((name, identify(name).with_word(word)) for name in related)
        return names

    def with_full_names(self) -> ScoreTable:
        """Return the table for writing, with the judge in the names of a template with several judges."""
        names = self.full_names()
        if not names:
            return self
        table = ScoreTable(self.rows)
        table._columns = {names.get(name, name): values for name, values in self._columns.items()}
        table.signatures = {names.get(name, name): signature for name, signature in self.signatures.items()}
        table.own = set(self.own)
        table.cut = {names.get(name, name): rows for name, rows in self.cut.items()}
        table._filled = {names.get(name, name) for name in self._filled}
        table._bounded = {names.get(name, name) for name in self._bounded}
        return table

    def put(self, rows: Rows, values: Mapping[str, Scores]) -> None:
        """Write values of several columns at the given rows, adding missing columns."""
        for column, numbers in values.items():
            if column not in self._columns:
                self._columns[column] = np.full(self.rows, np.nan)
            self._columns[column][rows] = numbers
            if column not in self._filled and not np.isnan(numbers).all():
                self._filled.add(column)
        identities = [identify(column) for column in values]
        for score in {identity.score for identity in identities if identity.kind is ScoreKind.EVIDENCE} - self._bounded:
            if self._bounds(score, rows).any():
                self._bounded.add(score)
        for gap in {identity.gap for identity in identities if identity.is_from_judge}:
            self._update_gap(gap, rows)

    def _update_gap(self, gap: str, rows: Rows) -> None:
        """Update the gap at the given rows if both orders have scores."""
        forward, reverse = identify(gap).orders
        if not {forward, reverse} <= self._filled:
            return
        if gap not in self._columns:
            self._columns[gap], rows = np.full(self.rows, np.nan), np.arange(self.rows)
            self._filled.add(gap)
        values = self._columns[forward][rows] - self._columns[reverse][rows]
        for score in (forward, reverse):  # the gap of a bound is unknown
            values[self.bounds(score, rows) != 0] = np.nan
        self._columns[gap][rows] = values

    def bounds(self, column: str, rows: Rows) -> Bounds:
        """Return which of a judge's scores at k rows are bounds, int8 (k,).

        1: a lower bound, because p(no) is missing; -1: an upper bound, because p(yes) is missing; 0: exact.
        """
        return self._bounds(column, rows) if column in self._bounded else np.zeros(len(rows), dtype=np.int8)

    @property
    def bounded_columns(self) -> frozenset[str]:
        """The score columns that contain bounds."""
        return frozenset(self._bounded)

    def all_bounds(self, column: str) -> Bounds | None:
        """Return `bounds` of all n pairs, int8 (n,); None if all scores of the column are exact."""
        return self._bounds(column, np.arange(self.rows)) if column in self._bounded else None

    def bound_counts(self, column: str) -> tuple[int, int]:
        """Count the lower bounds and the upper bounds in a column."""
        bounds = self.all_bounds(column)
        return (0, 0) if bounds is None else (int(np.count_nonzero(bounds > 0)), int(np.count_nonzero(bounds < 0)))

    def _bounds(self, column: str, rows: Rows) -> Bounds:
        names = (column, *identify(column).evidence)
        if not all(name in self._columns for name in names):
            return np.zeros(len(rows), dtype=np.int8)
        known, yes, no = (~np.isnan(self._columns[name][rows]) for name in names)
        return (known & yes & ~no).astype(np.int8) - (known & no & ~yes).astype(np.int8)

    def arrange(self, place: Callable[[ColumnIdentity], Any]) -> None:
        """Order the columns by the place of the score that they belong to; equal places keep their order."""
        scores = {name: place(self.identity(identify(name).score)) for name in self._columns}
        self._columns = {name: self._columns[name] for name in sorted(self._columns, key=scores.__getitem__)}

    def drop(self, column: str) -> None:
        """Remove a column with its evidence, gap and bounds."""
        for name in (column, *identify(column).evidence, identify(column).gap):
            self._columns.pop(name, None)
            self._filled.discard(name)
            self._bounded.discard(name)
            self.own.discard(name)
        self.signatures.pop(column, None)
        self.cut.pop(column, None)

    def take(self, rows: Rows) -> ScoreTable:
        """Copy the scores of some pairs, with their signatures."""
        part = ScoreTable(len(rows))
        for column in self:
            part.declare(column, self.signatures.get(column))
            part.put(np.arange(len(rows)), {column: self[column][rows]})
        part.own = set(self.own)
        part.cut = {
            column: set(np.flatnonzero(np.isin(rows, sorted(cut))).tolist()) for column, cut in self.cut.items()
        }
        return part

    def has_scores(self, column: str) -> bool:
        """Return whether a score was ever written to a column; faster than `count_scores`."""
        return column in self._filled

    def count_scores(self, column: str) -> int:
        """Count the pairs with a score in this column."""
        return int(np.count_nonzero(is_scored(self._columns[column]))) if column in self._columns else 0
