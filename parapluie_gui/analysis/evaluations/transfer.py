"""Threshold transfer: thresholds learnt on one corpus and tried on the others (ParaPLUIE, section 5.2).

"A good threshold for a corpus is not applicable on another one, excepted for ParaPLUIE."
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, AnalysisRemark, Block, Run
from parapluie_gui.analysis.figure import HeatMap, HeatMapHeading
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, count_pairs
from parapluie_gui.analysis.link import Link, OptionsLink, PairsLink, ThresholdLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import VERDICT_THRESHOLD, ScoreColumn, Tick, keep_selected
from parapluie_gui.analysis.statistics.buckets import cut_categories, wilson
from parapluie_gui.analysis.statistics.comparison import mcnemar
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.analysis.threshold import OutcomeCounts, best_threshold, counts, predicted_positive
from parapluie_gui.arrays import Labels, Mask
from parapluie_gui.options import choice, integer
from parapluie_gui.pairs.column import TextColumn

#: Ways to divide the pairs besides a column: by opened corpus, or into random halves.
OPENED, HALVES = "opened", "halves"
#: Maximum number of values of a column that count as separate corpora; the rarest values share the last corpus.
_MOST = 12
#: The option that shows a map of all scores.
_ALL = "all"
#: The sources of thresholds that are not learnt on a single corpus.
_NATURAL, _CHOSEN, _TOGETHER = "natural", "chosen", "all together"
#: The loss of accuracy that is drawn in the darkest colour.
_DARKEST = 0.25


def _divisions(material: AnalysisMaterial) -> Mapping[str, str]:
    titles = {OPENED: "corpora opened"} if len(material.parts) > 1 else {}
    titles |= {HALVES: "halves drawn at random"}
    if material.corpus.group is not None:
        titles["group"] = "Group"
    texts = (name for name, values in material.corpus.extra.items() if isinstance(values, TextColumn))
    return titles | {name: name for name in texts if name not in titles}


def _map_choices(material: AnalysisMaterial) -> Mapping[str, str]:
    return {_ALL: "all scores", **{score.name: score.title for score in material.score_columns}}


@dataclass(frozen=True)
class TransferOptions:
    """Options of *Threshold transfer*: the division into corpora, and the score of the map."""

    across: str = choice(
        "B&etween",
        _divisions,
        "what thresholds are transferred between: the open corpora, two random halves, or the parts named by a column",
        metavar="COL",
    )
    map: str = choice(
        "&Map of", _map_choices, "the score that the map shows (default: all scores)", only_shown=True, metavar="COL"
    )
    seed: int = integer("&Seed", 0, 2**31 - 1, 0, "random seed for the halves", flag="--halves-seed")


@dataclass(frozen=True)
class ThresholdTrial:
    """The results of a threshold on every corpus.

    Attributes:
        source: The source of the threshold: a corpus, or natural, chosen, all together.
        threshold: The score at which paraphrases begin (distances: end).
        counts: Right and wrong verdicts on each corpus.
    """

    source: str
    threshold: float
    counts: tuple[OutcomeCounts, ...]


@dataclass(frozen=True, eq=False)
class ScoreTransfer:
    """The results of one score's thresholds on every corpus.

    Attributes:
        score: The score.
        own: The best threshold of each corpus and its counts there; NaN if the corpus has no scored pairs of one label.
        rows: The trials of all thresholds.
    """

    score: ScoreColumn
    own: tuple[tuple[float, OutcomeCounts], ...]
    rows: tuple[ThresholdTrial, ...]

    def loss(self, row: ThresholdTrial, corpus: int) -> float:
        """Return the accuracy lost against the best threshold of the corpus (0-based); NaN if it has no threshold."""
        threshold, best = self.own[corpus]
        return nan if isnan(threshold) else best.accuracy - row.counts[corpus].accuracy


@dataclass(frozen=True, eq=False)
class TransferResult:
    """The corpora by name, masks (n,), and the transfer of each score's thresholds between them."""

    corpora: Mapping[str, Mask]
    scores: tuple[ScoreTransfer, ...]


