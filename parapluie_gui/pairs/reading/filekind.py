"""Loads a file and determines its kind by its first bytes rather than its name, refusing kinds without pairs."""

from __future__ import annotations

import contextlib
import gzip
import io
import zipfile
import zlib
from pathlib import Path
from typing import Literal

from parapluie_gui.errors import CorpusError
from parapluie_gui.files import NotAFileError, check_is_file
from parapluie_gui.pairs.reading.limits import check_memory

FileKind = Literal["text", "excel", "parquet"]

WORKBOOK_ENDINGS = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
PARQUET_ENDINGS = frozenset({".parquet", ".pq"})

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

#: First bytes of files that people open by mistake, with their kind and the advice.
_REFUSED = (
    (b"\x89PNG", "is a picture (PNG)", "choose a file of sentence pairs"),
    (b"\xff\xd8\xff", "is a picture (JPEG)", "choose a file of sentence pairs"),
    (b"GIF8", "is a picture (GIF)", "choose a file of sentence pairs"),
    (b"%PDF", "is a PDF document", "copy its pairs into a table (CSV, TSV or Excel) first"),
    (b"{\\rtf", "is a word-processor document (RTF)", "save its pairs as plain text or as a table"),
    (b"SQLite format 3\0", "is an SQLite database", "export its table as CSV, or open it as a session"),
    (b"BZh", "is compressed (bzip2)", "unpack it and choose the file inside"),
    (b"\xfd7zXZ\0", "is compressed (xz)", "unpack it and choose the file inside"),
    (b"7z\xbc\xaf\x27\x1c", "is an archive (7z)", "unpack it and choose the file inside"),
    (b"\x28\xb5\x2f\xfd", "is compressed (zstd)", "unpack it and choose the file inside"),
    (
        b"version https://git-lfs.github.com/spec/",
        "is a Git LFS pointer, which contains only the address of the file",
        "fetch the file itself with git lfs pull, or download it from the repository's page",
    ),
    (b"GGUF", "is a language model (GGUF)", "choose it as the judge; choose a file of sentence pairs here"),
)


_GZIP = b"\x1f\x8b"
_PIECE = 2**20
#: Bytes of the first header of a tar archive.
_TAR = 512
#: Copies of a file in memory while it is read: its bytes, its text, its lines.
_COPIES = 3
#: Bytes of a blank file, and the number of bytes read first.
_BLANK, _BEGINNING = b"\xef\xbb\xbf \t\r\n\xff\xfe\0", 1_000


def load_bytes(path: Path) -> bytes:
    """Load a file's bytes.

    Raises:
        CorpusError: It does not exist, is a folder, pipe or device, may not be read, is empty, or too large.
    """
    try:
        if path.is_dir():
            raise CorpusError("this is a folder", "choose a file inside it", path)
        with contextlib.suppress(FileNotFoundError):  # reported below
            check_is_file(path)
            check_memory(_COPIES * path.stat().st_size, path)
        data = path.read_bytes()
    except NotAFileError as error:
        raise CorpusError(f"this is {error.strerror}", "save its output as a file", path) from error
    except FileNotFoundError as error:
        raise CorpusError("there is no such file", f"check the path {path}", path) from error
    except PermissionError as error:
        raise CorpusError("you are not allowed to read this file", "change its permissions or copy it", path) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CorpusError(f"the file cannot be read ({reason})", "check the disk and the path", path) from error
    if data.startswith(_GZIP):
        data = _unpack(data, path)
    if not data[:_BEGINNING].strip(_BLANK) and not data.strip(_BLANK):
        raise CorpusError("the file is empty", "choose a file with sentence pairs", path)
    return data


def _unpack(data: bytes, path: Path) -> bytes:
    """Unpack gzip in pieces, so that a small file cannot fill the memory."""
    pieces, size = [], 0
    try:
        with gzip.open(io.BytesIO(data)) as unpacked:
            while piece := unpacked.read(_PIECE):
                size += len(piece)
                check_memory(_COPIES * size, path)
                pieces.append(piece)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError("this is compressed (gzip) and damaged", "unpack it, or download it again", path) from error
    data = b"".join(pieces)
    if len(data) > _TAR and data[_TAR - 255 : _TAR - 250] == b"ustar":
        raise CorpusError("this is an archive (tar.gz)", "unpack it and choose the file inside", path)
    return data


def inner_ending(path: Path | None) -> str:
    """Return the ending of a file's name in lower case, without that of a compressed file: ".csv" of "a.csv.gz"."""
    if path is None:
        return ""
    return (Path(path.stem) if path.suffix.lower() == ".gz" else path).suffix.lower()


def detect_kind(data: bytes, path: Path) -> FileKind:
    """Determine whether a file is text, a workbook or Parquet.

    Raises:
        CorpusError: It is of another kind (a picture, an archive ...), or of a different kind than its name claims.
    """
    for start, what, todo in _REFUSED:
        if data.startswith(start):
            raise CorpusError(f"this {what}, not a file of pairs", todo, path)
    if data[:_BEGINNING].lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        raise CorpusError("this is a web page, not a file of pairs", "download the data file itself", path)
    if data.startswith(b"PAR1"):
        return "parquet"
    if data.startswith(_OLE):
        return "excel"
    if data.startswith(b"PK\x03\x04"):
        if _holds_workbook(data):
            return "excel"
        if inner_ending(path) in WORKBOOK_ENDINGS:
            raise CorpusError("the workbook is damaged", "open it in Excel or LibreOffice and save it again", path)
        raise CorpusError("this is an archive (zip)", "unpack it and choose the file inside", path)
    if inner_ending(path) in WORKBOOK_ENDINGS:
        todo = "give it the extension .csv or .tsv if it is text, or save it as .xlsx again"
        raise CorpusError("the file is named like a workbook but is not one", todo, path)
    if inner_ending(path) in PARQUET_ENDINGS:
        raise CorpusError("the file is named like a Parquet file but is not one", "download or export it again", path)
    return "text"


def _holds_workbook(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    # zipfile raises errors of many kinds for damaged archives (BadZipFile, NotImplementedError, struct.error ...)
    except Exception:
        return False
    return bool(names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"})
