"""Thresholds that travel: learnt on one corpus, tried on the others (ParaPLUIE, section 5.2).

"A good threshold for a corpus is not applicable on another one, excepted for ParaPLUIE."
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Remark, Run
from parapluie_gui.analysis.figure import Heading, HeatMap
from parapluie_gui.analysis.link import Link, OptionsLink, PairsLink, ThresholdLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, selected
from parapluie_gui.analysis.statistics.buckets import cut_categories, wilson
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.analysis.threshold import Counts, best_threshold, counts, predicted_positive
from parapluie_gui.arrays import Labels, Mask
from parapluie_gui.options import choice, integer
from parapluie_gui.pairs.column import TextColumn

#: What corpora can be: those that were opened, or halves of all pairs drawn at random; or a column.
OPENED, HALVES = "opened", "halves"
#: Values of a column that are corpora of their own; the rest are one together.
_MOST = 12
#: The map shows all scores.
_ALL = "all"
#: Where thresholds are from that are learnt on no single corpus.
_NATURAL, _CHOSEN, _TOGETHER = "natural", "chosen", "all together"
#: The loss of accuracy that has the darkest colour.
_DARKEST = 0.25


def _ways(material: Material) -> Mapping[str, str]:
    titles = {OPENED: "corpora opened"} if len(material.parts) > 1 else {}
    titles |= {HALVES: "halves drawn at random"}
    if material.corpus.group is not None:
        titles["group"] = "Group"
    texts = (name for name, values in material.corpus.extra.items() if isinstance(values, TextColumn))
    return titles | {name: name for name in texts if name not in titles}


def _shown(material: Material) -> Mapping[str, str]:
    return {_ALL: "all scores", **{each.name: each.title for each in material.score_columns}}


@dataclass(frozen=True)
class TransferOptions:
    """What the corpora are, and whose map is shown."""

    across: str = choice(
        "B&etween",
        _ways,
        "what thresholds travel between: the corpora opened, two halves drawn at random, or a column that names parts",
        metavar="COL",
    )
    map: str = choice("&Map of", _shown, "the score of the map (default: all scores)", only_shown=True, metavar="COL")
    seed: int = integer("&Seed", 0, 2**31 - 1, 0, "seed of the halves", flag="--halves-seed")


@dataclass(frozen=True)
class Tried:
    """A threshold tried on every corpus.

    Attributes:
        source: Where it is from: a corpus, or natural, chosen, all together.
        threshold: Where paraphrases begin (distances: end).
        counts: What it gets right and wrong on each corpus.
    """

    source: str
    threshold: float
    counts: tuple[Counts, ...]


@dataclass(frozen=True, eq=False)
class Travels:
    """The thresholds of one score.

    Attributes:
        score: The score.
        own: The threshold learnt on each corpus itself, and what it gets right there; NaN where the pairs do not have
            both labels.
        rows: All thresholds, tried.
    """

    score: ScoreColumn
    own: tuple[tuple[float, Counts], ...]
    rows: tuple[Tried, ...]

    def loss(self, row: Tried, corpus: int) -> float:
        """Return how much accuracy a threshold loses against the corpus' own best; NaN where there is none."""
        threshold, best = self.own[corpus]
        return nan if isnan(threshold) else best.accuracy - row.counts[corpus].accuracy


@dataclass(frozen=True, eq=False)
class TransferResult:
    """The corpora, by name, and how the thresholds of each score travel between them."""

    corpora: Mapping[str, Mask]
    scores: tuple[Travels, ...]


class Transfer(Analysis[TransferOptions, TransferResult]):
    """A cell clicked selects the pairs that get another verdict than at their own corpus' threshold."""

    name = "transfer"
    title = "Threshold transfer"
    group = "Scores"
    about = "Thresholds learnt on one corpus tried on the others: accuracy, and its loss (ParaPLUIE, section 5.2)"
    needs = (SCORES, PAIRS, LABELS)
    options = TransferOptions
    follows_threshold = True

    def usual(self, material: Material) -> Sequence[TransferOptions]:
        return [TransferOptions()] if len(material.parts) > 1 else []

    def compute(self, material: Material, options: TransferOptions, tick: Tick) -> TransferResult:
        corpora, found = _corpora(material, options), []
        for done, each in enumerate(material.score_columns):
            tick(done, len(material.score_columns))
            chosen = {_CHOSEN: material.given[each.name]} if each.name in material.given else {}
            chosen |= {f"“{kept.name}”": kept.threshold for kept in material.kept if kept.score == each.name}
            found.append(_travels(each, material.labels, corpora, chosen))
        return TransferResult(corpora, tuple(found))

    def finding(self, run: Run[TransferOptions, TransferResult]) -> str:
        losses = {}
        for each in run.result.scores:
            own = [row for row in each.rows if row.source in run.result.corpora]
            lost = [each.loss(row, at) for row in own for at in range(len(run.result.corpora))]
            lost = [loss for loss in lost if not isnan(loss)]
            if lost and len(own) > 1:
                losses[each.score.title] = max(lost)
        if not losses:
            return ""
        least, most = min(losses, key=losses.__getitem__), max(losses, key=losses.__getitem__)
        words = f"The thresholds of {least} travel best: they lose {number(100 * losses[least], 1)} points of accuracy"
        return f"{words} at most" + ("." if least == most else f"; those of {most} {number(100 * losses[most], 1)}.")

    def blocks(self, run: Run[TransferOptions, TransferResult]) -> Sequence[Block]:
        able = max(sum(not isnan(each) for each, _ in one.own) for one in run.result.scores)
        if able < 2:
            return (Remark(_TOO_FEW, result=True),)
        return _summary(run), _map(run), _accuracies(run), _pairs_table(run)


