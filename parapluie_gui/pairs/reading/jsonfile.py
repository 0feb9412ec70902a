"""Reads JSON: a list of records, an object of records by id (PARAPHRASUS), or one record a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.quoting import split_lines
from parapluie_gui.pairs.reading.raw_table import TICK_ROWS, Origin, Table, Tick

JSON_ENDINGS = frozenset({".json", ".jsonl", ".ndjson", ".jsonlines"})

_SPACE = re.compile(r"[ \t\r\n]*")
_EXPECTED = "give a list of records, one record a line, or an object {id: {sentence1, sentence2}}"


def looks_like_json(text: str, path: Path | None) -> bool:
    """Whether a text is to be read as JSON: by its file's ending, else by how it begins."""
    ending = path.suffix.lower() if path is not None else ""
    if ending in JSON_ENDINGS:
        return True
    if ending in (".csv", ".tsv", ".tab"):
        return False
    return re.match(r'\s*(\{\s*"|\[\s*\{)', text) is not None


def read_json(text: str, origin: Origin, *, limit: int | None = None, tick: Tick | None = None) -> Table:
    """Read records from JSON text.

    Args:
        text: The whole text.
        origin: What is known of the file.
        limit: Stop after this many records.
        tick: Called with the number of records read.

    Raises:
        CorpusError: The JSON is broken (with line and column) or of another shape.
    """
    ending = origin.path.suffix.lower() if origin.path is not None else ""
    start = _SPACE.match(text).end()  # type: ignore[union-attr]
    if start == len(text):
        raise CorpusError("there is no record in it", _EXPECTED, origin.path)
    if ending in (".jsonl", ".ndjson", ".jsonlines") or (text[start] == "{" and _first_line_is_record(text[start:])):
        records, lines = _records_by_line(text, origin, limit, tick)
        return _table([], records, lines, replace(origin, kind="json lines"))
    if text[start] == "[":
        found = _collect(text, origin.path, _list_items(text, start, origin.path), limit, tick)
        return _table([], found[1], found[2], replace(origin, kind="json list"))
    if text[start] == "{":
        found = _collect(text, origin.path, _object_items(text, start, origin.path), limit, tick)
        return _table(*found, replace(origin, kind="json object"))
    raise CorpusError(
        "this is JSON without records, or no JSON", _EXPECTED, origin.path, text.count("\n", 0, start) + 1
    )


def _first_line_is_record(text: str) -> bool:
    first = text.splitlines()[0]
    try:
        value = json.loads(first)
    except ValueError:
        return False
    return isinstance(value, dict) and not all(isinstance(item, (dict, list)) for item in value.values())


def _records_by_line(
    text: str, origin: Origin, limit: int | None, tick: Tick | None
) -> tuple[list[dict[str, object]], list[int]]:
    records: list[dict[str, object]] = []
    lines: list[int] = []
    decoder = json.JSONDecoder(object_pairs_hook=_record)
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            continue
        try:
            value = decoder.decode(line)
        except _Repeated as error:
            raise _repeated(str(error), origin.path, number) from None
        except ValueError as error:
            column = getattr(error, "colno", 1)
            what = f"the JSON breaks at column {column} ({getattr(error, 'msg', error)})"
            raise CorpusError(what, "mend the line, or get the file again", origin.path, number) from error
        except RecursionError as error:
            raise _too_deep(origin.path, number) from error
        if not isinstance(value, dict):
            what = f"this line holds {_called(value)}, not a record in braces"
            raise CorpusError(what, "write one record a line, such as {…}", origin.path, number)
        records.append(value)
        lines.append(number)
        if len(records) == limit:
            break
        if tick is not None and len(records) % TICK_ROWS == 0:
            tick(len(records))
    return records, lines


class _Repeated(Exception):
    """A record has two members of one name."""


