"""`parapluie errors`: what the errors of a score have in common, and labels that may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from parapluie_gui.analysis.columns import change_kinds
from parapluie_gui.analysis.errors.labels import Suspects, suspects
from parapluie_gui.analysis.errors.special import Group, Special, groups, special
from parapluie_gui.analysis.errors.traits import Trait, traits, without_own
from parapluie_gui.analysis.figure import Heading, HeatMap
from parapluie_gui.analysis.material import closeness_cuts, edit_distance, usual_cuts
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.buckets import buckets, cut_members
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.table import Table
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.api.corpora import filter_mask
from parapluie_gui.api.material import given_thresholds, no_known_score
from parapluie_gui.api.notices import progress
from parapluie_gui.arrays import Labels, Mask
from parapluie_gui.commands.chosen_scores import chosen_scores
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.errors_options import Errors
from parapluie_gui.commands.output import check_figure, json_text, print_tables
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.errors import Grouped, groups_figure, groups_grid, special_grid, suspects_grid
from parapluie_gui.scores.signature import lines_of
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.widgets.svg_file import write_figure

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 1

#: The two kinds of errors: what they are called, and the right answers of the same label.
KINDS = (
    ("false positives", Outcome.FALSE_POSITIVE, Outcome.TRUE_NEGATIVE),
    ("false negatives", Outcome.FALSE_NEGATIVE, Outcome.TRUE_POSITIVE),
)


@dataclass(frozen=True, eq=False)
class _Found:
    """Tables to be printed, the same for --json, and the groups for --figure."""

    grids: list[Table]
    data: dict[str, object]
    drawn: list[Grouped] = field(default_factory=list)


def run(options: Errors) -> int:
    """Print the tables. Returns the exit status.

    Raises:
        ParapluieError: The corpus has no labels where they are needed, or no score; or there is nothing to draw.
    """
    for path, what in ((options.figure, "figure"), (options.heat_map, "heat map")):
        check_figure(path)
        if path is not None and (options.labels or options.set is not None):
            raise ParapluieError(f"The {what} shows the errors of scores. Leave out --set and --labels.")
    corpus = read_corpus(options.corpus, options.reading, options.choosing.named)
    scores, signatures = chosen_scores(corpus, options.corpus, options.choosing, options.scoring)
    if options.set is None:
        if not corpus.labelled:
            raise CorpusError("no pair has a label, so there are no errors", "name a column: --label", options.corpus)
        if not scores:
            raise no_known_score(corpus, options.corpus)
    found = _Found([], {"format": FORMAT})
    if not options.labels:
        with progress() as tick:
            kinds = change_kinds(corpus)
            cuts = *usual_cuts(corpus, edit_distance(corpus)), *closeness_cuts(scores)
            known = traits(corpus, kinds, cuts, tick)
        if options.set is None:
            _errors(corpus, scores, known, options, found)
            if options.figure is not None:
                write_figure(options.figure, groups_figure(found.drawn))
            if options.heat_map is not None:
                figure = _heat_map(corpus, scores, kind_members(kinds), _thresholds(corpus, scores, options))
                write_figure(options.heat_map, figure)
        else:
            _set(corpus, scores, known, options, found)
    if options.set is None:
        labels, given = _labels_of(corpus), _thresholds(corpus, scores, options)
        _labels(corpus, suspects(scores, labels, thresholds=given), options, found)
    if options.printing.json:
        print(json_text(found.data), end="")
    else:
        print_tables(found.grids, options.printing.latex, lines_of(signatures))
    return 0


def _labels_of(corpus: Corpus) -> Labels:
    assert corpus.label is not None
    return corpus.label


def _thresholds(corpus: Corpus, scores: Sequence[ScoreColumn], options: Errors) -> list[float]:
    """Return the threshold of each score: the one given, the natural one, or the best."""
    given = given_thresholds(options.threshold, [each.name for each in scores])
    return [given.get(each.name, default_threshold(each, _labels_of(corpus))) for each in scores]


def _errors(
    corpus: Corpus, scores: Sequence[ScoreColumn], known: Sequence[Trait], options: Errors, found: _Found
) -> None:
    labels = _labels_of(corpus)
    errors: dict[str, object] = {}
    for each, threshold in zip(scores, _thresholds(corpus, scores, options), strict=True):
        codes = outcome(each.values, labels, threshold, each.higher_is_closer)
        parts: dict[str, object] = {"threshold": threshold}
        fitting = without_own(known, each.name)
        for title, wrong, right in KINDS:
            grouped = groups(fitting, codes == wrong, codes == right)
            name = f"{each.name}-{title.replace(' ', '-')}"
            found.grids.append(groups_grid(grouped, f"{each.title}: groups of {title}", name))
            count = int((codes == wrong).sum())
            found.drawn.append(Grouped(f"{each.title}: {title}", count, grouped))
            parts[title] = {"pairs": count, "groups": [_group(corpus, one) for one in grouped]}
        errors[each.name] = parts
    found.data["errors"] = errors


def _heat_map(
    corpus: Corpus, scores: Sequence[ScoreColumn], kinds: Mapping[str, Mask], thresholds: Sequence[float]
) -> HeatMap:
    """Return a heat map of the wrong verdicts of each score, of all pairs and of those with each kind of change."""
    everything = {"all pairs": np.ones(len(corpus), dtype=bool)}
    cut = cut_members("kinds", everything | dict(kinds))
    values = {
        (each.name, bucket.name): 1 - bucket.decision.accuracy
        for each, threshold in zip(scores, thresholds, strict=True)
        for bucket in buckets(each, _labels_of(corpus), cut, threshold)
    }
    return HeatMap(
        "errors-by-change",
        "Wrong verdicts by kind of change",
        tuple(Heading(each.name, each.title) for each in scores),
        tuple(Heading(name, f"{name} ({int(cut.mask(at).sum()):,})") for at, name in enumerate(cut.names)),
        values,
        note="Wrong verdicts in %; a pair may have several kinds.",
        cell=100,
    )


def _set(corpus: Corpus, scores: Sequence[ScoreColumn], known: Sequence[Trait], options: Errors, found: _Found) -> None:
    assert options.set is not None
    table = ScoreTable(len(corpus))
    for each in scores:
        table.put(np.arange(len(corpus)), {each.name: each.values})
        table.own |= {each.name} & set(corpus.extra)
    mask = filter_mask(corpus, table, options.set)
    named = special(known, mask, ~mask)
    title = f"What is special about the {int(mask.sum()):,} pairs of {options.set}"
    found.grids.append(special_grid(named, title, most=options.most))
    found.data["special"] = [_special(each) for each in named]


def _labels(corpus: Corpus, doubtful: Suspects, options: Errors, found: _Found) -> None:
    if doubtful.scores > 1 or options.labels:
        found.grids.append(suspects_grid(doubtful, corpus, _labels_of(corpus), options.most))
        found.data["labels"] = [
            {"id": corpus.id[row], "label": int(_labels_of(corpus)[row]), "gain": gain, "against": against}
            for row, gain, against in zip(
                doubtful.rows.tolist(), doubtful.gain.tolist(), doubtful.against.tolist(), strict=True
            )
        ]


def _group(corpus: Corpus, group: Group) -> dict[str, object]:
    return {**_special(group.special), "ids": [corpus.id[row] for row in group.rows.tolist()]}


def _special(each: Special) -> dict[str, object]:
    numbers = {key: getattr(each, key) for key in ("count", "size", "other", "others", "g2", "ratio", "p")}
    return {"family": each.trait.family, "trait": each.trait.name, **numbers}
