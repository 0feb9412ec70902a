"""Agreement of annotators, labels and scores as raters of the same pairs (figure 3 of PARAPHRASUS, table 1 of PEM).

A score is a rater at its threshold: the chosen one; failing that, the natural one; failing that, the best one for the
labels or, without labels, for the majority of the annotators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, AnalysisRemark, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.figure import HeatMap, HeatMapHeading, square_cell
from parapluie_gui.analysis.finding import count_pairs
from parapluie_gui.analysis.link import Link, PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.statistics.correlation import DRAWS, Estimate
from parapluie_gui.analysis.table import Cell, Table, cell_text, percent
from parapluie_gui.arrays import Labels, Mask, Rows, Scores
from parapluie_gui.features.people.agreement import (
    Agreement,
    TwoRaters,
    compare_raters,
    estimate_pearson,
    measure_agreement,
)
from parapluie_gui.judgements.answers import AnnotatorAnswers, FileAnswers
from parapluie_gui.judgements.columns import shown_name
from parapluie_gui.options import choice, decimal
from parapluie_gui.pairs.corpus import UNLABELLED

#: Maximum number of people in the matrix; among hundreds, hardly any two have judged the same pair.
MOST_PEOPLE = 24

#: Measures of agreement between two raters.
KAPPA, SHARE, PEARSON = "kappa", "share", "pearson"


@dataclass(frozen=True, eq=False)
class Rater:
    """A rater: an annotator, the labels or a score; one row and column of the matrix.

    Attributes:
        name: Displayed name.
        labels: 1 paraphrase, 0 not a paraphrase, -1 neither, (n,).
        values: Values for Pearson's r: ranks of answers, scores or labels; (n,), NaN if missing.
        answers: Codes of a person's answers, (n,), -1 for no answer; None unless the rater is a person.
        person: Whether the rater is an annotator.
        note: The threshold from which a score means "paraphrase", as text; "" if none.
    """

    name: str
    labels: Labels
    values: Scores
    answers: Rows | None = None
    person: bool = False
    note: str = ""


@dataclass(frozen=True, eq=False)
class RaterStudy:
    """Agreement of raters on some pairs.

    Attributes:
        question: Id of the question.
        answers: Number of its possible answers.
        raters: The raters.
        people: Agreement of the annotators on the answers themselves; None with fewer than two.
        labels: Agreement of the annotators on paraphrase or not; None if the answers do not decide that.
        where: Mask of the pairs studied, (n,).
        matrix: Agreement of every two raters, by their indices, the smaller first.
        pearson: Pearson's r of every two raters, by their indices, the smaller first.
        notices: Remarks on the answers, as sentences.
        common: Mask of the pairs that all raters have, (n,).
        common_matrix, common_pearson: Agreement of every two raters on these, without intervals; empty if every two
            raters have the same pairs.
    """

    question: str
    answers: int
    raters: tuple[Rater, ...]
    people: Agreement | None
    labels: Agreement | None
    where: Mask
    matrix: Mapping[tuple[int, int], TwoRaters]
    pearson: Mapping[tuple[int, int], Estimate]
    notices: tuple[str, ...] = ()
    common: Mask | None = None
    common_matrix: Mapping[tuple[int, int], TwoRaters] = field(default_factory=dict)
    common_pearson: Mapping[tuple[int, int], Estimate] = field(default_factory=dict)

    @property
    def sizes(self) -> list[int]:
        """The numbers of pairs on which two raters are compared, without repetitions, ascending."""
        return sorted({raters.items for raters in self.matrix.values()})

    @property
    def sizes_sentence(self) -> str:
        """A sentence on cells of the matrix that are over different pairs; "" if all are over the same number."""
        if len(self.sizes) < 2:
            return ""
        start = (
            f"Every two raters are compared on the pairs that both have judged, {self.sizes[0]:,} to {self.sizes[-1]:,}"
        )
        if not self.common_matrix or self.common is None:
            return f"{start}: numbers for different pairs cannot be compared."
        return (
            f"{start}. The second table compares all raters on the {count_pairs(int(self.common.sum()))} that all "
            "have judged."
        )

    def cell(self, one: int, two: int, measure: str) -> Estimate:
        """Return the agreement of two raters by a measure."""
        key = (min(one, two), max(one, two))
        if measure == PEARSON:
            return self.pearson[key]
        raters = self.matrix[key]
        return raters.kappa if measure == KAPPA else raters.share

    def items(self, one: int, two: int) -> int:
        """Return the number of pairs on which two raters are compared by κ and by percentages."""
        return self.matrix[min(one, two), max(one, two)].items

    def codes(self, one: int, two: int) -> tuple[Rows, Rows, int]:
        """Return the codes by which two raters are compared, (n,) each, and the number of categories.

        The codes are the labels, or the answers of two people whose answers do not decide on paraphrases.
        """
        return _codes(self.raters[one], self.raters[two], self.answers)

    def disagreement_mask(self, one: int, two: int) -> Mask:
        """Return the mask of the pairs on which two raters disagree, (n,)."""
        first, second, _ = self.codes(one, two)
        return np.asarray((first >= 0) & (second >= 0) & (first != second) & self.where)


def collect_raters(
    asked: AnnotatorAnswers | None,
    labels: Labels | None,
    score_columns: Sequence[ScoreColumn],
    truth: Labels,
    thresholds: Mapping[str, float],
    rows: int,
    where: Mask | None = None,
) -> list[Rater]:
    """Return all raters of n pairs.

    Args:
        asked: The answers to a question, or None.
        labels: The corpus's labels as a rater, or None.
        score_columns: The scores, each as a rater at its threshold: the chosen, the natural or the best one.
        truth: The labels for which the best threshold is computed.
        thresholds: Chosen thresholds, by score.
        rows: The number of pairs n.
        where: The pairs studied; None for all.
    """
    raters = []
    if asked is not None:
        raters += [
            Rater(
                shown_name(name),
                asked.labels(name, rows),
                asked.values(name, rows),
                asked.codes(name, rows).astype(np.int64),
                person=True,
            )
            for name in _busiest(asked, rows)
        ]
    if labels is not None and (labels != UNLABELLED).any():
        raters.append(Rater("label", labels, np.where(labels == UNLABELLED, np.nan, labels.astype(np.float64))))
    for column in score_columns:
        threshold = thresholds.get(column.name, nan)
        if isnan(threshold):
            threshold = default_threshold(column, truth, where)
        predicted = column.predicted_positive(threshold) if not isnan(threshold) else np.zeros(rows, dtype=bool)
        unknown = np.isnan(column.values) | isnan(threshold)
        verdicts = np.where(unknown, UNLABELLED, predicted).astype(np.int8)
        sign = "≥" if column.higher_is_closer else "≤"
        number = f"{threshold:.3g}".replace("-", "−")
        note = "" if isnan(threshold) else f"{column.title} {sign} {number}"
        values = column.values if column.higher_is_closer else -column.values
        raters.append(Rater(column.title, verdicts, values, note=note))
    return raters


def _busiest(asked: AnnotatorAnswers, rows: int) -> Sequence[str]:
    """Return the annotators, at most `MOST_PEOPLE` of them: those with most answers, in their order."""
    people = asked.annotators
    if len(people) <= MOST_PEOPLE:
        return people
    counts = {name: int((asked.codes(name, rows) >= 0).sum()) for name in people}
    busiest = set(sorted(people, key=lambda name: -counts[name])[:MOST_PEOPLE])
    return [name for name in people if name in busiest]


def human_rater(human: Scores, least: float) -> Rater:
    """Return the human scores as a rater with a threshold, as in figure 3 of PARAPHRASUS.

    Args:
        human: Human scores, (n,), NaN if missing.
        least: The threshold: the lowest score of a paraphrase.
    """
    labels = np.where(np.isnan(human), UNLABELLED, human >= least).astype(np.int8)
    return Rater("human score", labels, human, note=f"human score ≥ {least:.3g}".replace("-", "−"))


def study_raters(
    raters: Sequence[Rater],
    asked: AnnotatorAnswers | None,
    rows: int,
    where: Mask | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    tick: Tick | None = None,
) -> RaterStudy:
    """Compare every two raters on n = `rows` pairs, or on those in `where`."""
    within = np.ones(rows, dtype=bool) if where is None else where
    answers = 0 if asked is None else len(asked.question.answers)
    people = () if asked is None else asked.annotators
    matrix: dict[tuple[int, int], TwoRaters] = {}
    pearson: dict[tuple[int, int], Estimate] = {}
    total = len(raters) * (len(raters) - 1) // 2
    for one in range(len(raters)):
        for two in range(one + 1, len(raters)):
            if tick is not None:
                tick(len(matrix), total)
            first, second, categories = _codes(raters[one], raters[two], answers)
            matrix[one, two] = compare_raters(first[within], second[within], categories, draws=draws, seed=seed)
            values = (raters[at].values[within] for at in (one, two))
            pearson[one, two] = estimate_pearson(*values, draws=draws, seed=seed)
    on_answers = on_labels = None
    if asked is not None and len(people) > 1:
        codes = np.column_stack([asked.codes(name, rows)[within].astype(np.int64) for name in people])
        on_answers = measure_agreement(codes, answers, ordered=_ranks(asked, codes), draws=draws, seed=seed)
        if asked.question.implies_labels:
            labels = np.column_stack([asked.labels(name, rows)[within].astype(np.int64) for name in people])
            on_labels = measure_agreement(labels, 2, draws=draws, seed=seed)
    question, notices = ("", ()) if asked is None else (asked.question.id, tuple(_notices(asked, rows)))
    result = RaterStudy(question, answers, tuple(raters), on_answers, on_labels, within, matrix, pearson, notices)
    return _compare_on_common(result) if len(result.sizes) > 1 else result


def _compare_on_common(study: RaterStudy) -> RaterStudy:
    """Add the agreement on the pairs that all raters have, if there are two or more."""
    codes = {at: study.codes(*at) for at in study.matrix}
    common = study.where.copy()
    for first, second, _ in codes.values():
        common &= (first >= 0) & (second >= 0)
    if np.count_nonzero(common) < 2:
        return study
    matrix, pearson = {}, {}
    for (one, two), (first, second, categories) in codes.items():
        matrix[one, two] = compare_raters(first[common], second[common], categories, draws=0)
        values = (study.raters[at].values[common] for at in (one, two))
        pearson[one, two] = estimate_pearson(*values, draws=0)
    return replace(study, common=common, common_matrix=matrix, common_pearson=pearson)


def _notices(asked: AnnotatorAnswers, rows: int) -> Iterator[str]:
    """Yield remarks on the answers: pairs with a majority, odd answers, annotators left out."""
    votes = asked.votes(rows)
    if (several := int((votes.sum(axis=0) > 1).sum())) and len(asked.annotators) > 1:
        draws = asked.draws(rows)
        pairs = "pair" if several == 1 else "pairs"
        has, draw = ("has" if several - draws == 1 else "have"), ("is" if draws == 1 else "are")
        yield (
            f"Of {several:,} {pairs} with at least two answers, {several - draws:,} {has} a majority and {draws:,} "
            f"{draw} a tie, which counts as neither."
        )
    if isinstance(asked, FileAnswers):
        yield from asked.notices()
    if (more := len(asked.annotators) - MOST_PEOPLE) > 0:
        yield (
            f"{len(asked.annotators):,} annotators answered. The matrix shows the {MOST_PEOPLE} with the most answers; "
            f"the overall agreement includes all {more:,} others."
        )


def _codes(one: Rater, two: Rater, answers: int) -> tuple[Rows, Rows, int]:
    undecided = not (one.labels >= 0).any() and not (two.labels >= 0).any()
    if undecided and one.answers is not None and two.answers is not None:
        return one.answers, two.answers, answers
    return one.labels.astype(np.int64), two.labels.astype(np.int64), 2


def _ranks(asked: AnnotatorAnswers, codes: Rows) -> Rows | None:
    """Return codes as ranks of the answers' values, -1 for those without a value; None for unordered answers."""
    if not asked.question.is_ordinal:
        return None
    values = [answer.value for answer in asked.question.answers]
    places = sorted({value for value in values if value is not None})
    ranks = np.array([-1 if value is None else places.index(value) for value in values] + [-1])
    return np.asarray(ranks[codes])


