"""The pages before and after the pairs of a talk: its title and, at the end, how often each was right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from parapluie_gui.features.talks.room import RoomGuess, room_name
from parapluie_gui.features.talks.shown import ScoreScale, StagePair

translate = QCoreApplication.translate

#: Steps of the pages around the pairs.
TITLE_PAGE, OUTCOME_PAGE = "title", "outcome"


@dataclass(frozen=True)
class StagePage:
    """A page of the stage without a pair.

    Attributes:
        title: Its line in large type.
        about: A line below it.
        scales: Bars with their numbers, such as how often each was right.
    """

    title: str
    about: str = ""
    scales: tuple[ScoreScale, ...] = ()

    def describe(self) -> str:
        """Return the page as text, for screen readers."""
        bars = (f"{bar.title}: {bar.text}" for bar in self.scales)
        return ". ".join(filter(None, [self.title, self.about, *bars]))


def outcome_page(pairs: Sequence[StagePair], rooms: Mapping[int, RoomGuess]) -> StagePage:
    """Return the page that shows how often the room, the judge and each other score were right.

    Args:
        pairs: The pairs of the talk.
        rooms: The room's guesses, by the index of the pair; a tie counts as no answer.
    """
    title = translate("Stage", "Who was right?")
    truths = {at: pair.truth for at, pair in enumerate(pairs) if pair.truth is not None}
    if not truths:
        return StagePage(translate("Stage", "Thank you"))
    words = translate("Stage", "{0} pairs have a label or an expected answer")
    answers: dict[str, list[bool | None]] = {}
    room = [rooms[at].answer if at in rooms else None for at in truths]
    if any(answer is not None for answer in room):
        answers[room_name()] = room
    for at in truths:
        scales = [pairs[at].judge, *pairs[at].baselines]
        for scale in filter(None, scales):
            answers.setdefault(scale.title, []).append(scale.answer)
    bars = []
    for name, given in answers.items():
        asked = [(answer, truth) for answer, truth in zip(given, truths.values(), strict=False) if answer is not None]
        right, count = sum(answer == truth for answer, truth in asked), len(asked)
        if count:
            text = translate("Stage", "{0} of {1}").format(right, count)
            bars.append(ScoreScale(name, right / count, text, (0.0, 1.0), 0.0))
    return StagePage(title, words.format(len(truths)), tuple(bars))
