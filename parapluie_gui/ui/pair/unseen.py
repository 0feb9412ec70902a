"""Sentences on what differs in a pair and cannot be seen."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from parapluie_gui.pairs.difference.unseen import FORM, INVISIBLE, unseen

translate = QCoreApplication.translate

_CONTEXT = "Unseen"


def unseen_sentences(source: str, hypothesis: str) -> list[str]:
    """Return a sentence for each difference; see `pairs.difference.unseen`."""
    sides = translate(_CONTEXT, "source"), translate(_CONTEXT, "hypothesis")
    words = {
        FORM: translate(_CONTEXT, "“{text}” is written as {count} characters in the {side}, as {other} in the {far}."),
        INVISIBLE: translate(_CONTEXT, "Not visible: {text}, {count} in the {side}, {other} in the {far}."),
    }
    look_alike = translate(_CONTEXT, "“{text}” in the {side} is written with another letter: {letter}.")
    return [
        words.get(each.kind, look_alike).format(
            text=each.text,
            letter=each.letter,
            count=each.count,
            other=each.other,
            side=sides[each.side],
            far=sides[1 - each.side],
        )
        for each in unseen(source, hypothesis)
    ]
