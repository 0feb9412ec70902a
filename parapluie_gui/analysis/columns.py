"""All columns of a corpus and its scores, for the table, axes, filters and exports.

A kind of column is a function, in `_CORE` or in a feature, that yields its columns. A column carries everything needed
to show it: its names, format, position and values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from operator import attrgetter

import numpy as np

from parapluie_gui.analysis.filter.expression import Filter, compile_filter
from parapluie_gui.analysis.filter.formula import RowFormula, compile_formula
from parapluie_gui.analysis.filter.words import OUTCOME, OUTCOMES
from parapluie_gui.analysis.names import further_names, shown_names
from parapluie_gui.analysis.score_column import ColumnMeaning, ScoreColumn, meaning, score_column
from parapluie_gui.analysis.statistics.disagreement import disagreement
from parapluie_gui.analysis.statistics.shared_errors import independent_scores
from parapluie_gui.analysis.threshold import outcome
from parapluie_gui.arrays import Floats, Labels, Numbers, Scores
from parapluie_gui.feature import collect_parts, installed_features
from parapluie_gui.judgements.columns import JudgementColumn
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.changes import kinds
from parapluie_gui.metrics.changes.corrections import corrected_kinds, corrections_of
from parapluie_gui.pairs.column import Column as OwnColumn
from parapluie_gui.pairs.column import NumberColumn, TextColumn
from parapluie_gui.pairs.corpus import ROLES, UNLABELLED, Corpus
from parapluie_gui.scores.identity import BOUNDS, ColumnIdentity, ScoreKind, identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

#: Names of the columns for the disagreement between scores and for the length of the longer sentence.
DISAGREEMENT, LENGTH = "disagreement", "length"
#: Values of `Column.shows` for columns of numbers.
NUMBERS = frozenset({"score", "evidence", "number"})

#: Words for the codes of `ScoreTable.bounds`: None for exact scores, "at least" for 1 and "at most" for -1.
_BOUNDS = np.array([None, *BOUNDS], dtype=object)
#: Number of ids that decide whether the table shows ids, and the forms of an id with one number and of one with two.
_SEEN_IDS, _NUMBERED, _OF_BOTH = 100, re.compile(r"\D*0*?(\d+)"), re.compile(r"\d+-\d+")
#: Maximum number of scores named in a tooltip.
_NAMED_SCORES = 8
_ROLES = {
    "id": ("Id", "Identifier of the pair"),
    "source": ("Source", "Source sentence"),
    "hypothesis": ("Hypothesis", "Hypothesis: the possible paraphrase"),
    "reference": ("Reference", "Reference: a paraphrase written by a person"),
    "label": ("Label", "Label given by the corpus"),
    "human": ("Human score", "Score given by people"),
    "group": ("Group", "The group of the pair in its corpus"),
}
#: Tooltips for columns of people's answers.
_PEOPLE = {
    JudgementColumn.NOTES: "Notes on the pair",
    JudgementColumn.ANSWER: "The majority's answer, or the mean on a scale; empty if there is no majority",
    JudgementColumn.MEAN: "Mean of people's answers on their scale",
    JudgementColumn.ONE: "Answer of this annotator",
    JudgementColumn.TIME: "When this annotator answered",
}


@dataclass(frozen=True)
class Column:
    """A column of the table, with its names, format, position and values.

    Attributes:
        key: The unique plain name in filters, exports and sessions ("pluie.direct").
        title: The name shown to people, which filters accept too.
        tip: A description in plain text.
        shows: "text", "label", "outcome", "score", "evidence" or "number".
        values: The function that returns its values for filters, (n,): float64 with NaN where missing, or objects (str
            or None). Labels are 1.0, 0.0 or NaN. Score columns are live views.
        cells: The function that returns a column of texts as in the corpus; None if `values` returns the texts.
        place: Its position in the table, from the left; None if the table does not show it. A column with `behind`
            follows the last of those columns instead.
        behind: The columns that it follows.
        hidden: Does the table hide it by default?
        decimals: Decimal places.
        signed: Do positive numbers have a plus sign?
        filters: Do filters accept it?
        exported: Is it in exported tables?
        axis: Can it be on an axis?
        predicts: Can it be compared with the labels as a score? Not if it only measures a pair, such as its length.
        changes: The reason why its values may change: "never", new "scores", the answers of "people", newly found
            "kinds" of change, or "derived" if it is computed from `sources`.
        sources: The scores that it is computed from.
        meaning: The meaning of its numbers: direction, natural threshold, range.
        own: Its name in the corpus; "" if it is not one of the corpus's further columns.
        more_names: Further plain names for it, such as a judge's score with less or more of the judge's name.
        identity: The kind and the maker of a score; None if it is not a score.
        expression: Its formula in the language of filters; "" if it is not computed from other columns.
        signature: Its signature in files, from which it can be read again; the signatures of scores are in the score
            table.
    """

    key: str
    title: str
    tip: str
    shows: str
    values: Callable[[], Numbers] = field(compare=False, repr=False)
    cells: Callable[[], Sequence[object]] | None = field(default=None, compare=False, repr=False)
    place: int | None = None
    behind: tuple[str, ...] = ()
    hidden: bool = False
    decimals: int = 3
    signed: bool = False
    filters: bool = True
    exported: bool = True
    axis: bool = False
    predicts: bool = True
    changes: str = "never"
    sources: tuple[str, ...] = ()
    meaning: ColumnMeaning = field(default_factory=ColumnMeaning)
    own: str = ""
    more_names: tuple[str, ...] = ()
    identity: ColumnIdentity | None = None
    expression: str = ""
    signature: Signature | None = None

    @property
    def name(self) -> str:
        """The name in a copy of the table: the plain name, or the title if filters do not accept it."""
        return self.key if self.filters else self.title

    def format(self, value: float) -> str:
        """Format a number, "" for NaN."""
        if np.isnan(value):
            return ""
        if np.isinf(value):
            return "+∞" if value > 0 else "−∞"
        text = f"{value:{'+' if self.signed else ''}.{self.decimals}f}"
        if self.shows == "evidence" and 0 < value <= 1 and float(text) in (0, 1):  # no model is certain
            least = 10**-self.decimals
            return f"> {1 - least:.{self.decimals}f}" if float(text) else f"< {least:.{self.decimals}f}"
        if not float(text):
            text = text.lstrip("+-")  # a number that rounds to zero has no sign
        return text.replace("-", "−")


@dataclass(frozen=True)
class ColumnMaterial:
    """The input from which columns are made.

    Attributes:
        corpus: n pairs, with people's answers as further columns.
        table: Their scores.
        people: The kind of content of each column with people's answers, by name.
        kinds: The function that returns the kinds of change in words, (n,); None to compute them (two milliseconds per
            pair).
        decimals: The function that returns the decimal places for a numeric column of the file, given its name and
            values.
        feature_material: Further input for the columns of features, by the feature's name.
    """

    corpus: Corpus
    table: ScoreTable
    people: Mapping[str, JudgementColumn] = field(default_factory=dict)
    kinds: Callable[[], Numbers] | None = None
    decimals: Callable[[str, Floats], int] = lambda name, values: 3
    feature_material: Mapping[str, object] = field(default_factory=dict)

    @property
    def own(self) -> list[str]:
        """The names of the further columns of the corpus that are not scores."""
        return [name for name in self.corpus.extra if name not in self.table.own]


def columns_of(pairs: ColumnMaterial) -> dict[str, Column]:
    """Return all columns by their plain names, in the order of exported tables.

    Roles and scores keep their names. A column of the file with the same name gets the suffix " (corpus)", or is left
    out if the score contains all of its numbers.
    """
    columns: dict[str, Column] = {}
    for kind in column_kinds():
        columns.update((column.key, column) for column in kind(pairs, columns))
    return columns


def outcome_column(score: ScoreColumn, labels: Labels, threshold: float) -> Column:
    """Return the outcomes of a score at a threshold as a column of texts: TP, FP, FN, TN, or None without one."""
    words = np.array([None, *OUTCOMES], dtype=object)

    def texts() -> Numbers:
        return words[outcome(score.values, labels, threshold, score.higher_is_closer)]

    return Column(OUTCOME, "Outcome", "", "text", texts, changes="scores")


def arrange_columns(columns: Mapping[str, Column]) -> list[Column]:
    """Return the columns of the table of pairs, from left to right."""
    placed = [column for column in columns.values() if column.place is not None]
    ordered = sorted((column for column in placed if not column.behind), key=attrgetter("place"))
    for column in placed:
        if column.behind:
            place = max(
                (place for place, other in enumerate(ordered) if other.key in column.behind), default=len(ordered) - 1
            )
            ordered.insert(place + 1, column)
    return ordered


def filter_titles(columns: Mapping[str, Column]) -> dict[str, str]:
    """Return plain names by the shown names that filters accept: the shown names that only one column has."""
    return _unambiguous_names(columns, lambda column: (column.title,))


def _unambiguous_names(columns: Mapping[str, Column], names: Callable[[Column], Iterable[str]]) -> dict[str, str]:
    """Return plain names by other names of columns, leaving out names of several columns and plain names."""
    taken = Counter(name for column in columns.values() for name in names(column))
    return {
        name: column.key
        for column in columns.values()
        for name in names(column)
        if column.filters and taken[name] == 1 and name not in columns
    }


def compile_column_filter(text: str, columns: Mapping[str, Column]) -> Filter:
    """Compile a filter that uses plain or shown names of columns; errors as in `compile_filter`."""
    return compile_filter(text, *_filter_names(columns))


def compile_column_formula(text: str, columns: Mapping[str, Column]) -> RowFormula:
    """Compile a formula that uses plain or shown names of columns; errors as in `compile_formula`."""
    return compile_formula(text, *_filter_names(columns))


def _filter_names(columns: Mapping[str, Column]) -> tuple[list[str], dict[str, str], dict[str, ColumnIdentity]]:
    """Return the plain names that filters accept, plain names by further names, and the identities of the scores."""
    titles = {**_unambiguous_names(columns, attrgetter("more_names")), **filter_titles(columns)}
    scores = {column.key: column.identity for column in columns.values() if column.identity}
    return [column.key for column in columns.values() if column.filters], titles, scores


def add_derived_columns(pairs: ColumnMaterial, table: ScoreTable) -> list[str]:
    """Add the columns with a signature to a table of scores, and return their names.

    Later changes to their sources do not change their numbers.
    """
    names = []
    for key, column in columns_of(pairs).items():
        if column.signature is not None and key not in table:
            table.declare(key, column.signature)
            table.put(np.arange(table.rows), {key: np.asarray(column.values(), dtype=np.float64)})
            names.append(key)
    return names


def read_column_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the input of features' columns from the settings of a session, for `ColumnMaterial.feature_material`."""
    return {
        feature.name: part.read(settings[part.setting])
        for feature in installed_features()
        for part in feature.columns
        if part.setting in settings
    }


