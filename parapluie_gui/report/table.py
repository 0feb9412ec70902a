"""Tables out: the pairs with their scores as CSV, TSV, JSON lines, Parquet or Excel, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from parapluie_gui.analysis.columns import ColumnMaterial, columns_of
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.files import atomic_write
from parapluie_gui.packages import need
from parapluie_gui.pairs.annotators import annotators_of
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.formulas import formula_sentence, is_formula, mark
from parapluie_gui.pairs.reading.sidecar import ANNOTATORS, FORMULAS, MARKED, METADATA, annotators_to_write, sidecar_of
from parapluie_gui.scores.identity import ScoreKind, identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.version import __version__

if TYPE_CHECKING:
    import pandas
    import pyarrow

_Each = TypeVar("_Each")

#: https://support.microsoft.com/en-us/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
EXCEL_ROWS = 1_048_576
EXCEL_COLUMNS = 16_384
EXCEL_CHARACTERS = 32_767  # of a cell, counted as UTF-16


@dataclass(frozen=True)
class WrittenTable:
    """What was written.

    Attributes:
        path: The table.
        rows: Number of pairs in it.
        columns: Its columns in order.
        sidecar: The file of signatures beside it, where the format has no place for them.
        warnings: Sentences on what is not in the file as it is in the corpus.
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
    tick: Callable[[int], object] = lambda done: None,
) -> WrittenTable:
    """Write pairs with their scores; the file's ending chooses the format.

    The columns are what the corpus has of id, source, hypothesis, reference, label (1 or 0), human and group, then its
    own columns, then each score with its `.p_yes` and `.p_no`; where several judges answered one template, each
    says which. What is missing is an empty cell, or null. Signatures go into Parquet's metadata
    (`parapluie.signatures`), onto a second sheet in Excel, and for the other formats into `<file>.signatures.json`
    beside; so do annotators that are not known by their names, onto a third sheet in Excel. CSV is plain UTF-8 without
    a byte order mark, as scripts expect; for Excel there is .xlsx.

    Args:
        path: A name ending in .csv, .tsv, .jsonl, .parquet or .xlsx; an existing file is replaced at the end.
        corpus: The pairs.
        table: Their scores.
        rows: Only these rows, in this order; None for all.
        mark_formulas: In CSV and TSV, put an apostrophe before texts that a spreadsheet would run as formulas; the file
            beside says so, and this program takes it off again (`pairs.formulas`).
        tick: Is told now and then how many thousandths are written; what it raises ends the writing, and the file that
            there was stays.

    Raises:
        ParapluieError: The ending is unknown, the folder cannot be written, or the table is too large for Excel.
    """
    path, table = Path(path), table.with_full_names()
    check_target(path)
    write = _WRITERS[path.suffix.lower()]
    warnings: list[str] = []
    columns, halves = _columns(corpus, table, rows)
    length = len(next(iter(columns.values())).values)
    if halves:
        warnings.append(f"{halves} texts hold half characters (lone surrogates), written as question marks.")
    inside = path.suffix.lower() in (".parquet", ".xlsx")
    beside = _signatures(corpus, table)
    if path.suffix.lower() in (".csv", ".tsv"):
        columns, formulas = _without_formulas(columns, mark_formulas)
        if formulas:
            warnings.append(formula_sentence(formulas, mark_formulas))
        if mark_formulas:
            beside[FORMULAS] = MARKED
    sidecar = None if inside or not (table.signatures or beside.keys() & {FORMULAS, ANNOTATORS}) else sidecar_of(path)
    with contextlib.ExitStack() as files:
        if sidecar is not None:
            text = json.dumps(beside, ensure_ascii=False, indent=2) + "\n"
            files.enter_context(_whole(sidecar)).write_text(text, encoding="utf-8", errors="replace")
        write(files.enter_context(_whole(path)), columns, _Writing(corpus, table, warnings, tick))
    if sidecar is None and not inside:
        # One left by an earlier table of that name would speak of other numbers.
        with contextlib.suppress(OSError):
            sidecar_of(path).unlink(missing_ok=True)
    return WrittenTable(path, length, tuple(columns), sidecar, tuple(warnings))


