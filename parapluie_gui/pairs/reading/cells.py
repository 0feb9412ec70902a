"""Converts cells of workbooks and Parquet files to texts, numbers, truth values or None."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta


def to_cell(value: object) -> object:
    """Convert a value to a text, a number, a truth value or None."""
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
    """Convert a cell of a workbook; 3.0 becomes 3, because workbooks have no integers and an id should read "3"."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return to_cell(value)


def to_json_cell(value: object) -> object:
    """Convert nested lists and objects of JSON to JSON text; return other values unchanged."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
