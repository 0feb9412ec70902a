"""Every column of a corpus and its scores, defined once: for the table, the axes, filters and exports alike.

A kind of column is a function in `_CORE`, or one that a feature brings, that yields its columns. Each says what it is
called, how it is written, where it is offered and how to get its values; whoever shows columns asks for no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from operator import attrgetter

import numpy as np

from parapluie_gui.analysis.filter.expression import Filter, compile_filter
from parapluie_gui.analysis.filter.formula import Formula, compile_formula
from parapluie_gui.analysis.names import further_names, shown_names
from parapluie_gui.analysis.score_column import Meaning, ScoreColumn, meaning, score_column
from parapluie_gui.analysis.statistics.disagreement import disagreement
from parapluie_gui.analysis.statistics.shared_errors import independent_scores
from parapluie_gui.arrays import Floats, Numbers, Scores
from parapluie_gui.feature import brought, installed
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

#: Columns that say how far scores disagree, and how long the longer sentence is.
DISAGREEMENT, LENGTH = "disagreement", "length"
#: What `Column.shows` says of columns of numbers.
NUMBERS = frozenset({"score", "evidence", "number"})

#: What a score is by its code in `ScoreTable.bounds`: exact, "at least" at 1 and "at most" at -1.
_BOUNDS = np.array([None, *BOUNDS], dtype=object)
#: With more pairs than this the disagreement is hidden by default.
_MANY = 100_000
#: Scores named in a tip.
_NAMED = 8
_ROLES = {
    "id": ("Id", "Identifier of the pair"),
    "source": ("Source", "Source sentence"),
    "hypothesis": ("Hypothesis", "Hypothesis: the possible paraphrase"),
    "reference": ("Reference", "Reference: a paraphrase written by a person"),
    "label": ("Label", "Label given by the corpus"),
    "human": ("Human score", "Score given by people"),
    "group": ("Group", "The group of the pair in its corpus"),
}
#: What columns of people's hold.
_PEOPLE = {
    JudgementColumn.NOTES: "Notes on the pair",
    JudgementColumn.ANSWER: "What people answered: most of them, or the mean of a scale; nothing where that is a draw",
    JudgementColumn.MEAN: "Mean place of people's answers on their scale",
    JudgementColumn.ONE: "What this annotator said",
    JudgementColumn.TIME: "When this annotator answered",
}


@dataclass(frozen=True)
class Column:
    """One column: what it is called, how it is written and where it is offered.

    Attributes:
        key: Its plain name in filters, exports and sessions ("pluie.direct"), unique.
        title: The name that people see, which filters take too.
        tip: What it holds, in words; plain text.
        shows: "text", "label", "outcome", "score", "evidence" or "number".
        values: Returns it as filters compare it, (n,): float64 with NaN where missing, or objects (str or None). Labels
            are 1.0, 0.0 or NaN. Score columns are live views.
        cells: Returns a column of texts as the corpus has it; None where `values` are the texts.
        place: Where it stands in the table, from the left; a column behind others stands where the last of them does.
            None: not there.
        behind: The columns that it stands behind.
        hidden: Whether the table hides it until somebody shows it.
        decimals: Digits after the point.
        signed: Whether positive numbers carry a plus sign.
        filters: Whether filters take it.
        exported: Whether written tables have it.
        axis: Whether it may stand on an axis.
        changes: When its values change: "never", with "scores", with what "people" say, with the
            "kinds" of change found so far, or as "derived" from `sources`.
        sources: The scores that it is derived from.
        meaning: How to read its numbers: direction, natural threshold, range.
        own: What the corpus calls it; "" for what is not one of its further columns.
        more_names: Further plain names that fit it, as a judge's score without the judge, or with more of it.
        identity: What a score is and who made it; None for what is no score.
        expression: By which it is worked out from other columns, in the language of filters; "" for any other.
        signature: What is written beside it in a file so that it can be read again; scores have theirs in their table.
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
    changes: str = "never"
    sources: tuple[str, ...] = ()
    meaning: Meaning = field(default_factory=Meaning)
    own: str = ""
    more_names: tuple[str, ...] = ()
    identity: ColumnIdentity | None = None
    expression: str = ""
    signature: Signature | None = None

    @property
    def name(self) -> str:
        """Its name in a copy of the table: that in filters, or its title if filters do not know it."""
        return self.key if self.filters else self.title

    def format(self, value: float) -> str:
        """Return a number as text, "" for NaN."""
        if np.isnan(value):
            return ""
        if np.isinf(value):
            return "+∞" if value > 0 else "−∞"
        text = f"{value:{'+' if self.signed else ''}.{self.decimals}f}"
        if not float(text):
            text = text.lstrip("+-")  # what rounds to zero has no sign
        return text.replace("-", "−")


