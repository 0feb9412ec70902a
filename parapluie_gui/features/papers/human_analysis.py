"""Correlation of scores with human scores on each corpus, and ParaScore's protocol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from parapluie_gui.analysis.base import HUMAN, PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.claims import describe_turned_round, turn_nearer
from parapluie_gui.analysis.evaluations.rows import score_rows
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, count_pairs, estimate_words, tested_rows
from parapluie_gui.analysis.link import AxesLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick, describe_constant
from parapluie_gui.analysis.statistics.correlation import Correlation, spearman
from parapluie_gui.analysis.statistics.significance import correlation_difference, correlation_p
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, slim
from parapluie_gui.features.papers.parascore import MetaEvaluation, MetaScore, evaluate_scores
from parapluie_gui.options import choice

#: Similarities of meaning, the best first; the first available one is used for S_sim, S_div and ω.
SIMILARITIES = ("bertscore", "sbert", "simcse")

#: The choice of using no similarity.
NONE = "none"


def _scores(material: AnalysisMaterial) -> dict[str, str]:
    return {NONE: "none"} | {
        score_column.name: score_column.title
        for score_column in material.score_columns
        if score_column.higher_is_closer
    }


@dataclass(frozen=True)
class HumanOptions:
    """Options of the analysis: the similarity of meaning that S_sim, S_div and ω use."""

    similarity: str = choice(
        "&Similarity for S_sim, S_div and ω",
        _scores,
        "the score that separates S_sim from S_div and is combined with weight ω (default: bertscore, sbert or simcse; "
        "none: no score)",
        usual=lambda material: next((name for name in SIMILARITIES if name in material.names), NONE),
        metavar="COL",
    )


@dataclass(frozen=True, eq=False)
class HumanResult:
    """The correlations on each corpus, and ParaScore's protocol on all of them."""

    studies: tuple[CorpusStudy, ...]
    evaluation: MetaEvaluation


class HumanScores(Analysis[HumanOptions, HumanResult]):
    """ParaScore's meta-evaluation on any corpus with human scores."""

    name = "human"
    title = "Human scores"
    group = "People"
    about = "Correlation of scores with human scores, by ParaScore's protocol (EMNLP 2022)"
    manual = "parascore"
    needs = (HUMAN, SCORES, PAIRS)
    options = HumanOptions

    def compute(self, material: AnalysisMaterial, options: HumanOptions, tick: Tick) -> HumanResult:
        def share(first: int, last: int) -> Tick:
            return lambda done, total: tick(first * max(total, 1) + (last - first) * done, 100 * max(total, 1))

        studies = material.all_studies(share(0, 80), related=True)
        evaluation = evaluate_scores(
            material.score_columns,
            material.corpus,
            similarity=None if options.similarity == NONE else options.similarity,
            where=material.where,
            draws=material.draws,
            seed=material.seed,
            tick=share(80, 100),
        )
        return HumanResult(studies, evaluation)

    def finding(self, run: Run[HumanOptions, HumanResult]) -> str:
        material = run.material
        studies = [study for study in run.result.studies[-1].scores.values() if study.human is not None]
        if not studies:
            return ""
        assert material.corpus.human is not None
        rows = tested_rows(material.parts[run.result.studies[-1].name] & ~np.isnan(material.corpus.human))
        people = material.corpus.human[rows]
        scores = {study.score_column.title: turn_nearer(study.score_column)[rows] for study in studies}
        candidates, against = [], []
        for study in studies:
            title, correlation = study.score_column.title, study.human
            assert correlation is not None
            raw = correlation.spearman
            value = raw.value if study.score_column.higher_is_closer else -raw.value
            p = correlation_p(value, correlation.pairs)
            words = f"Spearman {estimate_words(raw)} with their scores of {count_pairs(correlation.pairs)}"
            candidates.append(
                FindingCandidate(title, f"agrees with people: {words}", value, p if isnan(p) or value > 0 else 1.0)
            )
            against.append(
                FindingCandidate(title, f"({estimate_words(raw)})", -value, p if isnan(p) or value < 0 else 1.0)
            )

        def differs(first: FindingCandidate, second: FindingCandidate) -> float:
            one, two = scores[first.title], scores[second.title]
            both = ~(np.isnan(one) | np.isnan(two))
            first_value, second_value = (spearman(score[both], people[both]) for score in (one, two))
            between = spearman(one[both], two[both])
            return correlation_difference(first_value, second_value, between, int(both.sum()))

        sentence = compose_finding(candidates, "no score clearly agrees with people", "more closely", differs)
        return f"{sentence} {describe_turned_round(against, 'people say the opposite of')}".strip()

    def blocks(self, run: Run[HumanOptions, HumanResult]) -> Sequence[Block]:
        return slim(correlations_table(run.material, run.result.studies)), *meta_tables(run.result.evaluation)