_MEASURES = {KAPPA: "Cohen's κ", SHARE: "share of equal answers", PEARSON: "Pearson's r"}
_TITLES = {KAPPA: "Cohen's κ", SHARE: "Share of equal answers", PEARSON: "Pearson's r"}

#: Minimum number of scores that can be compared as raters without people.
_FEWEST_SCORES = 2

_ANSWERS = AnalysisRequirement(
    lambda material: bool(material.people.questions) or len(material.score_columns) >= _FEWEST_SCORES,
    "Nobody has judged these pairs yet. Press 1 to 5 on a pair, or begin a blind round (Ctrl+J), alone or with "
    "others. Columns of the file can be annotators, too: choose Change labels, human scores, annotators… in Setup.",
    "people.begin_round",
    "Nobody has judged these pairs yet. Judge some in the window, or name the columns of annotators with --annotator.",
)


def _questions(material: AnalysisMaterial) -> Mapping[str, str]:
    return {answers.question.id: answers.question.id for answers in material.people.questions}


def _most_answered(material: AnalysisMaterial) -> str:
    asked = material.people.questions
    return max(asked, key=lambda answers: answers.count).question.id if asked else ""


@dataclass(frozen=True)
class AgreementOptions:
    """Options of the agreement analysis."""

    question: str = choice(
        "&Question",
        _questions,
        "the question to analyse (default: the one with the most answers)",
        usual=_most_answered,
        metavar="ID",
    )
    measure: str = choice(
        "&Measure", _MEASURES, "what each cell of the matrix shows", default=KAPPA, only_shown=True, metavar="MEASURE"
    )
    human: float = decimal(
        "&Human score from",
        0,
        1000,
        0,
        "use the human score as a rater that calls pairs with X or more paraphrases",
        special="no rater",
        flag="--human-from",
    )
    part: str = part()