@dataclass(frozen=True)
class ColumnMaterial:
    """What there is to make columns of.

    Attributes:
        corpus: n pairs, with what people said as further columns.
        table: Their scores.
        people: The columns of the corpus that people said, and what they hold.
        kinds: Returns the kinds of change in words; None: they are looked for, two milliseconds a pair.
        decimals: Returns the digits that numbers of the file with this name need.
        brought: What the kinds of column of features need beside this, by the feature's name.
    """

    corpus: Corpus
    table: ScoreTable
    people: Mapping[str, JudgementColumn] = field(default_factory=dict)
    kinds: Callable[[], Numbers] | None = None
    decimals: Callable[[str, Floats], int] = lambda name, values: 3
    brought: Mapping[str, object] = field(default_factory=dict)

    @property
    def own(self) -> list[str]:
        """The names of the corpus's own columns that are not among its scores."""
        return [name for name in self.corpus.extra if name not in self.table.own]


def columns_of(pairs: ColumnMaterial) -> dict[str, Column]:
    """Return all columns by their plain names, in the order in which tables are written.

    Roles and scores keep their names: a column of the file that is called so has " (corpus)" behind it, and is left out
    where the score has all of its numbers.
    """
    found: dict[str, Column] = {}
    for kind in column_kinds():
        found.update((each.key, each) for each in kind(pairs, found))
    return found


def in_table(columns: Mapping[str, Column]) -> list[Column]:
    """Return the columns of the pairs table, from left to right."""
    placed = [each for each in columns.values() if each.place is not None]
    ordered = sorted((each for each in placed if not each.behind), key=attrgetter("place"))
    for each in placed:
        if each.behind:
            at = max((at for at, other in enumerate(ordered) if other.key in each.behind), default=len(ordered) - 1)
            ordered.insert(at + 1, each)
    return ordered


def filter_titles(columns: Mapping[str, Column]) -> dict[str, str]:
    """Return the shown names that filters take, to the plain ones: those that name one column alone."""
    return _alone(columns, lambda column: (column.title,))


def _alone(columns: Mapping[str, Column], names: Callable[[Column], Iterable[str]]) -> dict[str, str]:
    """Return names of columns that filters know, to the plain ones: those that name one column and are no plain one."""
    taken = Counter(name for each in columns.values() for name in names(each))
    return {
        name: each.key
        for each in columns.values()
        for name in names(each)
        if each.filters and taken[name] == 1 and name not in columns
    }


def compiled(text: str, columns: Mapping[str, Column]) -> Filter:
    """Understand a filter of these columns, by plain and by shown names; errors as `compile_filter`."""
    return compile_filter(text, *_names(columns))


def formula_of(text: str, columns: Mapping[str, Column]) -> Formula:
    """Understand an expression of these columns, likewise; errors as `compile_formula`."""
    return compile_formula(text, *_names(columns))


def _names(columns: Mapping[str, Column]) -> tuple[list[str], dict[str, str], dict[str, ColumnIdentity]]:
    """Return the plain names that filters take, the further ones to the plain ones, and what the scores are."""
    titles = {**_alone(columns, attrgetter("more_names")), **filter_titles(columns)}
    scores = {each.key: each.identity for each in columns.values() if each.identity}
    return [each.key for each in columns.values() if each.filters], titles, scores


def put_derived(pairs: ColumnMaterial, table: ScoreTable) -> list[str]:
    """Put the columns that have a signature of their own into a table of scores, and return their names.

    The numbers stay as they are from then on.
    """
    names = []
    for key, column in columns_of(pairs).items():
        if column.signature is not None and key not in table:
            table.declare(key, column.signature)
            table.put(np.arange(table.rows), {key: np.asarray(column.values(), dtype=np.float64)})
            names.append(key)
    return names


def kept_material(settings: Mapping[str, object]) -> dict[str, object]:
    """Return what features keep for their columns in the settings of a session, as `ColumnMaterial.brought`."""
    return {
        feature.name: part.read(settings[part.setting])
        for feature in installed()
        for part in feature.columns
        if part.setting in settings
    }


