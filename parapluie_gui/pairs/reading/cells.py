"""What a cell of a workbook or a Parquet file becomes: a text, a number, a truth value or nothing."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta


def plain(value: object) -> object:
    """Return a cell as text, number, truth value or None."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, dict, tuple)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def sheet_cell(value: object) -> object:
    """Return a cell of a workbook; 3 for 3.0, since workbooks know no whole numbers and an id reads "3"."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return plain(value)