class AgreementAnalysis(Analysis[AgreementOptions, RaterStudy]):
    """Agreement of raters. Clicking a number of two raters selects the pairs on which they disagree."""

    name = "agreement"
    title = "Agreement"
    group = "People"
    about = "Agreement of annotators, labels and scores (PARAPHRASUS, figure 3; PEM, table 1)"
    needs = (PAIRS, _ANSWERS)
    options = AgreementOptions
    follows_threshold = True
    follows_people = True

    def usual(self, material: AnalysisMaterial) -> Sequence[AgreementOptions]:
        return [AgreementOptions(question=answers.question.id) for answers in material.people.questions]

    def compute(self, material: AnalysisMaterial, options: AgreementOptions, tick: Tick) -> RaterStudy:
        questions = material.people.questions
        asked = next((answers for answers in questions if answers.question.id == options.question), None)
        return study_question(material, asked, material.parts[options.part], tick, options.human)

    def finding(self, run: Run[AgreementOptions, RaterStudy]) -> str:
        people = run.result.labels or run.result.people
        if people is None or isnan(people.share.value):
            return (
                "Nothing stands out: no two people have answered the same pairs. Scores and labels are compared "
                "with each other."
            )
        share = percent(people.share.value, people.items)
        two = "Both annotators" if people.raters == 2 else f"Two of the {people.raters} annotators"
        share = f"{two} give a pair the same answer in {share} of all cases"
        chance = "" if isnan(people.nominal.value) else f", Krippendorff's α {cell_text(people.nominal, 2)}"
        return f"{share}{chance} ({count_pairs(people.items)})."

    def blocks(self, run: Run[AgreementOptions, RaterStudy]) -> Sequence[Block]:
        study = run.result
        alone = sum(rater.person for rater in study.raters) == 1
        return (
            AnalysisRemark(
                "Only one annotator has judged. Agreement among people needs at least two." if alone else ""
            ),
            AnalysisRemark(" ".join(filter(None, [*study.notices, study.sizes_sentence])), result=True),
            *([matrix_figure(study, run.options.measure)] if len(study.raters) > 1 else []),
            *agreement_tables(study, run.options.measure),
        )


