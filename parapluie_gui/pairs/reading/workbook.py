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
from parapluie_gui.pairs.reading import apart
from parapluie_gui.pairs.reading.cells import sheet_cell
from parapluie_gui.pairs.reading.header_guess import Grid
from parapluie_gui.pairs.reading.limits import VARIABLE, check_memory, gigabytes, memory_limit
from parapluie_gui.pairs.reading.raw_table import Origin

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

#: Bytes of memory for each row, and for each place of the rectangle, empty or not.
_ROW, _PLACE = 100, 40
#: Bytes of memory for each byte of XML: its texts, and the shortest cells.
_UNPACKED = 5
#: A sheet of no more rows and columns than this has nothing but usual cells.
_USUAL_ROWS, _USUAL_COLUMNS = 1_050_000, 26
_CHUNK = 2**18
#: Nobody asks for less memory than this, so the limit need not be looked up for it.
_SMALL = 10_000_000
#: The list of sheets is never longer.
_LONGEST_LIST = 10 * 2**20

#: A cell that is not of the columns A to Z, or whose row is not one of Excel's; or that is not as programs write them.
_UNUSUAL = re.compile(rb'<c(?! r="[A-Z](?:\d{1,6}|10[0-4]\d{4})")[\s/>]')
#: One that is not as programs write them.
_ODD = re.compile(rb'<c(?! r="[A-Z]{1,3}\d{1,10}")[\s/>]')
#: One that is, and is not closed at once, so that something may be in it.
_FULL = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,10})"(?![^<>]*/>)')
#: A cell whose name has a prefix, or the end of some text.
_PREFIXED = re.compile(rb":c[\s/>]")

#: What calamine reads of a workbook beside the sheet.
_BESIDE = re.compile(r"xl/[^/]*\.xml|.*\.rels|\[content_types\]\.xml")


def fits(data: bytes, path: Path, sheet: str | None) -> bool:
    """Return whether a workbook's sheet surely fits into the memory that it may take; the path is for messages.

    False where that cannot be told from outside: another format than .xlsx, or one as no usual program writes it.

    Raises:
        CorpusError: It surely does not fit, or has no such sheet.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {info.filename.lower().replace("\\", "/"): info for info in archive.infolist()}
            member = _member(data, members, sheet, path) if len(members) == len(archive.infolist()) else None
            return member is not None and _fits(data, members, member, path)
    except CorpusError:
        raise
    # damaged archives make zipfile and zlib raise errors of many kinds; calamine says what it makes of them
    except Exception:
        return False


def _member(data: bytes, members: dict[str, zipfile.ZipInfo], sheet: str | None, path: Path) -> str | None:
    """Return the member that holds the sheet of a name, or the first; None if that is not plain."""
    book = _element(data, members["xl/workbook.xml"])
    relations = _all(_element(data, members["xl/_rels/workbook.xml.rels"]), "Relationship")
    targets = {each.get("Id"): each.get("Target", "") for each in relations}
    sheets = _all(book, "sheet")
    for each in sheets:
        if sheet is None or each.get("name") == sheet:
            # whatever the prefix stands for, calamine takes the one that is called r:id
            ids = [value for name, value in each.items() if _local(name) == "id"]
            name = posixpath.join("/xl", targets.get(ids[0], ""))[1:].lower()
            return name if name in members and len(ids) == 1 else None
    names = [each.get("name") for each in sheets]
    if sheet is not None and names and None not in names:
        raise _absent(sheet, [name for name in names if name is not None], path)
    return None


def _absent(sheet: str, names: Iterable[str], path: Path) -> CorpusError:
    listed = ", ".join(f'"{name}"' for name in names)
    return CorpusError(f'there is no sheet called "{sheet}"', f"choose one of {listed}", path)


def _all(element: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [each for each in element.iter() if _local(each.tag) == name]


def _local(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition("}")[2]


def _element(data: bytes, info: zipfile.ZipInfo) -> ElementTree.Element:
    text = b""
    for chunk in _unpacked(data, info):
        text += chunk
        if len(text) > _LONGEST_LIST:
            raise ValueError("no list of sheets is so long")
    return ElementTree.fromstring(text)


def _fits(data: bytes, members: dict[str, zipfile.ZipInfo], sheet: str, path: Path) -> bool:
    """Unpack what calamine will unpack, bit by bit, and look at the cells."""
    size, usual, filled = 0, True, False
    for name, info in members.items():
        if name != sheet and not _BESIDE.fullmatch(name):
            continue
        check_memory(_UNPACKED * (size + info.file_size), path)  # as the file says, which need not be true
        for chunk in _tags(_unpacked(data, info)):
            size += len(chunk)
            if _UNPACKED * size > _SMALL:
                check_memory(_UNPACKED * size, path)
            if name == sheet:
                filled = filled or b'<c r="' in chunk
                usual = usual and _UNUSUAL.search(chunk) is None and not _has_prefixed_cell(chunk)
    needed = _UNPACKED * size
    if usual and needed + _USUAL_ROWS * (_ROW + _PLACE * _USUAL_COLUMNS) <= memory_limit():
        return filled
    return _is_small(data, members[sheet], path, needed)


def _is_small(data: bytes, info: zipfile.ZipInfo, path: Path, needed: int) -> bool:
    """Return whether all cells of a sheet are as programs write them.

    Raises:
        CorpusError: Its cells lie too far apart.
    """
    columns: set[bytes] = set()
    last, odd = 0, False
    for chunk in _tags(_unpacked(data, info)):
        cells = _FULL.findall(chunk)
        columns.update(column for column, _ in cells)
        last = max(last, max((int(row) for _, row in cells), default=0))
        odd = odd or _ODD.search(chunk) is not None or _has_prefixed_cell(chunk)
    column = max(columns, key=_number, default=b"A")
    needed += last * (_ROW + _PLACE * _number(column))
    if needed > (limit := memory_limit()):
        raise CorpusError(
            f"the sheet reaches to column {column.decode()} and row {last:,}, which would take about "
            f"{gigabytes(needed)} of memory, and the limit is {gigabytes(limit)}",
            "clear the cells that stand far away from the table (Ctrl+End in Excel goes to the last one), "
            f"or set {VARIABLE} to a larger number in the environment",
            path,
        )
    return bool(columns) and not odd


def _number(column: bytes) -> int:
    """Return the number of a column: 1 for A, 27 for AA."""
    number = 0
    for letter in column:
        number = number * 26 + letter - 64
    return number


def _has_prefixed_cell(chunk: bytes) -> bool:
    """Return whether there is a tag like <x:c>, which calamine reads as <c>."""
    for found in _PREFIXED.finditer(chunk):
        start = chunk.rfind(b"<", 0, found.start())
        if start >= 0 and re.fullmatch(rb"[^\s<>]+", chunk[start + 1 : found.start()]):
            return True
    return False


def _tags(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same bytes, cut in front of tags."""
    rest = b""
    for chunk in chunks:
        chunk = rest + chunk
        cut = chunk.rfind(b"<")
        if cut < 0 or (cut == 0 and len(chunk) > _CHUNK):  # a long text; the tag before it is in this chunk
            cut = len(chunk)
        yield chunk[:cut]
        rest = chunk[cut:]
    yield rest


