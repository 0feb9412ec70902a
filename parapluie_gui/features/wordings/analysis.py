"""One question in many forms: what the forms change, and the pairs whose verdict hinges on them.

The pairs are judged in every form before (`pluie.sweep`); this says what came out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from parapluie_gui.analysis.base import Analysis, Block, Need, Run
from parapluie_gui.analysis.figure import Heading, HeatMap
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import CorpusParts, Material
from parapluie_gui.analysis.score_column import Tick, score_column
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Floats, Mask, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.wordings.factorial import PAIRS, REST, TOGETHER, Term
from parapluie_gui.features.wordings.outcomes import Combination, WordingComparison, compare_wordings, flipped
from parapluie_gui.options import choice, integer
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature

#: What the cells of the heat map show.
SweepMeasure = Literal["accuracy", "mean", "flips"]

SWEEP_MEASURES: dict[SweepMeasure, str] = {
    "accuracy": "share of labelled pairs judged right",
    "mean": "mean score",
    "flips": "share of pairs whose verdict is not that of most forms",
}

#: Width of a column of the heat map: "hypothesis first" fits above it.
_CELL = 112


@dataclass(frozen=True, eq=False)
class FormsMaterial(Material):
    """The scores of some pairs in every form of one question.

    Attributes:
        whole: The corpus that the pairs were taken from, and `rows` their rows in it.
        factors, levels: What is varied, and the names of the levels of each factor.
    """

    whole: Corpus | None = None
    rows: Rows | None = None
    factors: tuple[str, ...] = ()
    levels: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(
        cls,
        whole: Corpus,
        rows: Rows,
        factors: Sequence[str],
        levels: Sequence[Sequence[str]],
        scores: Mapping[str, Floats],
        signatures: Mapping[str, Signature],
    ) -> FormsMaterial:
        """Return what the analysis needs; `scores` are those of each form, in the order of the levels."""
        pairs = whole.take(rows)
        corpus_parts = CorpusParts.of_corpus(pairs)
        columns = tuple(score_column(name, values) for name, values in scores.items())
        named = tuple(factors), tuple(map(tuple, levels))
        return cls(
            *(corpus_parts, columns, pairs.labels, corpus_parts.parts),
            signatures=signatures,
            whole=whole,
            rows=rows,
            factors=named[0],
            levels=named[1],
        )


_MADE = Need(
    lambda material: isinstance(material, FormsMaterial),
    "The pairs are judged for this. Press Test wordings.",
    "",
    "The pairs are judged for this. Use `parapluie sweep`.",
)


_MEASURES = {"accuracy": "accuracy", "flips": "share of flips", "mean": "mean score"}


def _measures(material: Material) -> Mapping[str, str]:
    return _MEASURES if material.labelled else {key: _MEASURES[key] for key in ("flips", "mean")}


@dataclass(frozen=True)
class Options:
    """How many pairs are judged, and what the heat map shows."""

    pairs: int = integer("&Pairs", 1, 1_000_000, 200, "most pairs that are judged, drawn at random")
    seed: int = integer("S&eed", 0, 2**31 - 1, 0, "seed of the choice of pairs")
    measure: str = choice(
        "&Heat map of",
        _measures,
        "what the heat map shows (default: accuracy, without labels flips)",
        keys=_MEASURES,
        only_shown=True,
    )

    @property
    def compared_by(self) -> SweepMeasure:
        """The measure of the heat map."""
        return "accuracy" if self.measure == "accuracy" else "mean" if self.measure == "mean" else "flips"

    def draw(self, rows: Rows) -> Rows:
        """Return the rows, or as many of them drawn at random as are judged at most; ascending."""
        return np.sort(np.random.default_rng(self.seed).permutation(rows)[: self.pairs])


@dataclass(frozen=True, eq=False)
class WordingsResult:
    """The sweep, and the rows in the whole corpus: of each form's flips, and of the pairs that hinge on the form."""

    comparison: WordingComparison
    flips: tuple[Rows, ...]
    hinges: Rows