def change_kinds(corpus: Corpus) -> Scores:
    """Return the kinds of change of each pair, (n,), as codes of `kinds.ChangeKinds`; two milliseconds per pair.

    If the corpus has a column of corrections, people's corrections take precedence.
    """
    numbers = kinds.ChangeKinds().score(corpus.source, corpus.hypothesis)
    for row, text in corrections_of(corpus).items():
        numbers[row] = kinds.kinds_number(corrected_kinds(corpus.source[row], corpus.hypothesis[row], text))
    return numbers


def kinds_column(columns: Mapping[str, Column]) -> str:
    """Return the plain name of the column of kinds of change: "type", unless the corpus has a column "type"."""
    return next(column.key for column in columns.values() if column.changes == "kinds")


def with_kinds(corpus: Corpus, table: ScoreTable, numbers: Scores | None = None) -> Corpus:
    """Return a corpus with its kinds of change as a further column.

    Args:
        corpus: n pairs.
        table: Their scores.
        numbers: The kinds that are already known, (n,); NaN where unknown.
    """
    kind_numbers = np.full(len(corpus), np.nan) if numbers is None else numbers.copy()
    missing = np.flatnonzero(np.isnan(kind_numbers))
    kind_numbers[missing] = change_kinds(corpus.take(missing))
    column = TextColumn(kinds.kind_texts(kind_numbers).tolist())
    return replace(corpus, extra={**corpus.extra, kinds_column(columns_of(ColumnMaterial(corpus, table))): column})


