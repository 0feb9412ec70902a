"""Writes pairs with their scores as CSV, TSV, JSON Lines, Parquet or Excel, atomically."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from parapluie_gui.analysis.columns import ColumnMaterial, columns_of
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError, explain_write_errors
from parapluie_gui.files import atomic_write
from parapluie_gui.packages import require
from parapluie_gui.pairs.annotators import annotators_of
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.formulas import CellWriter, formula_sentence, is_formula, mark
from parapluie_gui.pairs.reading.sidecar import (
    ANNOTATORS,
    FORMULAS,
    MARKED,
    METADATA,
    REMARKS,
    annotators_to_write,
    sidecar_of,
)
from parapluie_gui.scores.identity import ScoreKind, identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.version import __version__

if TYPE_CHECKING:
    import pandas
    import pyarrow

_Item = TypeVar("_Item")

#: https://support.microsoft.com/en-us/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
EXCEL_ROWS = 1_048_576
EXCEL_COLUMNS = 16_384
EXCEL_CHARACTERS = 32_767  # length of a cell, counted in UTF-16


@dataclass(frozen=True)
class WrittenTable:
    """The result of writing a table.

    Attributes:
        path: The file.
        rows: The number of pairs written.
        columns: The names of its columns, in order.
        sidecar: The file of signatures next to it, for formats that cannot contain them.
        warnings: Sentences on differences between the file and the corpus.
    """

    path: Path
    rows: int
    columns: tuple[str, ...]
    sidecar: Path | None = None
    warnings: tuple[str, ...] = ()


def write_table(
    path: Path | str,
    corpus: Corpus,
    table: ScoreTable,
    rows: Sequence[int] | np.ndarray | None = None,
    *,
    mark_formulas: bool = False,
    for_excel: bool = False,
    tick: Callable[[int], object] = lambda done: None,
) -> WrittenTable:
    """Write pairs with their scores; the file's ending chooses the format.

    The columns are id, source, hypothesis, reference, label (1 or 0), human and group, as far as the corpus has them,
    then its extra columns, then each score with its `.p_yes` and `.p_no`; if several judges answered one template, the
    names of their columns include the judge. Missing values are empty cells, or null. Signatures go into the metadata
    of Parquet (`parapluie.signatures`), into a second sheet of Excel, and otherwise into `<file>.signatures.json`.
    Annotators who would not be recognised by their columns' names go there too; in Excel, into a third sheet. CSV is
    plain UTF-8 without a byte order mark, as scripts expect.

    Args:
        path: A name ending in .csv, .tsv, .jsonl, .parquet or .xlsx; an existing file is replaced at the end.
        corpus: The pairs.
        table: Their scores.
        rows: The rows to write, in this order; None for all.
        mark_formulas: In CSV and TSV, put an apostrophe before texts that a spreadsheet would run as formulas; the
            sidecar file records this, so that this program removes it again (`pairs.formulas`).
        for_excel: In CSV and TSV, mark formulas and begin with a byte order mark, without which Excel shows é as Ã©.
        tick: Called repeatedly with the progress in thousandths; an exception that it raises stops the writing, and an
            existing file remains.

    Raises:
        ParapluieError: The ending is unknown, the folder cannot be written, or the table is too large for Excel.
    """
    path, table = Path(path), table.with_full_names()
    mark_formulas = mark_formulas or for_excel
    check_target(path)
    write = _WRITERS[path.suffix.lower()]
    warnings: list[str] = []
    columns, replaced = _columns(corpus, table, rows)
    length = len(next(iter(columns.values())).values)
    if replaced:
        warnings.append(
            f"{replaced} texts contain incomplete characters (lone surrogates), which are written as question marks."
        )
    has_room = path.suffix.lower() in (".parquet", ".xlsx")
    metadata = _signatures(corpus, table)
    if path.suffix.lower() in (".csv", ".tsv"):
        columns, formulas = _mark_formulas(columns, mark_formulas)
        if formulas:
            warnings.append(formula_sentence(formulas, mark_formulas))
        if mark_formulas:
            metadata[FORMULAS] = MARKED
    sidecar = (
        None if has_room or not (table.signatures or metadata.keys() & {FORMULAS, ANNOTATORS}) else sidecar_of(path)
    )
    with contextlib.ExitStack() as files:
        if sidecar is not None:
            text = json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"
            files.enter_context(_atomic_target(sidecar)).write_text(text, encoding="utf-8", errors="replace")
        write(
            files.enter_context(_atomic_target(path)), columns, _WriteContext(corpus, table, warnings, tick, for_excel)
        )
    if sidecar is None and not has_room:
        # A sidecar of an earlier table with this name would be wrong.
        with contextlib.suppress(OSError):
            sidecar_of(path).unlink(missing_ok=True)
    return WrittenTable(path, length, tuple(columns), sidecar, tuple(warnings))


def check_target(path: Path) -> None:
    """Check that a table can be written to a path, before hours of scoring.

    Raises:
        ParapluieError: The ending is unknown, or there is no such folder.
    """
    if path.suffix.lower() not in _WRITERS:
        raise ParapluieError(f'Tables cannot be written as "{path.name}". End the name in {", ".join(_WRITERS)}.')
    if not path.parent.is_dir():
        raise ParapluieError(f"There is no folder {path.parent}. Create it first, or choose a different folder.")


@dataclass(frozen=True, eq=False)
class _WrittenColumn:
    """A column to write.

    Attributes:
        type: The pandas type of its values: "string", "float64", "Int64" or "boolean".
        values: A value for each pair: float64 with NaN if missing, otherwise Python objects with None if missing.
    """

    type: str
    values: Scores | list[Any]

    def cells(self) -> list[Any]:
        """Return its values as Python objects, None for missing ones."""
        return (
            [None if value != value else value for value in self.values.tolist()]
            if isinstance(self.values, np.ndarray)
            else self.values
        )


_Columns = dict[str, _WrittenColumn]

#: A function called with the progress in thousandths.
_Tick = Callable[[int], object]


@dataclass(frozen=True, eq=False)
class _WriteContext:
    """The source of a table, and the receivers of warnings and progress."""

    corpus: Corpus
    table: ScoreTable
    warnings: list[str]
    tick: _Tick
    for_excel: bool = False


def _with_progress(items: Iterable[_Item], total: int, tick: _Tick, done: int = 0) -> Iterator[_Item]:
    """Yield all items, reporting every 1,000; `done` of the total came before them."""
    for number, item in enumerate(items, start=done):
        if number % 1000 == 0:
            tick(1000 * number // (total or 1))
        yield item


def _mark_formulas(columns: _Columns, marked: bool) -> tuple[_Columns, int]:
    """Return the columns, with formulas marked if requested, and the number of formulas in cells and names."""
    count = sum(map(is_formula, columns))
    changed: _Columns = {}
    for name, column in columns.items():
        if column.type == "string":
            count += sum(text is not None and is_formula(text) for text in column.values)
            if marked:
                column = _WrittenColumn("string", [None if text is None else mark(text) for text in column.values])
        changed[mark(name) if marked else name] = column
    return changed, count


def _present_signatures(table: ScoreTable) -> list[tuple[str, Signature]]:
    return [(score, table.signatures[score]) for score in table.scores if score in table.signatures]


def _signatures(corpus: Corpus, table: ScoreTable) -> dict[str, object]:
    return {
        "written by": f"ParaPLUIE Inspector {__version__}",
        "corpus": corpus.name,
        "signatures": {score: dict(signature.fields) for score, signature in _present_signatures(table)},
        **({REMARKS: remarks} if (remarks := _remarks(table)) else {}),
        **({ANNOTATORS: people} if (people := _people(corpus)) else {}),
    }


def _remarks(table: ScoreTable) -> dict[str, dict[str, object]]:
    return {
        score: {"remarks": list(signature.remarks), "cost": signature.cost}
        for score, signature in _present_signatures(table)
        if signature.remarks or signature.cost
    }


def _people(corpus: Corpus) -> dict[str, float | None]:
    return annotators_to_write(corpus.annotators, annotators_of(corpus.extra))


# The formats


def _write_csv(path: Path, columns: _Columns, context: _WriteContext) -> None:
    _write_separated(path, columns, ",", context)


def _write_tsv(path: Path, columns: _Columns, context: _WriteContext) -> None:
    _write_separated(path, columns, "\t", context)


def _rows(columns: _Columns, tick: _Tick) -> Iterator[tuple[Any, ...]]:
    cells = [column.cells() for column in columns.values()]
    return _with_progress(zip(*cells, strict=True), len(cells[0]), tick)


def _write_separated(path: Path, columns: _Columns, separator: str, context: _WriteContext) -> None:
    with path.open("w", encoding="utf-8-sig" if context.for_excel else "utf-8", newline="") as file:
        writer = CellWriter(file, separator)
        writer.write([list(columns)])
        writer.write(_rows(columns, context.tick))


def _write_jsonl(path: Path, columns: _Columns, context: _WriteContext) -> None:
    infinite = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in _rows(columns, context.tick):
            values = [None if isinstance(value, float) and math.isinf(value) else value for value in row]
            infinite += sum(value is None and old is not None for value, old in zip(values, row, strict=True))
            file.write(json.dumps(dict(zip(columns, values, strict=True)), ensure_ascii=False, allow_nan=False) + "\n")
    if infinite:
        context.warnings.append(f"{infinite} infinite values are written as null, because JSON has no infinity.")


def _write_parquet(path: Path, columns: _Columns, context: _WriteContext) -> None:
    import pyarrow.parquet

    arrow = _arrow(columns, context.corpus, context.table)
    with path.open("wb") as file:  # pyarrow cannot open a path that is not UTF-8
        pyarrow.parquet.write_table(arrow, file, write_page_checksum=True)


def _arrow(columns: _Columns, corpus: Corpus, table: ScoreTable) -> pyarrow.Table:
    import pyarrow

    types = {"string": pyarrow.large_string(), "float64": pyarrow.float64(), "Int64": pyarrow.int64()}
    arrays = {
        # A missing score is null in Parquet, not NaN.
        name: pyarrow.array(column.values, types.get(column.type, pyarrow.bool_()), from_pandas=True)
        for name, column in columns.items()
    }
    return pyarrow.table(arrays, metadata={METADATA: json.dumps(_signatures(corpus, table))})


def _write_xlsx(path: Path, columns: _Columns, context: _WriteContext) -> None:
    import xlsxwriter

    rows, width = len(next(iter(columns.values())).values), len(columns)
    if rows + 1 > EXCEL_ROWS or width > EXCEL_COLUMNS:
        raise ParapluieError(
            f"An Excel sheet can hold {EXCEL_ROWS - 1:,} pairs and {EXCEL_COLUMNS:,} columns, but this table has "
            f"{rows:,} and "
            f"{width:,}. Write .csv or .parquet, or filter the pairs first."
        )
    with path.open("wb") as file:
        book = xlsxwriter.Workbook(file)
        bold = book.add_format({"bold": True})
        sheet = book.add_worksheet("pairs")
        sheet.freeze_panes(1, 0)
        cut = unfit = 0
        for place, (name, column) in enumerate(columns.items()):
            sheet.set_column(place, place, 50 if name in ("source", "hypothesis", "reference") else 14)
            sheet.write_string(0, place, name, bold)
            # Each type has its own method, because `write` would turn "=1+1" into a formula and an address into a link.
            for row, value in enumerate(
                _with_progress(column.cells(), rows * width, context.tick, rows * place), start=1
            ):
                if value is None:
                    continue
                if isinstance(value, str) or (isinstance(value, float) and math.isinf(value)):
                    text = str(value).translate(_UNFIT)
                    unfit += text != str(value)
                    fitting = _fit(text)
                    cut += fitting != text
                    sheet.write_string(row, place, fitting)
                elif isinstance(value, bool):
                    sheet.write_boolean(row, place, value)
                else:
                    sheet.write_number(row, place, value)
        sheet.autofilter(0, 0, rows, width - 1)
        second = book.add_worksheet("signatures")
        second.set_column(0, 0, 24)
        second.set_column(1, 1, 120)
        signed = _present_signatures(context.table)
        cells = [
            (
                score,
                str(signature),
                json.dumps(dict(signature.fields), ensure_ascii=False),
                "\n".join(signature.remarks),
                signature.cost,
            )
            for score, signature in signed
        ]
        shown = 5 if _remarks(context.table) else 3
        for row, texts in enumerate([("column", "signature", "fields", "remarks", "cost"), *cells]):
            for place, text in enumerate(texts[:shown]):
                second.write_string(row, place, _fit(text), bold if row == 0 else None)
        if people := _people(context.corpus):
            third = book.add_worksheet(ANNOTATORS)
            for row, (name, least) in enumerate([("column", "paraphrase from"), *people.items()]):
                third.write_string(row, 0, name, bold if row == 0 else None)
                if least is not None:
                    third.write(row, 1, least, bold if row == 0 else None)
        book.close()
    if unfit:
        context.warnings.append(
            f"{unfit} texts contain U+FFFE or U+FFFF, which Excel cannot hold; they are written as \ufffd."
        )
    if cut:
        context.warnings.append(
            f"{cut} texts were longer than the {EXCEL_CHARACTERS:,} characters that fit into an Excel cell and were "
            "cut."
        )


#: Replacements of the characters that are not allowed in the XML of a workbook.
_UNFIT = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")


def _fit(text: str) -> str:
    """Cut a text to the length of an Excel cell."""
    if len(text) * 2 <= EXCEL_CHARACTERS:
        return text
    return text.encode("utf-16-le")[: EXCEL_CHARACTERS * 2].decode("utf-16-le", "ignore")


_WRITERS: dict[str, Callable[[Path, _Columns, _WriteContext], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
    ".xlsx": _write_xlsx,
}


@contextlib.contextmanager
def _atomic_target(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces `path` on success; raise a ParapluieError if it cannot."""
    with explain_write_errors(path), atomic_write(path) as part:
        yield part