class TransferAnalysis(Analysis[TransferOptions, TransferResult]):
    """Shows how well a threshold learnt on one corpus works on others.

    Clicking a cell selects the pairs whose verdict differs from the verdict at their own corpus's threshold.
    """

    name = "transfer"
    title = "Threshold transfer"
    group = "Scores"
    about = "Thresholds learnt on one corpus and applied to the others: accuracy and its loss (ParaPLUIE, section 5.2)"
    needs = (SCORES, PAIRS, LABELS)
    options = TransferOptions
    follows_threshold = True

    def usual(self, material: AnalysisMaterial) -> Sequence[TransferOptions]:
        return [TransferOptions()] if len(material.parts) > 1 else []

    def compute(self, material: AnalysisMaterial, options: TransferOptions, tick: Tick) -> TransferResult:
        corpora, transfers = _corpora(material, options), []
        for done, score in enumerate(material.score_columns):
            tick(done, len(material.score_columns))
            chosen = {_CHOSEN: material.given[score.name]} if score.name in material.given else {}
            chosen |= {
                f"“{kept_threshold.name}”": kept_threshold.threshold
                for kept_threshold in material.kept
                if kept_threshold.score == score.name
            }
            transfers.append(_transfer_score(score, material.labels, corpora, chosen))
        return TransferResult(corpora, tuple(transfers))

    def finding(self, run: Run[TransferOptions, TransferResult]) -> str:
        candidates = [candidate for transfer in run.result.scores for candidate in _describe_losses(run, transfer)]
        if not candidates:
            return ""
        nothing = "no score clearly loses accuracy with a threshold that was learnt on other pairs"
        return compose_finding(candidates, nothing)

    def blocks(self, run: Run[TransferOptions, TransferResult]) -> Sequence[Block]:
        learnt = max(sum(not isnan(threshold) for threshold, _ in transfer.own) for transfer in run.result.scores)
        if learnt < 2:
            return (AnalysisRemark(_TOO_FEW, result=True),)
        return _summary(run), _map(run), _accuracies(run), _pairs_table(run)


_TOO_FEW = (
    "A threshold is learnt from scored pairs with both labels, but fewer than two of these corpora have them. "
    "Add a corpus, or choose a different way to divide the pairs."
)


def _corpora(material: AnalysisMaterial, options: TransferOptions) -> Mapping[str, Mask]:
    """Return the pairs of each corpus between which thresholds are transferred."""
    all_pairs = np.any(list(material.parts.values()), axis=0)
    if options.across == OPENED:
        single = [name for name in material.parts if name not in _pooled_parts(material, all_pairs)]
        return {name: material.parts[name] for name in single}
    if options.across == HALVES:
        return random_halves(all_pairs, options.seed)
    group = material.corpus.group if options.across == "group" else None
    texts = material.corpus.extra[options.across].cells() if group is None else group
    cut = cut_categories(options.across, texts, most=_MOST, where=all_pairs)
    return {name: cut.mask(place) for place, name in enumerate(cut.names)}


def random_halves(mask: Mask, seed: int) -> dict[str, Mask]:
    """Divide the pairs of a mask (n,) into two halves at random and return their masks by name."""
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(mask))
    halves = {}
    for name, half in zip(("first half", "second half"), np.array_split(rows, 2), strict=True):
        halves[name] = np.zeros(len(mask), dtype=bool)
        halves[name][half] = True
    return halves


def _pooled_parts(material: AnalysisMaterial, all_pairs: Mask) -> list[str]:
    """Return the parts that contain all pairs, if there are more than two parts."""
    return [
        name for name, mask in material.parts.items() if len(material.parts) > 2 and np.array_equal(mask, all_pairs)
    ]


def _describe_losses(run: Run[TransferOptions, TransferResult], transfer: ScoreTransfer) -> Iterator[FindingCandidate]:
    """Yield a candidate for a score's loss of accuracy on each corpus with each other corpus's threshold."""
    labels, score, corpora = run.material.labels, transfer.score, run.result.corpora
    for row in transfer.rows:
        for at, (target, where) in enumerate(corpora.items()):
            loss = transfer.loss(row, at)
            if row.source not in corpora or row.source == target or isnan(loss) or isnan(row.threshold):
                continue
            counted = where & ((labels == 0) | (labels == 1)) & ~np.isnan(score.values)
            truth = labels[counted] == 1
            own, other = (
                score.predicted_positive(threshold)[counted] == truth
                for threshold in (transfer.own[at][0], row.threshold)
            )
            lost, gained = int((own & ~other).sum()), int((other & ~own).sum())
            points = f"{number(100 * loss, 1)} points of accuracy on {count_pairs(int(counted.sum()))} of {target}"
            words = f"loses {points} with the threshold of {row.source} (each threshold is the best for its pairs)"
            yield FindingCandidate(score.title, words, loss, mcnemar(lost, gained).exact if lost > gained else 1.0)