_TOO_FEW = (
    "A threshold is learnt from scored pairs of both labels, which fewer than two of these corpora have. Add a corpus, "
    "or choose between what thresholds travel."
)


def _corpora(material: Material, options: TransferOptions) -> Mapping[str, Mask]:
    """Return the pairs of each corpus that thresholds travel between."""
    every = np.any(list(material.parts.values()), axis=0)
    if options.across == OPENED:
        others = [name for name in material.parts if name not in _pooled(material, every)]
        return {name: material.parts[name] for name in others}
    if options.across == HALVES:
        return random_halves(every, options.seed)
    group = material.corpus.group if options.across == "group" else None
    texts = material.corpus.extra[options.across].cells() if group is None else group
    cut = cut_categories(options.across, texts, most=_MOST, where=every)
    return {name: cut.mask(place) for place, name in enumerate(cut.names)}


def random_halves(every: Mask, seed: int) -> dict[str, Mask]:
    """Return the first and the second half of the pairs of a mask (n,), drawn at random."""
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(every))
    halves = {}
    for name, some in zip(("first half", "second half"), np.array_split(rows, 2), strict=True):
        halves[name] = np.zeros(len(every), dtype=bool)
        halves[name][some] = True
    return halves


def _pooled(material: Material, every: Mask) -> list[str]:
    """Return the parts that are all the others together."""
    return [name for name, mask in material.parts.items() if len(material.parts) > 2 and np.array_equal(mask, every)]


def _travels(score: ScoreColumn, labels: Labels, corpora: Mapping[str, Mask], chosen: Mapping[str, float]) -> Travels:
    higher = score.higher_is_closer
    columns = [(score.values[mask], labels[mask]) for mask in corpora.values()]

    def learnt(values: np.ndarray, truth: Labels) -> tuple[float, Counts]:
        scored = truth[~np.isnan(values)]
        if not ((scored == 0).any() and (scored == 1).any()):
            return nan, Counts()
        return best_threshold(values, truth, higher)

    own = tuple(learnt(*each) for each in columns)
    sources = {} if score.threshold is None else {_NATURAL: score.threshold}
    sources |= {source: each for source, each in chosen.items() if source != _CHOSEN or each != score.threshold}
    sources |= {name: threshold for name, (threshold, _) in zip(corpora, own, strict=True) if not isnan(threshold)}
    every = np.any(list(corpora.values()), axis=0)
    if len(corpora) > 1 and not isnan(together := learnt(score.values[every], labels[every])[0]):
        sources[_TOGETHER] = together
    rows = (
        Tried(source, threshold, tuple(counts(*each, threshold, higher) for each in columns))
        for source, threshold in sources.items()
    )
    return Travels(score, own, tuple(rows))


# What is shown


def _summary(run: Run[TransferOptions, TransferResult]) -> Table:
    """Return, for each score, what travelling costs on average."""
    found, rows = run.result, []
    for one in found.scores:
        best = [each.accuracy for threshold, each in one.own if not isnan(threshold)]
        tried = {row.source: [one.loss(row, place) for place in range(len(found.corpora))] for row in one.rows}
        strange = [
            (row.counts[place].accuracy, tried[row.source][place])
            for row in one.rows
            for place, name in enumerate(found.corpora)
            if row.source in found.corpora and row.source != name and not isnan(tried[row.source][place])
        ]
        accuracy, loss = zip(*strange, strict=True) if strange else ((nan,), (nan,))
        natural = [each for each in tried.get(_NATURAL, ()) if not isnan(each)]
        rows.append(
            (
                one.score.title,
                *(float(np.mean(best)) if best else nan, float(np.mean(accuracy)), float(np.mean(loss)), max(loss)),
                *((float(np.mean(natural)), max(natural)) if natural else (None, None)),
            )
        )
    return Table(
        "transfer",
        "Thresholds learnt on one corpus, tried on the others",
        ("score", "own best", "learnt elsewhere", "loss", "greatest loss", "loss at natural", "greatest at natural"),
        tuple(rows),
        "Means over corpora of accuracy at the best threshold of each corpus itself, and at those of the others; the "
        f"loss is their difference. {_sizes(run)} Click a row to see its map.",
        link=lambda row, column: OptionsLink({"map": found.scores[row].score.name}),
    )


