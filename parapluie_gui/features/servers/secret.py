"""Takes the key of a server out of what the server answers: it may repeat the key, whole or in pieces, encoded anyhow.

Values are searched after decoding, since each encoding of JSON and of addresses has several forms of the same text.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

#: What stands in the key's place.
PLACEHOLDER = "(key)"

#: Fewest letters of the key that are taken for a piece of it; a shorter key counts whole.
_PIECE = 8
#: Longest text that is searched for pieces, and for encodings within it; a longer one is searched for the whole key.
_LONGEST = 10_000
#: Maximum number of encodings within each other.
_ENCODINGS = 3
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([/\\\"']))")


class Secret:
    """A key that no sentence, record or file may hold.

    Args:
        key: The key, or "" for a server without one.
    """

    def __init__(self, key: str) -> None:
        self._key = key.lower()
        size = min(len(key), _PIECE)
        self._pieces = {self._key[start : start + size] for start in range(len(key) - size + 1)} if key else set()

    def censor(self, text: str) -> str:
        """Return a text with the key, and pieces of it, replaced; a text that hides it in an encoding is decoded."""
        if not self._pieces:
            return text
        for form in _decoded_forms(text):
            if spans := self._spans(form):
                for start, end in reversed(spans):
                    form = form[:start] + PLACEHOLDER + form[end:]
                text = form
        return text

    def censor_values(self, content: Any) -> Any:
        """Return parsed JSON in which all texts, names in objects included, are censored.

        Keys of few letters, such as "EMPTY", are no secrets and may be words of an answer: they stay.
        """
        if len(self._key) < _PIECE:
            return content
        if isinstance(content, str):
            return self.censor(content)
        if isinstance(content, list):
            return [self.censor_values(value) for value in content]
        if isinstance(content, dict):
            return {self.censor(name): self.censor_values(value) for name, value in content.items()}
        return content

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return the places of the key and its pieces, in order, without overlaps."""
        low = text.lower()
        if not self._pieces or len(low) != len(text):  # a letter whose lower case is two
            low = text
        pieces = self._pieces if len(text) <= _LONGEST else {self._key}
        places = sorted(
            (match.start(), match.end())
            for piece in pieces
            if piece in low
            for match in re.finditer(re.escape(piece), low)
        )
        spans: list[tuple[int, int]] = []
        for start, end in places:
            if spans and start <= spans[-1][1]:
                spans[-1] = spans[-1][0], max(end, spans[-1][1])
            else:
                spans.append((start, end))
        return spans


def _decoded_forms(text: str) -> list[str]:
    """Return a text, and what it is once the encodings within it are decoded."""
    forms = [text]
    while len(text) <= _LONGEST and len(forms) <= _ENCODINGS:
        text = unquote(_ESCAPED.sub(lambda part: part[3] or chr(int(part[1] or part[2], 16)), text))
        if text == forms[-1]:
            break
        forms.append(text)
    return forms