def _transfer_score(
    score: ScoreColumn, labels: Labels, corpora: Mapping[str, Mask], chosen: Mapping[str, float]
) -> ScoreTransfer:
    higher = score.higher_is_closer
    columns = [(score.values[mask], labels[mask]) for mask in corpora.values()]

    def learnt(values: np.ndarray, truth: Labels) -> tuple[float, OutcomeCounts]:
        scored = truth[~np.isnan(values)]
        if not ((scored == 0).any() and (scored == 1).any()):
            return nan, OutcomeCounts()
        if score.holds_verdicts:
            return VERDICT_THRESHOLD, counts(values, truth, VERDICT_THRESHOLD, higher)
        return best_threshold(values, truth, higher)

    own = tuple(learnt(*column) for column in columns)
    sources = {} if score.threshold is None else {_NATURAL: score.threshold}
    sources |= {source: at for source, at in chosen.items() if source != _CHOSEN or at != score.threshold}
    sources |= {name: threshold for name, (threshold, _) in zip(corpora, own, strict=True) if not isnan(threshold)}
    all_pairs = np.any(list(corpora.values()), axis=0)
    if len(corpora) > 1 and not isnan(together := learnt(score.values[all_pairs], labels[all_pairs])[0]):
        sources[_TOGETHER] = together
    rows = (
        ThresholdTrial(source, threshold, tuple(counts(*column, threshold, higher) for column in columns))
        for source, threshold in sources.items()
    )
    return ScoreTransfer(score, own, tuple(rows))


def _summary(run: Run[TransferOptions, TransferResult]) -> Table:
    """Return a table of the mean and greatest loss of each score."""
    result, rows = run.result, []
    for transfer in result.scores:
        best = [counts.accuracy for threshold, counts in transfer.own if not isnan(threshold)]
        losses = {
            row.source: [transfer.loss(row, place) for place in range(len(result.corpora))] for row in transfer.rows
        }
        elsewhere = [
            (row.counts[place].accuracy, losses[row.source][place])
            for row in transfer.rows
            for place, name in enumerate(result.corpora)
            if row.source in result.corpora and row.source != name and not isnan(losses[row.source][place])
        ]
        accuracy, loss = zip(*elsewhere, strict=True) if elsewhere else ((nan,), (nan,))
        natural = [loss for loss in losses.get(_NATURAL, ()) if not isnan(loss)]
        rows.append(
            (
                transfer.score.title,
                *(float(np.mean(best)) if best else nan, float(np.mean(accuracy)), float(np.mean(loss)), max(loss)),
                *((float(np.mean(natural)), max(natural)) if natural else (None, None)),
            )
        )
    return Table(
        "transfer",
        "Thresholds learnt on one corpus and applied to the others",
        ("score", "own best", "learnt elsewhere", "loss", "greatest loss", "loss at natural", "greatest at natural"),
        tuple(rows),
        "Mean accuracy over corpora at each corpus's own best threshold, and at those of the others; the loss is the "
        f"difference. {_sizes(run)} Click a row to see its map.",
        link=lambda row, column: OptionsLink({"map": result.scores[row].score.name}),
    )


def _map(run: Run[TransferOptions, TransferResult]) -> HeatMap:
    """Return a heat map of the loss of every threshold on every corpus."""
    corpora, chosen = list(run.result.corpora), _shown_scores(run)
    places = {f"{transfer.score.name}\n{row.source}": (transfer, row) for transfer in chosen for row in transfer.rows}
    lines: list[HeatMapHeading | str] = []
    for transfer in chosen:
        lines += [transfer.score.title] if len(chosen) > 1 else []
        keys = ((f"{transfer.score.name}\n{row.source}", row) for row in transfer.rows)
        lines += [HeatMapHeading(key, f"{row.source}: {number(row.threshold, 2)}") for key, row in keys]
    values, texts = {}, {}
    for key, (transfer, row) in places.items():
        for place, name in enumerate(corpora):
            accuracy, loss = row.counts[place].accuracy, transfer.loss(row, place)
            values[name, key] = loss
            change = f"({'−' if loss > 0 else '+'}{number(abs(loss))})" if loss else "best"
            texts[name, key] = f"{number(accuracy)} {change}"

    def link(name: str, key: str) -> Link:
        return _link_turned(run, *places[key], corpora.index(name))

    title = chosen[0].score.title if len(chosen) == 1 else "all scores"
    return HeatMap(
        "transfer",
        f"Accuracy on the column's corpus at the row's threshold, and its loss: {title}",
        tuple(HeatMapHeading(name, name) for name in corpora),
        tuple(lines),
        values,
        texts,
        note=f"Darker: a larger loss compared with the corpus's own best threshold. Darkest: {_DARKEST} or more.",
        cell=118,
        full=_DARKEST,
        link=link,
        scores=tuple(transfer.score.name for transfer in chosen),
    )