def decimals_for(values: Floats) -> int:
    """Return the decimal places to show of these numbers, 0 (for integers) to 3."""
    finite = values[np.isfinite(values)]
    if not len(finite) or np.array_equal(finite, np.round(finite)):
        return 0
    for digits in (1, 2):
        if np.allclose(finite, np.round(finite, digits), atol=1e-9):
            return digits
    return 3 if np.abs(finite).max() < 100 else 2


# The kinds of columns


def _roles(pairs: ColumnMaterial, columns: Mapping[str, Column]) -> Iterator[Column]:
    """Id, sentences, label, human score and group of each pair."""
    corpus = pairs.corpus
    places = {"source": 2, "hypothesis": 2, "reference": 2, "label": 3, "human": 8, "id": 9, "group": 9}
    for role in ROLES:
        values = getattr(corpus, role)
        if values is None:
            continue
        make_column = partial(Column, role, *_ROLES[role], place=places[role])
        if role == "label":
            labels = partial(lambda codes: np.where(codes == UNLABELLED, np.nan, codes.astype(np.float64)), values)
            yield make_column("label", labels, axis=True)
        elif role == "human":
            yield make_column(
                "number", partial(np.asarray, values), axis=True, decimals=pairs.decimals("human", values)
            )
        else:
            hidden = role == "id" and _says_little(values)
            yield make_column("text", partial(_objects, values), partial(_pass_through, values), hidden=hidden)


