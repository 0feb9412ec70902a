"""How people agree among themselves, and people, labels and scores as raters of the same pairs.

Figure 3 of PARAPHRASUS and table 1 of PEM: each score at its threshold is one more rater. It is at the chosen
threshold, otherwise at its natural one or, without one, at the best for the labels (for what most annotators say,
where there are none).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, Block, Need, Remark, Run
from parapluie_gui.analysis.figure import Heading, HeatMap, square_cell
from parapluie_gui.analysis.link import Link, PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.statistics.correlation import DRAWS, Estimate
from parapluie_gui.analysis.table import Cell, Table, cell_text, percent
from parapluie_gui.arrays import Labels, Mask, Rows, Scores
from parapluie_gui.features.people.agreement import Agreement, TwoRaters, agreement, pearson_estimate, two_raters
from parapluie_gui.judgements.answers import Answers, FileAnswers
from parapluie_gui.judgements.columns import shown_name
from parapluie_gui.options import choice, decimal
from parapluie_gui.pairs.corpus import UNLABELLED

#: People in the matrix; a crowd has hundreds, and any two of them hardly a pair in common.
MOST_PEOPLE = 24

#: How two raters are compared.
KAPPA, SHARE, PEARSON = "kappa", "share", "pearson"


@dataclass(frozen=True, eq=False)
class Rater:
    """One row and column of the matrix.

    Attributes:
        name: As it is shown.
        labels: 1 paraphrase, 0 not, -1 for neither, (n,).
        values: What Pearson's r is of: answers' places on their scale, scores, labels; (n,), NaN where there is none.
        answers: Codes of a person's answers to the question, (n,), -1 for none; None for anything but a person.
        person: True for an annotator.
        note: At which threshold a score says that a pair is a paraphrase, or "".
    """

    name: str
    labels: Labels
    values: Scores
    answers: Rows | None = None
    person: bool = False
    note: str = ""


@dataclass(frozen=True, eq=False)
class RaterStudy:
    """How raters agree on some pairs.

    Attributes:
        question: The id of the question people answered.
        answers: The number of its answers.
        raters: The raters.
        people: Agreement of the people on the answers as they were given, where there are two or more.
        labels: Agreement of the people on paraphrase or not, where the answers say so; None otherwise.
        where: The pairs that were looked at, (n,).
        matrix: For every two raters (by place, the smaller first) how they agree.
        pearson: The same, Pearson's r.
        notices: What is to be said of the answers, a sentence each.
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

    def cell(self, one: int, two: int, measure: str) -> Estimate:
        """Return how two raters agree by a measure."""
        key = (min(one, two), max(one, two))
        if measure == PEARSON:
            return self.pearson[key]
        found = self.matrix[key]
        return found.kappa if measure == KAPPA else found.share

    def items(self, one: int, two: int) -> int:
        """Return the number of pairs on which two raters are compared by κ and by percentages."""
        return self.matrix[min(one, two), max(one, two)].items

    def codes(self, one: int, two: int) -> tuple[Rows, Rows, int]:
        """Return what two raters are compared by, (n,) each, and the number of categories.

        These are the labels; two people whose answers say nothing of paraphrases are compared by their answers.
        """
        return _codes(self.raters[one], self.raters[two], self.answers)

    def disagreement_mask(self, one: int, two: int) -> Mask:
        """Return the pairs, (n,), on which two raters disagree."""
        first, second, _ = self.codes(one, two)
        return np.asarray((first >= 0) & (second >= 0) & (first != second) & self.where)