def study_question(
    material: AnalysisMaterial, asked: AnnotatorAnswers | None, where: Mask | None, tick: Tick, human_from: float = 0
) -> RaterStudy:
    """Compare the annotators of a question with each other, with the labels and with the scores.

    Without a question, labels and scores are compared. Without labels, best thresholds are those for the majority of
    the annotators. With `human_from` above 0, the human scores are a rater at that threshold.
    """
    rows = len(material.corpus)
    truth = material.labels if material.has_labels or asked is None else asked.majority(rows)
    raters = collect_raters(asked, material.labels, material.score_columns, truth, dict(material.given), rows, where)
    if human_from > 0 and material.corpus.human is not None:
        raters.append(human_rater(material.corpus.human, human_from))
    return study_raters(raters, asked, rows, where, draws=material.draws, seed=material.seed, tick=tick)


def agreement_tables(study: RaterStudy, measure: str = KAPPA) -> list[Table]:
    """Return all tables of a study that have rows."""
    common = () if study.common is None else (matrix_table(_restrict_to_common(study), measure, study.common),)
    tables = (people_table(study), matrix_table(study, measure), *common, pairs_table(study), counts_table(study))
    return [table for table in tables if len(table)]


def _restrict_to_common(study: RaterStudy) -> RaterStudy:
    """Return the study on the pairs that all raters have."""
    assert study.common is not None
    return replace(study, where=study.common, matrix=study.common_matrix, pearson=study.common_pearson)


