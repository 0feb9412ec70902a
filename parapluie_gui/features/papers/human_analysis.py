"""Agreement of scores with human scores: correlations on each corpus, and ParaScore's protocol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan

from parapluie_gui.analysis.base import HUMAN, PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.rows import score_rows
from parapluie_gui.analysis.link import AxesLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.correlation import Correlation
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, cell_text, slim
from parapluie_gui.features.papers.parascore import MetaEvaluation, MetaScore, meta
from parapluie_gui.options import choice

#: Scores that tell meaning from wording, the best first: the first that is there is used for S_sim, S_div and ω.
SIMILARITIES = ("bertscore", "sbert", "simcse")

#: No score is used for them.
NONE = "none"


def _scores(material: Material) -> dict[str, str]:
    return {NONE: "none"} | {each.name: each.title for each in material.score_columns if each.higher_is_closer}


@dataclass(frozen=True)
class Options:
    """What tells meaning from wording."""

    similarity: str = choice(
        "&Similarity for S_sim, S_div and ω",
        _scores,
        "the score that separates S_sim from S_div and whose weight ω is tuned (default: bertscore, sbert or simcse; "
        "none: no score)",
        usual=lambda material: next((name for name in SIMILARITIES if name in material.names), NONE),
        metavar="COL",
    )


@dataclass(frozen=True, eq=False)
class HumanResult:
    """The correlations on each corpus, and ParaScore's protocol on all of them."""

    studies: tuple[CorpusStudy, ...]
    evaluation: MetaEvaluation


class Human(Analysis[Options, HumanResult]):
    """ParaScore's meta-evaluation on any corpus with human scores."""

    name = "human"
    title = "Human scores"
    group = "People"
    about = "Correlation of scores with human scores, by ParaScore's protocol (EMNLP 2022)"
    manual = "parascore"
    needs = (HUMAN, SCORES, PAIRS)
    options = Options

    def compute(self, material: Material, options: Options, tick: Tick) -> HumanResult:
        def share(first: int, last: int) -> Tick:
            return lambda done, total: tick(first * max(total, 1) + (last - first) * done, 100 * max(total, 1))

        studies = material.all_studies(share(0, 80), related=True)
        evaluation = meta(
            material.score_columns,
            material.corpus,
            similarity=None if options.similarity == NONE else options.similarity,
            where=material.where,
            draws=material.draws,
            seed=material.seed,
            tick=share(80, 100),
        )
        return HumanResult(studies, evaluation)

    def finding(self, run: Run[Options, HumanResult]) -> str:
        studies = run.result.studies[-1].scores.values()
        found = {each.score_column.title: each.human for each in studies if each.human is not None}
        near = {title: abs(each.spearman.value) for title, each in found.items() if not isnan(each.spearman.value)}
        if not near:
            return ""
        best = max(near, key=near.__getitem__)
        each = found[best]
        spearman = cell_text(each.spearman, 2)
        return f"{best} follows people best: Spearman {spearman} with their scores of {each.pairs:,} pairs."

    def blocks(self, run: Run[Options, HumanResult]) -> Sequence[Block]:
        return slim(correlations_table(run.material, run.result.studies)), *meta_tables(run.result.evaluation)


def correlations_table(material: Material, studies: Sequence[CorpusStudy]) -> Table:
    """Return the correlations with human scores on each corpus."""

    def cells(each: ScoreStudy) -> Iterable[Cell] | None:
        found = each.human
        return None if found is None else (found.pearson, found.spearman, found.kendall, found.pairs)

    rows, names = score_rows(studies, material, cells)
    header = ("corpus", "score", "Pearson", "Spearman", "Kendall", "pairs")
    title = "Correlation with human scores"
    return Table("human", title, header, rows, link=lambda row, column: AxesLink(names[row]))


def meta_tables(found: MetaEvaluation) -> list[Table]:
    """Return every table of a meta-evaluation that has rows."""
    tables = [held_out_table(found), forms_table(found), groups_table(found), reference_groups_table(found)]
    tables += [attribution_table(found), omega_table(found)]
    return [table for table in tables if len(table)]


def held_out_table(found: MetaEvaluation) -> Table:
    """Return the correlations with human scores (ParaScore's tables 1 and 9)."""
    extended = found.added > 0
    more = ("Pearson, extended", "Spearman, extended") if extended else ()
    return Table(
        "meta-human",
        f"Correlation with the human scores of {found.corpus}",
        ("score", "Pearson", "Spearman", "Pearson, all pairs", "Spearman, all pairs", *more),
        tuple(
            (_name(each), *_both(each.held_out), *_both(each.all), *(_both(each.extended) if extended else ()))
            for each in found.scores
        ),
        f"On the last {found.tested:,} of {found.pairs:,} pairs; the first {found.tuning:,} are for tuning."
        + (f" Extended: with {found.added:,} sources as candidates, scored 0." if extended else ""),
    )


