"""The facts of a judge's passport, each computed from its scores of labelled pairs, with an interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan, sqrt

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.buckets import estimate_share
from parapluie_gui.analysis.statistics.calibration import calibration, probability
from parapluie_gui.analysis.statistics.comparison import kappa
from parapluie_gui.analysis.statistics.correlation import Estimate, correlation, interval, ranks, resample
from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.arrays import Floats, Labels, Mask, Rows, Scores
from parapluie_gui.features.passport.probes import ProbeAnswers

#: The groups of facts, in display order.
ANSWERS, ZERO, CALIBRATION, ORDER, SHORTCUTS, CONTAMINATION, COMPUTING = (
    "Answers",
    "Position of zero",
    "Calibration",
    "Order and wording",
    "Shortcuts",
    "Contamination",
    "Computing",
)

#: The facts on contamination, by key, with their values for a judge that has never seen the pairs.
WITHOUT_CONTAMINATION = {"published-order": 0.0, "completed": 0.0, "hidden": 0.5, "reworded": 0.0}

#: Minimum number of unlabelled pairs for estimating their share of paraphrases.
_FEWEST_UNLABELLED = 20

#: Quantile of the normal distribution for a 95 % interval.
_TWO_SIDED = 1.959964

#: Scores are clipped to this absolute value when a curve is fitted: the probability is then 1 to 13 digits.
_LARGEST = 30.0


@dataclass(frozen=True)
class PassportFact:
    """One measurement of a judge.

    Attributes:
        key: The word for it in files ("accuracy").
        group: One of the groups above.
        title: The name of the measured quantity.
        value: The number with its 95 % interval; the bounds are NaN if there is no interval.
        pairs: Number of pairs on which it was measured.
        note: How to read it; "" if the title is enough.
    """

    key: str
    group: str
    title: str
    value: Estimate
    pairs: int
    note: str = ""


@dataclass(frozen=True)
class JudgeMeasurements:
    """Measurements that need the judge itself.

    Attributes:
        copies: Scores of sentences with themselves, (k,).
        first, again: Scores of the same pairs, computed twice in different company, (m,).
        seconds: Seconds per pair, not counting loading the model; NaN if not measured.
        timed: Number of pairs that were timed.
        device: The device that was used, in the judge's own description.
        joules: Energy per pair, of the whole processor; NaN if the system does not report it.
        probes: Its answers to the probes; None if they were left out.
    """

    copies: Scores
    first: Scores
    again: Scores
    seconds: float
    timed: int
    device: str = ""
    joules: float = nan
    probes: ProbeAnswers | None = None


@dataclass(frozen=True, eq=False)
class JudgeScores:
    """The scores of a judge on n pairs, with everything from which its facts are computed.

    Attributes:
        column: The scores, with the natural threshold.
        labels: The labels, (n,): 1, 0 or −1.
        lengths: The lengths of the pairs in characters, (n,): the mean of the two sentences.
        overlap: The share of each pair's words that both sentences have, (n,), in [0, 1].
        where: The pairs to use, (n,).
        reverse: The scores with the sentences swapped, if they were computed.
        wordings: The scores of the same judge under different templates.
        human: Human scores, (n,), if the pairs have them.
        measured: The measurements of the judge itself; None if there are none.
    """

    column: ScoreColumn
    labels: Labels
    lengths: Floats
    overlap: Floats
    where: Mask
    reverse: ScoreColumn | None = None
    wordings: Sequence[ScoreColumn] = ()
    human: Scores | None = None
    measured: JudgeMeasurements | None = None

    @property
    def threshold(self) -> float:
        """The natural threshold."""
        return 0.0 if self.column.threshold is None else self.column.threshold

    @property
    def has_score(self) -> Mask:
        """The pairs with a score, (n,)."""
        return np.asarray(~np.isnan(self.column.values) & self.where)

    @property
    def usable(self) -> Mask:
        """The pairs with a score and a label, (n,)."""
        return np.asarray(self.has_score & ((self.labels == 0) | (self.labels == 1)))


def collect_facts(judge: JudgeScores, draws: int, seed: int, tick: Tick) -> tuple[PassportFact, ...]:
    """Return the facts of a judge that can be computed; other facts are left out."""
    facts: list[PassportFact] = []
    for done, group in enumerate(_GROUPS):
        tick(done, len(_GROUPS))
        facts += [fact for fact in group(judge, draws, seed) if fact.pairs and not isnan(fact.value.value)]
    return tuple(facts)


def rogan_gladen(yes: float, recall: float, false_positives: float) -> float:
    """Return the corrected share of paraphrases, in [0, 1], given the share `yes` that a judge calls paraphrases.

    Rogan and Gladen (American Journal of Epidemiology 107, 1978): (yes − false positives) / (recall − false positives).
    The result is NaN if the judge's recall is no higher than its rate of false positives.
    """
    if not recall > false_positives:
        return nan
    return min(max((yes - false_positives) / (recall - false_positives), 0.0), 1.0)


def paired_difference(gained: int, lost: int, pairs: int) -> Estimate:
    """Return the difference of two accuracies on the same pairs, with its 95 % interval; NaN without pairs.

    The interval is Bonett and Price's (British Journal of Mathematical and Statistical Psychology, 2012), which has a
    width even if no verdict differs.

    Args:
        gained: Number of pairs on which only the first is right.
        lost: Number of pairs on which only the second is right.
        pairs: Number of pairs.
    """
    if not pairs:
        return Estimate()
    first, second = (gained + 1) / (pairs + 2), (lost + 1) / (pairs + 2)
    middle = first - second
    margin = _TWO_SIDED * sqrt((first + second - middle**2) / (pairs + 2))
    return Estimate((gained - lost) / pairs, middle - margin, middle + margin)


def _answers(judge: JudgeScores, draws: int, seed: int) -> Iterator[PassportFact]:
    scores, truth = judge.column.values[judge.usable], judge.labels[judge.usable] == 1
    yes, pairs, positives = scores >= judge.threshold, len(scores), int(truth.sum())
    right, commoner = int((yes == truth).sum()), max(positives, pairs - positives)
    yield PassportFact(
        "accuracy", ANSWERS, "accuracy", estimate_share(right, pairs), pairs, "measured against the labels"
    )
    if pairs:
        constant = Estimate(commoner / pairs)
        yield PassportFact(
            "constant", ANSWERS, "accuracy of one answer to all", constant, pairs, "the judge has to beat this"
        )
    yield PassportFact("base-rate", ANSWERS, "paraphrases by the labels", estimate_share(positives, pairs), pairs)
    every = judge.column.values[judge.has_score]
    yield PassportFact(
        "yes",
        ANSWERS,
        "paraphrases by the judge",
        estimate_share(int((every >= judge.threshold).sum()), len(every)),
        len(every),
    )
    yield PassportFact(
        "recall", ANSWERS, "true positive rate", estimate_share(int((yes & truth).sum()), positives), positives
    )
    negatives = pairs - positives
    false = int((yes & ~truth).sum())
    yield PassportFact("false-positives", ANSWERS, "false positive rate", estimate_share(false, negatives), negatives)

    def both(rows: Rows) -> tuple[float, float]:
        curve = threshold_curve(scores[rows], truth[rows].astype(np.int8))
        return kappa(yes[rows], truth[rows]), roc(curve).auc

    agreement, area = _bootstrap(both, pairs, draws, seed)
    yield PassportFact("kappa", ANSWERS, "Cohen's κ with the labels", agreement, pairs, "0 is chance, 1 full agreement")
    yield PassportFact("auc", ANSWERS, "area under the ROC curve", area, pairs, "needs no threshold; 0.5 is chance")
    if judge.human is not None:
        human = correlation(
            judge.column.values, judge.human, where=judge.has_score, draws=draws, seed=seed, kendall=False
        )
        yield PassportFact("human", ANSWERS, "Spearman's ρ with human scores", human.spearman, human.pairs)


def _zero(judge: JudgeScores, draws: int, seed: int) -> Iterator[PassportFact]:
    scores, truth = judge.column.values[judge.usable], judge.labels[judge.usable]
    pairs = len(scores)
    if not 0 < int((truth == 1).sum()) < pairs:
        return

    def best(rows: Rows) -> tuple[float]:
        curve = threshold_curve(scores[rows], truth[rows])
        return (float(curve.threshold[curve.best()]),)

    (offset,) = _bootstrap(best, pairs, draws, seed)
    yield PassportFact("best-threshold", ZERO, "best threshold", offset, pairs, "0 if 0 is the right threshold")
    right = (scores >= judge.threshold) == (truth == 1)
    learnt = np.zeros(pairs, dtype=bool)
    for known, rest in _halves(pairs, seed):
        threshold = best(known)[0] if len(known) else nan
        learnt[rest] = (scores[rest] >= threshold) == (truth[rest] == 1)
    (lost,) = _bootstrap(lambda rows: (float(learnt[rows].mean() - right[rows].mean()),), pairs, draws, seed)
    note = "accuracy at a threshold learnt on one half and applied to the other, minus accuracy at 0"
    yield PassportFact("lost-at-zero", ZERO, "accuracy lost at 0", lost, pairs, note)


def _calibration(judge: JudgeScores, draws: int, seed: int) -> Iterator[PassportFact]:
    scores, truth = judge.column.values[judge.usable], judge.labels[judge.usable]
    pairs, positive = len(scores), truth == 1
    if not 0 < int(positive.sum()) < pairs:
        return
    before, after = probability(scores), np.full(pairs, nan)
    for known, rest in _halves(pairs, seed):
        if 0 < int(positive[known].sum()) < len(known):
            slope, shift = _fit_logistic(scores[known], positive[known])
            after[rest] = probability(slope * np.clip(scores[rest], -_LARGEST, _LARGEST) + shift)
    for key, title, chances in (("", "as they are", before), ("-fitted", "after fitting on the other half", after)):

        def errors(rows: Rows, chances: Floats = chances) -> tuple[float, float]:
            result = calibration(chances[rows], truth[rows])
            return result.ece, result.brier

        ece, brier = _bootstrap(errors, pairs, draws, seed)
        yield PassportFact(
            f"ece{key}", CALIBRATION, f"calibration error, {title}", ece, pairs, "0 if p(yes) can be trusted"
        )
        yield PassportFact(
            f"brier{key}", CALIBRATION, f"Brier score, {title}", brier, pairs, "0 is best, 0.25 is p = 0.5 for all"
        )
    yield from _prevalence(judge, draws, seed)


def _prevalence(judge: JudgeScores, draws: int, seed: int) -> Iterator[PassportFact]:
    """Yield the share of paraphrases among pairs whose labels are not used, corrected by the measured errors."""
    yes = judge.column.values >= judge.threshold
    known, rest = np.flatnonzero(judge.usable), np.flatnonzero(judge.has_score & ~judge.usable)
    if len(rest) >= _FEWEST_UNLABELLED:
        note = f"of the {len(rest):,} unlabelled pairs, with the error rates on the labelled ones"
    else:
        places, others = _halves(len(known), seed)[0]
        known, rest = known[places], known[others]
        by_labels = float((judge.labels[rest] == 1).mean()) if len(rest) else nan
        note = f"of one half, with the error rates on the other; its labels say {by_labels:.3f}"
    if not len(known) or not len(rest):
        return
    random = np.random.default_rng(seed)

    def estimate(known: Rows, rest: Rows) -> float:
        truth, answers = judge.labels[known] == 1, yes[known]
        if truth.all() or not truth.any():
            return nan
        return rogan_gladen(float(yes[rest].mean()), float(answers[truth].mean()), float(answers[~truth].mean()))

    value = estimate(known, rest)
    drawn = [estimate(random.choice(known, len(known)), random.choice(rest, len(rest))) for _ in range(draws)]
    corrected = interval(value, np.array(drawn)) if drawn else Estimate(value)
    yield PassportFact("prevalence", CALIBRATION, "paraphrases, corrected for its errors", corrected, len(rest), note)


def _order(judge: JudgeScores, draws: int, seed: int) -> Iterator[PassportFact]:
    values = judge.column.values
    if judge.reverse is not None:
        both = judge.has_score & ~np.isnan(judge.reverse.values)
        gap = (judge.reverse.values - values)[both]
        turned = _changed_verdicts(judge, judge.reverse.values, judge.threshold)
        yield PassportFact(
            "order-verdicts",
            ORDER,
            "verdicts changed by the order",
            estimate_share(int(turned.sum()), len(gap)),
            len(gap),
        )

        def sizes(rows: Rows) -> tuple[float, float]:
            return float(gap[rows].mean()), float(np.sqrt(np.mean(gap[rows] ** 2)))

        mean, square = _bootstrap(sizes, len(gap), draws, seed)
        yield PassportFact("order-mean", ORDER, "score with the sentences swapped, mean change", mean, len(gap))
        yield PassportFact(
            "order-size", ORDER, "the same, root mean square", square, len(gap), "0 if the order does not matter"
        )
    for wording in judge.wordings:
        turned = _changed_verdicts(judge, wording.values, wording.threshold or 0.0)
        title = f"verdicts changed by a different wording ({wording.title})"
        yield PassportFact(
            f"wording-{wording.name}", ORDER, title, estimate_share(int(turned.sum()), len(turned)), len(turned)
        )
    if judge.measured is not None and judge.measured.probes is not None:
        spelled = judge.measured.probes.spelled
        turned = _changed_verdicts(judge, spelled, judge.threshold)
        yield PassportFact(
            "spellings",
            ORDER,
            "verdicts changed by more spellings of yes and no",
            estimate_share(int(turned.sum()), len(turned)),
            len(turned),
            "answers in lower and upper case also count; 0 if the spelling does not matter",
        )


def _changed_verdicts(judge: JudgeScores, values: Scores, threshold: float) -> Mask:
    """Return which verdicts differ from the judge's, boolean, for the pairs that both scored."""
    both = judge.has_score & ~np.isnan(values)
    changed: Mask = (values[both] >= threshold) != (judge.column.values[both] >= judge.threshold)
    return changed


