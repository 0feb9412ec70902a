"""The analysis "Errors": what errors or selected pairs have in common, and labels that may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, AnalysisRemark, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.errors.traits import ErrorTrait, Family, without_own_buckets
from parapluie_gui.analysis.evaluations.claims import LEARNT, is_learnt
from parapluie_gui.analysis.figure import BarBlock, BarList, HeatMap, HeatMapHeading, SignedBar
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, share_words
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import buckets, cut_members
from parapluie_gui.analysis.table import Cell, Table, percent
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.arrays import Mask
from parapluie_gui.features.errors.keyness import KeyTrait, TraitGroup, find_key_traits, group_by_traits, score_bands
from parapluie_gui.features.errors.labels import PLANTED, SuspectLabels, find_suspects
from parapluie_gui.judgements.scheme import REVIEWED
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.options import choice, integer, switch
from parapluie_gui.pairs.column import TextColumn

#: The name of each family of traits in the tables.
FAMILIES: dict[Family, str] = {"type": "change", "changed": "word that differs", "word": "word", "bucket": ""}

#: The option values for every score, and for errors of both kinds.
EVERY, BOTH = "*", "errors"
SELECTED = "selected"
#: The kinds of errors: title, outcome, and the outcome of correct answers with the same verdict, to compare with.
ERRORS = {
    "fp": ("False positives", Outcome.FALSE_POSITIVE, Outcome.TRUE_POSITIVE),
    "fn": ("False negatives", Outcome.FALSE_NEGATIVE, Outcome.TRUE_NEGATIVE),
}
_WRONG = (Outcome.FALSE_POSITIVE, Outcome.FALSE_NEGATIVE)


def _scores(material: AnalysisMaterial) -> Mapping[str, str]:
    return {EVERY: "Every score", **{column.name: column.title for column in material.score_columns}}


def _sets(material: AnalysisMaterial) -> Mapping[str, str]:
    kinds = {BOTH: "All errors", **{key: title for key, (title, *_) in ERRORS.items()}} if material.has_labels else {}
    return kinds | {SELECTED: "Selected pairs"}


def _default_pairs(material: AnalysisMaterial) -> str:
    return BOTH if material.selected is None else SELECTED


@dataclass(frozen=True)
class ErrorsOptions:
    """Options of the analysis of errors."""

    score: str = choice("&Score", _scores, "the score whose errors are analysed", flag="")
    pairs: str = choice("Pai&rs", _sets, "the pairs to analyse (default: both kinds of errors)", usual=_default_pairs)
    part: str = part()
    labels: bool = switch("", "only labels that may be wrong")
    most: int = integer("", 1, 100_000, 50, "largest number of rows in a table")


@dataclass(frozen=True, eq=False)
class PairSet:
    """A set of pairs and what they have in common.

    Errors are compared with correct answers of the same verdict and about the same score (`score_bands`), so that
    traits which only correlate with high or low scores are not key traits.

    Attributes:
        name: The name in file names.
        title: The title: "False positives of BLEU".
        score: The score that made the errors, or the chosen score for selected pairs.
        threshold: The threshold of the score.
        chosen: (n,) The pairs of the set.
        compared: The number of pairs compared with.
        groups: The groups of the set.
        key_traits: The key traits of the set.
        wrong, right: (n,) All pairs that the score judges wrong, and right; None for selected pairs.
    """

    name: str
    title: str
    score: str
    threshold: float
    chosen: Mask
    compared: int
    groups: list[TraitGroup]
    key_traits: list[KeyTrait]
    wrong: Mask | None = None
    right: Mask | None = None

    def wrong_rates(self, trait: ErrorTrait) -> tuple[float, float]:
        """Return the share of wrong verdicts among the pairs with a trait, and among those without; 0 without pairs."""
        assert self.wrong is not None and self.right is not None
        having = trait.mask(len(self.chosen))
        sides = ((self.wrong & side, self.right & side) for side in (having, ~having))
        with_trait, without_trait = (float(wrong.sum() / max(wrong.sum() + right.sum(), 1)) for wrong, right in sides)
        return with_trait, without_trait


@dataclass(frozen=True, eq=False)
class ErrorsResult:
    """The result of the analysis of errors.

    Attributes:
        sets: One set of pairs or several.
        suspects: The labels that may be wrong.
        heat_map: The wrong verdicts by kind of change; None unless all errors of every score are analysed.
    """

    sets: tuple[PairSet, ...]
    suspects: SuspectLabels
    heat_map: HeatMap | None


def _describe_group(run: Run[ErrorsOptions, ErrorsResult], group: TraitGroup, pairs: PairSet) -> str:
    """Return the words on a group after the title of its set."""
    key = group.key
    learnt = f", at a threshold {LEARNT}" if is_learnt(run.material, run.material.score_column(pairs.score)) else ""
    shares = f"{share_words(key.count, key.size)}; of correct verdicts, {percent(key.other / key.others, key.others)}"
    return f"have “{key.trait.name}” more often than correct verdicts{learnt}: {shares}"


class ErrorAnalysis(Analysis[ErrorsOptions, ErrorsResult]):
    """The analysis of errors. Clicking a row selects its pairs."""

    name = "errors"
    title = "Errors"
    group = "Errors"
    about = "Shows what the errors of scores or selected pairs have in common, and labels that may be wrong"
    manual = "errors"
    needs = (PAIRS, LABELS, SCORES)
    options = ErrorsOptions
    follows_threshold = True
    follows_people = True
    in_report = False
    in_analyse = False

    def missing(self, material: AnalysisMaterial) -> AnalysisRequirement | None:
        """Return the unmet need; an analysis of selected pairs needs neither labels nor scores."""
        needs = self.needs if material.selected is None else (PAIRS,)
        return next((need for need in needs if not need.is_met(material)), None)

    def compute(self, material: AnalysisMaterial, options: ErrorsOptions, tick: Tick) -> ErrorsResult:
        where, names = material.parts[options.part], [options.score]
        if options.score == EVERY:
            names = material.names
        thresholds = {column.name: material.threshold(column, where) for column in material.score_columns}
        doubtful = find_suspects(material.score_columns, material.labels, where, list(thresholds.values()))
        if options.labels:
            return ErrorsResult((), doubtful, None)
        traits = material.studies.traits(material, tick)
        if options.pairs == SELECTED:
            return ErrorsResult((_selected_set(material, options, thresholds, traits),), doubtful, None)
        kinds = tuple(ERRORS) if options.pairs == BOTH else (options.pairs,)
        sets = tuple(
            _error_set(material, where, name, kind, thresholds[name], traits) for name in names for kind in kinds
        )
        every = options.score == EVERY and options.pairs == BOTH
        return ErrorsResult(sets, doubtful, _heat_map(material, where, thresholds, tick) if every else None)

    def finding(self, run: Run[ErrorsOptions, ErrorsResult]) -> str:
        error_sets = [pairs for pairs in run.result.sets if pairs.wrong is not None and pairs.chosen.any()]
        if not error_sets or run.options.pairs == SELECTED:
            return ""
        # Key traits are corrected for their number in a set; here also for the number of sets.
        groups = [(group, pairs) for pairs in error_sets for group in pairs.groups]
        candidates = [
            FindingCandidate(pairs.title, _describe_group(run, group, pairs), len(group.rows), group.key.p)
            for group, pairs in groups
        ]
        candidates += [FindingCandidate(pairs.title, "", 0, 1.0) for pairs in error_sets if not pairs.groups]
        return compose_finding(candidates, "no group of errors clearly has a trait more often than correct verdicts")

    def blocks(self, run: Run[ErrorsOptions, ErrorsResult]) -> Sequence[Block]:
        result, most = run.result, run.options.most
        blocks: list[Block] = []
        first = next((pairs for pairs in result.sets if pairs.groups), None)  # the first table explains the columns
        if first is not None and run.options.pairs != SELECTED:
            blocks.append(groups_figure(result.sets))
        if result.heat_map is not None:
            blocks.append(result.heat_map)
        for pairs in result.sets:
            reason = explain_empty(pairs, run.options.pairs == SELECTED)
            if reason:
                blocks.append(AnalysisRemark(reason, result=True))
            else:
                blocks += _with_remark(groups_table(pairs, pairs is not first))
        if len(result.sets) == 1 and result.sets[0].key_traits:
            blocks.append(key_traits_table(result.sets[0], most, first is not None))
        if run.material.has_labels and (len(run.material.score_columns) > 1 or run.options.labels):
            blocks += _with_remark(suspects_table(run.material, result.suspects, most))
        return blocks

    def details(self, run: Run[ErrorsOptions, ErrorsResult]) -> dict[str, object]:
        """Return the ids of the pairs of each group."""
        ids = run.material.corpus.id
        return {
            pairs.name: [[ids[row] for row in group.rows.tolist()] for group in pairs.groups]
            for pairs in run.result.sets
        }


def _error_set(
    material: AnalysisMaterial, where: Mask, score: str, kind: str, threshold: float, traits: Sequence[ErrorTrait]
) -> PairSet:
    column = material.score_column(score)
    title, *codes = ERRORS[kind]
    judged = outcome(column.values, material.labels, threshold, column.higher_is_closer)
    chosen, others = ((judged == code) & where for code in codes)
    traits = without_own_buckets(traits, score)
    bands = score_bands(column.values, chosen, others)
    wrong = np.isin(judged, _WRONG) & where
    return PairSet(
        name=f"{score}-{title.lower().replace(' ', '-')}",
        title=f"{title} of {column.title}",
        score=score,
        threshold=threshold,
        chosen=chosen,
        compared=int(others.sum()),
        groups=group_by_traits(traits, chosen, others, bands),
        key_traits=find_key_traits(traits, chosen, others, bands),
        wrong=wrong,
        right=(judged != Outcome.NONE) & ~wrong & where,
    )


def _selected_set(
    material: AnalysisMaterial, options: ErrorsOptions, thresholds: Mapping[str, float], traits: Sequence[ErrorTrait]
) -> PairSet:
    where = material.parts[options.part]
    selected = np.ones(len(where), dtype=bool) if material.selected is None else material.selected
    chosen, others = selected & where, ~selected & where
    score = material.y if options.score == EVERY else options.score
    return PairSet(
        name=SELECTED,
        title="Selected pairs",
        score=score,
        threshold=thresholds.get(score, np.nan),
        chosen=chosen,
        compared=int(others.sum()),
        groups=group_by_traits(traits, chosen, others),
        key_traits=find_key_traits(traits, chosen, others),
    )


def explain_empty(pairs: PairSet, selected: bool) -> str:
    """Return the reason why a set has no groups: it is empty or has no pairs to compare with; "" otherwise."""
    if not pairs.chosen.any():
        return "No pair is selected. Type a filter, or draw a lasso." if selected else f"{pairs.title}: no such pairs."
    if pairs.compared:
        return ""
    if selected:
        return "All pairs are selected, so there are no others to compare them with. Type a filter, or draw a lasso."
    return f"{pairs.title}: every pair with this verdict is wrong, so there are no correct ones to compare with."


# Tables

_NOTE = (
    "% in the set, % in the others: percentage of pairs with this feature. Log ratio: 1 means twice as often. "
    "p: Fisher's exact test, corrected for multiple tests."
)
_NOTE_OF_ERRORS = (
    "The others: correct answers with the same verdict. G², log ratio and p compare pairs with about the same score. "
    "% wrong with it, % wrong without: percentage of wrong verdicts among all pairs with this feature, or without it, "
    "whatever their labels and verdicts. If the first is not higher, the score does not err more often on such pairs "
    "in general."
)
#: The sentence shown if there are no key traits.
NOTHING_SPECIAL = "Nothing sets these pairs apart: no word, change or range is clearly more frequent here."

_HEADER = ("% in the set", "% in the others", "G²", "log ratio", "p")
_HEADER_OF_ERRORS = ("% wrong with it", "% wrong without")


def _with_remark(table: Table) -> list[Block]:
    """Return a table, followed by a sentence if it has no rows."""
    return [table] if len(table) else [table, AnalysisRemark(f"{table.title}. {table.note}", result=True)]


def groups_table(pairs: PairSet, explained: bool = False) -> Table:
    """Return the groups of a set as a table, one per row; `explained` if an earlier table explains the columns."""
    total = int(pairs.chosen.sum())
    left = total - sum(len(group.rows) for group in pairs.groups)
    note = f"{left} of {total} pairs are in no group." + ("" if explained else f" {_note(pairs)}")
    return Table(
        f"groups-{pairs.name}",
        f"Groups among {total:,} pairs: {pairs.title}",
        ("group", "what its pairs have", "pairs", *_header(pairs)),
        tuple(
            (number, trait_title(group.key), len(group.rows), *_numbers(group.key), *_wrong_rates(pairs, group.key))
            for number, group in enumerate(pairs.groups, 1)
        ),
        note if pairs.groups else NOTHING_SPECIAL,
        link=lambda row, column: PairsLink.of_rows(pairs.groups[row].key.trait.name, pairs.groups[row].rows),
    )


def key_traits_table(pairs: PairSet, most: int, explained: bool = False) -> Table:
    """Return the first `most` key traits of a set as a table; `explained` as for `groups_table`."""

    def link(row: int, column: int) -> PairsLink:
        trait = pairs.key_traits[row].trait
        return PairsLink.of_rows(trait.name, trait.rows[pairs.chosen[trait.rows]])

    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (trait_title(key), key.count, key.other, *_numbers(key), *_wrong_rates(pairs, key))
        for key in pairs.key_traits[:most]
    )
    header = ("what is special", "pairs", "other pairs", *_header(pairs))
    return Table("special", "What sets them apart", header, rows, "" if explained else _note(pairs), link=link)


def suspects_table(material: AnalysisMaterial, suspects: SuspectLabels, most: int) -> Table:
    """Return the first `most` pairs whose labels may be wrong as a table, with people's reviews."""
    corpus, reviews = material.corpus, material.people.columns.get(REVIEWED)
    review = reviews if isinstance(reviews, TextColumn) else None
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            corpus.id[row],
            int(material.labels[row]),
            float(suspects.strength[at]),
            100 * float(suspects.wrong[at]),
            f"{suspects.against[at]} of {suspects.scores}",
            *(() if review is None else (review[row],)),
            corpus.source[row],
            corpus.hypothesis[row],
        )
        for at, row in enumerate(suspects.rows[:most].tolist())
    )
    title = "Labels that may be wrong"
    return Table(
        "labels",
        title,
        (
            "id",
            "label",
            "says otherwise",
            f"% wrong if {100 * PLANTED:.0f} % are",
            "against it",
            *(() if review is None else ("review",)),
            "source",
            "hypothesis",
        ),
        rows,
        "Says otherwise: confidence of the scores in the opposite label, 0 to 1. It is not the probability that this "
        f"label is wrong, because scores err too. % wrong if {100 * PLANTED:.0f} % are: probability that the label is "
        f"wrong if {100 * PLANTED:.0f} % of all labels are wrong, estimated by flipping that many at random. All "
        "scores may be "
        f"wrong for the same reason, so check the pair before you change a label.{_review_summary(suspects, review)}"
        if rows
        else "No label is contradicted by most of the scores (at least two).",
        link=lambda row, column: PairsLink.of_rows(title, suspects.rows, int(suspects.rows[row])),
        pairs=PairsLink.of_rows(title, suspects.rows) if rows else None,
    )