def forms_table(found: MetaEvaluation) -> Table:
    """Return each metric against the source and against the reference."""
    return Table(
        "meta-forms",
        f"Reference-free against reference-based on {found.corpus}",
        ("metric", "pairs", "Pearson, free", "Spearman, free", "Pearson, reference", "Spearman, reference"),
        tuple((each.name, each.free.pairs, *_both(each.free), *_both(each.reference)) for each in found.forms),
        "Free: the hypothesis against the source. On the held-out pairs that have both scores.",
    )


def groups_table(found: MetaEvaluation) -> Table:
    """Return Pearson's correlation in the groups by distance to the source and in the cases I and II."""
    cases = any(each.case_one is not None for each in found.scores)
    borders = [f"{group.low:.2f} to {group.high:.2f}" for group in found.groups]
    return Table(
        "meta-groups",
        f"Pearson's correlation with the human scores of {found.corpus} by edit distance of source and hypothesis",
        ("score", *borders, *(("case I", "case II") if cases else ())),
        tuple(
            (
                _name(each),
                *(None if each.reference else group.pearson for group in each.groups),
                *((_both(each.case_one)[0], _both(each.case_two)[0]) if cases else ()),
            )
            for each in found.scores
        ),
        f"Four groups of {', '.join(f'{group.pairs:,}' for group in found.groups)} pairs."
        + (" Case I: the hypothesis is nearer to its reference than to its source; case II: not." if cases else ""),
    )


def reference_groups_table(found: MetaEvaluation) -> Table:
    """Return the correlation of scores against the reference in the groups by distance to it (ParaScore's figure 1)."""
    scores = [each for each in found.scores if each.reference]
    rows: list[tuple[Cell, ...]] = [(each.name, *(group.pearson for group in each.groups)) for each in scores]
    return Table(
        "meta-reference-groups",
        f"Pearson's correlation with the human scores of {found.corpus} by edit distance of hypothesis and reference",
        ("score", *(f"{group.low:.2f} to {group.high:.2f}" for group in found.reference_groups)),
        tuple(rows) if found.reference_groups else (),
        f"Four groups of {', '.join(f'{group.pairs:,}' for group in found.reference_groups)} pairs.",
    )


def attribution_table(found: MetaEvaluation) -> Table:
    """Return what each score sees of meaning and of wording (S_sim and S_div)."""
    sizes = next(((each.base, each.similarity, each.divergence) for each in found.scores if each.similarity), ())
    rows: list[tuple[Cell, ...]] = []
    for each in found.scores:
        parts = (each.base, each.similarity, each.divergence, each.divergence_near, each.divergence_far)
        cells = [cell for part in parts if part is not None for cell in (part.agreement, part.pearson)]
        if cells:
            rows.append((_name(each), *cells))
    counts = ", ".join(f"{part.candidate_pairs:,}" for part in sizes if part is not None)
    subsets = ("base", "S_sim", "S_div", "S_div near", "S_div far")
    return Table(
        "meta-attribution",
        f"Two candidates of one source that differ in meaning only (S_sim) or in wording only (S_div), {found.corpus}",
        ("score", *(f"{subset}, {what}" for subset in subsets for what in ("agreement", "Pearson"))),
        tuple(rows),
        f"{counts} pairs of candidates in the base, S_sim and S_div by {found.similarity}. Base: equally far from the "
        "source, whatever they mean. Agreement: the score prefers the candidate that people "
        "prefer. Near: the smaller distance is 0.35 at most; far: it is larger.",
    )


def omega_table(found: MetaEvaluation) -> Table:
    """Return ParaScore with ω tuned, beside the toolkit's ω and none."""
    rows = []
    for name, each in found.omega.items():
        for kind, omega, result in (
            ("tuned", each.omega, each.held_out),
            ("of the toolkit", 0.05, each.usual),
            ("none", 0.0, each.plain),
            ("tuned, no threshold", each.no_threshold_omega, each.no_threshold),
            ("by the authors' code", each.omega + 0.01, each.authors),
        ):
            rows.append((name, kind, omega, result.pearson, result.spearman))
    return Table(
        "meta-omega",
        f"ParaScore with its weight tuned on the first {found.tuning:,} pairs of {found.corpus}",
        ("similarity", "ω", "value", "Pearson", "Spearman"),
        tuple(rows),
        "Similarity + ω · DS on the held-out pairs; without the threshold DS is the distance itself. The authors' code "
        "takes the weight after the best one.",
    )


def _name(each: MetaScore) -> str:
    # The title says what it is, the name which variant.
    return each.name if each.reference else each.title


def _both(found: Correlation | None) -> tuple[Cell, Cell]:
    return (None, None) if found is None else (found.pearson, found.spearman)