def _accuracies(run: Run[TransferOptions, TransferResult]) -> Table:
    """Return a table of the accuracy of every threshold on every corpus."""
    corpora = list(run.result.corpora)
    places = [(transfer, row) for transfer in run.result.scores for row in transfer.rows]
    header = ("score", "threshold", "at", *corpora)

    def link(row: int, column: int) -> Link:
        transfer, trial = places[row]
        if column < len(header) - len(corpora):
            return ThresholdLink(transfer.score.name, trial.threshold)
        return _link_turned(run, transfer, trial, column - len(header) + len(corpora))

    return Table(
        "transfer-accuracy",
        "Accuracy of every threshold on every corpus",
        header,
        tuple(
            (transfer.score.title, row.source, row.threshold, *(counts.accuracy for counts in row.counts))
            for transfer, row in places
        ),
        f"Each threshold with the name of a corpus is the best one there. {_sizes(run)} Click an accuracy to select "
        "the pairs whose verdict changes.",
        link=link,
    )


def _pairs_table(run: Run[TransferOptions, TransferResult]) -> Table:
    """Return a table of each threshold on each other corpus, with intervals and the pairs whose verdict changes."""
    rows: list[tuple[Cell, ...]] = []
    places = []
    for transfer in _shown_scores(run):
        for trial in transfer.rows:
            for place, name in enumerate(run.result.corpora):
                counts, loss = trial.counts[place], transfer.loss(trial, place)
                if isnan(loss) or trial.source == name:
                    continue
                accuracy = Estimate(counts.accuracy, *wilson(counts.tp + counts.tn, counts.counted))
                turns = int(_link_turned(run, transfer, trial, place).mask(run.material).sum())
                rows.append((transfer.score.title, trial.source, name, counts.counted, accuracy, loss, turns))
                places.append((transfer, trial, place))
    return Table(
        "transfer-pairs",
        "Pairs whose verdict changes at another corpus's threshold",
        ("score", "threshold", "tried on", "pairs", "accuracy", "loss", "turn"),
        tuple(rows),
        "Accuracy with Wilson's 95 % interval. The verdict changes if it differs from the one at the corpus's own best "
        "threshold. Click a row to select these pairs.",
        scores=tuple(transfer.score.name for transfer in _shown_scores(run)),
        link=lambda row, column: _link_turned(run, *places[row]),
    )


def _shown_scores(run: Run[TransferOptions, TransferResult]) -> tuple[ScoreTransfer, ...]:
    """Return the scores shown in the map."""
    return tuple(transfer for transfer in run.result.scores if run.options.map in (_ALL, transfer.score.name))


def _link_turned(
    run: Run[TransferOptions, TransferResult], transfer: ScoreTransfer, trial: ThresholdTrial, corpus: int
) -> PairsLink:
    """Return a link to the pairs of a corpus whose verdict differs from that at the corpus's own best threshold."""
    (name, where), (own, _), score = list(run.result.corpora.items())[corpus], transfer.own[corpus], transfer.score
    labelled = (run.material.labels == 0) | (run.material.labels == 1)

    def mask(now: AnalysisMaterial) -> Mask:
        values = now.score_column(score.name).values if score.name in now.names else score.values
        there = keep_selected(values, where & labelled)
        verdicts = (
            predicted_positive(there, threshold, score.higher_is_closer) for threshold in (trial.threshold, own)
        )
        return np.asarray(np.logical_xor(*verdicts))

    return PairsLink(f"{name} changed by {score.title} at {number(trial.threshold)} ({trial.source})", mask)


def _sizes(run: Run[TransferOptions, TransferResult]) -> str:
    """Return a note on the labelled pairs of each corpus and the accuracy of always answering the commoner label."""
    known = []
    for name, mask in run.result.corpora.items():
        labels = run.material.labels[mask]
        of_each = int((labels == 1).sum()), int((labels == 0).sum())
        if sum(of_each):
            known.append(f"{name} {sum(of_each):,} ({number(max(of_each) / sum(of_each))})")
    return f"Labelled pairs, and the accuracy of always answering the more common label: {', '.join(known)}."
