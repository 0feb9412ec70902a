"""Turns a file's bytes into text without guessing: byte order mark, then strict UTF-8, otherwise the user is asked."""

from __future__ import annotations

import codecs
from pathlib import Path

from parapluie_gui.errors import CorpusError, EncodingError

#: Encodings to offer when a file is not UTF-8, with whom they are used by.
ENCODINGS = (
    ("cp1252", "Windows, Western Europe"),
    ("iso8859-15", "Latin-9, Western Europe"),
    ("mac_roman", "older Macs, Western Europe"),
    ("cp1250", "Windows, Central Europe"),
    ("cp1251", "Windows, Cyrillic"),
    ("gb18030", "Chinese, simplified"),
    ("big5", "Chinese, traditional"),
    ("shift_jis", "Japanese"),
    ("euc_kr", "Korean"),
    ("utf-16-le", "Unicode, two bytes a letter"),
    ("utf-16-be", "Unicode, two bytes a letter, high byte first"),
)

# UTF-32 before UTF-16: the little-endian mark of the one begins with that of the other.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes, path: Path | None, encoding: str | None = None) -> tuple[str, str, str]:
    """Decode a text file's bytes; the path is for error messages, the encoding the user's choice or None.

    Returns:
        The text without byte order mark, the encoding's name, and where it is known from ("byte order mark",
        "valid UTF-8" or "your choice").

    Raises:
        EncodingError: The bytes are not text in this encoding, or nothing says which encoding it is.
        CorpusError: The file is binary, or no encoding has the given name.
    """
    if encoding is not None:
        name = _known(encoding, path)
        return _decode_as(data, name, path, "choose another one"), name, "your choice"
    for mark, name in _MARKS:
        if data.startswith(mark):
            todo = "the file seems damaged, get it again"
            return _decode_as(data[len(mark) :], name, path, todo), name, "byte order mark"
    if b"\0" in data:
        _refuse_nul(data, path)
    todo = f"choose the file's encoding, for instance {ENCODINGS[0][0]} ({ENCODINGS[0][1]})"
    return _decode_as(data, "utf-8", path, todo), "utf-8", "valid UTF-8"


def _known(encoding: str, path: Path | None) -> str:
    try:
        return codecs.lookup(encoding.strip()).name
    except (LookupError, ValueError) as error:
        todo = "name one such as utf-8, cp1252, gb18030 or utf-16"
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
        todo = "choose another encoding, or check that this is the right file"
        raise CorpusError("the text contains a NUL character", todo, path, line)
    return text


def _lines(before: bytes) -> int:
    newline = b"\n" if b"\n" in before else b"\r"
    return before.count(newline) + 1


def _refuse_nul(data: bytes, path: Path | None) -> None:
    head = data[:4000]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    # Latin letters in UTF-16 leave every other byte zero; this is advice, not an assumption
    if max(even, odd) > 0.4 * half and min(even, odd) < 0.1 * half:
        name = "utf-16-le" if odd > even else "utf-16-be"
        todo = f"if it is text in UTF-16, choose the encoding {name}"
        raise EncodingError("every other byte is zero and there is no byte order mark", todo, path, 1)
    todo = "choose a file of text (CSV, TSV, JSON), a workbook or a Parquet file"
    raise CorpusError("the file contains NUL bytes, so it is not text", todo, path, _lines(data[: data.index(0)]))
