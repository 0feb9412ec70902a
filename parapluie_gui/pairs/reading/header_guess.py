"""Turns rows of cells into named columns: detects the header, names unnamed columns, skips rows that do not fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.corpus import SkippedRow
from parapluie_gui.pairs.reading.layouts import LAYOUTS, CorpusLayout, header_form, headerless_names
from parapluie_gui.pairs.reading.limits import check_columns
from parapluie_gui.pairs.reading.mapping import guess_mapping
from parapluie_gui.pairs.reading.raw_table import SAMPLE_ROWS, FileOrigin, RawTable, as_text, excerpt, unique_names

_NAME_LIKE = re.compile(r"[#\w][\w .#/()\[\]'’&%:?-]{0,59}")
#: The first line in which Excel names the separator.
_EXCEL_SEPARATOR = re.compile(r"sep=\S?")
#: Most characters of a name that is odd in another way.
_LONGEST_NAME = 100
#: Rows among which the header is searched, below titles and notes.
_HEADER_ROWS = 5
_NUMBER = re.compile(r"-?\d+([.,]\d+)?")
#: A column with at most this many different values, all repeated, holds labels or groups.
_FEW_VALUES = 8


@dataclass(frozen=True)
class CellGrid:
    """The rows of a delimited file or a sheet, each with its 1-based line."""

    rows: Sequence[Sequence[object]]
    lines: Sequence[int]
    origin: FileOrigin


def to_table(
    grid: CellGrid, header: int | None = None, layout: CorpusLayout | None = None, wanted: Sequence[str] = ()
) -> RawTable:
    """Turn rows into named columns.

    Args:
        grid: The rows.
        header: The line of the names, such as 1 (or True); 0 (or False) if there are none; None to detect it.
        layout: The layout that the user chose, or None to try them all.
        wanted: Column names of the user's mapping; a first row that contains them all is a header.

    Raises:
        CorpusError: There is no row or only a header, the header's line is below the last row, the layout does not
            fit, or most rows differ in length.
    """
    path = grid.origin.path
    skipped: list[SkippedRow] = []
    last = len(grid.rows)
    while last and _blank(grid.rows[last - 1]):
        last -= 1
    rows, lines = list(grid.rows[:last]), list(grid.lines[:last])
    # the first cell alone shows that most rows are not blank, which saves a call for each
    blank = {
        at
        for at, row in enumerate(rows)
        if not (row and type(first := row[0]) is str and first and not first.isspace()) and _blank(row)
    }
    if blank:
        begin = min(set(range(last)) - blank, default=last)
        skipped = [SkippedRow(lines[at], "blank line", "") for at in sorted(blank) if at > begin]
        rows = [row for at, row in enumerate(rows) if at not in blank]
        lines = [line for at, line in enumerate(lines) if at not in blank]
    if not rows:
        raise CorpusError("it has no rows", "choose a file with sentence pairs", path)

    check_columns(max(map(len, rows[:_HEADER_ROWS])), path)
    at = _header_row(rows, lines, header, layout, wanted, path)
    if at:
        above = [row for row in range(at) if not _EXCEL_SEPARATOR.fullmatch(excerpt(_find_filled_cells(rows[row])))]
        skipped += [SkippedRow(lines[row], "above the header", excerpt(rows[row])) for row in above]
        rows, lines = rows[at:], lines[at:]
    is_header = None if header is None and not at else header != 0
    names, repeated, known, guessed = _names(grid.origin, rows, is_header, layout, wanted)
    has_header = names is None
    header_line = lines[0] if has_header else None
    if names is None:
        names, repeated = unique_names(rows[0])
        rows, lines = rows[1:], lines[1:]
        if not rows:
            raise CorpusError("it has a header but no rows below it", "choose a file with sentence pairs", path)
    if has_header:
        rows, lines, questions = _skip_question_rows(rows, lines)
        skipped += questions
    width = len(names)
    if set(map(len, rows)) != {width}:
        rows, lines, misfits = _fit(rows, lines, width, grid.origin, known is not None)
        skipped = sorted(skipped + misfits, key=lambda item: item.line)
    columns: list[list[object]] = [[row[number] for row in rows] for number in range(width)]
    if known is not None and not has_header:
        filled = [any(value is not None for value in column) for column in columns]
        names = [name for name, keep in zip(names, filled, strict=True) if keep]
        columns = [column for column, keep in zip(columns, filled, strict=True) if keep]
    origin = replace(grid.origin, has_header=has_header, header_guessed=guessed, header_line=header_line)
    return RawTable(names, columns, lines, origin, skipped, repeated, known.key if known else None)


def _skip_question_rows(
    rows: Sequence[Sequence[object]], lines: Sequence[int]
) -> tuple[list[Sequence[object]], list[int], list[SkippedRow]]:
    """Skip the rows below a header in which Qualtrics writes the questions and their internal names."""
    last = next((at for at, row in enumerate(rows[:2]) if any('"ImportId"' in as_text(cell) for cell in row)), -1)
    skipped = [SkippedRow(lines[at], "Qualtrics row with the questions", excerpt(rows[at])) for at in range(last + 1)]
    return list(rows[last + 1 :]), list(lines[last + 1 :]), skipped


def _header_row(
    rows: Sequence[Sequence[object]],
    lines: Sequence[int],
    header: int | None,
    layout: CorpusLayout | None,
    wanted: Sequence[str],
    path: Path | None,
) -> int:
    """Return the row of the header, counted from 0: that of the user's line, or one below titles; otherwise 0.

    Raises:
        CorpusError: The user's line is below the last row.
    """
    if header is not None:
        if header > lines[-1]:
            todo = f"write a number from 1 to {lines[-1]:,}, or none (--header)"
            raise CorpusError(f'"{header}" is not the line number of a header', todo, path)
        return next(at for at, line in enumerate(lines) if line >= header)
    width = Counter(len(_find_filled_cells(row)) for row in rows[: SAMPLE_ROWS + 1]).most_common(1)[0][0]
    for at, row in enumerate(rows[:_HEADER_ROWS]):
        below = [[as_text(cell) for cell in cells] for cells in rows[at + 1 : at + 1 + SAMPLE_ROWS]]
        names = unique_names(row)[0]
        if wanted and set(wanted) <= set(names) and below:
            return at
        if 2 * len(_find_filled_cells(row)) > width:
            is_header = at and (guess_mapping(names)[0].complete or _looks_like_header(row, below))
            return at if is_header else 0
    return 0


def _find_filled_cells(row: Sequence[object]) -> list[object]:
    return [cell for cell in row if as_text(cell).strip()]


def _blank(row: Sequence[object]) -> bool:
    return not any(as_text(cell).strip() for cell in row)


def _names(
    origin: FileOrigin,
    rows: Sequence[Sequence[object]],
    header: bool | None,
    layout: CorpusLayout | None,
    wanted: Sequence[str],
) -> tuple[list[str] | None, frozenset[str], CorpusLayout | None, bool]:
    """Return names for columns without header (None if the first row is the header), repeats, and the layout.

    The last value is true if the header was only guessed, from the contrast between its cells and the cells below.
    """
    first, repeated = unique_names(rows[0])
    body = [[as_text(cell) for cell in row] for row in rows[1 : SAMPLE_ROWS + 1]]
    candidates = LAYOUTS if layout is None else (layout,)
    if header is not False:
        sample = {name: [row[i] for row in body if i < len(row)] for i, name in enumerate(first)}
        probe = RawTable(first, [[] for _ in first], [], origin)
        for candidate in candidates:
            if header_form(first, sample, probe, candidate, forced=layout is not None):
                return None, repeated, None, False
    if header is not True:
        for candidate in candidates:
            fitting = headerless_names([[as_text(cell) for cell in row] for row in rows[:SAMPLE_ROWS]], candidate)
            if fitting is not None:
                return list(fitting), frozenset(), candidate, False
    if layout is not None:
        expected = " or ".join(", ".join(form.columns) for form in layout.forms)
        todo = "let the program recognise the file, or choose the columns yourself"
        raise CorpusError(f"this does not look like {layout.name} (columns {expected})", todo, origin.path)
    guessed = False
    if header is None:
        named = (bool(wanted) and set(wanted) <= set(first)) or guess_mapping(first)[0].complete
        guessed = not named and _looks_like_header(rows[0], body)
        header = named or guessed
    if header:
        return None, repeated, None, guessed
    widths = Counter(len(row) for row in rows[:SAMPLE_ROWS])
    return [f"column {number + 1}" for number in range(widths.most_common(1)[0][0])], frozenset(), None, False


def _looks_like_header(first: Sequence[object], body: Sequence[Sequence[str]]) -> bool:
    """Return whether a row of unknown names is a header: short names above cells of a clearly different kind."""
    names = [as_text(cell).strip() for cell in first]
    if not body or any(len(name) > _LONGEST_NAME or _NUMBER.fullmatch(name) for name in names):
        return False
    # a blank, doubled or long name is odd, and a quarter of the names may be
    plain = {name for name in names if _NAME_LIKE.fullmatch(name)}
    if len(names) - len(plain) > max(1, len(names) // 4) or not plain:
        return False
    columns = [[row[at].strip() for row in body if at < len(row) and row[at].strip()] for at in range(len(names))]
    return any(_is_unlike(name, cells) for name, cells in zip(names, columns, strict=True) if name and cells)


def _is_unlike(name: str, cells: Sequence[str]) -> bool:
    """Return whether a name differs in kind from the cells below, which may be numbers, a few values, or sentences."""
    if sum(_NUMBER.fullmatch(cell) is not None for cell in cells) >= 0.9 * len(cells):
        return True
    counts = Counter(map(str.casefold, cells))
    if len(counts) <= _FEW_VALUES and min(counts.values()) > 1:
        return name.casefold() not in counts
    if "?" in name:  # perhaps a short question above longer ones
        return False
    words = sum(len(cell.split()) for cell in cells) / len(cells)
    if len(name.split()) == 1:
        return words >= 4
    shorter = sum(len(name) < len(cell) for cell in cells) >= 0.95 * len(cells)
    return len(name.split()) <= 3 and words >= 6 and shorter


def _fit(
    rows: Sequence[Sequence[object]], lines: Sequence[int], width: int, origin: FileOrigin, known: bool
) -> tuple[list[Sequence[object]], list[int], list[SkippedRow]]:
    """Pad short rows, cut empty cells off long ones, and skip rows with text in surplus cells."""
    # a stray separator shifts all cells after it, so such a row cannot be trusted
    shifted = {at for at, row in enumerate(rows) if len(row) > width and not _blank(row[width:])}
    shorter = [] if known else [len(row) for row in rows if len(row) < width]
    # rows that all lack as many cells lack the last ones, which are filled in later (Mechanical Turk)
    short = 0 if len(set(shorter)) == 1 and 2 * shorter[0] > width and not shifted else len(shorter)
    if len(shifted) + short > len(rows) / 2:
        ragged = next(i for i, row in enumerate(rows) if len(row) != width)
        raise CorpusError(
            f"this row has {len(rows[ragged])} columns where {width} are expected, and the same is true of most other "
            "rows",
            "choose the column separator (--delimiter), or whether quotation marks enclose cells (--quoting)",
            origin.path,
            lines[ragged],
        )
    fitted: list[Sequence[object]] = []
    fitted_lines: list[int] = []
    skipped: list[SkippedRow] = []
    for at, (row, line) in enumerate(zip(rows, lines, strict=True)):
        if at in shifted:
            skipped.append(SkippedRow(line, f"{len(row)} columns instead of {width}", excerpt(row)))
            continue
        if len(row) > width:
            row = row[:width]
        elif len(row) < width:
            row = [*row, *[None] * (width - len(row))]
        fitted.append(row)
        fitted_lines.append(line)
    return fitted, fitted_lines, skipped
