"""Tells from its letters whether a text that is not UTF-8 is Windows-1252, which Latin-1 is a part of.

charset-normalizer takes French in Windows-1252 for Windows-1250 and returns wrong letters, so this asks for more: the
accented letters have to be those of one language of Western Europe, and stand where letters stand. Czech, Polish,
Cyrillic or Chinese bytes, and those of old Macs, give letters that no such language has together.
"""

from __future__ import annotations

import re
from collections import Counter

CODEC = "cp1252"

#: The accented letters that languages write; a text has nearly all of its own from one of these.
_LANGUAGES = {
    "German": "äöüßé",
    "French": "àâæçéèêëîïôœùûüÿ",
    "Spanish": "áéíóúüñªº",
    "Portuguese": "áâãàçéêíóôõúüªº",
    "Italian": "àèéìíîòóùú",
    "Catalan": "àçéèíïóòúü",
    "Dutch": "áéëïíóöúüèê",
    "Danish and Norwegian": "æøåéèóòôâ",
    "Swedish and Finnish": "åäöéü",
    "Icelandic": "áðéíóúýþæö",
}
#: Signs that stand beside letters in any of them.
_SIGNS = frozenset("«»‹›“”„‘’‚–—…·•°§©®™€£¥¢¡¿´×÷±½¼¾²³µ†\xa0\xad")

_HIGH = re.compile(r"[^\x00-\x7f]")
#: A capital in a word that began small, a digit's sign within a word: no language has these.
_MISPLACED = re.compile(r"(?<=[a-zß-ÿ])(?:[À-ÖØ-ÞŠŒŽŸ](?=[a-zß-ÿ])|[¹²³ºª¼½¾±×÷¤¦§©®µ¿¡†•](?=[a-zß-ÿ]))")
#: More accented letters than this among all letters is no Latin script.
_MOST = 0.3
#: Of so many, one may be odd: a name from elsewhere.
_ODD = 0.02
_SAMPLE = 2_000_000


def is_western(data: bytes) -> bool:
    """Return whether bytes that are not UTF-8 are surely text in Windows-1252."""
    sample = data[:_SAMPLE]
    try:
        text = sample.decode(CODEC)
    except UnicodeDecodeError:
        return False
    high = Counter(_HIGH.findall(text))
    letters = Counter({sign: count for sign, count in high.items() if sign.isalpha() and sign not in _SIGNS})
    total = letters.total()
    odd = sum(count for sign, count in high.items() if not sign.isalpha() and sign not in _SIGNS)
    if odd + len(_MISPLACED.findall(text)) > _ODD * high.total():
        return False
    plain = sum(letter.isalpha() for letter in text) - total
    if total > _MOST * (plain + total):
        return False
    known = max(sum(letters[each] + letters[each.upper()] for each in own) for own in _LANGUAGES.values())
    return total - known <= _ODD * total