def _shortcuts(judge: JudgeScores, draws: int, seed: int) -> Iterator[PassportFact]:
    usable = judge.usable
    scores, truth = judge.column.values[usable], judge.labels[usable] == 1
    yes = scores >= judge.threshold
    note = "rank correlation with the score among pairs of the same label; 0 if it does not matter"
    for key, title, trait in (
        ("length", "longer sentences", judge.lengths[usable]),
        ("overlap", "more words in common", judge.overlap[usable]),
    ):
        related = correlation(
            _rank_within_labels(scores, truth), _rank_within_labels(trait, truth), draws=draws, seed=seed, kendall=False
        )
        yield PassportFact(key, SHORTCUTS, title, related.pearson, related.pairs, note)
    if len(scores):
        shared = judge.overlap[usable]
        many = shared >= float(np.median(shared))
        for key, title, half in (("many", "many", many), ("few", "few", ~many)):
            false, negatives = int((yes & ~truth & half).sum()), int((~truth & half).sum())
            title = f"false positive rate where the sentences share {title} words"
            yield PassportFact(f"false-positives-{key}", SHORTCUTS, title, estimate_share(false, negatives), negatives)
    if judge.measured is not None:
        copies = judge.measured.copies[~np.isnan(judge.measured.copies)]
        right = int((copies >= judge.threshold).sum())
        yield PassportFact(
            "copies",
            SHORTCUTS,
            "sentences with themselves: Yes",
            estimate_share(right, len(copies)),
            len(copies),
            "should be 1",
        )


