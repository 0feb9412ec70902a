"""Reads back the signatures that `write_table` left in a table or beside it."""

from __future__ import annotations

import json
from pathlib import Path


def read_signatures(path: Path) -> dict[str, dict[str, str]]:
    """Return what each score of a table was computed with: its column, to the fields of its signature.

    They come from Parquet's metadata, the second sheet of Excel, or `<file>.signatures.json` beside any other. A table
    without them, or with something else in their place, gives none.
    """
    try:
        match path.suffix.lower():
            case ".parquet":
                return _from_parquet(path)
            case ".xlsx":
                return _from_excel(path)
            case _:
                return _checked(path.with_name(f"{path.name}.signatures.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _from_parquet(path: Path) -> dict[str, dict[str, str]]:
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_schema(path).metadata or {}
    return _checked(metadata.get(b"parapluie.signatures", b"{}").decode("utf-8"))


def _from_excel(path: Path) -> dict[str, dict[str, str]]:
    import python_calamine

    try:
        book = python_calamine.CalamineWorkbook.from_path(path)
        rows = book.get_sheet_by_name("signatures").to_python() if "signatures" in book.sheet_names else []
    except python_calamine.CalamineError:
        return {}
    found = {}
    for row in rows[1:]:
        # As a signature prints itself: name:bleu|rule:torchtext|...
        fields = [part.partition(":") for part in str(row[1]).split("|")] if len(row) > 1 else []
        found[str(row[0])] = {key: value for key, _, value in fields}
    return found


def _checked(text: str) -> dict[str, dict[str, str]]:
    data = json.loads(text)
    signatures = data.get("signatures") if isinstance(data, dict) else None
    if not isinstance(signatures, dict):
        return {}
    return {
        str(score): {str(key): str(value) for key, value in fields.items()}
        for score, fields in signatures.items()
        if isinstance(fields, dict)
    }
