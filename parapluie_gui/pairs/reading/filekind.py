"""Loads a file and determines its kind by its first bytes rather than its name, refusing kinds without pairs."""

from __future__ import annotations

import contextlib
import io
import zipfile
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
    (b"{\\rtf", "is a word processor's document (RTF)", "save its pairs as plain text or as a table"),
    (b"SQLite format 3\0", "is an SQLite database", "export its table as CSV, or open it as a session"),
    (b"\x1f\x8b", "is compressed (gzip)", "unpack it and choose the file inside"),
    (b"BZh", "is compressed (bzip2)", "unpack it and choose the file inside"),
    (b"\xfd7zXZ\0", "is compressed (xz)", "unpack it and choose the file inside"),
    (b"7z\xbc\xaf\x27\x1c", "is an archive (7z)", "unpack it and choose the file inside"),
    (b"\x28\xb5\x2f\xfd", "is compressed (zstd)", "unpack it and choose the file inside"),
    (b"GGUF", "is a language model (GGUF)", "choose it as the judge, and a file of sentence pairs here"),
)


#: Copies of a file in memory while it is read: its bytes, its text, its lines.
_COPIES = 3


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
        raise CorpusError(f"this is {error.strerror}", "save what comes out of it as a file", path) from error
    except FileNotFoundError as error:
        raise CorpusError("there is no such file", f"check the path {path}", path) from error
    except PermissionError as error:
        raise CorpusError("you are not allowed to read this file", "change its permissions or copy it", path) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CorpusError(f"the file cannot be read ({reason})", "check the disk and the path", path) from error
    if not data.strip(b"\xef\xbb\xbf \t\r\n\xff\xfe\0"):
        raise CorpusError("the file is empty", "choose a file with sentence pairs", path)
    return data


def detect_kind(data: bytes, path: Path) -> FileKind:
    """Determine whether a file is text, a workbook or Parquet.

    Raises:
        CorpusError: It is of another kind (a picture, an archive ...), or of another kind than its name claims.
    """
    for start, what, todo in _REFUSED:
        if data.startswith(start):
            raise CorpusError(f"this {what}, not a file of pairs", todo, path)
    if data.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        raise CorpusError("this is a web page, not a file of pairs", "download the data file itself", path)
    if data.startswith(b"PAR1"):
        return "parquet"
    if data.startswith(_OLE):
        return "excel"
    if data.startswith(b"PK\x03\x04"):
        if _holds_workbook(data):
            return "excel"
        if path.suffix.lower() in WORKBOOK_ENDINGS:
            raise CorpusError("the workbook is damaged", "open it in Excel or LibreOffice and save it again", path)
        raise CorpusError("this is an archive (zip)", "unpack it and choose the file inside", path)
    if path.suffix.lower() in WORKBOOK_ENDINGS:
        todo = "give it the ending .csv or .tsv if it is text, or save it as .xlsx again"
        raise CorpusError("the file is named like a workbook but is not one", todo, path)
    if path.suffix.lower() in PARQUET_ENDINGS:
        raise CorpusError("the file is named like a Parquet file but is not one", "get or export it again", path)
    return "text"


def _holds_workbook(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    # zipfile raises errors of many kinds for damaged archives (BadZipFile, NotImplementedError, struct.error ...)
    except Exception:
        return False
    return bool(names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"})