def _contamination(judge: JudgeScores, draws: int, seed: int) -> Iterator[PassportFact]:
    """Yield signs that a judge has seen the pairs in training, each with the value that it has without them."""
    values, truth = judge.column.values, judge.labels == 1

    def difference(key: str, title: str, note: str, one: Scores, other: Scores) -> Iterator[PassportFact]:
        both = judge.usable & ~np.isnan(one) & ~np.isnan(other)
        first, second = (((scores >= judge.threshold) == truth)[both] for scores in (one, other))
        value = paired_difference(int((first & ~second).sum()), int((second & ~first).sum()), int(both.sum()))
        yield PassportFact(key, CONTAMINATION, title, value, int(both.sum()), note)

    if judge.reverse is not None:
        title, note = "accuracy gained by the published order", "0 if it does not know which sentence came first"
        yield from difference("published-order", title, note, values, judge.reverse.values)
    if judge.measured is None or (probes := judge.measured.probes) is None:
        return
    title = "second sentences completed word for word"
    note = "given the first sentence and half of the second; 0 unless it has seen the pairs"
    yield PassportFact(
        "completed", CONTAMINATION, title, estimate_share(probes.completed, probes.begun), probes.begun, note
    )
    asked = ((judge.labels == 0) | truth) & ~np.isnan(probes.hidden) & judge.where
    known, labels = probes.hidden[asked], truth[asked].astype(np.int8)
    if 0 < int(labels.sum()) < len(labels):

        def area(rows: Rows) -> tuple[float]:
            return (roc(threshold_curve(known[rows], labels[rows])).auc,)

        (value,) = _bootstrap(area, len(known), draws, seed)
        title = "area under the ROC curve without the second sentence"
        note = "0.5 unless it knows the labels, or the first sentences give them away"
        yield PassportFact("hidden", CONTAMINATION, title, value, len(known), note)
    title, note = (
        "accuracy lost on reworded copies",
        "the same words replaced in both sentences; 0 if it judges by meaning",
    )
    yield from difference("reworded", title, note, values, probes.reworded)