def people_table(study: RaterStudy) -> Table:
    """Return the table of the annotators' agreement; without rows for fewer than two annotators."""
    kinds = [("answers as they are", study.people), ("paraphrase or not", study.labels)]
    computed = [(name, agreement) for name, agreement in kinds if agreement is not None]
    columns = [_measures(agreement) for _, agreement in computed]
    rows = tuple((name, *(column[name] for column in columns)) for name in (columns[0] if columns else ()))
    return Table(
        "agreement",
        f"Agreement of the annotators on “{study.question}”",
        ("", *(name for name, _ in computed)),
        rows,
        "Pairs answered by at least two annotators; Fleiss' κ uses the pairs answered by everyone. In brackets: 95 % "
        "bootstrap intervals over pairs. A dash means undefined: everybody gave the same answer or, for the ordinal "
        "α, an answer is not a number.",
    )


def matrix_table(study: RaterStudy, measure: str = KAPPA, common: Mask | None = None) -> Table:
    """Return the agreement matrix, as in figure 3 of PARAPHRASUS (κ) and table 1 of PEM (Pearson's r).

    `common` has the pairs that all raters have, (n,), if the study is on those.
    """
    names = [rater.name for rater in study.raters]
    rows = []
    for one, rater in enumerate(study.raters):
        cells: list[Cell] = [rater.name]
        for two in range(len(names)):
            cells.append(None if one == two else study.cell(one, two, measure).value)
        rows.append(tuple(cells))
    notes = "; ".join(rater.note for rater in study.raters if rater.note)
    note = f"A score says paraphrase where {notes}." if notes and measure != PEARSON else ""

    def link(row: int, column: int) -> Link | None:
        return _disagreement(study, row, column - 1) if column > 0 and row != column - 1 else None

    title = f"{_TITLES[measure]} between raters"
    if common is not None:
        title += f", on the {count_pairs(int(common.sum()))} that all have judged"
        return Table("raters common", title, ("", *names), tuple(rows), link=link)
    return Table(
        "raters", title, ("", *names), tuple(rows), " ".join(filter(None, [note, study.sizes_sentence])), link=link
    )


