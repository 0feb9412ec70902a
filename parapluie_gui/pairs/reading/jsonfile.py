"""Reads JSON: a list of records, an object of records by id (PARAPHRASUS), or one record on each line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from parapluie_gui.errors import CorpusError
from parapluie_gui.own_files import parse_json
from parapluie_gui.pairs.reading.cells import to_json_cell
from parapluie_gui.pairs.reading.content import count_words
from parapluie_gui.pairs.reading.filekind import inner_ending
from parapluie_gui.pairs.reading.limits import check_columns, check_memory, memory_limit
from parapluie_gui.pairs.reading.mapping import guess_mapping
from parapluie_gui.pairs.reading.quoting import split_lines
from parapluie_gui.pairs.reading.raw_table import TICK_ROWS, FileOrigin, Kind, RawTable, Tick, as_text

LINES_ENDINGS = (".jsonl", ".ndjson", ".jsonlines")

#: The cause of a plain ValueError of Python's decoder.
_TOO_LONG = "a number has thousands of digits"

#: The key of a record (or ""), the record, and its first line.
_Item = tuple[str, dict[str, object], int]

#: Memory for a text: the number of copies of it, and the bytes for each record, member, and cell of the table.
_COPIES, _RECORD, _MEMBER, _PLACE = 3, 300, 130, 8
#: Upper bound of bytes for each character of a member, the shortest being `"":0,`.
_CHARACTER = 26

#: The beginning of an object whose first member is not a record.
_METADATA = re.compile(r'\{\s*"[^"]*"\s*:\s*[^{\s]')
#: Minimum number of words of a key that counts as a sentence.
_SENTENCE = 2

_SPACE = re.compile(r"[ \t\r\n]*")
_EXPECTED = "give a list of records, one record per line, or an object {id: {sentence1, sentence2}}"


def looks_like_json(text: str, path: Path | None) -> bool:
    """Return whether to read a text as JSON, by its file's ending or else by its beginning."""
    ending = inner_ending(path)
    if ending == ".json" or ending in LINES_ENDINGS:
        return True
    return ending not in (".csv", ".tsv", ".tab") and re.match(r'\s*(\{\s*"|\[\s*\{)', text) is not None


def read_json(text: str, origin: FileOrigin, *, limit: int | None = None, tick: Tick | None = None) -> RawTable:
    """Read at most `limit` records from a JSON text.

    Raises:
        CorpusError: The JSON is broken (with line and column) or of another shape.
    """
    path = origin.path
    _check_memory(text, path)
    start = _skip_space(text, 0)
    kind: Kind = "json object"
    if start == len(text):
        raise CorpusError("it has no records", _EXPECTED, path)
    if (wrapped := _wrapped_records(text, start, path)) is not None:
        kind, items = "json list", iter([("", record, 1) for record in wrapped])
    elif (parallel := _parallel_lists(text, start, path)) is not None:
        kind, items = "json list", iter([("", record, at) for at, record in enumerate(parallel, start=1)])
    elif inner_ending(path) in LINES_ENDINGS or (text[start] == "{" and _first_line_is_record(text[start:])):
        kind, items = "json lines", _lines(text, path)
    elif text[start] in "[{":
        kind, items = "json list" if text[start] == "[" else "json object", _members(text, start, path)
    else:
        raise CorpusError("this is JSON without records, or not JSON", _EXPECTED, path, _line(text, start))
    keys: list[str] = []
    records: list[dict[str, object]] = []
    lines: list[int] = []
    for key, record, line in items:
        keys.append(key)
        records.append(record)
        lines.append(line)
        if len(records) == limit:
            break
        if tick is not None and len(records) % TICK_ROWS == 0:
            tick(len(records))
    return _table(keys, records, lines, replace(origin, kind=kind))


def _check_memory(text: str, path: Path | None) -> None:
    """Refuse a text that would take too much memory, counting its members only if that is in doubt."""
    needed = _COPIES * sys.getsizeof(text) + _RECORD * text.count("{")
    check_memory(needed, path)
    if needed + _CHARACTER * len(text) > memory_limit():
        check_memory(needed + _MEMBER * text.count(":") + _PLACE * text.count(","), path)


def _only_object(text: str, start: int, path: Path | None, beginning: re.Pattern[str]) -> dict[str, Any] | None:
    """Return the object if the text consists of one that matches `beginning`."""
    if inner_ending(path) in LINES_ENDINGS or not beginning.match(text, start):
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError, _RepeatedMemberError):
        return None
    return value if isinstance(value, dict) and _skip_space(text, end) == len(text) else None