def check_target(path: Path) -> None:
    """Refuse, before hours of scoring, a name that no table can be written to.

    Raises:
        ParapluieError: The ending is unknown, or there is no such folder.
    """
    if path.suffix.lower() not in _WRITERS:
        raise ParapluieError(f'Tables cannot be written as "{path.name}". End the name in {", ".join(_WRITERS)}.')
    if not path.parent.is_dir():
        raise ParapluieError(f"There is no folder {path.parent}. Make it first, or choose another.")


@dataclass(frozen=True, eq=False)
class _WrittenColumn:
    """A column as it is written.

    Attributes:
        type: Of what its values are: pandas' "string", "float64", "Int64" or "boolean".
        values: One for each pair: float64 with NaN where one is missing, otherwise Python's own and None.
    """

    type: str
    values: Scores | list[Any]

    def cells(self) -> list[Any]:
        """Return its values as Python's own, None where one is missing."""
        return (
            [None if value != value else value for value in self.values.tolist()]
            if isinstance(self.values, np.ndarray)
            else self.values
        )


_Columns = dict[str, _WrittenColumn]

#: Is told how many thousandths are written.
_Tick = Callable[[int], object]


@dataclass(frozen=True, eq=False)
class _Writing:
    """What a table is made of beside its columns, and who hears of it."""

    corpus: Corpus
    table: ScoreTable
    warnings: list[str]
    tick: _Tick