def to_frame(corpus: Corpus, table: ScoreTable, rows: Sequence[int] | Rows | None = None) -> pandas.DataFrame:
    """Return the columns that `write_table` writes as a data frame with one row per pair.

    Texts have pandas' type "string", scores "float64", labels and integers "Int64", truth values "boolean"; a missing
    value is pandas.NA, or NaN in float64.

    Args:
        corpus: n pairs.
        table: Their scores.
        rows: The rows to return, in this order; None for all.

    Returns:
        The frame; `attrs["signatures"]` lists the signatures of its scores, `attrs["question_marks"]` counts texts in
        which question marks replace lone surrogates.
    """
    require("pandas", what="A data frame")
    import pandas

    table = table.with_full_names()
    columns, replaced = _columns(corpus, table, rows)
    frame = pandas.DataFrame(
        {name: pandas.Series(column.values, dtype=column.type) for name, column in columns.items()}
    )
    signed = [score for score in table.scores if score in table.signatures]
    frame.attrs["signatures"] = [f"{score}: {table.signatures[score]}" for score in signed]
    frame.attrs["question_marks"] = replaced
    return frame


def to_arrow(corpus: Corpus, table: ScoreTable) -> pyarrow.Table:
    """Return the table that `write_table` writes as Parquet."""
    table = table.with_full_names()
    return _arrow(_columns(corpus, table)[0], corpus, table)