def trait_title(key: KeyTrait) -> str:
    """Return the name of a trait with its family ("change negation"); the name of a range is complete without it."""
    return f"{FAMILIES[key.trait.family]} {key.trait.name}".strip()


def _review_summary(suspects: SuspectLabels, review: Sequence[str | None] | None) -> str:
    """Return the number of suspects reviewed, and the number confirmed as wrong, as a sentence; "" without reviews."""
    answers = [] if review is None else [answer for row in suspects.rows.tolist() if (answer := review[row])]
    wrong = sum(answer.endswith("wrong") for answer in answers)
    return f" Reviewed: {len(answers):,}, found wrong: {wrong:,}." if answers else ""


def _numbers(key: KeyTrait) -> tuple[float, ...]:
    return (100 * key.count / key.size, 100 * key.other / key.others, key.g2, key.ratio, key.p)


def _wrong_rates(pairs: PairSet, key: KeyTrait) -> tuple[float, ...]:
    """Return the percentages of wrong verdicts with a trait and without it; () for selected pairs."""
    return () if pairs.wrong is None else tuple(100 * rate for rate in pairs.wrong_rates(key.trait))


def _header(pairs: PairSet) -> tuple[str, ...]:
    return _HEADER if pairs.wrong is None else (*_HEADER, *_HEADER_OF_ERRORS)