class WordingTest(Analysis[Options, WordingsResult]):
    """A form or a cell clicked selects its flips, a pair that hinges on the form itself."""

    name = "sweep"
    title = "Wording test"
    group = "Judges"
    about = (
        "The selected pairs are judged in every combination of wordings, answer words, orders and numbers of examples. "
        "The result says how much of the score is the pair, and how much is how the judge is asked."
    )
    manual = "sweep"
    needs = (_MADE,)
    options = Options
    in_analyse = False
    in_report = False
    standalone = True

    def compute(self, material: Material, options: Options, tick: Tick) -> WordingsResult:
        assert isinstance(material, FormsMaterial) and material.rows is not None
        scores = [each.values for each in material.score_columns]
        found = compare_wordings(material.corpus, material.factors, material.levels, scores)
        rows, flips = flipped(scores)
        hinges = material.rows[[hinge.row for hinge in found.hinges]]
        return WordingsResult(found, tuple(material.rows[rows[of_form]] for of_form in flips.T), hinges)

    def blocks(self, run: Run[Options, WordingsResult]) -> Sequence[Block]:
        return _map(run), variance_table(run.result.comparison), _hinges(run), _forms(run)

    def tables(self, run: Run[Options, WordingsResult]) -> list[Table]:
        """Return the tables, the forms first, also where no pair hinges on the form."""
        found = run.result.comparison
        return [forms_table(found), variance_table(found), hinges_table(found)]

    def details(self, run: Run[Options, WordingsResult]) -> dict[str, object]:
        """Return the names of the levels of each factor, and the ids of the pairs that hinge on the form."""
        found, whole = run.result.comparison, _whole(run)
        levels = {factor: list(names) for factor, names in zip(found.factors, found.levels, strict=True)}
        return {"levels": levels, "hinges": [whole.id[row] for row in run.result.hinges]}


def _map(run: Run[Options, WordingsResult]) -> HeatMap:
    drawn = sweep_map(run.result.comparison, run.options.compared_by, _whole(run).name)
    return replace(drawn, link=lambda column, line: _flips(run, form_at(run.result.comparison, column, line)))


def _forms(run: Run[Options, WordingsResult]) -> Table:
    return replace(forms_table(run.result.comparison), link=lambda row, column: _flips(run, row))


def _hinges(run: Run[Options, WordingsResult]) -> Table:
    rows = run.result.hinges

    def link(row: int, column: int) -> PairsLink:
        return PairsLink("Pairs that hinge on the form", _in_whole(run, rows), int(rows[row]))

    return replace(hinges_table(run.result.comparison), link=link)


def _flips(run: Run[Options, WordingsResult], form: int) -> PairsLink:
    levels = ", ".join(run.result.comparison.forms[form].levels)
    return PairsLink(f"Flips of {levels}", _in_whole(run, run.result.flips[form]))


def _whole(run: Run[Options, WordingsResult]) -> Corpus:
    assert isinstance(run.material, FormsMaterial) and run.material.whole is not None
    return run.material.whole


def _in_whole(run: Run[Options, WordingsResult], rows: Rows) -> Callable[[Material], Mask]:
    """Return which pairs of the corpus shown are meant; of another corpus none are."""
    whole = _whole(run)

    def mask(now: Material) -> Mask:
        if now.corpus.source is not whole.source:
            raise ParapluieError(f"These pairs belong to “{whole.name}”. Show it to select them.")
        return PairsLink.of_rows("", rows).mask(now)

    return mask


def forms_table(found: WordingComparison) -> Table:
    """Return a row for each form of the question."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (*each.levels, each.accuracy, each.mean, each.flips) for each in found.forms
    )
    return Table(
        "sweep",
        f"{len(found.forms)} forms of one question, {_pairs(found)}",
        (*found.factors, "accuracy", "mean score", "flips"),
        rows,
        f"accuracy: {SWEEP_MEASURES['accuracy']}, at a score of 0 ({found.labelled:,} have a label). flips: "
        f"{SWEEP_MEASURES['flips']}.",
    )


def variance_table(found: WordingComparison) -> Table:
    """Return what the differences between scores, and between the forms' accuracies, go with."""
    accuracy = {term.name: term for term in found.of_accuracy}
    return Table(
        "sweep-variance",
        f"What the variance of the scores goes with, {_pairs(found)}",
        ("term", "degrees of freedom", "η² of scores", "η² of accuracy"),
        tuple(_term(term, accuracy) for term in found.of_scores),
        f"Full factorial analysis of variance. {PAIRS}: how much pairs differ in every form. {PAIRS} × factor: how "
        f"differently the factor acts on different pairs. {TOGETHER}: interactions of the factors; {REST}: all others.",
    )


