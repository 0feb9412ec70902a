"""Reworded copies of pairs: the same words replaced in both sentences, so that the label holds."""

from __future__ import annotations

import re
from functools import cache

from parapluie_gui import places
from parapluie_gui.metrics.changes.word_lists import names
from parapluie_gui.own_files import read_toml

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def reword_pair(source: str, hypothesis: str) -> tuple[str, str] | None:
    """Return the pair with words and names replaced in both sentences, or None if it has no word to replace.

    The replacement of a word is never a word of the pair, so different words stay different.
    """
    present = {word.casefold() for text in (source, hypothesis) for word in _WORD.findall(text)}
    chosen = {word: other for word, other in _replacements().items() if word in present and other not in present}

    def exchange(text: str) -> str:
        return _WORD.sub(lambda match: _in_case(match[0], chosen.get(match[0].casefold(), match[0])), text)

    return (exchange(source), exchange(hypothesis)) if chosen else None


@cache
def _replacements() -> dict[str, str]:
    """Return the replacement of each word, in lower case; names are replaced by the next one of their kind."""
    words = read_toml(places.resources() / "passport" / "rewording.toml")["words"].split()
    result = dict(entry.split("=") for entry in words)
    for kind in ("names", "place", "day", "month"):
        listed = [name.casefold() for name in names()[kind]]
        result |= dict(zip(listed, [*listed[1:], listed[0]], strict=True))
    return result


def _in_case(word: str, other: str) -> str:
    return other.capitalize() if word[0].isupper() else other
