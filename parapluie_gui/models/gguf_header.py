"""Reads the header of GGUF files without the libraries that run them."""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

#: File types of llama.cpp in the order of their numbers (`llama_ftype` in llama.h, 2026-10), "-" for removed types.
_TYPES = (
    "F32 F16 Q4_0 Q4_1 - - - Q8_0 Q5_0 Q5_1 Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_K_S Q4_K_M Q5_K_S Q5_K_M Q6_K IQ2_XXS IQ2_XS "
    "Q2_K_S IQ3_XS IQ3_XXS IQ1_S IQ4_NL IQ3_S IQ3_M IQ2_S IQ2_M IQ4_XS IQ1_M BF16 - - - TQ1_0 TQ2_0 MXFP4_MOE NVFP4 "
    "Q1_0"
)
#: `struct` formats of value types by their numbers, except texts and lists.
_NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
_TEXT, _LIST = 8, 9
#: The length of a text.
_LENGTH = struct.Struct("<Q")
#: Limits above any real header, since a damaged file may claim any length.
_LONGEST_KEY, _MOST_ENTRIES, _MOST_BYTES = 65_535, 10_000, 32 * 1024 * 1024


def weights_type(file: Path) -> str:
    """Return the type of most weights in a GGUF file ("Q4_K_M"), from `general.file_type`; "" if it is missing."""
    try:
        state = file.stat()
    except OSError:
        return ""
    return _type(file, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)
def _type(file: Path, size: int, changed: int) -> str:
    try:
        with file.open("rb") as opened:
            number = _file_type(opened)
    except (OSError, ValueError, ArithmeticError, struct.error):
        return ""
    names = _TYPES.split()
    return names[number].strip("-") if number is not None and 0 <= number < len(names) else ""


def _file_type(file: BinaryIO) -> int | None:
    """Return the number of the file's type, None if it is missing; raise ValueError or struct.error if damaged."""
    if file.read(4) != b"GGUF":
        raise ValueError("not a GGUF file")
    version, _, entries = _numbers(file, "IQQ")
    if version < 2 or entries > _MOST_ENTRIES:
        raise ValueError("an unknown version")
    for _ in range(entries):
        key = file.read(min(_numbers(file, "Q")[0], _LONGEST_KEY))
        (kind,) = _numbers(file, "I")
        if key == b"general.file_type" and kind in _NUMBERS:
            return int(_numbers(file, _NUMBERS[kind])[0])
        _skip_value(file, kind)
    return None


def _skip_value(file: BinaryIO, kind: int) -> None:
    count = 1
    if kind == _LIST:
        kind, count = _numbers(file, "IQ")
    if kind != _TEXT:
        file.seek(struct.calcsize("<" + _NUMBERS.get(kind, "")) * count, 1)
        if kind not in _NUMBERS or file.tell() > _MOST_BYTES:
            raise ValueError("a value of unknown type, or a list that is too long")
        return
    place = file.tell()
    for _ in range(count):  # up to four million empty texts fit into the bytes that are read
        (length,) = _LENGTH.unpack(file.read(8))
        place += 8 + length
        if place > _MOST_BYTES:
            raise ValueError("a text that is too long")
        if length:
            file.seek(length, 1)


def _numbers(file: BinaryIO, types: str) -> tuple[int, ...]:
    return struct.unpack("<" + types, file.read(struct.calcsize("<" + types)))
