"""The analysis "Wording test": the effect of each factor, and the pairs whose verdict hinges on the form.

The pairs are judged in every form before the analysis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from parapluie_gui.analysis.base import Analysis, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.figure import HeatMap, HeatMapHeading
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import Tick, score_column
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Floats, Mask, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.wordings.factorial import INTERACTIONS, PAIRS, RESIDUAL, VarianceTerm
from parapluie_gui.features.wordings.outcomes import FormResult, WordingComparison, compare_wordings, find_flips
from parapluie_gui.options import choice, integer
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature

#: The number shown in a cell of the heat map.
FormMeasure = Literal["accuracy", "mean", "flips"]

FORM_MEASURES: dict[FormMeasure, str] = {
    "accuracy": "share of labelled pairs judged correctly",
    "mean": "mean score",
    "flips": "share of pairs whose verdict differs from that of most forms",
}

#: Width of a column of the heat map in pixels, enough for the heading "hypothesis first".
_CELL = 112


@dataclass(frozen=True, eq=False)
class FormsMaterial(AnalysisMaterial):
    """The scores of some pairs of a corpus in every form of a question.

    Attributes:
        full_corpus, rows: The corpus from which the pairs are, and their rows in it.
        factors, levels: The names of the factors, and of the levels of each factor.
    """

    full_corpus: Corpus | None = None
    rows: Rows | None = None
    factors: tuple[str, ...] = ()
    levels: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def from_scores(
        cls,
        full_corpus: Corpus,
        rows: Rows,
        factors: Sequence[str],
        levels: Sequence[Sequence[str]],
        scores: Mapping[str, Floats],
        signatures: Mapping[str, Signature],
    ) -> FormsMaterial:
        """Return the material of a test; `scores` holds the scores of each form, the last factor varying fastest."""
        pairs = full_corpus.take(rows)
        corpus_parts = CorpusParts.from_corpus(pairs)
        columns = tuple(score_column(name, values) for name, values in scores.items())
        return cls(
            corpus_parts,
            columns,
            pairs.labels,
            corpus_parts.parts,
            signatures=signatures,
            full_corpus=full_corpus,
            rows=rows,
            factors=tuple(factors),
            levels=tuple(map(tuple, levels)),
        )


_JUDGED_FORMS = AnalysisRequirement(
    lambda material: isinstance(material, FormsMaterial),
    "The wording test needs pairs judged in several forms. Press Test wordings.",
    "",
    "The wording test needs pairs judged in several forms. Use `parapluie sweep`.",
)


_MEASURES = {"accuracy": "accuracy", "flips": "share of flips", "mean": "mean score"}


def _measures(material: AnalysisMaterial) -> Mapping[str, str]:
    return _MEASURES if material.has_labels else {key: _MEASURES[key] for key in ("flips", "mean")}


@dataclass(frozen=True)
class WordingTestOptions:
    """Options of the wording test: the number of pairs, and the measure of the heat map."""

    pairs: int = integer("&Pairs", 1, 1_000_000, 200, "maximum number of pairs to judge, drawn at random")
    seed: int = integer("S&eed", 0, 2**31 - 1, 0, "random seed for choosing the pairs")
    measure: str = choice(
        "&Heat map of",
        _measures,
        "what the heat map shows (default: accuracy, or flips if there are no labels)",
        keys=_MEASURES,
        only_shown=True,
    )

    @property
    def compared_by(self) -> FormMeasure:
        """The measure of the heat map."""
        return "accuracy" if self.measure == "accuracy" else "mean" if self.measure == "mean" else "flips"

    def draw(self, rows: Rows) -> Rows:
        """Return the rows to judge in ascending order: all, or a random sample of `pairs` of them."""
        return np.sort(np.random.default_rng(self.seed).permutation(rows)[: self.pairs])


@dataclass(frozen=True, eq=False)
class WordingTestResult:
    """The result of a wording test.

    Attributes:
        comparison: The comparison of the forms.
        flips: The rows of each form's flips in the full corpus.
        hinges: The rows of `comparison.hinges` in the full corpus.
    """

    comparison: WordingComparison
    flips: tuple[Rows, ...]
    hinges: Rows


class WordingTest(Analysis[WordingTestOptions, WordingTestResult]):
    """The wording test. Clicking a form or a cell selects its flips; clicking a pair selects the listed pairs."""

    name = "sweep"
    title = "Wording test"
    group = "Judges"
    about = (
        "Judges the selected pairs in every combination of wordings, answer words, orders and numbers of examples. "
        "The result shows how much a score depends on the pair and how much on the form of the question."
    )
    manual = "sweep"
    needs = (_JUDGED_FORMS,)
    options = WordingTestOptions
    in_analyse = False
    in_report = False
    standalone = True

    def compute(self, material: AnalysisMaterial, options: WordingTestOptions, tick: Tick) -> WordingTestResult:
        assert isinstance(material, FormsMaterial) and material.rows is not None
        scores = [column.values for column in material.score_columns]
        comparison = compare_wordings(material.corpus, material.factors, material.levels, scores)
        rows, flips = find_flips(scores)
        hinges = material.rows[[hinge.row for hinge in comparison.hinges]]
        return WordingTestResult(comparison, tuple(material.rows[rows[is_flip]] for is_flip in flips.T), hinges)

    def blocks(self, run: Run[WordingTestOptions, WordingTestResult]) -> Sequence[Block]:
        return _linked_map(run), variance_table(run.result.comparison), _linked_hinges(run), _linked_forms(run)

    def tables(self, run: Run[WordingTestOptions, WordingTestResult]) -> list[Table]:
        """Return the tables of forms, variance and hinging pairs; the last may be empty."""
        comparison = run.result.comparison
        return [forms_table(comparison), variance_table(comparison), hinges_table(comparison)]

    def details(self, run: Run[WordingTestOptions, WordingTestResult]) -> dict[str, object]:
        """Return the names of the levels of each factor, and the ids of the pairs that hinge on the form."""
        comparison, corpus = run.result.comparison, _full_corpus(run)
        levels = {factor: list(names) for factor, names in zip(comparison.factors, comparison.levels, strict=True)}
        return {"levels": levels, "hinges": [corpus.id[row] for row in run.result.hinges]}


def _linked_map(run: Run[WordingTestOptions, WordingTestResult]) -> HeatMap:
    heat_map = forms_map(run.result.comparison, run.options.compared_by, _full_corpus(run).name)
    return replace(heat_map, link=lambda column, line: _flips_link(run, form_at(run.result.comparison, column, line)))


def _linked_forms(run: Run[WordingTestOptions, WordingTestResult]) -> Table:
    return replace(forms_table(run.result.comparison), link=lambda row, column: _flips_link(run, row))


def _linked_hinges(run: Run[WordingTestOptions, WordingTestResult]) -> Table:
    rows = run.result.hinges

    def link(row: int, column: int) -> PairsLink:
        return PairsLink("Pairs that hinge on the form", _mask_of_rows(run, rows), int(rows[row]))

    return replace(hinges_table(run.result.comparison), link=link)


def _flips_link(run: Run[WordingTestOptions, WordingTestResult], form: int) -> PairsLink:
    levels = ", ".join(run.result.comparison.forms[form].levels)
    return PairsLink(f"Flips of {levels}", _mask_of_rows(run, run.result.flips[form]))


def _full_corpus(run: Run[WordingTestOptions, WordingTestResult]) -> Corpus:
    assert isinstance(run.material, FormsMaterial) and run.material.full_corpus is not None
    return run.material.full_corpus


def _mask_of_rows(run: Run[WordingTestOptions, WordingTestResult], rows: Rows) -> Callable[[AnalysisMaterial], Mask]:
    """Return a function that selects rows, and refuses to do so in a different corpus."""
    corpus = _full_corpus(run)

    def mask(current: AnalysisMaterial) -> Mask:
        if current.corpus.source is not corpus.source:
            raise ParapluieError(f"These pairs belong to “{corpus.name}”. Show it to select them.")
        return PairsLink.of_rows("", rows).mask(current)

    return mask


def forms_table(comparison: WordingComparison) -> Table:
    """Return a table of the forms, one per row."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (*form.levels, form.accuracy, form.mean, form.flips) for form in comparison.forms
    )
    return Table(
        "sweep",
        f"{len(comparison.forms)} forms of one question, {_pairs(comparison)}",
        (*comparison.factors, "accuracy", "mean score", "flips"),
        rows,
        f"accuracy: {FORM_MEASURES['accuracy']}, at a score of 0 ({comparison.labelled:,} have a label). flips: "
        f"{FORM_MEASURES['flips']}.",
    )


