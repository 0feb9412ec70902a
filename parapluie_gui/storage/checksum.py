"""The checksum beside every record of a database: a bit that flipped on a disk is noticed, not shown as a score."""

from __future__ import annotations

import zlib

#: SQL's name for `checksum`.
NAME = "checksum"


def checksum(*values: object) -> int:
    """Return the CRC-32 of some columns of a row: texts, bytes, integers and None, each with its kind and length."""
    found = 0
    for value in values:
        match value:
            case bytes():
                kind, raw = "B", value
            case str():
                kind, raw = "T", value.encode("utf-8", "surrogateescape")
            case _:
                kind, raw = "N", repr(value).encode()
        found = zlib.crc32(raw, zlib.crc32(f"{kind}{len(raw)}:".encode(), found))
    return found


def sums(columns: dict[str, str]) -> str:
    """Return the SQL of a table's columns of checksums, which SQLite fills by itself whenever a row is written.

    Args:
        columns: The name of each one and the columns it is of ("id, text").
    """
    return ",\n    ".join(
        f"{name} INTEGER NOT NULL GENERATED ALWAYS AS ({NAME}({of})) STORED" for name, of in columns.items()
    )