def _note(pairs: PairSet) -> str:
    return _NOTE if pairs.wrong is None else f"{_NOTE} {_NOTE_OF_ERRORS}"


# Figures


def groups_figure(sets: Sequence[PairSet]) -> BarList:
    """Return a figure of the groups, one block per set: percentages of errors and of correct answers."""
    return BarList(
        "error-groups",
        "Groups of errors",
        tuple(map(_block, sets)),
        (("% of the errors", "other"), ("% of correct answers with the same verdict", "unlabelled")),
        ("pairs", "times as often", "p", "% wrong with / without"),
        note="Each group is formed from the pairs that are in no earlier group and compared with pairs of about the "
        "same score. p: Fisher's exact test, corrected.",
    )


def _block(pairs: PairSet) -> BarBlock:
    total = int(pairs.chosen.sum())
    left = total - sum(len(group.rows) for group in pairs.groups)
    in_no_group = f", {left:,} of them in no group" if pairs.groups else ""
    title = f"{pairs.title} ({total:,}{in_no_group})"
    bars = tuple(_bar(pairs, group) for group in pairs.groups)
    return BarBlock(title, bars, note=explain_empty(pairs, False) or NOTHING_SPECIAL)


def _bar(pairs: PairSet, group: TraitGroup) -> SignedBar:
    key = group.key
    rates = " / ".join(f"{rate:.0f}" for rate in _wrong_rates(pairs, key))
    shares = 100 * key.count / key.size, 100 * key.other / key.others
    times = f"{2**key.ratio:.1f} ×" if key.other else "only here"
    p = "< 0.001" if key.p < 0.001 else f"{key.p:.3f}"
    return SignedBar(trait_title(key), shares, cells=(f"{len(group.rows):,}", times, p, rates))


def _heat_map(material: AnalysisMaterial, where: Mask, thresholds: Mapping[str, float], tick: Tick) -> HeatMap:
    """Return the share of wrong verdicts of each score, among all pairs and among those with each kind of change."""
    members = kind_members(material.studies.kinds(material, tick))
    cut = cut_members("kinds", {"all pairs": np.ones(len(material.corpus), dtype=bool)} | dict(members), where=where)
    return HeatMap(
        "errors-by-change",
        "Wrong verdicts by kind of change",
        tuple(HeatMapHeading(column.name, column.title) for column in material.score_columns),
        tuple(
            HeatMapHeading(name, f"{name} ({int((cut.mask(at) & where).sum()):,})") for at, name in enumerate(cut.names)
        ),
        {
            (column.name, bucket.name): 1 - bucket.decision.accuracy
            for column in material.score_columns
            for bucket in buckets(column, material.labels, cut, thresholds[column.name], where=where)
        },
        note="Wrong verdicts in %; a pair may have several kinds.",
        cell=100,
        link=lambda score, name: PairsLink(name, lambda material: cut.mask(cut.names.index(name)) & where),
    )
