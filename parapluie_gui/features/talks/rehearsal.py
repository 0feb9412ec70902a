"""What a rehearsal finds: all steps of a talk are gone through, and what one of them would lack is said."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from parapluie_gui.features.talks.shown import Scale, StagePair
from parapluie_gui.features.talks.talk import Talk, TalkPair
from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.state import score_names

translate = QCoreApplication.translate


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it should be.

    Attributes:
        place: Which pair of the talk.
        text: The sentence, without the pair's number.
        missing: Whether scoring can mend it.
    """

    place: int
    text: str
    missing: bool

    def __str__(self) -> str:
        return translate("Rehearsal", "Pair {0}: {1}").format(self.place + 1, self.text)


def rehearse(talk: Talk, read: Callable[[int], StagePair], without: Callable[[int], Collection[str]]) -> list[Finding]:
    """Go through all steps of all pairs.

    Args:
        talk: The talk.
        read: Returns what the stage has of the pair at a place.
        without: Returns the scores that were computed of it and have no number.
    """
    found = []
    for place, pair in enumerate(talk.pairs):
        shown, never = read(place), without(place)
        beside = list(zip(talk.baselines, shown.baselines, strict=True)) if "baselines" in pair.steps else []
        empty = [(name, scale) for name, scale in beside if scale.value is None]
        if lacks := _lacks(pair, shown, [scale for name, scale in empty if name not in never]):
            words = translate("Rehearsal", "not scored yet: {0}.")
            found.append(Finding(place, words.format(", ".join(lacks)), True))
        found += [Finding(place, _no_number(name, scale, pair), False) for name, scale in empty if name in never]
        found += [Finding(place, text, False) for text in _surprises(pair, shown)]
    return found


def ready_words(talk: Talk) -> str:
    """Return what is said where nothing was found."""
    counts = len(talk.pairs), sum(len(pair.steps) for pair in talk.pairs)
    if any(pair.expected is not None for pair in talk.pairs):
        words = translate(
            "Rehearsal", "Everything is there, and every expected verdict is given. {0} pairs, {1} steps."
        )
    else:
        words = translate("Rehearsal", "Everything is there. {0} pairs, {1} steps.")
    return words.format(*counts)


def _lacks(pair: TalkPair, shown: StagePair, beside: list[Scale]) -> list[str]:
    """Return what scoring would bring, the scores beside the judge among it."""
    steps, found = set(pair.steps), list[str]()
    judged = shown.judge is not None and shown.judge.value is not None
    if steps & {"judge", "baselines"} and not judged:
        found.append(translate("Rehearsal", "the judge"))
    found += [scale.title for scale in beside]
    if "words" in steps and shown.words is None and shown.source != shown.hypothesis:
        found.append(translate("Rehearsal", "which words decided"))
    return found


def _no_number(name: str, scale: Scale, pair: TalkPair) -> str:
    if why := catalogue.why_missing(name, pair.source, pair.hypothesis):
        return translate("Rehearsal", "{0} has no number: {1}.").format(scale.title, why)
    return translate("Rehearsal", "{0} has no number.").format(scale.title)


def _surprises(pair: TalkPair, shown: StagePair) -> list[str]:
    judge = shown.judge
    if pair.expected is None or judge is None or judge.verdict is None or judge.verdict == pair.expected:
        return []
    return [_not_as_expected(pair.expected, judge)]


def _not_as_expected(expected: bool, judge: Scale) -> str:
    words = translate("Rehearsal", "“{0}” is expected, but {1} says “{2}” ({3}).")
    says = score_names.label_words(int(bool(judge.verdict)))
    return words.format(score_names.label_words(int(expected)), judge.title, says, judge.text)