def change_kinds(corpus: Corpus) -> Scores:
    """Return the kinds of change of each pair, (n,), as `kinds.ChangeKinds` gives them; two milliseconds a pair.

    What people corrected counts, where the corpus has it as a column.
    """
    found = kinds.ChangeKinds().score(corpus.source, corpus.hypothesis)
    for row, text in corrections_of(corpus).items():
        found[row] = kinds.kinds_number(corrected_kinds(corpus.source[row], corpus.hypothesis[row], text))
    return found


def kinds_column(columns: Mapping[str, Column]) -> str:
    """Return the plain name of the column of kinds of change: "type", unless another one is called so."""
    return next(each.key for each in columns.values() if each.changes == "kinds")


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
    return replace(corpus, extra={**corpus.extra, kinds_column(columns_of(ColumnMaterial(corpus, table))): column})


def decimals_for(values: Floats) -> int:
    """Return the digits after the point to show of these numbers: none for whole ones, at most three."""
    finite = values[np.isfinite(values)]
    if not len(finite) or np.array_equal(finite, np.round(finite)):
        return 0
    for digits in (1, 2):
        if np.allclose(finite, np.round(finite, digits), atol=1e-9):
            return digits
    return 3 if np.abs(finite).max() < 100 else 2


# The kinds of columns


def _roles(pairs: ColumnMaterial, found: Mapping[str, Column]) -> Iterator[Column]:
    """What the corpus says of each pair."""
    corpus = pairs.corpus
    places = {"id": 0, "source": 2, "hypothesis": 2, "reference": 2, "label": 3, "human": 8, "group": 9}
    for role in ROLES:
        given = getattr(corpus, role)
        if given is None:
            continue
        made = partial(Column, role, *_ROLES[role], place=places[role])
        if role == "label":
            labels = partial(lambda codes: np.where(codes == UNLABELLED, np.nan, codes.astype(np.float64)), given)
            yield made("label", labels, axis=True)
        elif role == "human":
            yield made("number", partial(np.asarray, given), axis=True, decimals=pairs.decimals("human", given))
        else:
            yield made("text", partial(_objects, given), partial(_same, given))


def _own(pairs: ColumnMaterial, found: Mapping[str, Column]) -> Iterator[Column]:
    """The file's further columns, and what people said of the pairs."""
    used = set(_scores_of(pairs.table)) | set(ROLES)
    for name in pairs.own:
        key, own = name, pairs.corpus.extra[name]
        if name in pairs.table and isinstance(own, NumberColumn) and _holds(pairs.table[name], own.values):
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
        yield _of_people(column, pairs.people[name]) if name in pairs.people else column