def _says_little(ids: Sequence[str]) -> bool:
    """Return whether ids are the numbers of the rows ("17", "demo-017") or the ids of both sentences ("34-56")."""
    first = ids[:_SEEN_IDS]
    numbers = [_NUMBERED.fullmatch(text) for text in first]
    rows = {int(number[1]) - row for row, number in enumerate(numbers) if number}
    return (all(numbers) and len(rows) == 1 and rows <= {0, 1}) or all(map(_OF_BOTH.fullmatch, first))


def _own(pairs: ColumnMaterial, columns: Mapping[str, Column]) -> Iterator[Column]:
    """Other columns of the file, and people's answers."""
    used = set(_scores_of(pairs.table)) | set(ROLES)
    for name in pairs.own:
        key, own = name, pairs.corpus.extra[name]
        if name in pairs.table and isinstance(own, NumberColumn) and _has_numbers(pairs.table[name], own.values):
            continue
        while key in used or (key != name and key in pairs.corpus.extra):
            key += " (corpus)"
        used.add(key)
        number = isinstance(own, NumberColumn) and (own.words is None or not isinstance(own.words[0], str))
        column = Column(
            *(key, key, f"Column “{name}” of the file", "number" if number else "text"),
            values=partial(_own_values, own),
            cells=own.cells,
            place=12,
            hidden=True,
            decimals=pairs.decimals(key, own.values) if number and isinstance(own, NumberColumn) else 0,
            axis=isinstance(own, NumberColumn) and not np.isnan(own.values).all(),
            meaning=meaning(identify(name)),
            own=name,
        )
        yield _as_people_column(column, pairs.people[name]) if name in pairs.people else column


def _scores(pairs: ColumnMaterial, columns: Mapping[str, Column]) -> Iterator[Column]:
    """Scores with their probabilities and bounds; the gaps between two directions come last."""
    table = pairs.table
    names, written = shown_names(table), table.full_names()
    for key in _scores_of(table):
        identity = table.identity(key)
        maker, title = identity.maker, names[key]
        make_column = partial(
            Column,
            key,
            title,
            values=partial(table.__getitem__, key),
            axis=True,
            changes="scores",
            decimals=2,
            meaning=meaning(identity, table.signatures.get(key)),
            identity=identity if identity.is_score else None,
            more_names=(*identity.names, *further_names(identity)),
        )
        if identity.kind is ScoreKind.EVIDENCE:
            tip = f"Probability of {'yes' if identity.yes else 'no'}: {identity.score}"
            yield make_column(tip, "evidence", place=11, hidden=True, decimals=3)
        elif identity.kind is ScoreKind.GAP:
            tip = (
                "Difference between the two directions: the score with the source first minus the score with the "
                "hypothesis first"
            )
            yield make_column(tip, "number", place=5, behind=identity.orders, signed=True)
        elif maker is not None:
            order = ", hypothesis first" if maker.reverse else ""
            tip = (
                f"ParaPLUIE with the template {maker.template}{order}: above 0 the judge leans towards yes, below 0 "
                "towards no."
            )
            yield make_column(f"{tip} Its name in filters is {written.get(key, key)}", "score", place=5, signed=True)
            if key in table.bounded_columns and identity.bound not in pairs.corpus.extra:
                which = partial(lambda name: _BOUNDS[table.bounds(name, np.arange(table.rows))], key)
                tip = f"Which scores of {title} are bounds"
                yield Column(identity.bound, f"{title}, bound", tip, "text", which, changes="scores")
        elif (info := catalogue.info(key)) is None:
            yield make_column(key, "score", place=6, decimals=3)
        else:
            tip = f"{info.title}: {info.summary}" if info.summary else f"{info.title}."
            narrow = info.low >= -1 and info.high <= 1
            yield make_column(f"{tip} Its name in filters is {key}", "score", place=6, decimals=3 if narrow else 2)