def raters_of(
    asked: Answers | None,
    labels: Labels | None,
    score_columns: Sequence[ScoreColumn],
    truth: Labels,
    given: Mapping[str, float],
    rows: int,
    where: Mask | None = None,
) -> list[Rater]:
    """Return all raters of n pairs.

    Args:
        asked: What people were asked, with their answers; or None.
        labels: The corpus's labels as one more rater, or None.
        score_columns: The scores, each as a rater: at its threshold in `given`, its natural one, or else the best one.
        truth: What the best threshold is the best for.
        given: A threshold by score.
        rows: The number of pairs n.
        where: The pairs of interest; None for all.
    """
    found = []
    if asked is not None:
        found += [
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
        found.append(Rater("label", labels, np.where(labels == UNLABELLED, np.nan, labels.astype(np.float64))))
    for each in score_columns:
        threshold = given.get(each.name, nan)
        if isnan(threshold):
            threshold = default_threshold(each, truth, where)
        predicted = each.predicted_positive(threshold) if not isnan(threshold) else np.zeros(rows, dtype=bool)
        unknown = np.isnan(each.values) | isnan(threshold)
        said = np.where(unknown, UNLABELLED, predicted).astype(np.int8)
        sign = "≥" if each.higher_is_closer else "≤"
        number = f"{threshold:.3g}".replace("-", "−")
        note = "" if isnan(threshold) else f"{each.title} {sign} {number}"
        found.append(Rater(each.title, said, each.values if each.higher_is_closer else -each.values, note=note))
    return found


def _busiest(asked: Answers, rows: int) -> Sequence[str]:
    """Return those who answered, of many those with most answers, in their order."""
    people = asked.annotators
    if len(people) <= MOST_PEOPLE:
        return people
    counts = {name: int((asked.codes(name, rows) >= 0).sum()) for name in people}
    busiest = set(sorted(people, key=lambda name: -counts[name])[:MOST_PEOPLE])
    return [name for name in people if name in busiest]


def human_rater(human: Scores, least: float) -> Rater:
    """Return the human scores as a rater that calls a pair a paraphrase from a score on, as in figure 3 of PARAPHRASUS.

    Args:
        human: Human scores, (n,), NaN where there is none.
        least: The least score of a paraphrase.
    """
    labels = np.where(np.isnan(human), UNLABELLED, human >= least).astype(np.int8)
    return Rater("human score", labels, human, note=f"human score ≥ {least:.3g}".replace("-", "−"))


def study_raters(
    raters: Sequence[Rater],
    asked: Answers | None,
    rows: int,
    where: Mask | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    tick: Tick | None = None,
) -> RaterStudy:
    """Compare raters with each other on n = `rows` pairs (those in `where`)."""
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
            matrix[one, two] = two_raters(first[within], second[within], categories, draws=draws, seed=seed)
            values = (raters[at].values[within] for at in (one, two))
            pearson[one, two] = pearson_estimate(*values, draws=draws, seed=seed)
    whole = labelled = None
    if asked is not None and len(people) > 1:
        codes = np.column_stack([asked.codes(name, rows)[within].astype(np.int64) for name in people])
        whole = agreement(codes, answers, ordered=_ranks(asked, codes), draws=draws, seed=seed)
        if asked.question.labelled:
            said = np.column_stack([asked.labels(name, rows)[within].astype(np.int64) for name in people])
            labelled = agreement(said, 2, draws=draws, seed=seed)
    question, notices = ("", ()) if asked is None else (asked.question.id, tuple(_notices(asked, rows)))
    return RaterStudy(question, answers, tuple(raters), whole, labelled, within, matrix, pearson, notices)


def _notices(asked: Answers, rows: int) -> Iterator[str]:
    """Yield remarks on the answers: which pairs have a majority, which answers are odd, who is left out."""
    votes = asked.votes(rows)
    if (several := int((votes.sum(axis=0) > 1).sum())) and len(asked.annotators) > 1:
        draws = asked.draws(rows)
        pairs = "pair" if several == 1 else "pairs"
        has, draw = ("has" if several - draws == 1 else "have"), ("is" if draws == 1 else "are")
        yield (
            f"Of {several:,} {pairs} with two answers or more, {several - draws:,} {has} a majority and "
            f"{draws:,} {draw} a draw, which counts as neither."
        )
    if isinstance(asked, FileAnswers):
        yield from asked.notices()
    if (more := len(asked.annotators) - MOST_PEOPLE) > 0:
        yield (
            f"{len(asked.annotators):,} annotators answered. The matrix has the {MOST_PEOPLE} with most answers, the "
            f"agreement of all counts the other {more:,} too."
        )


def _codes(one: Rater, two: Rater, answers: int) -> tuple[Rows, Rows, int]:
    silent = not (one.labels >= 0).any() and not (two.labels >= 0).any()
    if silent and one.answers is not None and two.answers is not None:
        return one.answers, two.answers, answers
    return one.labels.astype(np.int64), two.labels.astype(np.int64), 2


def _ranks(asked: Answers, codes: Rows) -> Rows | None:
    """Return codes as ranks of the answers' values, -1 for those without one; None where they have no order."""
    if not asked.question.ordered:
        return None
    values = [answer.value for answer in asked.question.answers]
    places = sorted({value for value in values if value is not None})
    ranks = np.array([-1 if value is None else places.index(value) for value in values] + [-1])
    return np.asarray(ranks[codes])


_MEASURES = {KAPPA: "Cohen's κ", SHARE: "share of equal answers", PEARSON: "Pearson's r"}
_TITLES = {KAPPA: "Cohen's κ", SHARE: "Share of equal answers", PEARSON: "Pearson's r"}

_ANSWERS = Need(
    lambda material: bool(material.people.questions),
    "Nobody has judged these pairs yet. Press 1 to 5 on a pair, or begin a blind round (Ctrl+J), alone or with "
    "others. Columns of the file can be annotators too: Change labels, human scores, annotators… in Setup.",
    "people.begin_round",
    "Nobody has judged these pairs yet. Judge some in the window, or name the columns of annotators with --annotator.",
)


def _questions(material: Material) -> Mapping[str, str]:
    return {each.question.id: each.question.id for each in material.people.questions}


def _most_answered(material: Material) -> str:
    asked = material.people.questions
    return max(asked, key=lambda each: each.count).question.id if asked else ""


@dataclass(frozen=True)
class Options:
    """Which question, and how agreement is measured."""

    question: str = choice(
        "&Question", _questions, "the question (default: the one answered most)", usual=_most_answered, metavar="ID"
    )
    measure: str = choice(
        "&Measure", _MEASURES, "the measure of the matrix", default=KAPPA, only_shown=True, metavar="MEASURE"
    )
    human: float = decimal(
        "&Human score from",
        0,
        1000,
        0,
        "the human score as one more rater: a paraphrase from X on",
        special="no rater",
        flag="--human-from",
    )
    part: str = part()


class Raters(Analysis[Options, RaterStudy]):
    """A number of two raters clicked selects the pairs on which they disagree."""

    name = "agreement"
    title = "Agreement"
    group = "People"
    about = "Agreement of annotators, labels and scores (PARAPHRASUS, figure 3; PEM, table 1)"
    needs = (PAIRS, _ANSWERS)
    options = Options
    follows_threshold = True
    follows_people = True

    def usual(self, material: Material) -> Sequence[Options]:
        return [Options(question=each.question.id) for each in material.people.questions]

    def compute(self, material: Material, options: Options, tick: Tick) -> RaterStudy:
        question = next(each for each in material.people.questions if each.question.id == options.question)
        return study_of(material, question, material.parts[options.part], tick, options.human)

    def finding(self, run: Run[Options, RaterStudy]) -> str:
        people = run.result.labels or run.result.people
        if people is None or isnan(people.share.value):
            return ""
        share = percent(people.share.value, people.items)
        share = f"Two of the {people.raters} annotators give a pair the same answer in {share} of all cases"
        chance = "" if isnan(people.nominal.value) else f", Krippendorff's α {cell_text(people.nominal, 2)}"
        return f"{share}{chance} ({people.items:,} pairs)."

    def blocks(self, run: Run[Options, RaterStudy]) -> Sequence[Block]:
        study = run.result
        alone = sum(rater.person for rater in study.raters) < 2
        return (
            Remark("Only one annotator has judged. Several are needed for agreement among people." if alone else ""),
            Remark(" ".join(study.notices), result=True),
            *([matrix_figure(study, run.options.measure)] if len(study.raters) > 1 else []),
            *agreement_tables(study, run.options.measure),
        )


def study_of(
    material: Material, question: Answers, where: Mask | None, tick: Tick, human_from: float = 0
) -> RaterStudy:
    """Compare those who answered a question with each other, with the labels, and with the scores at thresholds.

    Where there are no labels, the best threshold of a score is the best for what most annotators say. With
    `human_from` above 0, the human scores are a rater at that threshold.
    """
    rows = len(material.corpus)
    truth = material.labels if material.labelled else question.majority(rows)
    given = dict(material.given)
    raters = raters_of(question, material.labels, material.score_columns, truth, given, rows, where)
    if human_from > 0 and material.corpus.human is not None:
        raters.append(human_rater(material.corpus.human, human_from))
    return study_raters(raters, question, rows, where, draws=material.draws, seed=material.seed, tick=tick)


def agreement_tables(study: RaterStudy, measure: str = KAPPA) -> list[Table]:
    """Return all tables of a study that have rows."""
    tables = (people_table(study), matrix_table(study, measure), pairs_table(study), counts_table(study))
    return [table for table in tables if len(table)]


def people_table(study: RaterStudy) -> Table:
    """Return the agreement of the people; without rows where fewer than two people answered."""
    kinds = [("answers as given", study.people), ("paraphrase or not", study.labels)]
    there = [(name, found) for name, found in kinds if found is not None]
    columns = [_measures(found) for _, found in there]
    rows = tuple((name, *(column[name] for column in columns)) for name in (columns[0] if columns else ()))
    return Table(
        "agreement",
        f"Agreement of the annotators on “{study.question}”",
        ("", *(name for name, _ in there)),
        rows,
        "Pairs are those that two annotators or more answered; Fleiss' κ is of those that all answered. In brackets: "
        "95 % bootstrap intervals over pairs. A dash: not defined, such as where everybody gave one same answer.",
    )


def matrix_table(study: RaterStudy, measure: str = KAPPA) -> Table:
    """Return how every two raters agree, as in figure 3 of PARAPHRASUS (κ) and table 1 of PEM (Pearson's r)."""
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

    title = f"{_TITLES[measure]} of every two raters"
    return Table("raters", title, ("", *names), tuple(rows), note, link=link)


def matrix_figure(study: RaterStudy, measure: str = KAPPA) -> HeatMap:
    """Return how every two raters agree in colours, as `matrix_table` has it in numbers."""
    names = [str(at) for at in range(len(study.raters))]
    headings = tuple(Heading(key, rater.name) for key, rater in zip(names, study.raters, strict=True))
    values: dict[tuple[str, str], float] = {}
    texts = {(key, key): "–" for key in names}
    for one, two in product(range(len(names)), repeat=2):
        if one != two:
            found = study.cell(one, two, measure).value
            texts[names[two], names[one]] = cell_text(found, 2)
            values[names[two], names[one]] = nan if isnan(found) else max(found, 0.0)

    def link(column: str, row: str) -> Link | None:
        return _disagreement(study, int(row), int(column)) if column != row else None

    compared = (study.items(one, two) for one, two in combinations(range(len(names)), 2))
    fewest = min(filter(None, compared), default=0)
    least = f"Of {fewest:,} {'pair' if fewest == 1 else 'pairs'} or more."
    note = f"{least} Click a cell to select the pairs on which the two disagree."
    title = f"{_TITLES[measure]} of every two raters"
    cell = square_cell(len(headings))
    return HeatMap("raters", title, headings, headings, values, texts, note, cell=cell, colour="good", link=link)


def counts_table(study: RaterStudy) -> Table:
    """Return each rater's answers in numbers: pairs, paraphrases, not paraphrases, and answers that say neither."""
    rows: list[tuple[Cell, ...]] = []
    neither = 0
    for rater in study.raters:
        labels = rater.labels[study.where]
        positive, negative = int((labels == 1).sum()), int((labels == 0).sum())
        share = positive / (positive + negative) if positive + negative else float("nan")
        given = int((rater.answers[study.where] >= 0).sum()) if rater.answers is not None else positive + negative
        rows.append((rater.name, given, positive, negative, None if isnan(share) else share))
        neither += given - positive - negative
    return Table(
        "rater counts",
        "What each rater said",
        ("rater", "pairs", "paraphrase", "not a paraphrase", "share of paraphrases"),
        tuple(rows),
        f"Answers that say neither, and so count as no verdict: {neither}." if neither else "",
    )


def pairs_table(study: RaterStudy) -> Table:
    """Return every two raters with all measures and their intervals, those first that agree least."""
    names = [rater.name for rater in study.raters]
    order = _least_first(study)
    rows: list[tuple[Cell, ...]] = []
    for one, two in order:
        found = study.matrix[one, two]
        rows.append((names[one], names[two], found.items, found.share, found.kappa, study.pearson[one, two]))
    return Table(
        "rater pairs",
        "Every two raters, those first that agree least",
        ("rater", "rater", "pairs", "equal answers", "Cohen's κ", "Pearson's r"),
        tuple(rows),
        "κ and equal answers are of paraphrase or not; between two people whose answers do not say that, of the "
        "answers. Pearson's r is of answers' places on their scale, labels and scores (distances negated).",
        link=lambda row, column: _disagreement(study, *order[row]),
    )


def _least_first(study: RaterStudy) -> list[tuple[int, int]]:
    """Return the places of every two raters, those first that agree least."""

    def key(places: tuple[int, int]) -> float:
        kappa = study.matrix[places].kappa.value
        return float("inf") if isnan(kappa) else kappa

    return sorted(study.matrix, key=key)


def _disagreement(study: RaterStudy, one: int, two: int) -> PairsLink:
    first, second = (study.raters[at].name for at in (one, two))
    return PairsLink(f"{first} and {second} disagree", lambda now: study.disagreement_mask(one, two))


def _measures(found: Agreement) -> dict[str, Cell]:
    return {
        "annotators": found.raters,
        "pairs": found.items,
        "answered by all": found.complete,
        "equal answers": found.share,
        "Cohen's κ, mean of every two": found.kappa,
        "Fleiss' κ": found.fleiss,
        "Krippendorff's α, nominal": found.nominal,
        "Krippendorff's α, ordinal": found.ordinal,
    }
