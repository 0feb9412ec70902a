"""Decodes files by byte order mark, as strict UTF-8, or as Windows-1252 if the letters fit; otherwise the user decides.

charset-normalizer mistakes French in Windows-1252 for Windows-1250 and returns wrong letters, so `is_western` is
stricter: the accented letters have to be those of one language of Western Europe, in places where letters belong. Bytes
of Czech, Polish, Cyrillic or Chinese text, and of old Macs, give combinations of letters that no such language has.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from parapluie_gui.errors import CorpusError, EncodingError

#: Origin of an encoding that was guessed from the letters; the user is informed of the guess.
GUESSED = "its letters"
#: The name for a text some lines of which are UTF-8 and others Windows-1252.
MIXED = "utf-8 and cp1252"

#: Encodings to offer for a file that is not UTF-8, with their usual names.
ENCODINGS = (
    ("cp1252", "Windows-1252, Western Europe"),
    ("iso8859-15", "Latin-9, Western Europe"),
    ("latin-1", "Latin-1, Western Europe"),
    ("mac_roman", "Mac Roman, older Macs"),
    ("cp1250", "Windows-1250, Central Europe"),
    ("iso8859-2", "Latin-2, Central Europe"),
    ("cp1251", "Windows-1251, Cyrillic"),
    ("koi8-r", "KOI8-R, Russian"),
    ("cp1253", "Windows-1253, Greek"),
    ("cp1254", "Windows-1254, Turkish"),
    ("gb18030", "GB18030, Chinese (simplified)"),
    ("big5", "Big5, Chinese (traditional)"),
    ("shift_jis", "Shift JIS, Japanese"),
    ("euc_kr", "EUC-KR, Korean"),
    ("utf-16", "UTF-16 with a byte order mark"),
    ("utf-16-le", "UTF-16, low byte first"),
    ("utf-16-be", "UTF-16, high byte first"),
)
_NAMES = {"utf-8": "UTF-8", MIXED: "UTF-8, and Windows-1252 in some lines"} | {
    codecs.lookup(name).name: shown.partition(",")[0] for name, shown in ENCODINGS
}

# UTF-32 comes before UTF-16, because its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


#: Windows-1252, which includes Latin-1.
WESTERN = "cp1252"

#: The accented letters of each language; nearly all accented letters of a text belong to one of these sets.
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
#: Signs that occur in texts of any of these languages.
_SIGNS = frozenset("«»‹›“”„‘’‚–—…·•°§©®™€£¥¢¡¿´×÷±½¼¾²³µ†\xa0\xad")

_HIGH = re.compile(r"[^\x00-\x7f]")
#: A capital within a lower-case word, or a sign within a word, which occurs in no language.
_MISPLACED = re.compile(r"(?<=[a-zß-ÿ])(?:[À-ÖØ-ÞŠŒŽŸ](?=[a-zß-ÿ])|[¹²³ºª¼½¾±×÷¤¦§©®µ¿¡†•](?=[a-zß-ÿ]))")
#: A text with a larger share of accented letters is not in Latin script.
_MOST = 0.3
#: Maximum share of letters that fit no language, as in foreign names.
_ODD = 0.02
_LETTERS = 2_000_000


def encoding_name(codec: str) -> str:
    """Return the usual name of an encoding ("Windows-1252") for its name in Python ("cp1252")."""
    return _NAMES.get(codec, codec.upper())


def decode(data: bytes, path: Path | None, encoding: str | None = None) -> tuple[str, str, str]:
    """Decode a text file's bytes; the path is for error messages, the encoding the user's choice or None.

    Returns:
        The text without byte order mark, the encoding's name, and how it was determined ("byte order mark",
        "valid UTF-8", `GUESSED` or "your choice").

    Raises:
        EncodingError: The bytes are not text in this encoding, or the encoding cannot be determined.
        CorpusError: The file is binary, or no encoding has the given name.
    """
    if encoding == MIXED:
        return _decode_mixed(data), MIXED, "your choice"
    if encoding is not None:
        name = _known(encoding, path)
        return _decode_as(data, name, path, "choose a different one"), name, "your choice"
    for mark, name in _MARKS:
        if data.startswith(mark):
            todo = "the file seems damaged; download it again"
            return _decode_as(data[len(mark) :], name, path, todo), name, "byte order mark"
    if b"\0" in data:
        _refuse_nul(data, path)
    todo = f"choose the file's encoding, for instance {ENCODINGS[0][0]} ({ENCODINGS[0][1]})"
    try:
        return _decode_as(data, "utf-8", path, todo), "utf-8", "valid UTF-8"
    except EncodingError:
        if any(line is not None for line in _decode_lines(data)) and is_western(_join_other_lines(data)):
            return _decode_mixed(data), MIXED, GUESSED
        if not is_western(data):
            raise
    return _decode_as(data, WESTERN, path, todo), WESTERN, GUESSED


def _decode_lines(data: bytes) -> Iterator[str | None]:
    """Yield each line that is UTF-8 and has other signs than ASCII, and None for any other line."""
    for line in data.split(b"\n"):
        try:
            yield None if line.isascii() else line.decode("utf-8")
        except UnicodeDecodeError:
            yield None


def _join_other_lines(data: bytes) -> bytes:
    return b"\n".join(line for line, text in zip(data.split(b"\n"), _decode_lines(data), strict=True) if text is None)


def _decode_mixed(data: bytes) -> str:
    """Decode each line as UTF-8 or, if it is not, as Windows-1252."""
    lines = zip(data.split(b"\n"), _decode_lines(data), strict=True)
    return "\n".join(line.decode(WESTERN, "replace") if text is None else text for line, text in lines)


def is_western(data: bytes) -> bool:
    """Return whether bytes that are not UTF-8 are certainly text in Windows-1252."""
    sample = data[:_LETTERS]
    try:
        text = sample.decode(WESTERN)
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
    known = max(
        sum(letters[letter] + letters[letter.upper()] for letter in alphabet) for alphabet in _LANGUAGES.values()
    )
    return total - known <= _ODD * total


def _known(encoding: str, path: Path | None) -> str:
    try:
        return codecs.lookup(encoding.strip()).name
    except (LookupError, ValueError) as error:
        todo = "choose an encoding such as utf-8, cp1252, gb18030 or utf-16"
        raise CorpusError(f'there is no encoding called "{encoding}"', todo, path) from error


def _decode_as(data: bytes, name: str, path: Path | None, todo: str) -> str:
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        before = data[: error.start]
        wide = name.startswith(("utf-16", "utf-32"))
        line = before.decode(name, "replace").count("\n") + 1 if wide else _lines(before)
        place = f"byte 0x{data[error.start]:02X}" if error.start < len(data) else "the end of the file"
        marked = " and the file has no byte order mark" if name == "utf-8" else ""
        raise EncodingError(f"{place} is not {name.upper()} text{marked}", todo, path, line) from error
    except (LookupError, UnicodeError) as error:
        raise EncodingError(f'"{name}" cannot decode this file', todo, path) from error
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        todo = "choose a different encoding, or check that this is the right file"
        raise CorpusError("the text contains a NUL character", todo, path, line)
    return text


def _lines(before: bytes) -> int:
    newline = b"\n" if b"\n" in before else b"\r"
    return before.count(newline) + 1


def _refuse_nul(data: bytes, path: Path | None) -> None:
    head = data[:4000]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    # Latin letters in UTF-16 leave every other byte zero; the encoding is only suggested, not assumed
    if max(even, odd) > 0.4 * half and min(even, odd) < 0.1 * half:
        name = "utf-16-le" if odd > even else "utf-16-be"
        todo = f"if it is text in UTF-16, choose the encoding {name}"
        raise EncodingError("every other byte is zero and there is no byte order mark", todo, path, 1)
    todo = "choose a text file (CSV, TSV, JSON), a workbook or a Parquet file"
    raise CorpusError("the file contains NUL bytes, so it is not text", todo, path, _lines(data[: data.index(0)]))