def matrix_figure(study: RaterStudy, measure: str = KAPPA) -> HeatMap:
    """Return the agreement matrix of `matrix_table` as a heat map."""
    names = [str(at) for at in range(len(study.raters))]
    headings = tuple(HeatMapHeading(key, rater.name) for key, rater in zip(names, study.raters, strict=True))
    values: dict[tuple[str, str], float] = {}
    texts = {(key, key): "–" for key in names}
    for one, two in product(range(len(names)), repeat=2):
        if one != two:
            value = study.cell(one, two, measure).value
            size = f" ({study.items(one, two):,})" if len(study.sizes) > 1 else ""
            texts[names[two], names[one]] = cell_text(value, 2) + size
            values[names[two], names[one]] = nan if isnan(value) else max(value, 0.0)

    def link(column: str, row: str) -> Link | None:
        return _disagreement(study, int(row), int(column)) if column != row else None

    compared = (study.items(one, two) for one, two in combinations(range(len(names)), 2))
    fewest = min(filter(None, compared), default=0)
    least = (
        "Each number is computed on "
        f"{count_pairs(fewest)}{' or more; in brackets: number of pairs' * (len(study.sizes) > 1)}."
    )
    note = f"{least} Click a cell to select the pairs on which the two disagree."
    title = f"{_TITLES[measure]} between raters"
    cell = square_cell(len(headings))
    return HeatMap("raters", title, headings, headings, values, texts, note, cell=cell, colour="good", link=link)


def counts_table(study: RaterStudy) -> Table:
    """Return each rater's number of pairs, paraphrases and non-paraphrases."""
    rows: list[tuple[Cell, ...]] = []
    neither = 0
    for rater in study.raters:
        labels = rater.labels[study.where]
        positive, negative = int((labels == 1).sum()), int((labels == 0).sum())
        share = positive / (positive + negative) if positive + negative else float("nan")
        count = int((rater.answers[study.where] >= 0).sum()) if rater.answers is not None else positive + negative
        rows.append((rater.name, count, positive, negative, None if isnan(share) else share))
        neither += count - positive - negative
    return Table(
        "rater counts",
        "Verdicts of each rater",
        ("rater", "pairs", "paraphrase", "not a paraphrase", "share of paraphrases"),
        tuple(rows),
        f"Answers that are neither, and so do not count as verdicts: {neither}." if neither else "",
    )


def pairs_table(study: RaterStudy) -> Table:
    """Return every two raters with all measures and their intervals, lowest agreement first."""
    names = [rater.name for rater in study.raters]
    order = _least_first(study)
    rows: list[tuple[Cell, ...]] = []
    for one, two in order:
        pair = study.matrix[one, two]
        rows.append((names[one], names[two], pair.items, pair.share, pair.kappa, study.pearson[one, two]))
    return Table(
        "rater pairs",
        "Pairs of raters, lowest agreement first",
        ("rater", "rater", "pairs", "equal answers", "Cohen's κ", "Pearson's r"),
        tuple(rows),
        "κ and equal answers compare verdicts (paraphrase or not), or the answers themselves if two people's answers "
        "are not verdicts. Pearson's r compares ranks of answers, labels and scores (distances negated).",
        link=lambda row, column: _disagreement(study, *order[row]),
    )


def _least_first(study: RaterStudy) -> list[tuple[int, int]]:
    """Return the indices of every two raters, lowest κ first."""

    def key(places: tuple[int, int]) -> float:
        kappa = study.matrix[places].kappa.value
        return float("inf") if isnan(kappa) else kappa

    return sorted(study.matrix, key=key)


def _disagreement(study: RaterStudy, one: int, two: int) -> PairsLink:
    first, second = (study.raters[at].name for at in (one, two))
    return PairsLink(f"{first} and {second} disagree", lambda now: study.disagreement_mask(one, two))


def _measures(agreement: Agreement) -> dict[str, Cell]:
    return {
        "annotators": agreement.raters,
        "pairs": agreement.items,
        "answered by all": agreement.complete,
        "equal answers": agreement.share,
        "Cohen's κ, mean of every two": agreement.kappa,
        "Fleiss' κ": agreement.fleiss,
        "Krippendorff's α, nominal": agreement.nominal,
        "Krippendorff's α, ordinal": agreement.ordinal,
    }
