"""A checksum for every record of a database, so that a flipped bit on a disk is noticed instead of shown as a score."""

from __future__ import annotations

import zlib

#: The name of `checksum` in SQL.
NAME = "checksum"


def checksum(*values: object) -> int:
    """Return the CRC-32 of columns of a row: texts, bytes, integers or None, each preceded by its kind and length."""
    crc = 0
    for value in values:
        match value:
            case bytes():
                kind, raw = "B", value
            case str():
                kind, raw = "T", value.encode("utf-8", "surrogateescape")
            case _:
                kind, raw = "N", repr(value).encode()
        crc = zlib.crc32(raw, zlib.crc32(f"{kind}{len(raw)}:".encode(), crc))
    return crc


def checksum_columns(columns: dict[str, str]) -> str:
    """Return the SQL of a table's checksum columns, which SQLite computes whenever a row is written.

    Args:
        columns: For each checksum column by name, the columns that it covers ("id, text").
    """
    return ",\n    ".join(
        f"{name} INTEGER NOT NULL GENERATED ALWAYS AS ({NAME}({covered})) STORED" for name, covered in columns.items()
    )