def _scores(pairs: ColumnMaterial, found: Mapping[str, Column]) -> Iterator[Column]:
    """Scores, and what belongs to one: it follows the score, the gaps between a judge's two orders come last."""
    table = pairs.table
    names, written = shown_names(table), table.full_names()
    for key in _scores_of(table):
        identity = table.identity(key)
        maker, title = identity.maker, names[key]
        made = partial(
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
            yield made(tip, "evidence", place=11, hidden=True, decimals=3)
        elif identity.kind is ScoreKind.GAP:
            tip = "Gap between the two directions: the score with the source first, minus that with it second"
            yield made(tip, "number", place=5, behind=identity.orders, signed=True)
        elif maker is not None:
            order = ", hypothesis first" if maker.reverse else ""
            tip = f"ParaPLUIE with the template {maker.template}{order}: above 0 the judge leans to yes, below 0 to no."
            yield made(f"{tip} In filters it is called {written.get(key, key)}", "score", place=5, signed=True)
            if key in table.bounded and identity.bound not in pairs.corpus.extra:
                which = partial(lambda name: _BOUNDS[table.bounds(name, np.arange(table.rows))], key)
                tip = f"Which scores of {title} are bounds"
                yield Column(identity.bound, f"{title}, bound", tip, "text", which, changes="scores")
        elif (info := catalogue.info(key)) is None:
            yield made(key, "score", place=6, decimals=3)
        else:
            tip = f"{info.title}: {info.summary}" if info.summary else f"{info.title}."
            narrow = info.low >= -1 and info.high <= 1
            yield made(f"{tip} In filters it is called {key}", "score", place=6, decimals=3 if narrow else 2)


def _disagreement(pairs: ColumnMaterial, found: Mapping[str, Column]) -> Iterator[Column]:
    """How far the scores disagree; the scores are those of `opinions`."""
    sources = tuple(independent_scores(map(pairs.table.identity, filter(pairs.table.has_scores, pairs.table.scores))))
    if len(sources) < 2:
        return
    key = free_name(DISAGREEMENT, " (scores)", found)
    more = [f"{len(sources) - _NAMED} more"] if len(sources) > _NAMED else []
    tip = (
        "Disagreement of the scores: standard deviation of the pair's rank (as a share of the corpus). 0: all give it "
        "the same rank. 0.5: half rank it the closest, half the furthest. A judge counts once. Computed from "
    )
    # It takes room from the sentences, and a second for a million pairs: hidden by default when there are many.
    usual = all(identify(source).judged for source in sources) and len(pairs.corpus) <= _MANY
    yield Column(
        *(key, key, tip + ", ".join([*sources[:_NAMED], *more]), "number"),
        values=lambda: disagreement([_score(pairs.table, source) for source in sources]),
        place=6,
        behind=sources,
        hidden=not usual,
        exported=False,
        changes="derived",
        sources=sources,
    )


def _changes(pairs: ColumnMaterial, found: Mapping[str, Column]) -> Iterator[Column]:
    """What kinds of change there are between the two sentences."""
    key = free_name(kinds.COLUMN, " (change)", found)
    tip = f'Kinds of change between the two sentences, found by rule. Filter with: {key} has "negation"'
    values = pairs.kinds or (lambda: kinds.kind_texts(change_kinds(pairs.corpus)))
    yield Column(key, "Type", tip, "text", values, place=7, hidden=True, exported=False, changes="kinds")


def _length(pairs: ColumnMaterial, found: Mapping[str, Column]) -> Iterator[Column]:
    """How long the longer sentence is."""
    if LENGTH not in found:
        tip = "Characters of the longer sentence"
        lengths = partial(_longer, pairs.corpus)
        yield Column(LENGTH, "Length", tip, "number", lengths, decimals=0, exported=False, axis=True)


ColumnKind = Callable[[ColumnMaterial, Mapping[str, Column]], Iterable[Column]]

#: The core's kinds of column; features add theirs.
_CORE: tuple[ColumnKind, ...] = (_roles, _own, _scores, _disagreement, _changes, _length)


@cache
def column_kinds() -> tuple[ColumnKind, ...]:
    """Return every kind of column: the core's, and those that features bring."""
    return (*_CORE, *(part.load() for part in brought("columns")))


# What they are made of


def _of_people(column: Column, holds: JudgementColumn) -> Column:
    """Return a column as one of what people said; those of single annotators are hidden."""
    hidden, mean = (
        holds not in (JudgementColumn.NOTES, JudgementColumn.ANSWER),
        column.title.replace(".mean", " (mean)", 1),
    )
    title = {JudgementColumn.NOTES: "Note", JudgementColumn.MEAN: mean}.get(holds, column.title)
    return replace(column, title=title, tip=_PEOPLE[holds], place=10, changes="people", hidden=hidden)


def _scores_of(table: ScoreTable) -> list[str]:
    """Return the columns of a table, each score before what belongs to it, the gaps last."""
    scores = [name for score in table.scores for name in (score, *identify(score).evidence) if name in table]
    return [*scores, *table.gaps]


def free_name(name: str, more: str, used: Iterable[str]) -> str:
    """Return a name, with more of it behind as long as it is used already."""
    taken = {*used, *ROLES}
    while name in taken:
        name += more
    return name


def _own_values(own: OwnColumn) -> Numbers:
    return own.values if isinstance(own, NumberColumn) else _objects(own)


def _holds(score: Scores, numbers: Floats) -> bool:
    """Return whether a score has all the numbers of a column of the file, as far as tables write them."""
    known = ~np.isnan(numbers)
    return bool(np.isclose(score[known], numbers[known], rtol=1e-6, atol=1e-9).all())


def _longer(corpus: Corpus) -> Floats:
    lengths = (np.fromiter(map(len, texts), np.float64) for texts in (corpus.source, corpus.hypothesis))
    return np.maximum(*lengths)


def _score(table: ScoreTable, name: str) -> ScoreColumn:
    """Return a score as a score column; its signature may say that it is a distance."""
    info = catalogue.info(name, table.signatures.get(name))
    return score_column(name, table[name], None if info is None else not info.higher_is_closer)


def _same(texts: Sequence[object]) -> Sequence[object]:
    return texts


def _objects(values: Sequence[object] | Numbers) -> Numbers:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