def _wrapped_records(text: str, start: int, path: Path | None) -> list[dict[str, object]] | None:
    """Return the records of an object with one list of them next to metadata, as in {"version": 1, "data": […]}."""
    value = _only_object(text, start, path, _METADATA)
    if value is None:
        return None
    names, rows = value.get("columns"), value.get("data")
    if (
        isinstance(names, list)
        and isinstance(rows, list)
        and {*map(type, names)} == {str}
        and {*map(type, rows)} == {list}
    ):
        return [dict(zip(names, row, strict=False)) for row in rows]  # as pandas writes a table
    listed = [item for item in value.values() if isinstance(item, list) and len(item) > 1]
    records = [item for item in listed if all(isinstance(record, dict) for record in item)]
    others = [item for item in value.values() if not isinstance(item, list)]
    return records[0] if len(records) == 1 and others else None


#: An object whose first member is a list of texts, or an object whose first name is 0, as pandas writes a column.
_LISTED = re.compile(r'\{\s*"[^"\\]{1,100}"\s*:\s*(\[\s*"|\{\s*"0"\s*:)')


def _parallel_lists(text: str, start: int, path: Path | None) -> list[dict[str, object]] | None:
    """Return the records of an object whose members are lists of the same length, such as a column each."""
    value = _only_object(text, start, path, _LISTED)
    if value is None or len(value) < 2:
        return None
    lists = list(value.values())
    if all(isinstance(item, dict) and list(item) == list(lists[0]) for item in lists):
        lists = [list(item.values()) for item in lists]
    if not all(isinstance(item, list) for item in lists) or len(set(map(len, lists))) != 1 or len(lists[0]) < 2:
        return None
    # {sentence: [paraphrases]} has sentences as names
    if any(len(name.split()) > _MOST_WORDS for name in value):
        return None
    return [dict(zip(value, cells, strict=True)) for cells in zip(*lists, strict=True)]


#: Maximum number of words of a column's name; a longer one is a sentence.
_MOST_WORDS = 3


def _first_line_is_record(text: str) -> bool:
    first = split_lines(text)[0]
    try:
        value = parse_json(first)
    except ValueError:
        return False
    return isinstance(value, dict) and not all(isinstance(item, (dict, list)) for item in value.values())


def _lines(text: str, path: Path | None) -> Iterator[_Item]:
    """Yield the records of a text with one record on each line."""
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            continue
        try:
            value = _DECODER.decode(line)
        except _RepeatedMemberError as error:
            raise _repeated_error(error, path, number) from None
        except ValueError as error:
            column = getattr(error, "colno", 1)
            what = f"the JSON is invalid at column {column} ({getattr(error, 'msg', _TOO_LONG)})"
            raise CorpusError(what, "correct the line, or download the file again", path, number) from error
        except RecursionError as error:
            raise _depth_error(path, number) from error
        if (cells := _row_of_cells(value)) is not None:
            value = cells[0][1]
        if not isinstance(value, dict):
            what = f"this line contains {_describe_value(value)}, not a record in braces"
            raise CorpusError(what, "write one record per line, such as {…}", path, number)
        yield "", value, number


class _RepeatedMemberError(Exception):
    """A record has two members with the same name."""


def _record(members: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(members)
    if len(record) != len(members):
        names = [name for name, _ in members]
        raise _RepeatedMemberError(next(name for name in names if names.count(name) > 1))
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_record)


def _repeated_error(name: _RepeatedMemberError, path: Path | None, line: int) -> CorpusError:
    return CorpusError(f'a record has "{name}" twice', "rename or remove one of the two", path, line)


def _depth_error(path: Path | None, line: int) -> CorpusError:
    return CorpusError("the JSON is nested too deeply to be a list of pairs", _EXPECTED, path, line)


def _members(text: str, start: int, path: Path | None) -> Iterator[_Item]:
    """Yield the records of the list or of the object that begins at `start`."""
    keyed = text[start] == "{"
    at, number, line, counted = _skip_space(text, start + 1), 0, 1, 0
    more = text[at : at + 1] != ("}" if keyed else "]")
    while more:
        begin, key = at, ""
        if keyed:
            if text[at : at + 1] != '"':
                raise _syntax_error(text, at, "an id in quotation marks is expected", path)
            name, end = _value(text, at, path)
            key, at = str(name), _skip_space(text, end)
            if text[at : at + 1] != ":":
                raise _syntax_error(text, at, "a colon is expected", path)
            at = _skip_space(text, at + 1)
        value, end = _value(text, at, path)
        number, line, counted = number + 1, line + text.count("\n", counted, begin), begin
        listed = _listed_records(key, value) if keyed else _row_of_cells(value)
        if listed is not None:
            yield from ((name, record, line) for name, record in listed)
        elif not isinstance(value, dict):
            where = f'"{key}"' if key else f"item {number}"
            raise CorpusError(f"{where} is {_describe_value(value)}, not a record of a pair", _EXPECTED, path, line)
        else:
            yield key, value, line
        at = _skip_space(text, end)
        more = text[at : at + 1] == ","
        at = _skip_space(text, at + 1) if more else at
    bracket = "}" if keyed else "]"
    if text[at : at + 1] != bracket:
        raise _syntax_error(text, at, f'a comma or "{bracket}" is expected', path)
    after = _skip_space(text, at + 1)
    if after != len(text):
        raise _syntax_error(text, after, "more text follows the end of the JSON", path)


