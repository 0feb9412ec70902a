"""Removes a server's key from the server's answers, which may repeat it completely or in pieces, in any encoding.

Values are searched after decoding, since each encoding of JSON and of addresses has several forms of the same text.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import unquote

#: The text that replaces the key.
PLACEHOLDER = "(key)"

#: Minimum number of letters of a piece of the key; a shorter key is only searched for as a whole.
_PIECE = 8
#: Maximum length of texts that are searched for pieces and nested encodings; longer texts are searched for the complete
#: key.
_LONGEST = 10_000
#: Maximum number of nested encodings.
_ENCODINGS = 3
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([/\\\"']))")


class SecretKey:
    """A key that must not appear in any message, record or file.

    Args:
        key: The key, or "" for a server without one.
    """

    def __init__(self, key: str) -> None:
        self._key = key.lower()
        size = min(len(key), _PIECE)
        self._pieces = {self._key[start : start + size] for start in range(len(key) - size + 1)} if key else set()

    def censor(self, text: str) -> str:
        """Return a text with the key, and pieces of it, replaced; a text that contains it encoded is decoded."""
        if not self._pieces:
            return text
        for form in _decoded_forms(text):
            if spans := self._spans(form):
                for start, end in reversed(spans):
                    form = form[:start] + PLACEHOLDER + form[end:]
                text = form
        return text

    def censor_values(self, content: Any) -> Any:
        """Return parsed JSON in which all texts, including the names in objects, are censored.

        Keys of few letters, such as "EMPTY", are not secret and may be words of an answer, so they are kept.
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
        """Return the positions of the key and its pieces, in order, without overlaps."""
        low = text.lower()
        if not self._pieces or len(low) != len(text):  # for a letter whose lower case has two characters
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
    """Return a text and its decoded forms."""
    forms = [text]
    while len(text) <= _LONGEST and len(forms) <= _ENCODINGS:
        text = _ESCAPED.sub(lambda part: part[3] or chr(int(part[1] or part[2], 16)), text)
        text = unescape(unquote(text))
        if text == forms[-1]:
            break
        forms.append(text)
    return forms