def _computing(judge: JudgeScores, draws: int, seed: int) -> Iterator[PassportFact]:
    if (measured := judge.measured) is None:
        return
    unreported = "; this system does not report the energy" if isnan(measured.joules) else ""
    about = f"{measured.device}{unreported}"
    yield PassportFact("seconds", COMPUTING, "seconds per pair", Estimate(measured.seconds), measured.timed, about)
    energy = "of the whole processor, with everything else that ran"
    yield PassportFact("energy", COMPUTING, "joules per pair", Estimate(measured.joules), measured.timed, energy)
    change = np.abs(measured.again - measured.first)
    change = change[~np.isnan(change)]
    if len(change):
        largest = Estimate(float(change.max()))
        note = "largest change in a score when computed again among other pairs"
        yield PassportFact("repetition", COMPUTING, "repeatability", largest, len(change), note)


_GROUPS: tuple[Callable[[JudgeScores, int, int], Iterator[PassportFact]], ...] = (
    _answers,
    _zero,
    _calibration,
    _order,
    _shortcuts,
    _contamination,
    _computing,
)


def _bootstrap(
    statistic: Callable[[Rows], tuple[float, ...]], pairs: int, draws: int, seed: int
) -> tuple[Estimate, ...]:
    """Return statistics of all rows, each with the interval of its resamples."""
    if not pairs:
        return tuple(Estimate() for _ in statistic(np.zeros(0, dtype=np.int64)))
    values = statistic(np.arange(pairs))
    if not draws:
        return tuple(map(Estimate, values))
    drawn = resample(statistic, pairs, draws, seed)
    return tuple(interval(value, drawn[:, place]) for place, value in enumerate(values))


