"""What errors have in common, what is special about any pairs, and labels that may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Need, Remark, Run
from parapluie_gui.analysis.errors.traits import Family, Trait, without_own_buckets
from parapluie_gui.analysis.figure import BarBlock, BarList, Heading, HeatMap, SignedBar
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import buckets, cut_members
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.arrays import Mask
from parapluie_gui.features.errors.labels import PLANTED, Suspects, suspects
from parapluie_gui.features.errors.special import Group, Special, groups, score_bands, special
from parapluie_gui.judgements.scheme import REVIEWED
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.options import choice, integer, switch
from parapluie_gui.pairs.column import TextColumn

#: What each family of traits is called in the tables.
FAMILIES: dict[Family, str] = {"type": "change", "changed": "word that differs", "word": "word", "bucket": ""}

#: Every score, and errors of both kinds.
EVERY, BOTH = "*", "errors"
SELECTED = "selected"
#: The errors: what they are called, and the right answers with the same verdict that they are compared with.
ERRORS = {
    "fp": ("False positives", Outcome.FALSE_POSITIVE, Outcome.TRUE_POSITIVE),
    "fn": ("False negatives", Outcome.FALSE_NEGATIVE, Outcome.TRUE_NEGATIVE),
}
_WRONG = (Outcome.FALSE_POSITIVE, Outcome.FALSE_NEGATIVE)


def _scores(material: Material) -> Mapping[str, str]:
    return {EVERY: "Every score", **{each.name: each.title for each in material.score_columns}}


def _sets(material: Material) -> Mapping[str, str]:
    kinds = {BOTH: "All errors", **{key: title for key, (title, *_) in ERRORS.items()}} if material.labelled else {}
    return kinds | {SELECTED: "Selected pairs"}


def _usual(material: Material) -> str:
    return BOTH if material.selected is None else SELECTED


@dataclass(frozen=True)
class Options:
    """Which pairs are looked at."""

    score: str = choice("&Score", _scores, "the score whose errors are looked at", flag="")
    pairs: str = choice("Pai&rs", _sets, "which pairs are looked at (default: both kinds of errors)", usual=_usual)
    part: str = part()
    labels: bool = switch("", "only labels that may be wrong")
    most: int = integer("", 1, 100_000, 50, "rows of a table")


@dataclass(frozen=True, eq=False)
class PairSet:
    """Pairs that were compared with `compared` others, and what they have in common.

    Errors are compared with right answers of the same verdict and about the same score (`score_bands`): what merely
    goes with a high or a low score is then not special.

    Attributes:
        name: A word for files.
        title: What they are: "False positives of BLEU".
        score: Whose errors they are, or the score that is looked at.
        threshold: The one at which the score was judged.
        chosen: (n,)
        wrong, right: (n,) Pairs of both labels that the score is wrong on and right on; None for selected pairs.
    """

    name: str
    title: str
    score: str
    threshold: float
    chosen: Mask
    compared: int
    groups: list[Group]
    special: list[Special]
    wrong: Mask | None = None
    right: Mask | None = None

    def wrong_rates(self, trait: Trait) -> tuple[float, float]:
        """Return the share of wrong verdicts among the pairs with a trait, and among those without; NaN for none."""
        assert self.wrong is not None and self.right is not None
        having = trait.mask(len(self.chosen))
        sides = ((self.wrong & side, self.right & side) for side in (having, ~having))
        with_it, without = (float(wrong.sum() / max(wrong.sum() + right.sum(), 1)) for wrong, right in sides)
        return with_it, without


@dataclass(frozen=True, eq=False)
class ErrorsResult:
    """What was found out about one set of pairs or several, which labels are doubtful, and errors by kind of change."""

    sets: tuple[PairSet, ...]
    suspects: Suspects
    heat_map: HeatMap | None


class Errors(Analysis[Options, ErrorsResult]):
    """A row clicked selects its pairs."""

    name = "errors"
    title = "Errors"
    group = "Errors"
    about = "What the errors of scores have in common, what is special about a set of pairs, and doubtful labels"
    manual = "errors"
    needs = (PAIRS, LABELS, SCORES)
    options = Options
    follows_threshold = True
    follows_people = True
    in_report = False
    in_analyse = False

    def missing(self, material: Material) -> Need | None:
        """Return what is missing: pairs that are selected need neither labels nor scores."""
        needs = self.needs if material.selected is None else (PAIRS,)
        return next((need for need in needs if not need.is_met(material)), None)

    def compute(self, material: Material, options: Options, tick: Tick) -> ErrorsResult:
        where, names = material.parts[options.part], [options.score]
        if options.score == EVERY:
            names = material.names
        thresholds = {each.name: material.threshold(each, where) for each in material.score_columns}
        doubtful = suspects(material.score_columns, material.labels, where, list(thresholds.values()))
        if options.labels:
            return ErrorsResult((), doubtful, None)
        known = material.studies.traits(material, tick)
        if options.pairs == SELECTED:
            return ErrorsResult((_selected(material, options, thresholds, known),), doubtful, None)
        kinds = tuple(ERRORS) if options.pairs == BOTH else (options.pairs,)
        sets = tuple(_errors(material, where, name, kind, thresholds[name], known) for name in names for kind in kinds)
        every = options.score == EVERY and options.pairs == BOTH
        return ErrorsResult(sets, doubtful, _heat_map(material, where, thresholds, tick) if every else None)

    def finding(self, run: Run[Options, ErrorsResult]) -> str:
        known = [each for each in run.result.sets if each.wrong is not None and each.chosen.any()]
        if not known or run.options.pairs == SELECTED:
            return ""
        groups = [(group, each) for each in known for group in each.groups]
        most = max(known, key=lambda each: int(each.chosen.sum()))
        words = f"{most.title}: {int(most.chosen.sum()):,} pairs{', the most of all' if len(known) > 1 else ''}."
        if not groups:
            return words
        group, each = max(groups, key=lambda one: len(one[0].rows))
        return f"{words} The largest group has {len(group.rows):,} of the {each.title[:1].lower()}{each.title[1:]}."

    def blocks(self, run: Run[Options, ErrorsResult]) -> Sequence[Block]:
        found, most = run.result, run.options.most
        shown: list[Block] = []
        first = next((each for each in found.sets if each.groups), None)  # its table explains the columns
        if first is not None and run.options.pairs != SELECTED:
            shown.append(groups_figure(found.sets))
        if found.heat_map is not None:
            shown.append(found.heat_map)
        for each in found.sets:
            reason = why_none(each, run.options.pairs == SELECTED)
            shown += [Remark(reason, result=True)] if reason else _or_sentence(groups_table(each, each is not first))
        if len(found.sets) == 1 and found.sets[0].special:
            shown.append(special_table(found.sets[0], most, first is not None))
        if run.material.labelled and (len(run.material.score_columns) > 1 or run.options.labels):
            shown += _or_sentence(suspects_table(run.material, found.suspects, most))
        return shown

    def details(self, run: Run[Options, ErrorsResult]) -> dict[str, object]:
        """Return the pairs of each group by their ids."""
        ids = run.material.corpus.id
        return {
            each.name: [[ids[row] for row in group.rows.tolist()] for group in each.groups] for each in run.result.sets
        }


def _errors(
    material: Material, where: Mask, score: str, kind: str, threshold: float, known: Sequence[Trait]
) -> PairSet:
    column = material.score_column(score)
    title, *codes = ERRORS[kind]
    judged = outcome(column.values, material.labels, threshold, column.higher_is_closer)
    chosen, others = ((judged == code) & where for code in codes)
    fitting = without_own_buckets(known, score)
    name = f"{score}-{title.lower().replace(' ', '-')}"
    bands = score_bands(column.values, chosen, others)
    found = groups(fitting, chosen, others, bands), special(fitting, chosen, others, bands)
    wrong = np.isin(judged, _WRONG) & where
    right = (judged != Outcome.NONE) & ~wrong & where
    return PairSet(
        name, f"{title} of {column.title}", score, threshold, chosen, int(others.sum()), *found, wrong, right
    )


def _selected(material: Material, options: Options, thresholds: Mapping[str, float], known: Sequence[Trait]) -> PairSet:
    where = material.parts[options.part]
    selected = np.ones(len(where), dtype=bool) if material.selected is None else material.selected
    chosen, others = selected & where, ~selected & where
    found = groups(known, chosen, others), special(known, chosen, others)
    score = material.y if options.score == EVERY else options.score
    threshold = thresholds.get(score, np.nan)
    return PairSet(SELECTED, "Selected pairs", score, threshold, chosen, int(others.sum()), *found)


def why_none(found: PairSet, selected: bool) -> str:
    """Return why no group can be looked for, "" where it can."""
    if not found.chosen.any():
        return "No pair is selected. Type a filter, or draw a lasso." if selected else f"{found.title}: there are none."
    if found.compared:
        return ""
    if selected:
        return "All pairs are selected: none is left to compare them with. Type a filter, or draw a lasso."
    return f"{found.title}: no pair with this verdict is right, so there is none to compare them with."


# Tables

_NOTE = (
    "In the set and in the others: pairs that have it, in per cent. Log ratio: 1 means twice as often. "
    "p: Fisher's exact test, corrected for all that was looked at."
)
_NOTE_OF_ERRORS = (
    "The others: right answers with the same verdict. G², log ratio and p compare pairs of about the same score. "
    "Wrong with it, wrong without: wrong verdicts in per cent of all pairs, of both labels and verdicts, that have it "
    "or not; where the first is no higher, the score errs no more on such pairs as a whole."
)
#: What is said where no trait is special.
NOTHING_SPECIAL = "Nothing is special about these pairs: no word, change or range is surely more frequent here."

_HEADER = ("% in the set", "% in the others", "G²", "log ratio", "p")
_HEADER_OF_ERRORS = ("% wrong with it", "% wrong without")


def _or_sentence(table: Table) -> list[Block]:
    """Return a table, with a sentence in its place where it has no rows."""
    return [table] if len(table) else [table, Remark(f"{table.title}. {table.note}", result=True)]


def groups_table(found: PairSet, explained: bool = False) -> Table:
    """Return the groups of a set of pairs, one a row; `explained` where a table before says what the columns are."""
    total = int(found.chosen.sum())
    left = total - sum(len(each.rows) for each in found.groups)
    note = f"{left} of {total} pairs are in no group." + ("" if explained else f" {_note(found)}")
    return Table(
        f"groups-{found.name}",
        f"Groups among {total:,} pairs: {found.title}",
        ("group", "what its pairs have", "pairs", *_header(found)),
        tuple(
            (number, trait_title(each.special), len(each.rows), *_numbers(each.special), *_rates(found, each.special))
            for number, each in enumerate(found.groups, 1)
        ),
        note if found.groups else NOTHING_SPECIAL,
        link=lambda row, column: _of_group(found.groups[row]),
    )


def special_table(found: PairSet, most: int, explained: bool = False) -> Table:
    """Return what is special about a set of pairs, the first `most` of it; `explained` as for `groups_table`."""

    def link(row: int, column: int) -> PairsLink:
        trait = found.special[row].trait
        return PairsLink.of_rows(trait.name, trait.rows[found.chosen[trait.rows]])

    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (trait_title(each), each.count, each.other, *_numbers(each), *_rates(found, each))
        for each in found.special[:most]
    )
    header = ("what is special", "pairs", "other pairs", *_header(found))
    return Table("special", "What is special about them", header, rows, "" if explained else _note(found), link=link)


def suspects_table(material: Material, found: Suspects, most: int) -> Table:
    """Return the pairs whose labels may be wrong, the first `most` of them, and what people said of them."""
    corpus, said = material.corpus, material.people.columns.get(REVIEWED)
    review = said if isinstance(said, TextColumn) else None
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            corpus.id[row],
            int(material.labels[row]),
            float(found.strength[at]),
            100 * float(found.wrong[at]),
            f"{found.against[at]} of {found.scores}",
            *(() if review is None else (review[row],)),
            corpus.source[row],
            corpus.hypothesis[row],
        )
        for at, row in enumerate(found.rows[:most].tolist())
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
        "Says otherwise: how surely the scores give the other label, 0 to 1; no probability that this one is wrong, "
        f"for scores err too. Wrong if {100 * PLANTED:.0f} % are: how likely the label is wrong if so many of all "
        "labels are, found by turning so many at random. The scores may all be wrong for one reason, so "
        f"look before you change a label.{_reviewed(found, review)}"
        if rows
        else "No label has most of the scores, and two at least, against it.",
        link=lambda row, column: PairsLink.of_rows(title, found.rows, int(found.rows[row])),
        pairs=PairsLink.of_rows(title, found.rows) if rows else None,
    )


def trait_title(each: Special) -> str:
    """Return what pairs have, with its family: "change negation"; a range says itself what it is of."""
    return f"{FAMILIES[each.trait.family]} {each.trait.name}".strip()


def _reviewed(found: Suspects, review: Sequence[str | None] | None) -> str:
    """Return in a sentence how many of the suspects people found wrong; "" where nobody looked."""
    answers = [] if review is None else [answer for row in found.rows.tolist() if (answer := review[row])]
    wrong = sum(answer.endswith("wrong") for answer in answers)
    return f" Reviewed: {len(answers):,}, found wrong: {wrong:,}." if answers else ""


def _numbers(each: Special) -> tuple[float, ...]:
    return (100 * each.count / each.size, 100 * each.other / each.others, each.g2, each.ratio, each.p)


def _rates(found: PairSet, each: Special) -> tuple[float, ...]:
    """Return the wrong verdicts with a trait and without, in per cent; nothing for pairs that are no errors."""
    return () if found.wrong is None else tuple(100 * rate for rate in found.wrong_rates(each.trait))


def _header(found: PairSet) -> tuple[str, ...]:
    return _HEADER if found.wrong is None else (*_HEADER, *_HEADER_OF_ERRORS)


def _note(found: PairSet) -> str:
    return _NOTE if found.wrong is None else f"{_NOTE} {_NOTE_OF_ERRORS}"


def _of_group(group: Group) -> PairsLink:
    return PairsLink.of_rows(group.special.trait.name, group.rows)


# Figures


def groups_figure(found: Sequence[PairSet]) -> BarList:
    """Return the groups of errors, a block for each kind of error: shares of errors and of right answers."""
    return BarList(
        "error-groups",
        "Groups of errors",
        tuple(map(_block, found)),
        (("% of the errors", "other"), ("% of right answers with the same verdict", "unlabelled")),
        ("pairs", "times as often", "p", "% wrong with / without"),
        note="Each group is looked for in what those before it left, among pairs of about the same score. "
        "p: Fisher's exact test, corrected.",
    )


def _block(found: PairSet) -> BarBlock:
    total = int(found.chosen.sum())
    left = total - sum(len(one.rows) for one in found.groups)
    rest = f", {left:,} of them in no group" if found.groups else ""
    title = f"{found.title} ({total:,}{rest})"
    bars = tuple(_bar(found, each) for each in found.groups)
    return BarBlock(title, bars, note=why_none(found, False) or NOTHING_SPECIAL)


def _bar(pairs: PairSet, group: Group) -> SignedBar:
    """Return a group: its name, the shares of errors and of right answers that have it, and its numbers."""
    found = group.special
    rates = " / ".join(f"{rate:.0f}" for rate in _rates(pairs, found))
    shares = 100 * found.count / found.size, 100 * found.other / found.others
    times = f"{2**found.ratio:.1f} ×" if found.other else "only here"
    p = "< 0.001" if found.p < 0.001 else f"{found.p:.3f}"
    return SignedBar(trait_title(found), shares, cells=(f"{len(group.rows):,}", times, p, rates))


def _heat_map(material: Material, where: Mask, thresholds: Mapping[str, float], tick: Tick) -> HeatMap:
    """Return the wrong verdicts of each score, of all pairs and of those with each kind of change."""
    members = kind_members(material.studies.kinds(material, tick))
    cut = cut_members("kinds", {"all pairs": np.ones(len(material.corpus), dtype=bool)} | dict(members), where=where)
    return HeatMap(
        "errors-by-change",
        "Wrong verdicts by kind of change",
        tuple(Heading(each.name, each.title) for each in material.score_columns),
        tuple(Heading(name, f"{name} ({int((cut.mask(at) & where).sum()):,})") for at, name in enumerate(cut.names)),
        {
            (each.name, bucket.name): 1 - bucket.decision.accuracy
            for each in material.score_columns
            for bucket in buckets(each, material.labels, cut, thresholds[each.name], where=where)
        },
        note="Wrong verdicts in %; a pair may have several kinds.",
        cell=100,
        link=lambda score, name: PairsLink(name, lambda now: cut.mask(cut.names.index(name)) & where),
    )