def correlations_table(material: AnalysisMaterial, studies: Sequence[CorpusStudy]) -> Table:
    """Return a table of the correlations with human scores on each corpus."""

    def cells(study: ScoreStudy) -> Iterable[Cell] | None:
        human = study.human
        return None if human is None else (human.pearson, human.spearman, human.kendall, human.pairs)

    rows, names = score_rows(studies, material, cells)
    header = ("corpus", "score", "Pearson", "Spearman", "Kendall", "pairs")
    title = "Correlation with human scores"
    constant = describe_constant(material.score_columns)
    return Table("human", title, header, rows, constant, link=lambda row, column: AxesLink(names[row]))


def meta_tables(evaluation: MetaEvaluation) -> list[Table]:
    """Return every table of a meta-evaluation that has rows."""
    tables = [
        held_out_table(evaluation),
        forms_table(evaluation),
        groups_table(evaluation),
        reference_groups_table(evaluation),
    ]
    tables += [attribution_table(evaluation), omega_table(evaluation)]
    return [table for table in tables if len(table)]


def held_out_table(meta: MetaEvaluation) -> Table:
    """Return a table of the correlations with human scores (ParaScore's tables 1 and 9)."""
    extended = meta.added > 0
    more = ("Pearson, extended", "Spearman, extended") if extended else ()
    return Table(
        "meta-human",
        f"Correlation with the human scores of {meta.corpus}",
        ("score", "Pearson", "Spearman", "Pearson, all pairs", "Spearman, all pairs", *more),
        tuple(
            (
                _name(score),
                *_coefficients(score.held_out),
                *_coefficients(score.all),
                *(_coefficients(score.extended) if extended else ()),
            )
            for score in meta.scores
        ),
        f"On the last {meta.tested:,} of {meta.pairs:,} pairs; the first {meta.tuning:,} are for tuning."
        + (f" Extended: with {meta.added:,} sources as candidates, scored 0." if extended else ""),
    )


def forms_table(meta: MetaEvaluation) -> Table:
    """Compare each metric against the source with the same metric against the reference."""
    return Table(
        "meta-forms",
        f"Reference-free against reference-based on {meta.corpus}",
        ("metric", "pairs", "Pearson, free", "Spearman, free", "Pearson, reference", "Spearman, reference"),
        tuple(
            (form.name, form.free.pairs, *_coefficients(form.free), *_coefficients(form.reference))
            for form in meta.forms
        ),
        "Free: the hypothesis is compared with the source. Only held-out pairs that have both scores are used.",
    )