def _row_of_cells(value: object) -> list[tuple[str, dict[str, object]]] | None:
    """Return a list of texts and numbers as a record of columns without names; None for anything else."""
    if not isinstance(value, list) or len(value) < 2 or any(isinstance(cell, list | dict) for cell in value):
        return None
    return [("", {f"column {number}": cell for number, cell in enumerate(value, start=1)})]


def _listed_records(key: str, value: object) -> list[tuple[str, dict[str, object]]] | None:
    """Return the records of a key with a list of them, or of a sentence with its paraphrases; None otherwise."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return [(key if len(value) == 1 else f"{key}.{number}", item) for number, item in enumerate(value)]
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, list) and all(isinstance(text, str) for text in texts) and count_words(key) >= _SENTENCE:
        return [("", {"source": key, "hypothesis": text}) for text in texts]
    return None


def _value(text: str, at: int, path: Path | None) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _syntax_error(text, error.pos, error.msg, path) from error
    except _RepeatedMemberError as error:
        raise _repeated_error(error, path, _line(text, at)) from None
    except RecursionError as error:
        raise _depth_error(path, _line(text, at)) from error
    except ValueError as error:  # a number with thousands of digits
        raise _syntax_error(text, at, _TOO_LONG, path) from error


def _syntax_error(text: str, at: int, why: str, path: Path | None) -> CorpusError:
    if _skip_space(text, at) >= len(text):
        at, why = len(text), "the text ends prematurely"
    column = at - text.rfind("\n", 0, at)
    return CorpusError(
        f"the JSON is invalid at column {column} ({why})",
        "correct the file there, or download it again",
        path,
        _line(text, at),
    )


def _line(text: str, at: int) -> int:
    """Return the line, from 1, of a position in a text."""
    return text.count("\n", 0, at) + 1


def _skip_space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _describe_value(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return "a text" if isinstance(value, str) else f"the value {json.dumps(value)}"


def _table(
    keys: Sequence[str], records: Sequence[dict[str, object]], lines: Sequence[int], origin: FileOrigin
) -> RawTable:
    if not records:
        raise CorpusError("it has no records", _EXPECTED, origin.path)
    names = list(dict.fromkeys(name for record in records for name in record))
    check_columns(len(names), origin.path)
    check_memory(_PLACE * len(names) * len(records), origin.path, f"{len(names):,} columns of {len(records):,} rows")
    columns = _columns(names, records)
    if all(name == f"column {at}" for at, name in enumerate(names, start=1)):
        first = [as_text(column[0]).strip() for column in columns]
        is_header = len(records) > 1 and len(set(first)) == len(first) and guess_mapping(first)[0].complete
        origin = replace(origin, has_header=is_header)
        if is_header:
            names, columns = first, [column[1:] for column in columns]
            keys, records, lines = keys[1:], records[1:], lines[1:]
    if origin.kind == "json object" and not any(keys):
        origin = replace(origin, kind="json list", shape="outputs")
    elif origin.kind == "json object":
        key_name = "key" if "id" in names else "id"
        while key_name in names:
            key_name += " of the object"
        names.insert(0, key_name)
        columns.insert(0, list(keys))
    return RawTable(names, columns, list(lines), origin)


def _columns(names: Sequence[str], records: Sequence[dict[str, object]]) -> list[list[object]]:
    if 2 * sum(map(len, records)) >= len(names) * len(records):
        plain = [[record.get(name) for record in records] for name in names]
        # most columns have neither lists nor objects
        return [
            cells if {list, dict}.isdisjoint(map(type, cells)) else list(map(to_json_cell, cells)) for cells in plain
        ]
    # Records have few members in common, so only the cells that are not empty are visited.
    columns: dict[str, list[object]] = {name: [None] * len(records) for name in names}
    for row, record in enumerate(records):
        for name, value in record.items():
            columns[name][row] = to_json_cell(value)
    return list(columns.values())
