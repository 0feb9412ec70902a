"""Rehearsal of a talk: finds missing scores and unexpected verdicts in all its steps."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from parapluie_gui.features.talks.shown import ScoreScale, StagePair
from parapluie_gui.features.talks.talk import Talk, TalkPair
from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.text import pairs_words

translate = QCoreApplication.translate


@dataclass(frozen=True)
class RehearsalFinding:
    """A problem that a rehearsal found.

    Attributes:
        place: Index of the pair in the talk.
        text: The sentence, without the pair's number.
        missing: Whether scoring can solve it.
    """

    place: int
    text: str
    missing: bool

    def __str__(self) -> str:
        return translate("Rehearsal", "Pair {0}: {1}").format(self.place + 1, self.text)


def rehearse(
    talk: Talk, read: Callable[[int], StagePair], without: Callable[[int], Collection[str]]
) -> list[RehearsalFinding]:
    """Return the problems in all steps of all pairs.

    Args:
        talk: The talk.
        read: Returns the pair at a place with its scores.
        without: Returns the columns that were computed for the pair at a place and have no number.
    """
    findings = []
    for place, pair in enumerate(talk.pairs):
        shown, never = read(place), without(place)
        baselines = list(zip(talk.baselines, shown.baselines, strict=True)) if "baselines" in pair.steps else []
        empty = [(name, scale) for name, scale in baselines if scale.value is None]
        if lacks := _lacks(pair, shown, [scale for name, scale in empty if name not in never]):
            words = translate("Rehearsal", "not scored yet: {0}.")
            findings.append(RehearsalFinding(place, words.format(", ".join(lacks)), True))
        findings += [
            RehearsalFinding(place, _no_number(name, scale, pair), False) for name, scale in empty if name in never
        ]
        findings += [RehearsalFinding(place, text, False) for text in _surprises(pair, shown)]
    return findings


def describe_ready(talk: Talk) -> str:
    """Return the message for a rehearsal without findings."""
    count = sum(len(pair.steps) for pair in talk.pairs)
    steps = translate("Rehearsal", "1 step") if count == 1 else translate("Rehearsal", "{0} steps").format(count)
    if any(pair.expected is not None for pair in talk.pairs):
        words = translate("Rehearsal", "Nothing is missing, and every verdict is as expected. {0}, {1}.")
    else:
        words = translate("Rehearsal", "Nothing is missing. {0}, {1}.")
    return words.format(pairs_words(len(talk.pairs)), steps)


def _lacks(pair: TalkPair, shown: StagePair, baselines: list[ScoreScale]) -> list[str]:
    """Return the names of the results that scoring would add, including those of the given baselines."""
    steps, missing = set(pair.steps), list[str]()
    judged = shown.judge is not None and shown.judge.value is not None
    if steps & {"judge", "baselines"} and not judged:
        missing.append(translate("Rehearsal", "the judge"))
    missing += [scale.title for scale in baselines]
    if "words" in steps and shown.words is None and shown.source != shown.hypothesis:
        missing.append(translate("Rehearsal", "which words decided"))
    return missing


def _no_number(name: str, scale: ScoreScale, pair: TalkPair) -> str:
    if why := catalogue.why_missing(name, pair.source, pair.hypothesis):
        return translate("Rehearsal", "{0} has no score: {1}.").format(scale.title, why)
    return translate("Rehearsal", "{0} has no score.").format(scale.title)


def _surprises(pair: TalkPair, shown: StagePair) -> list[str]:
    judge = shown.judge
    if pair.expected is None or judge is None or judge.verdict is None or judge.verdict == pair.expected:
        return []
    words = translate("Rehearsal", "“{0}” is expected. {1}: “{2}” ({3}).")
    expected, verdict = (score_names.label_words(int(value)) for value in (pair.expected, judge.verdict))
    return [words.format(expected, judge.title, verdict, judge.text)]
