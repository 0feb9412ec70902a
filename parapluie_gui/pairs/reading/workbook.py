"""Reads sheets of Excel and OpenDocument workbooks."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading import isolated
from parapluie_gui.pairs.reading.cells import sheet_cell
from parapluie_gui.pairs.reading.header_guess import CellGrid
from parapluie_gui.pairs.reading.limits import VARIABLE, check_memory, gigabytes, memory_limit
from parapluie_gui.pairs.reading.raw_table import FileOrigin

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

#: Bytes of memory for each row, and for each cell of the rectangle, empty or not.
_ROW, _PLACE = 100, 40
#: Bytes of memory for each byte of XML, for texts and the shortest cells.
_UNPACKED = 5
#: Maximum number of rows and columns of a sheet whose cells are all in the usual spelling.
_USUAL_ROWS, _USUAL_COLUMNS = 1_050_000, 26
_CHUNK = 2**18
#: Sizes below this are within any limit, so the limit need not be looked up.
_SMALL = 10_000_000
#: Maximum size of the list of sheets in bytes.
_LONGEST_LIST = 10 * 2**20

#: A cell outside the columns A to Z or Excel's rows, or not in the usual spelling.
_UNUSUAL = re.compile(rb'<c(?! r="[A-Z](?:\d{1,6}|10[0-4]\d{4})")[\s/>]')
#: A cell not in the usual spelling.
_ODD = re.compile(rb'<c(?! r="[A-Z]{1,3}\d{1,10}")[\s/>]')
#: A cell in the usual spelling that is not self-closing, so that it may have content.
_FULL = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,10})"(?![^<>]*/>)')
#: A cell with a namespace prefix, or the end of a text that looks like one.
_PREFIXED = re.compile(rb":c[\s/>]")

#: The member with the cells of an OpenDocument workbook, and the elements in a text that stand for characters.
_ODS_CONTENT = "content.xml"
_ODS_BREAK = re.compile(rb"<text:(tab|line-break)\b[^<>]*/>")
_ODS_BREAKS = {b"tab": b"\t", b"line-break": b"\n"}

#: The archive members that calamine reads besides the sheet.
_BESIDE = re.compile(r"xl/[^/]*\.xml|.*\.rels|\[content_types\]\.xml")


def fits_in_memory(data: bytes, path: Path, sheet: str | None) -> bool:
    """Return whether a workbook's sheet certainly fits in the memory limit; the path is for messages.

    False means unknown: the format is not .xlsx, or its XML is unusual.

    Raises:
        CorpusError: It certainly does not fit, or has no such sheet.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {info.filename.lower().replace("\\", "/"): info for info in archive.infolist()}
            member = _member(data, members, sheet, path) if len(members) == len(archive.infolist()) else None
            return member is not None and _fits(data, members, member, path)
    except CorpusError:
        raise
    # zipfile and zlib raise errors of many kinds for damaged archives; calamine reports those later
    except Exception:
        return False


def _member(data: bytes, members: dict[str, zipfile.ZipInfo], sheet: str | None, path: Path) -> str | None:
    """Return the archive member of the sheet with a name, or of the first; None if it is ambiguous."""
    book = _element(data, members["xl/workbook.xml"])
    relations = _find_elements(_element(data, members["xl/_rels/workbook.xml.rels"]), "Relationship")
    targets = {sheet_element.get("Id"): sheet_element.get("Target", "") for sheet_element in relations}
    sheets = _find_elements(book, "sheet")
    for sheet_element in sheets:
        if sheet is None or sheet_element.get("name") == sheet:
            # calamine reads r:id, whatever namespace the prefix has
            ids = [value for name, value in sheet_element.items() if _local_name(name) == "id"]
            name = posixpath.join("/xl", targets.get(ids[0], ""))[1:].lower()
            return name if name in members and len(ids) == 1 else None
    names = [sheet_element.get("name") for sheet_element in sheets]
    if sheet is not None and names and None not in names:
        raise _no_sheet_error(sheet, [name for name in names if name is not None], path)
    return None


def _no_sheet_error(sheet: str, names: Iterable[str], path: Path) -> CorpusError:
    listed = ", ".join(f'"{name}"' for name in names)
    return CorpusError(f'there is no sheet called "{sheet}"', f"choose one of {listed}", path)