def variance_table(comparison: WordingComparison) -> Table:
    """Return a table of the variance of the scores, and of the forms' accuracies, by term."""
    accuracy = {term.name: term for term in comparison.of_accuracy}
    return Table(
        "sweep-variance",
        f"Variance of the scores by factor, {_pairs(comparison)}",
        ("term", "degrees of freedom", "η² of scores", "η² of accuracy"),
        tuple(_variance_row(term, accuracy) for term in comparison.of_scores),
        f"Full factorial analysis of variance. {PAIRS}: differences between pairs in every form. {PAIRS} × factor: "
        f"differences in the effect of the factor between pairs. {INTERACTIONS}: interactions of the factors; "
        f"{RESIDUAL}: all other terms.",
    )


def hinges_table(comparison: WordingComparison) -> Table:
    """Return a table of the pairs that hinge on the form, the most divided first."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            pair.minority,
            pair.lowest,
            pair.highest,
            f"{pair.factor}: {pair.low_level} < {pair.high_level}",
            {1: "paraphrase", 0: "not a paraphrase"}.get(pair.label if pair.label is not None else -1, ""),
            pair.source,
            pair.hypothesis,
        )
        for pair in comparison.hinges
    )
    count = f"{comparison.hinging:,} of {comparison.pairs:,} pairs do not have the same verdict in every form"
    return Table(
        "sweep-hinges",
        "Pairs that hinge on the form of the question",
        ("minority", "lowest", "highest", "moved most by", "label", "source", "hypothesis"),
        rows,
        f"{count}. minority: share of the forms with the less frequent verdict. moved most by: the factor with the "
        "largest differences between its levels for this pair.",
    )


def forms_map(comparison: WordingComparison, measure: FormMeasure, about: str = "") -> HeatMap:
    """Return a heat map with a line for each wording and number of examples, and a column for each answers and order.

    `about` names the corpus and the judge.
    """
    wordings, answers, orders, counts = comparison.levels
    values = {form.levels: _value(form, measure) for form in comparison.forms}
    known = [value for value in values.values() if not math.isnan(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    across = {_key(answer, order): (answer, order) for answer in answers for order in orders}
    down = {_key(wording, count): (wording, count) for wording in wordings for count in counts}
    places = {(column, line): values[w, a, o, e] for column, (a, o) in across.items() for line, (w, e) in down.items()}
    columns = tuple(
        HeatMapHeading(key, f"{answer} {order}" if len(orders) > 1 else answer)
        for key, (answer, order) in across.items()
    )
    lines = tuple(
        HeatMapHeading(key, _line(wording, count) if len(counts) > 1 else wording)
        for key, (wording, count) in down.items()
    )
    texts = {place: _text(value, measure) for place, value in places.items() if not math.isnan(value)}
    shades = {place: _shade(value, low, high, measure) for place, value in places.items()}
    note = f"{FORM_MEASURES[measure].capitalize()}. {about}."
    return HeatMap("forms", "Forms of one question", columns, lines, shades, texts, note, _CELL)


def form_at(comparison: WordingComparison, column: str, line: str) -> int:
    """Return the index of the form in a cell of the heat map, given the keys of its column and line."""
    levels = (form.levels for form in comparison.forms)
    keys = [(_key(answer, order), _key(wording, count)) for wording, answer, order, count in levels]
    return keys.index((column, line))


def _key(first: str, second: str) -> str:
    return f"{first}|{second}"


def _line(wording: str, count: str) -> str:
    return f"{wording}, 1 example" if count == "1" else f"{wording}, {count} examples"


def _value(form: FormResult, measure: FormMeasure) -> float:
    return {"accuracy": form.accuracy, "mean": form.mean, "flips": form.flips}[measure]


def _shade(value: float, low: float, high: float, measure: FormMeasure) -> float:
    """Return the darkness of a cell, 0 to 1: darkest at the lowest accuracy, highest mean or most flips."""
    if math.isnan(value):
        return math.nan
    shade = (value - low) / (high - low) if high > low else 0.0
    return 1 - shade if measure == "accuracy" and high > low else shade


def _text(value: float, measure: FormMeasure) -> str:
    return number(value, 2) if measure == "mean" else f"{100 * value:.1f} %"


def _variance_row(term: VarianceTerm, accuracy: dict[str, VarianceTerm]) -> tuple[Cell, ...]:
    accuracy_term = accuracy.get(term.name)
    return (term.name, term.degrees, term.share, None if accuracy_term is None else accuracy_term.share)


def _pairs(comparison: WordingComparison) -> str:
    return "1 pair" if comparison.pairs == 1 else f"{comparison.pairs:,} pairs"
