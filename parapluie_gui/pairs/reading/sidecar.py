"""The file beside a table, which says what the table has no place for: signatures, and whether formulas are marked."""

from __future__ import annotations

import json
from pathlib import Path

from parapluie_gui.files import check_is_file

#: Says that texts which a spreadsheet could run are marked (`pairs.formulas`).
FORMULAS, MARKED = "formulas", "marked"

_LONGEST = 10_000_000


def sidecar_of(table: Path) -> Path:
    """Return the path of the file beside a table."""
    return table.with_name(f"{table.name}.signatures.json")


def read_sidecar(table: Path) -> dict[str, object]:
    """Return what stands beside a table; {} where there is nothing, or something else."""
    path = sidecar_of(table)
    try:
        check_is_file(path)
        data = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= _LONGEST else None
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