def groups_table(meta: MetaEvaluation) -> Table:
    """Return Pearson's correlation in the groups by distance to the source and in the cases I and II."""
    cases = any(score.case_one is not None for score in meta.scores)
    borders = [f"{group.low:.2f} to {group.high:.2f}" for group in meta.groups]
    return Table(
        "meta-groups",
        f"Pearson's correlation with the human scores of {meta.corpus} by edit distance of source and hypothesis",
        ("score", *borders, *(("case I", "case II") if cases else ())),
        tuple(
            (
                _name(score),
                *(None if score.reference else group.pearson for group in score.groups),
                *((_coefficients(score.case_one)[0], _coefficients(score.case_two)[0]) if cases else ()),
            )
            for score in meta.scores
        ),
        f"Pairs of the groups: {', '.join(f'{group.pairs:,}' for group in meta.groups)}."
        + (
            " Case I: the hypothesis is nearer to its reference than to its source; case II: all other pairs."
            if cases
            else ""
        ),
    )


def reference_groups_table(meta: MetaEvaluation) -> Table:
    """Return the correlation of scores against the reference in the groups by distance to it (ParaScore's figure 1)."""
    scores = [score for score in meta.scores if score.reference]
    rows: list[tuple[Cell, ...]] = [(score.name, *(group.pearson for group in score.groups)) for score in scores]
    return Table(
        "meta-reference-groups",
        f"Pearson's correlation with the human scores of {meta.corpus} by edit distance of hypothesis and reference",
        ("score", *(f"{group.low:.2f} to {group.high:.2f}" for group in meta.reference_groups)),
        tuple(rows) if meta.reference_groups else (),
        f"Pairs of the groups: {', '.join(f'{group.pairs:,}' for group in meta.reference_groups)}.",
    )


def attribution_table(meta: MetaEvaluation) -> Table:
    """Return how well each score reflects differences in meaning (S_sim) and in wording (S_div)."""
    sizes = next(((score.base, score.similarity, score.divergence) for score in meta.scores if score.similarity), ())
    rows: list[tuple[Cell, ...]] = []
    for score in meta.scores:
        parts = (score.base, score.similarity, score.divergence, score.divergence_near, score.divergence_far)
        cells = [cell for part in parts if part is not None for cell in (part.agreement, part.pearson)]
        if cells:
            rows.append((_name(score), *cells))
    counts = ", ".join(f"{part.candidate_pairs:,}" for part in sizes if part is not None)
    subsets = ("base", "S_sim", "S_div", "S_div near", "S_div far")
    return Table(
        "meta-attribution",
        f"Two candidates of one source that differ in meaning only (S_sim) or in wording only (S_div), {meta.corpus}",
        ("score", *(f"{subset}, {what}" for subset in subsets for what in ("agreement", "Pearson"))),
        tuple(rows),
        f"{counts} pairs of candidates in the base set, S_sim and S_div, separated by {meta.similarity}. Base set: "
        "equally far from the "
        "source, whatever they mean. Agreement: the score prefers the candidate that people "
        "prefer. Near: the smaller distance is at most 0.35; far: it is larger.",
    )


def omega_table(meta: MetaEvaluation) -> Table:
    """Compare ParaScore with a tuned ω with the toolkit's ω and with ω = 0."""
    rows = []
    for name, weights in meta.omega.items():
        for kind, omega, result in (
            ("tuned", weights.omega, weights.held_out),
            ("of the toolkit", 0.05, weights.usual),
            ("none", 0.0, weights.plain),
            ("tuned, no threshold", weights.no_threshold_omega, weights.no_threshold),
            ("by the authors' code", weights.omega + 0.01, weights.authors),
        ):
            rows.append((name, kind, omega, result.pearson, result.spearman))
    return Table(
        "meta-omega",
        f"ParaScore with its weight tuned on the first {meta.tuning:,} pairs of {meta.corpus}",
        ("similarity", "ω", "value", "Pearson", "Spearman"),
        tuple(rows),
        "Similarity + ω · DS on the held-out pairs; without the threshold DS is the distance itself. The authors' code "
        "uses the weight that follows the best one.",
    )


def _name(score: MetaScore) -> str:
    # Only the name tells the variants against references apart.
    return score.name if score.reference else score.title


def _coefficients(correlation: Correlation | None) -> tuple[Cell, Cell]:
    return (None, None) if correlation is None else (correlation.pearson, correlation.spearman)