def _find_elements(element: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [child for child in element.iter() if _local_name(child.tag) == name]


def _local_name(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition("}")[2]


def _element(data: bytes, info: zipfile.ZipInfo) -> ElementTree.Element:
    text = b""
    for chunk in _unpack_member(data, info):
        text += chunk
        if len(text) > _LONGEST_LIST:
            raise ValueError("the list of sheets is too long")
    return ElementTree.fromstring(text)


def _fits(data: bytes, members: dict[str, zipfile.ZipInfo], sheet: str, path: Path) -> bool:
    """Unpack in chunks what calamine will unpack, and check the size and the cells."""
    size, usual, filled = 0, True, False
    for name, info in members.items():
        if name != sheet and not _BESIDE.fullmatch(name):
            continue
        check_memory(_UNPACKED * (size + info.file_size), path)  # the size that the file states, which may be wrong
        for chunk in _cut_before_tags(_unpack_member(data, info)):
            size += len(chunk)
            if _UNPACKED * size > _SMALL:
                check_memory(_UNPACKED * size, path)
            if name == sheet:
                filled = filled or b'<c r="' in chunk
                usual = usual and _UNUSUAL.search(chunk) is None and not _has_prefixed_cell(chunk)
    needed = _UNPACKED * size
    if usual and needed + _USUAL_ROWS * (_ROW + _PLACE * _USUAL_COLUMNS) <= memory_limit():
        return filled
    return _has_usual_cells(data, members[sheet], path, needed)


def _has_usual_cells(data: bytes, info: zipfile.ZipInfo, path: Path, needed: int) -> bool:
    """Return whether all cells of a sheet are in the usual spelling.

    Raises:
        CorpusError: The cells of the sheet are too far apart.
    """
    columns: set[bytes] = set()
    last, odd = 0, False
    for chunk in _cut_before_tags(_unpack_member(data, info)):
        cells = _FULL.findall(chunk)
        columns.update(column for column, _ in cells)
        last = max(last, max((int(row) for _, row in cells), default=0))
        odd = odd or _ODD.search(chunk) is not None or _has_prefixed_cell(chunk)
    column = max(columns, key=_column_number, default=b"A")
    needed += last * (_ROW + _PLACE * _column_number(column))
    if needed > (limit := memory_limit()):
        raise CorpusError(
            f"the sheet extends to column {column.decode()} and row {last:,}, which would take about "
            f"{gigabytes(needed)} of memory, but the limit is {gigabytes(limit)}",
            "clear the cells that are far away from the table (Ctrl+End in Excel goes to the last cell), "
            f"or set {VARIABLE} to a larger number in the environment",
            path,
        )
    return bool(columns) and not odd


def _column_number(column: bytes) -> int:
    """Convert the letters of a column to its number: 1 for A, 27 for AA."""
    number = 0
    for letter in column:
        number = number * 26 + letter - 64
    return number


def _has_prefixed_cell(chunk: bytes) -> bool:
    """Return whether there is a tag like <x:c>, which calamine reads as <c>."""
    for match in _PREFIXED.finditer(chunk):
        start = chunk.rfind(b"<", 0, match.start())
        if start >= 0 and re.fullmatch(rb"[^\s<>]+", chunk[start + 1 : match.start()]):
            return True
    return False


def _cut_before_tags(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in chunks that end before tags."""
    rest = b""
    for chunk in chunks:
        chunk = rest + chunk
        cut = chunk.rfind(b"<")
        if cut < 0 or (cut == 0 and len(chunk) > _CHUNK):  # a long text; the tag before it is in this chunk
            cut = len(chunk)
        yield chunk[:cut]
        rest = chunk[cut:]
    yield rest


def _unpack_member(data: bytes, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the actual content of a member of a zip archive in chunks, ignoring its stated size.

    Raises:
        ValueError: The member is missing, encrypted, truncated, or compressed in an unusual way.
    """
    header = data[info.header_offset : info.header_offset + 30]
    if not header.startswith(b"PK\x03\x04") or len(header) < 30 or info.flag_bits & 1:
        raise ValueError("a part is missing or encrypted")
    start = info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    packed = memoryview(data)[start : start + info.compress_size]
    if info.compress_type == zipfile.ZIP_STORED:
        yield from (bytes(packed[at : at + _CHUNK]) for at in range(0, len(packed), _CHUNK))
        return
    if info.compress_type != zipfile.ZIP_DEFLATED:
        raise ValueError("compressed in a way that Excel does not use")
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(0, len(packed), _CHUNK):
        chunk = unpacker.decompress(packed[at : at + _CHUNK], _CHUNK)
        while chunk:
            yield chunk
            chunk = unpacker.decompress(unpacker.unconsumed_tail, _CHUNK)
    if not unpacker.eof:
        raise ValueError("truncated")


_SAVE_AGAIN = "open it in Excel or LibreOffice (without password) and save it again"

Rows = list[list[Any]]


@dataclass(frozen=True)
class WorkbookSheet:
    """A sheet of a workbook: its name, the names of all sheets, and its cells."""

    name: str
    names: tuple[str, ...]
    rows: Rows

    def grid(self, path: Path, limit: int | None = None) -> CellGrid:
        """Return the first `limit` rows, or all."""
        rows = self.rows[:limit]
        origin = FileOrigin(kind="excel", path=path, sheets=self.names, sheet=self.name)
        return CellGrid(rows, range(1, len(rows) + 1), origin)


def open_sheet(data: bytes, path: Path, sheet: str | None = None) -> WorkbookSheet:
    """Unpack the sheet with a name, or the first, from a file's bytes; the path is for error messages.

    Raises:
        CorpusError: The workbook is damaged, protected or too large, or has no such sheet.
    """
    if fits_in_memory(data, path, sheet):
        chosen, names, rows = _read(data, path, sheet)
        return WorkbookSheet(chosen, names, _convert_rows(rows))
    todo = "copy its table into a new workbook: a single cell far away from the others makes a sheet too large"
    messages = isolated.read("workbook:stream_blocks", data, path, sheet, todo)
    chosen, *others = next(messages)
    return WorkbookSheet(chosen, tuple(others), [row for block in messages for row in block])


def stream_blocks(data: bytes, path: Path, sheet: str | None) -> Iterator[list[Any]]:
    """Yield the names of the sheet and of all sheets, then its rows in blocks; runs in a child process.

    Raises:
        CorpusError: In the same cases as `open_sheet`.
    """
    chosen, names, rows = _read(data, path, sheet)
    yield [chosen, *names]
    block = max(1, isolated.BLOCK // max(1, len(rows[0]) if rows else 1))
    for start in range(0, len(rows), block):
        yield _convert_rows(rows[start : start + block])


def _read(data: bytes, path: Path, sheet: str | None) -> tuple[str, tuple[str, ...], Sequence[Sequence[object]]]:
    """Return the chosen sheet's name, the names of all sheets, and the rows as read by calamine."""
    import python_calamine

    try:
        book: CalamineWorkbook = python_calamine.load_workbook(io.BytesIO(_with_breaks(data)))
        names = tuple(book.sheet_names)
    except MemoryError:
        raise
    # calamine raises several kinds of errors for damaged files, some of them bare Exceptions
    except Exception as error:
        raise CorpusError("the workbook is damaged or protected by a password", _SAVE_AGAIN, path) from error
    if not names:
        raise CorpusError("the workbook has no sheets", "choose a different file", path)
    if sheet is not None and sheet not in names:
        raise _no_sheet_error(sheet, names, path)
    chosen = sheet if sheet is not None else names[0]
    try:
        return chosen, names, book.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
    except MemoryError:
        raise
    except Exception as error:
        raise CorpusError(f'the sheet "{chosen}" cannot be read', _SAVE_AGAIN, path) from error


def _with_breaks(data: bytes) -> bytes:
    """Return an OpenDocument workbook with characters for the tabs and line breaks, which calamine leaves out."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            content = archive.read(_ODS_CONTENT)
            broken = _ODS_BREAK.sub(lambda match: _ODS_BREAKS[match[1]], content)
            if broken == content:
                return data
            result = io.BytesIO()
            with zipfile.ZipFile(result, "w") as written:
                for name in archive.namelist():
                    written.writestr(name, broken if name == _ODS_CONTENT else archive.read(name))
            return result.getvalue()
    except MemoryError:
        raise
    except Exception:  # no archive, no such member, or damaged: calamine reports it
        return data


def _convert_rows(rows: Sequence[Sequence[object]]) -> Rows:
    # texts are skipped: most cells are texts, and a call for each would take seconds
    return [[value if type(value) is str else sheet_cell(value) for value in row] for row in rows]