def _told(each: Iterable[_Each], total: int, tick: _Tick, before: int = 0) -> Iterator[_Each]:
    """Yield them all and tell of every thousand; `before` were there already of the total."""
    for number, one in enumerate(each, start=before):
        if number % 1000 == 0:
            tick(1000 * number // (total or 1))
        yield one


def _without_formulas(columns: _Columns, marked: bool) -> tuple[_Columns, int]:
    """Return columns, their formulas marked if that is asked for, and how many cells are formulas; names count."""
    count = sum(map(is_formula, columns))
    changed: _Columns = {}
    for name, column in columns.items():
        if column.type == "string":
            count += sum(text is not None and is_formula(text) for text in column.values)
            if marked:
                column = _WrittenColumn("string", [None if text is None else mark(text) for text in column.values])
        changed[mark(name) if marked else name] = column
    return changed, count


def _signed(table: ScoreTable) -> list[tuple[str, Signature]]:
    return [(score, table.signatures[score]) for score in table.scores if score in table.signatures]


def _signatures(corpus: Corpus, table: ScoreTable) -> dict[str, object]:
    return {
        "written by": f"ParaPLUIE Inspector {__version__}",
        "corpus": corpus.name,
        "signatures": {score: dict(signature.fields) for score, signature in _signed(table)},
        **({ANNOTATORS: people} if (people := _people(corpus)) else {}),
    }


def _people(corpus: Corpus) -> dict[str, float | None]:
    return annotators_to_write(corpus.annotators, annotators_of(corpus.extra))


# The formats


def _write_csv(path: Path, columns: _Columns, more: _Writing) -> None:
    _write_separated(path, columns, ",", more.tick)


def _write_tsv(path: Path, columns: _Columns, more: _Writing) -> None:
    _write_separated(path, columns, "\t", more.tick)


def _rows(columns: _Columns, tick: _Tick) -> Iterator[tuple[Any, ...]]:
    cells = [column.cells() for column in columns.values()]
    return _told(zip(*cells, strict=True), len(cells[0]), tick)


def _write_separated(path: Path, columns: _Columns, separator: str, tick: _Tick) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        # The terminator \r\n (RFC 4180) also makes the writer quote texts that hold a lone \r or \n.
        writer = csv.writer(file, delimiter=separator, lineterminator="\r\n")
        writer.writerow(columns)
        writer.writerows(_rows(columns, tick))


def _write_jsonl(path: Path, columns: _Columns, more: _Writing) -> None:
    infinite = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in _rows(columns, more.tick):
            values = [None if isinstance(value, float) and math.isinf(value) else value for value in row]
            infinite += sum(value is None and old is not None for value, old in zip(values, row, strict=True))
            file.write(json.dumps(dict(zip(columns, values, strict=True)), ensure_ascii=False, allow_nan=False) + "\n")
    if infinite:
        more.warnings.append(f"{infinite} infinite values are written as null, since JSON has no infinity.")


def _write_parquet(path: Path, columns: _Columns, more: _Writing) -> None:
    import pyarrow.parquet

    arrow = _arrow(columns, more.corpus, more.table)
    with path.open("wb") as file:  # by its name, pyarrow opens no file whose name is not UTF-8
        pyarrow.parquet.write_table(arrow, file, write_page_checksum=True)


def _arrow(columns: _Columns, corpus: Corpus, table: ScoreTable) -> pyarrow.Table:
    import pyarrow

    types = {"string": pyarrow.large_string(), "float64": pyarrow.float64(), "Int64": pyarrow.int64()}
    arrays = {
        # A score that is missing is null there, not NaN.
        name: pyarrow.array(column.values, types.get(column.type, pyarrow.bool_()), from_pandas=True)
        for name, column in columns.items()
    }
    return pyarrow.table(arrays, metadata={METADATA: json.dumps(_signatures(corpus, table))})


def _write_xlsx(path: Path, columns: _Columns, more: _Writing) -> None:
    import xlsxwriter

    rows, width = len(next(iter(columns.values())).values), len(columns)
    if rows + 1 > EXCEL_ROWS or width > EXCEL_COLUMNS:
        raise ParapluieError(
            f"An Excel sheet holds {EXCEL_ROWS - 1:,} pairs and {EXCEL_COLUMNS:,} columns, this table has {rows:,} and "
            f"{width:,}. Write .csv or .parquet, or filter the pairs first."
        )
    with path.open("wb") as file:
        book = xlsxwriter.Workbook(file)
        bold = book.add_format({"bold": True})
        sheet = book.add_worksheet("pairs")
        sheet.freeze_panes(1, 0)
        cut = 0
        for place, (name, column) in enumerate(columns.items()):
            sheet.set_column(place, place, 50 if name in ("source", "hypothesis", "reference") else 14)
            sheet.write_string(0, place, name, bold)
            # Each value is written as what it is: `write` would make a formula of "=1+1" and a link of an address.
            for row, value in enumerate(_told(column.cells(), rows * width, more.tick, rows * place), start=1):
                if value is None:
                    continue
                if isinstance(value, str) or (isinstance(value, float) and math.isinf(value)):
                    text = str(value)
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
        signed = _signed(more.table)
        cells = [(score, str(one), json.dumps(dict(one.fields), ensure_ascii=False)) for score, one in signed]
        for row, texts in enumerate([("column", "signature", "fields"), *cells]):
            for place, text in enumerate(texts):
                second.write_string(row, place, _fit(text), bold if row == 0 else None)
        if people := _people(more.corpus):
            third = book.add_worksheet(ANNOTATORS)
            for row, (name, least) in enumerate([("column", "paraphrase from"), *people.items()]):
                third.write_string(row, 0, name, bold if row == 0 else None)
                if least is not None:
                    third.write(row, 1, least, bold if row == 0 else None)
        book.close()
    if cut:
        more.warnings.append(
            f"{cut} texts were longer than the {EXCEL_CHARACTERS:,} characters of an Excel cell and are cut."
        )


def _fit(text: str) -> str:
    """Return as much of a text as an Excel cell can hold."""
    if len(text) * 2 <= EXCEL_CHARACTERS:
        return text
    return text.encode("utf-16-le")[: EXCEL_CHARACTERS * 2].decode("utf-16-le", "ignore")


_WRITERS: dict[str, Callable[[Path, _Columns, _Writing], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
    ".xlsx": _write_xlsx,
}


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Yield a file to write to that takes the place of `path` when all went well; says why it cannot."""
    try:
        with atomic_write(path) as part:
            yield part
    except OSError as error:
        raise ParapluieError(_reason(error, path)) from error


def _reason(error: OSError, path: Path) -> str:
    if not path.parent.is_dir():
        return f"There is no folder {path.parent}. Make it first, or choose another."
    if isinstance(error, PermissionError):
        return f"{path} may not be written. Close it in other programs, or choose another folder."
    return f"{path} cannot be written ({error.strerror or error}). Choose another folder or name."


def to_frame(corpus: Corpus, table: ScoreTable, rows: Sequence[int] | Rows | None = None) -> pandas.DataFrame:
    """Return the columns that `write_table` writes, in its order, one row per pair.

    Texts are of pandas' type "string", scores "float64", labels and whole numbers "Int64", truth values "boolean";
    all but float64 have pandas.NA where a value is missing.

    Args:
        corpus: n pairs.
        table: Their scores.
        rows: Only these rows, in this order; None for all.

    Returns:
        The frame; `attrs["signatures"]` lists the signatures of its scores, `attrs["question_marks"]` counts texts in
        which question marks stand for half characters (lone surrogates).
    """
    need("pandas", what="A data frame")
    import pandas

    table = table.with_full_names()
    columns, halves = _columns(corpus, table, rows)
    frame = pandas.DataFrame({name: pandas.Series(each.values, dtype=each.type) for name, each in columns.items()})
    signed = [score for score in table.scores if score in table.signatures]
    frame.attrs["signatures"] = [f"{score}: {table.signatures[score]}" for score in signed]
    frame.attrs["question_marks"] = halves
    return frame


def to_arrow(corpus: Corpus, table: ScoreTable) -> pyarrow.Table:
    """Return what `write_table` writes as Parquet."""
    table = table.with_full_names()
    return _arrow(_columns(corpus, table)[0], corpus, table)


def _columns(corpus: Corpus, table: ScoreTable, rows: Sequence[int] | Rows | None = None) -> tuple[_Columns, int]:
    """Return the columns of some rows, and in how many texts question marks stand for half characters."""
    index = np.arange(len(corpus)) if rows is None else np.asarray(rows, dtype=np.int64)
    columns: _Columns = {}
    halves = 0
    for name, each in columns_of(ColumnMaterial(corpus, table)).items():
        identity = identify(name)
        if not each.exported or (identity.kind is ScoreKind.BOUND and not table.bounds(identity.score, index).any()):
            continue
        own = corpus.extra[each.own].take(index) if each.own else None
        if isinstance(own, NumberColumn):
            columns[name] = _WrittenColumn(_type(own), own.cells())
            continue
        values = each.values()[index]
        if values.dtype == object:
            texts = [None if text is None else _printable(text) for text in values]
            halves += sum(text != old for text, old in zip(texts, values, strict=True))
            columns[name] = _WrittenColumn("string", texts)
        elif name == "label":
            columns[name] = _WrittenColumn(
                "Int64", [None if value != value else int(value) for value in values.tolist()]
            )
        else:
            columns[name] = _WrittenColumn("float64", values.astype(np.float64))
    return columns, halves


def _printable(text: str) -> str:
    """Return a text without lone surrogates, which no file format can hold."""
    return text if text.isascii() or text.isprintable() else text.encode("utf-8", "replace").decode()


def _type(numbers: NumberColumn) -> str:
    """Return pandas' type for one of the corpus's own columns: identifiers stay 702876 rather than 702876.0."""
    if numbers.words is not None:
        return "boolean" if isinstance(numbers.words[0], bool) else "string"
    return "Int64" if numbers.is_integer else "float64"