def _columns(corpus: Corpus, table: ScoreTable, rows: Sequence[int] | Rows | None = None) -> tuple[_Columns, int]:
    """Return the columns of some rows, and the number of texts in which question marks replace lone surrogates."""
    index = np.arange(len(corpus)) if rows is None else np.asarray(rows, dtype=np.int64)
    columns: _Columns = {}
    replaced = 0
    for name, column in columns_of(ColumnMaterial(corpus, table)).items():
        identity = identify(name)
        if not column.exported or (identity.kind is ScoreKind.BOUND and not table.bounds(identity.score, index).any()):
            continue
        extra = corpus.extra[column.own].take(index) if column.own else None
        if isinstance(extra, NumberColumn):
            columns[name] = _WrittenColumn(_type(extra), extra.cells())
            continue
        values = column.values()[index]
        if values.dtype == object:
            texts = [None if text is None else _printable(text) for text in values]
            replaced += sum(text != old for text, old in zip(texts, values, strict=True))
            columns[name] = _WrittenColumn("string", texts)
        elif name == "label":
            columns[name] = _WrittenColumn(
                "Int64", [None if value != value else int(value) for value in values.tolist()]
            )
        else:
            columns[name] = _WrittenColumn("float64", values.astype(np.float64))
    return columns, replaced


def _printable(text: str) -> str:
    """Replace lone surrogates, which no file format allows, by question marks."""
    return text if text.isascii() or text.isprintable() else text.encode("utf-8", "replace").decode()


def _type(numbers: NumberColumn) -> str:
    """Return the pandas type of an extra column; integers keep identifiers as 702876 rather than 702876.0."""
    if numbers.words is not None:
        return "boolean" if isinstance(numbers.words[0], bool) else "string"
    return "Int64" if numbers.is_integer else "float64"