def _map(run: Run[TransferOptions, TransferResult]) -> HeatMap:
    """Return the loss of every threshold on every corpus as colours."""
    corpora, chosen = list(run.result.corpora), _chosen(run)
    places = {f"{one.score.name}\n{row.source}": (one, row) for one in chosen for row in one.rows}
    lines: list[Heading | str] = []
    for one in chosen:
        lines += [one.score.title] if len(chosen) > 1 else []
        keys = ((f"{one.score.name}\n{row.source}", row) for row in one.rows)
        lines += [Heading(key, f"{row.source}: {number(row.threshold, 2)}") for key, row in keys]
    values, texts = {}, {}
    for key, (one, row) in places.items():
        for place, name in enumerate(corpora):
            accuracy, loss = row.counts[place].accuracy, one.loss(row, place)
            values[name, key] = loss
            change = f"({'−' if loss > 0 else '+'}{number(abs(loss))})" if loss else "best"
            texts[name, key] = f"{number(accuracy)} {change}"

    def link(name: str, key: str) -> Link:
        return _turned(run, *places[key], corpora.index(name))

    title = chosen[0].score.title if len(chosen) == 1 else "all scores"
    return HeatMap(
        "transfer",
        f"Accuracy on the column's corpus at the threshold of the row, and what it loses: {title}",
        tuple(Heading(name, name) for name in corpora),
        tuple(lines),
        values,
        texts,
        note=f"Darker: more is lost against the corpus' own best. Darkest: {_DARKEST} or more.",
        cell=118,
        full=_DARKEST,
        link=link,
        scores=tuple(one.score.name for one in chosen),
    )


def _accuracies(run: Run[TransferOptions, TransferResult]) -> Table:
    """Return the accuracy of every threshold on every corpus."""
    corpora = list(run.result.corpora)
    places = [(one, row) for one in run.result.scores for row in one.rows]
    header = ("score", "threshold", "at", *corpora)

    def link(row: int, column: int) -> Link:
        one, tried = places[row]
        if column < len(header) - len(corpora):
            return ThresholdLink(one.score.name, tried.threshold)
        return _turned(run, one, tried, column - len(header) + len(corpora))

    return Table(
        "transfer-accuracy",
        "Accuracy of every threshold on every corpus",
        header,
        tuple(
            (one.score.title, row.source, row.threshold, *(each.accuracy for each in row.counts)) for one, row in places
        ),
        f"Each threshold with the name of a corpus is the best one there. {_sizes(run)} Click an accuracy to select "
        "the pairs that turn.",
        link=link,
    )


def _pairs_table(run: Run[TransferOptions, TransferResult]) -> Table:
    """Return each threshold of the shown scores on each corpus, with intervals and the pairs that turn."""
    rows: list[tuple[Cell, ...]] = []
    places = []
    for one in _chosen(run):
        for row in one.rows:
            for place, name in enumerate(run.result.corpora):
                each, loss = row.counts[place], one.loss(row, place)
                if isnan(loss) or row.source == name:
                    continue
                accuracy = Estimate(each.accuracy, *wilson(each.tp + each.tn, each.counted))
                turned = int(_turned(run, one, row, place).mask(run.material).sum())
                rows.append((one.score.title, row.source, name, each.counted, accuracy, loss, turned))
                places.append((one, row, place))
    return Table(
        "transfer-pairs",
        "Pairs that turn at a threshold from elsewhere",
        ("score", "threshold", "tried on", "pairs", "accuracy", "loss", "turn"),
        tuple(rows),
        "Accuracy with Wilson's 95 % interval. A pair turns if it gets another verdict than at its corpus' own best "
        "threshold. Click a row to select those.",
        scores=tuple(one.score.name for one in _chosen(run)),
        link=lambda row, column: _turned(run, *places[row]),
    )


def _chosen(run: Run[TransferOptions, TransferResult]) -> tuple[Travels, ...]:
    """Return the scores whose map is shown."""
    return tuple(one for one in run.result.scores if run.options.map in (_ALL, one.score.name))


def _turned(run: Run[TransferOptions, TransferResult], one: Travels, row: Tried, corpus: int) -> PairsLink:
    """Return the pairs of a corpus whose verdict is another than at the corpus' own best threshold."""
    (name, where), (own, _), score = list(run.result.corpora.items())[corpus], one.own[corpus], one.score
    labelled = (run.material.labels == 0) | (run.material.labels == 1)

    def mask(now: Material) -> Mask:
        values = now.score_column(score.name).values if score.name in now.names else score.values
        there = selected(values, where & labelled)
        verdicts = (predicted_positive(there, threshold, score.higher_is_closer) for threshold in (row.threshold, own))
        return np.asarray(np.logical_xor(*verdicts))

    return PairsLink(f"{name} turned by {score.title} at {number(row.threshold)} ({row.source})", mask)


def _sizes(run: Run[TransferOptions, TransferResult]) -> str:
    """Return how many pairs of each corpus have labels, and how many are right who always say the commoner one."""
    known = []
    for name, mask in run.result.corpora.items():
        labels = run.material.labels[mask]
        of_each = int((labels == 1).sum()), int((labels == 0).sum())
        if sum(of_each):
            known.append(f"{name} {sum(of_each):,} ({number(max(of_each) / sum(of_each))})")
    return f"Labelled pairs, and the accuracy of always saying the commoner label: {', '.join(known)}."