def _unpacked(data: bytes, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield what a member of a zip archive holds, as far as it really goes, whatever the archive says of its size.

    Raises:
        ValueError: It is packed in an unusual way.
    """
    header = data[info.header_offset : info.header_offset + 30]
    if not header.startswith(b"PK\x03\x04") or len(header) < 30 or info.flag_bits & 1:
        raise ValueError("no member, or an encrypted one")
    start = info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    packed = memoryview(data)[start : start + info.compress_size]
    if info.compress_type == zipfile.ZIP_STORED:
        yield from (bytes(packed[at : at + _CHUNK]) for at in range(0, len(packed), _CHUNK))
        return
    if info.compress_type != zipfile.ZIP_DEFLATED:
        raise ValueError("packed in another way than Excel does")
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(0, len(packed), _CHUNK):
        chunk = unpacker.decompress(packed[at : at + _CHUNK], _CHUNK)
        while chunk:
            yield chunk
            chunk = unpacker.decompress(unpacker.unconsumed_tail, _CHUNK)
    if not unpacker.eof:
        raise ValueError("cut off")


_SAVE_AGAIN = "open it in Excel or LibreOffice (without password) and save it again"

Rows = list[list[Any]]


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook: its name, those of all sheets, and its cells."""

    name: str
    names: tuple[str, ...]
    rows: Rows

    def grid(self, path: Path, limit: int | None = None) -> Grid:
        """Return the first rows, or all."""
        rows = self.rows[:limit]
        origin = Origin(kind="excel", path=path, sheets=self.names, sheet=self.name)
        return Grid(rows, range(1, len(rows) + 1), origin)


def open_sheet(data: bytes, path: Path, sheet: str | None = None) -> Sheet:
    """Unpack the sheet of a name, or the first, from a file's bytes; the path is for error messages.

    Raises:
        CorpusError: The workbook is damaged, protected or too large, or has no such sheet.
    """
    if fits(data, path, sheet):
        chosen, names, rows = _read(data, path, sheet)
        return Sheet(chosen, names, _converted(rows))
    todo = "copy its table into a new workbook, since a single cell far away from the others makes a sheet so large"
    messages = apart.read("workbook:read_apart", data, path, sheet, todo)
    chosen, *others = next(messages)
    return Sheet(chosen, tuple(others), [row for block in messages for row in block])


def read_apart(data: bytes, path: Path, sheet: str | None) -> Iterator[list[Any]]:
    """Yield the names of the sheet and of all sheets, then its rows in blocks; for a process of its own.

    Raises:
        CorpusError: As `open_sheet`.
    """
    chosen, names, rows = _read(data, path, sheet)
    yield [chosen, *names]
    block = max(1, apart.BLOCK // max(1, len(rows[0]) if rows else 1))
    for start in range(0, len(rows), block):
        yield _converted(rows[start : start + block])


def _read(data: bytes, path: Path, sheet: str | None) -> tuple[str, tuple[str, ...], Sequence[Sequence[object]]]:
    """Return the chosen sheet's name, those of all sheets, and the rows as calamine has them."""
    import python_calamine

    try:
        book: CalamineWorkbook = python_calamine.load_workbook(io.BytesIO(data))
        names = tuple(book.sheet_names)
    except MemoryError:
        raise
    # calamine raises errors of several kinds for damaged files, some of them bare Exceptions
    except Exception as error:
        raise CorpusError("the workbook is damaged or protected by a password", _SAVE_AGAIN, path) from error
    if not names:
        raise CorpusError("the workbook has no sheet", "choose another file", path)
    if sheet is not None and sheet not in names:
        raise _absent(sheet, names, path)
    chosen = sheet if sheet is not None else names[0]
    try:
        return chosen, names, book.get_sheet_by_name(chosen).to_python(skip_empty_area=False)
    except MemoryError:
        raise
    except Exception as error:
        raise CorpusError(f'the sheet "{chosen}" cannot be read', _SAVE_AGAIN, path) from error


def _converted(rows: Sequence[Sequence[object]]) -> Rows:
    # most cells are texts, and a call for each takes seconds
    return [[value if type(value) is str else sheet_cell(value) for value in row] for row in rows]
