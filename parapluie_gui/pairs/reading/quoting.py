"""Detects the delimiter of a text and whether quotation marks protect its cells."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.limits import MOST_COLUMNS
from parapluie_gui.pairs.reading.mapping import guess_mapping
from parapluie_gui.pairs.reading.raw_table import Quoting, unique_names

#: Separators to detect, in order of preference.
DELIMITERS = ("\t", ",", ";", "|")
#: The separator of PPDB and of lists of translations, whose marks are text.
BARS = " ||| "

_SPOKEN = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|"}
#: A separator of several characters, such as " ||| ".
_MARKS = re.compile(r'[^\w"\r\n]{2,5}')
_SAMPLE_CHARACTERS = 200_000
_SAMPLE_LINES = 200
#: The share of rows of the same width below a title, which is in a single cell.
_STEADY = 0.7
#: Rows among which the header is.
_HEADER_ROWS = 5


def split_lines(text: str) -> list[str]:
    r"""Split at \n, \r\n, or lone \r where the text has no \n; other Unicode separators are ordinary characters."""
    if "\n" in text:
        lines = text.split("\n")
        if "\r" in text:
            lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    else:
        lines = text.split("\r")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def checked_delimiter(delimiter: str, path: Path | None) -> str:
    """Return the separator that a user typed; words such as "tab" are accepted."""
    delimiter = _SPOKEN.get(delimiter.strip().casefold(), delimiter)
    if (len(delimiter) != 1 and not _MARKS.fullmatch(delimiter)) or delimiter in '"\r\n':
        todo = "give a character, such as a comma, or the word tab"
        raise CorpusError(f'"{delimiter}" cannot separate columns', todo, path)
    return delimiter


def sniff_delimiter(lines: Sequence[str]) -> str | None:
    """Return the separator that splits the first lines most consistently, or None if none does.

    Known names of a header decide first; TAB is preferred to the other separators, because sentences contain no TAB.
    """
    sample: list[str] = []
    size = 0
    for line in lines:
        if line.strip():
            sample.append(line)
            size += len(line)
        if len(sample) == _SAMPLE_LINES or size > _SAMPLE_CHARACTERS:
            break
    if sample and sum(BARS in line for line in sample) >= 0.9 * len(sample):
        return BARS
    best: tuple[tuple[bool, bool, float, int], str] | None = None
    for delimiter in DELIMITERS:
        loose = split_loose(sample, delimiter) if any('"' in line for line in sample) else []
        for rows in (_quoted_rows(sample, delimiter), [line.split(delimiter) for line in sample], loose):
            if not rows:
                continue
            width, count = Counter(map(len, rows)).most_common(1)[0]
            steady = count / len(rows)
            if not 2 <= width <= MOST_COLUMNS or steady < 0.5 or (len(rows[0]) == 1 and steady < _STEADY):
                continue
            named = any(guess_mapping(unique_names(row)[0])[0].complete for row in rows[:_HEADER_ROWS])
            rank = (named, delimiter == "\t", round(steady, 2), width)
            if best is None or rank > best[0]:
                best = rank, delimiter
    return best[1] if best else None


def _quoted_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader((line + "\n" for line in lines), delimiter=delimiter) if row]
    except csv.Error:
        return []


def split_loose(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Split lines into cells whose quotation marks end only before a delimiter or the end of the line.

    Returns:
        The rows; [] if a cell begins with a mark and does not end with one.
    """
    edge = re.escape(delimiter)
    cell = re.compile(rf'"((?:[^"]|"(?!{edge}|$))*)"(?={edge}|$)|([^{edge}]*)')
    rows = []
    for line in lines:
        row, at = [], 0
        while line and at <= len(line):
            match = cell.match(line, at)
            assert match is not None  # its second part matches anything
            if match[1] is None and match[2].startswith('"'):
                return []
            row.append(match[2] if match[1] is None else match[1].replace('""', '"'))
            at = match.end() + 1
        rows.append(row)
    return rows


def is_steady(rows: Sequence[Sequence[object]]) -> bool:
    """Return whether all rows that are not empty have the same number of cells, more than one."""
    widths = {len(row) for row in rows if row}
    return len(widths) == 1 and max(widths) > 1


def decide_quoting(text: str, lines: Sequence[str], delimiter: str) -> Quoting:
    """Decide whether quotation marks protect cells, so that no rows are merged or lost.

    Corpora such as MRPC contain raw quotation marks: read with quoting, a cell that begins with a quotation mark
    swallows all lines up to the next mark. A file that was written with quoting, however, has no mark outside a
    protected cell. `lines` are the lines of the text.

    Returns:
        "none" if quotation marks are text, "minimal" if they protect cells.
    """
    if '"' not in text:
        return "none"
    filled = [line for line in lines if line]
    raw_good = Counter(line.count(delimiter) for line in filled).most_common(1)[0][1]
    tab = delimiter == "\t"
    if tab and raw_good == len(filled):
        return _quoting_of_steady_tsv(filled)
    strict = True
    try:
        widths = [len(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)]
    except csv.Error:
        if tab:
            return "none"
        if is_steady(split_loose(lines, delimiter)) or _is_cut(text, delimiter):
            return "minimal"
        strict = False
        widths = [len(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    counts = Counter(width for width in widths if width)
    good = max(counts.values(), default=0)
    # the header may be longer than all rows below it
    if (
        strict
        and good >= counts.total() - (widths[0] > max(widths[1:], default=0))
        and '"' not in _quoted_cell_pattern(delimiter).sub("", text)
    ):
        return "minimal"
    return "minimal" if good > raw_good or (strict and not tab and good == raw_good) else "none"


def _is_cut(text: str, delimiter: str) -> bool:
    """Return whether all lines but the last protect their cells, and the last ends within a protected cell."""
    complete = text[: text.rstrip("\r\n").rfind("\n") + 1]
    try:
        rows = list(csv.reader(io.StringIO(complete, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return is_steady(rows) and len(rows) > 1 and '"' not in _quoted_cell_pattern(delimiter).sub("", complete)


def _quoted_cell_pattern(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a cell in quotation marks; marks inside it are doubled."""
    edge = re.escape(delimiter)
    return re.compile(rf'(?<![^{edge}\r\n])"([^"]*(?:""[^"]*)*)"(?=[{edge}\r\n]|\Z)')


def _quoting_of_steady_tsv(lines: Sequence[str]) -> Quoting:
    """Decide on quoting for TSV lines that, read without it, all have the same number of columns."""
    protected = _quoted_cell_pattern("\t")
    needed = False
    bare = 0
    for line in lines:
        if '"' not in line:
            bare += 1
            continue
        cells = [cell for cell in line.split("\t") if '"' in cell]
        if not all(protected.fullmatch(cell) for cell in cells):
            return "none"
        needed = needed or any('""' in cell[1:-1] for cell in cells)
    # a single line without marks may be the header of a file whose texts are all protected
    return "minimal" if needed or bare <= 1 else "none"