def hinges_table(found: WordingComparison) -> Table:
    """Return the pairs that hinge on the form, the most divided first."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            each.minority,
            each.lowest,
            each.highest,
            f"{each.factor}: {each.low_level} < {each.high_level}",
            {1: "paraphrase", 0: "not a paraphrase"}.get(each.label if each.label is not None else -1, ""),
            each.source,
            each.hypothesis,
        )
        for each in found.hinges
    )
    count = f"{found.hinging:,} of {found.pairs:,} pairs do not have the same verdict in every form"
    return Table(
        "sweep-hinges",
        "Pairs that hinge on the form of the question",
        ("minority", "lowest", "highest", "moved most by", "label", "source", "hypothesis"),
        rows,
        f"{count}. minority: share of the forms that say the other thing. moved most by: the factor with the largest "
        "differences between its levels for this pair.",
    )


def sweep_map(found: WordingComparison, measure: SweepMeasure, about: str = "") -> HeatMap:
    """Return the heat map: wordings with their numbers of examples down, answers with their orders across.

    `about` says over which pairs.
    """
    wordings, answers, orders, counts = found.levels
    values = {each.levels: _value(each, measure) for each in found.forms}
    known = [value for value in values.values() if not math.isnan(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    across = {_key(answer, order): (answer, order) for answer in answers for order in orders}
    down = {_key(wording, count): (wording, count) for wording in wordings for count in counts}
    places = {(column, line): values[w, a, o, e] for column, (a, o) in across.items() for line, (w, e) in down.items()}
    columns = tuple(
        Heading(key, f"{answer} {order}" if len(orders) > 1 else answer) for key, (answer, order) in across.items()
    )
    lines = tuple(Heading(key, _line(*each) if len(counts) > 1 else each[0]) for key, each in down.items())
    texts = {place: _text(value, measure) for place, value in places.items() if not math.isnan(value)}
    shades = {place: _shade(value, low, high, measure) for place, value in places.items()}
    note = f"{SWEEP_MEASURES[measure].capitalize()}. {about}."
    return HeatMap("forms", "Forms of one question", columns, lines, shades, texts, note, _CELL)


def form_at(found: WordingComparison, column: str, line: str) -> int:
    """Return the place among the forms of a cell of the heat map, by the keys of its column and line."""
    levels = (form.levels for form in found.forms)
    keys = [(_key(answer, order), _key(wording, count)) for wording, answer, order, count in levels]
    return keys.index((column, line))


def _key(one: str, other: str) -> str:
    return f"{one}|{other}"


def _line(wording: str, count: str) -> str:
    return f"{wording}, 1 example" if count == "1" else f"{wording}, {count} examples"


def _value(form: Combination, measure: SweepMeasure) -> float:
    return {"accuracy": form.accuracy, "mean": form.mean, "flips": form.flips}[measure]


def _shade(value: float, low: float, high: float, measure: SweepMeasure) -> float:
    """Return how dark a cell is: the lowest accuracy, the highest mean and the most flips are darkest."""
    if math.isnan(value):
        return math.nan
    shade = (value - low) / (high - low) if high > low else 0.0
    return 1 - shade if measure == "accuracy" and high > low else shade


def _text(value: float, measure: SweepMeasure) -> str:
    return number(value, 2) if measure == "mean" else f"{100 * value:.1f} %"


def _term(term: Term, accuracy: dict[str, Term]) -> tuple[Cell, ...]:
    other = accuracy.get(term.name)
    return (term.name, term.degrees, term.share, None if other is None else other.share)


def _pairs(found: WordingComparison) -> str:
    return "1 pair" if found.pairs == 1 else f"{found.pairs:,} pairs"