def _disagreement(pairs: ColumnMaterial, columns: Mapping[str, Column]) -> Iterator[Column]:
    """Disagreement of the scores; the scores are those of `independent_scores`."""
    sources = tuple(independent_scores(map(pairs.table.identity, filter(pairs.table.has_scores, pairs.table.scores))))
    if len(sources) < 2:
        return
    key = free_name(DISAGREEMENT, " (scores)", columns)
    rest_note = [f"{len(sources) - _NAMED_SCORES} more"] if len(sources) > _NAMED_SCORES else []
    tip = (
        "Disagreement of the scores: standard deviation of the pair's rank (as a share of the corpus). 0: all scores "
        "give the pair the same rank. 0.5: half of them rank it closest, half furthest. A judge counts once. Computed "
        "from "
    )
    yield Column(
        *(key, "Disagreement", tip + ", ".join([*sources[:_NAMED_SCORES], *rest_note]), "number"),
        values=lambda: disagreement([_score(pairs.table, source) for source in sources]),
        place=6,
        behind=sources,
        hidden=True,
        exported=False,
        changes="derived",
        sources=sources,
    )


def _changes(pairs: ColumnMaterial, columns: Mapping[str, Column]) -> Iterator[Column]:
    """Kinds of change between the two sentences."""
    key = free_name(kinds.COLUMN, " (change)", columns)
    tip = f'Kinds of change between the two sentences, found by rules. Filter with: {key} has "negation"'
    values = pairs.kinds or (lambda: kinds.kind_texts(change_kinds(pairs.corpus)))
    yield Column(key, "Type", tip, "text", values, place=7, hidden=True, exported=False, changes="kinds")


def _length(pairs: ColumnMaterial, columns: Mapping[str, Column]) -> Iterator[Column]:
    """Length of the longer sentence."""
    if LENGTH not in columns:
        tip = "Characters of the longer sentence"
        lengths = partial(_longer, pairs.corpus)
        yield Column(LENGTH, "Length", tip, "number", lengths, decimals=0, exported=False, axis=True, predicts=False)


ColumnKind = Callable[[ColumnMaterial, Mapping[str, Column]], Iterable[Column]]

#: The kinds of column of the core; features add theirs.
_CORE: tuple[ColumnKind, ...] = (_roles, _own, _scores, _disagreement, _changes, _length)


@cache
def column_kinds() -> tuple[ColumnKind, ...]:
    """Return every kind of column, of the core and of features."""
    return (*_CORE, *(part.load() for part in collect_parts("columns")))


# Helpers


def _as_people_column(column: Column, holds: JudgementColumn) -> Column:
    """Return a column as a column of people's answers; columns of single annotators are hidden."""
    hidden, mean = (
        holds not in (JudgementColumn.NOTES, JudgementColumn.ANSWER),
        column.title.replace(".mean", " (mean)", 1),
    )
    title = {JudgementColumn.NOTES: "Note", JudgementColumn.MEAN: mean}.get(holds, column.title)
    return replace(column, title=title, tip=_PEOPLE[holds], place=10, changes="people", hidden=hidden)


def _scores_of(table: ScoreTable) -> list[str]:
    """Return the names of a score table's columns: each score followed by its probabilities, the gaps last."""
    scores = [name for score in table.scores for name in (score, *identify(score).evidence) if name in table]
    return [*scores, *table.gaps]


def free_name(name: str, more: str, used: Iterable[str]) -> str:
    """Return a name that is not used yet, with `more` appended as often as necessary."""
    taken = {*used, *ROLES}
    while name in taken:
        name += more
    return name


def _own_values(own: OwnColumn) -> Numbers:
    return own.values if isinstance(own, NumberColumn) else _objects(own)


def _has_numbers(score: Scores, numbers: Floats) -> bool:
    """Return True if a score has all numbers of a column of the file, up to the precision of tables."""
    known = ~np.isnan(numbers)
    return bool(np.isclose(score[known], numbers[known], rtol=1e-6, atol=1e-9).all())


def _longer(corpus: Corpus) -> Floats:
    lengths = (np.fromiter(map(len, texts), np.float64) for texts in (corpus.source, corpus.hypothesis))
    return np.maximum(*lengths)


def _score(table: ScoreTable, name: str) -> ScoreColumn:
    """Return a score as a score column; its signature may mark it as a distance."""
    info = catalogue.info(name, table.signatures.get(name))
    return score_column(name, table[name], None if info is None else not info.higher_is_closer)


def _pass_through(texts: Sequence[object]) -> Sequence[object]:
    return texts


def _objects(values: Sequence[object] | Numbers) -> Numbers:
    return np.fromiter(values, dtype=object, count=len(values))
