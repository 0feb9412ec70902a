"""What a rehearsal finds: all steps of a talk are gone through, and what one of them would lack is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from parapluie_gui.judgements.talk import Talk, TalkPair
from parapluie_gui.ui.stage.shown import Scale, StagePair
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


def rehearse(talk: Talk, read: Callable[[int], StagePair]) -> list[Finding]:
    """Go through all steps of all pairs; `read` returns what the stage has of the pair at a place."""
    found = []
    for place, pair in enumerate(talk.pairs):
        shown = read(place)
        if lacks := _lacks(pair, shown):
            words = translate("Rehearsal", "not scored yet: {0}.")
            found.append(Finding(place, words.format(", ".join(lacks)), True))
        found += [Finding(place, text, False) for text in _surprises(pair, shown)]
    return found


def _lacks(pair: TalkPair, shown: StagePair) -> list[str]:
    """Return what scoring would bring."""
    steps, found = set(pair.steps), list[str]()
    judged = shown.judge is not None and shown.judge.value is not None
    if steps & {"judge", "baselines"} and not judged:
        found.append(translate("Rehearsal", "the judge"))
    if "baselines" in steps:
        found += [scale.title for scale in shown.baselines if scale.value is None]
    if "words" in steps and shown.words is None and shown.source != shown.hypothesis:
        found.append(translate("Rehearsal", "which words decided"))
    return found


def _surprises(pair: TalkPair, shown: StagePair) -> list[str]:
    judge = shown.judge
    if pair.expected is None or judge is None or judge.verdict is None or judge.verdict == pair.expected:
        return []
    return [_not_as_expected(pair.expected, judge)]


def _not_as_expected(expected: bool, judge: Scale) -> str:
    words = translate("Rehearsal", "“{0}” is expected, but {1} says “{2}” ({3}).")
    says = score_names.label_words(int(bool(judge.verdict)))
    return words.format(score_names.label_words(int(expected)), judge.title, says, judge.text)