def _record(members: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(members)
    if len(record) != len(members):
        names = [name for name, _ in members]
        raise _Repeated(next(name for name in names if names.count(name) > 1))
    return record


def _repeated(name: str, path: Path | None, line: int) -> CorpusError:
    return CorpusError(f'a record has "{name}" twice', "rename or remove one of the two", path, line)


def _too_deep(path: Path | None, line: int) -> CorpusError:
    return CorpusError("the JSON is nested too deeply to be a list of pairs", _EXPECTED, path, line)


def _collect(
    text: str, path: Path | None, items: Iterator[tuple[str, object, int]], limit: int | None, tick: Tick | None
) -> tuple[list[str], list[dict[str, object]], list[int]]:
    """Gather the records of a list or object, with the line each one begins on."""
    keys: list[str] = []
    records: list[dict[str, object]] = []
    lines: list[int] = []
    line, at = 1, 0
    for key, value, position in items:
        line += text.count("\n", at, position)
        at = position
        if not isinstance(value, dict):
            where = f'"{key}"' if key else f"item {len(records) + 1}"
            raise CorpusError(f"{where} is {_called(value)}, not a record of a pair", _EXPECTED, path, line)
        keys.append(key)
        records.append(value)
        lines.append(line)
        if len(records) == limit:
            break
        if tick is not None and len(records) % TICK_ROWS == 0:
            tick(len(records))
    if not records:
        raise CorpusError("there is no record in it", _EXPECTED, path)
    return keys, records, lines


def _list_items(text: str, start: int, path: Path | None) -> Iterator[tuple[str, object, int]]:
    at = _skip(text, start + 1)
    if text[at : at + 1] != "]":
        while True:
            value, end = _value(text, at, path)
            yield "", value, at
            at = _skip(text, end)
            if text[at : at + 1] != ",":
                break
            at = _skip(text, at + 1)
    _closed(text, at, "]", path)


def _object_items(text: str, start: int, path: Path | None) -> Iterator[tuple[str, object, int]]:
    at = _skip(text, start + 1)
    if text[at : at + 1] != "}":
        while True:
            begin = at
            if text[at : at + 1] != '"':
                raise _broken(text, at, "an id in quotation marks is expected", path)
            key, end = _value(text, at, path)
            at = _skip(text, end)
            if text[at : at + 1] != ":":
                raise _broken(text, at, "a colon is expected", path)
            value, end = _value(text, _skip(text, at + 1), path)
            yield str(key), value, begin
            at = _skip(text, end)
            if text[at : at + 1] != ",":
                break
            at = _skip(text, at + 1)
    _closed(text, at, "}", path)


_DECODER = json.JSONDecoder(object_pairs_hook=_record)


def _value(text: str, at: int, path: Path | None) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _broken(text, error.pos, error.msg, path) from error
    except _Repeated as error:
        raise _repeated(str(error), path, text.count("\n", 0, at) + 1) from None
    except RecursionError as error:
        raise _too_deep(path, text.count("\n", 0, at) + 1) from error
    except ValueError as error:  # a number of thousands of digits
        raise _broken(text, at, str(error), path) from error


def _closed(text: str, at: int, bracket: str, path: Path | None) -> None:
    if text[at : at + 1] != bracket:
        raise _broken(text, at, f'a comma or "{bracket}" is expected', path)
    after = _skip(text, at + 1)
    if after != len(text):
        raise _broken(text, after, "more text follows the end of the JSON", path)


def _broken(text: str, at: int, why: str, path: Path | None) -> CorpusError:
    if _skip(text, at) >= len(text):
        at, why = len(text), "the text ends too early"
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    todo = "mend the file there, or get it again"
    return CorpusError(f"the JSON breaks at column {column} ({why})", todo, path, line)


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _called(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return "a text" if isinstance(value, str) else f"the value {json.dumps(value)}"


def _table(keys: Sequence[str], records: Sequence[dict[str, object]], lines: Sequence[int], origin: Origin) -> Table:
    if not records:
        raise CorpusError("there is no record in it", _EXPECTED, origin.path)
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = [[_flat(record.get(name)) for record in records] for name in names]
    if origin.kind == "json object":
        key_name = "key" if "id" in names else "id"
        while key_name in names:
            key_name += " of the object"
        names.insert(0, key_name)
        columns.insert(0, list(keys))
    return Table(names, columns, list(lines), origin)


def _flat(value: object) -> object:
    """Return a value a column may hold: nested lists and objects become JSON text again."""
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return value