def _halves(pairs: int, seed: int) -> tuple[tuple[Rows, Rows], tuple[Rows, Rows]]:
    """Return two random halves in both orders: the half to learn on, and the half to test on."""
    one, other = np.array_split(np.random.default_rng(seed).permutation(pairs), 2)
    return (one, other), (other, one)


def _rank_within_labels(values: Floats, truth: Mask) -> Floats:
    """Return ranks minus the mean rank of the pairs with the same label, so that the labels explain nothing."""
    result = ranks(values)
    for label in (True, False):
        if (truth == label).any():
            result[truth == label] -= result[truth == label].mean()
    return result


def _fit_logistic(scores: Scores, positive: Mask) -> tuple[float, float]:
    """Return the slope and the shift of Platt's curve: p(paraphrase) = 1 / (1 + exp(−slope · score − shift))."""
    from scipy.optimize import minimize

    clipped, sign = np.clip(scores, -_LARGEST, _LARGEST), np.where(positive, 1.0, -1.0)

    def loss(parameters: Floats) -> float:
        margin = sign * (parameters[0] * clipped + parameters[1])
        # The weak prior keeps the slope finite if a threshold separates the pairs without an error.
        return float(np.logaddexp(0.0, -margin).sum() + 1e-3 * parameters[0] ** 2)

    slope, shift = minimize(loss, np.array([1.0, 0.0]), method="BFGS").x
    return float(slope), float(shift)
