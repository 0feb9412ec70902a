"""Workbooks written cell by cell, as no spreadsheet program would save them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"


def cell(place: str, text: str) -> str:
    """Return a cell of .xlsx with a text."""
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


#: A header and one pair.
PAIR = (
    f'<row r="1">{cell("A1", "source")}{cell("B1", "hypothesis")}</row>'
    f'<row r="2">{cell("A2", "A cat sat.")}{cell("B2", "A dog ran.")}</row>'
)


def xlsx(
    path: Path, rows: str | Iterable[bytes], sheets: dict[str, str] | None = None, shared: Iterable[bytes] = ()
) -> Path:
    """Write a workbook whose first sheet, "pairs", holds `rows`, followed by `sheets` by name.

    `rows` and the shared strings may be huge iterables of bytes, which are compressed one by one.
    """
    first = [rows.encode()] if isinstance(rows, str) else rows
    parts = {"pairs": first, **{name: [text.encode()] for name, text in (sheets or {}).items()}}
    names = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(parts, 1))
    kinds = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(parts) + 1)
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>'
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_PACKAGE}/relationships">{kinds}</Relationships>'
        )
        if shared:
            with archive.open("xl/sharedStrings.xml", "w", force_zip64=True) as member:
                member.write(f'<sst xmlns="{_MAIN}">'.encode())
                member.writelines(shared)
                member.write(b"</sst>")
        for number, part in enumerate(parts.values(), 1):
            with archive.open(f"xl/worksheets/sheet{number}.xml", "w", force_zip64=True) as member:
                member.write(f'<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
                member.writelines(part)
                member.write(b"</sheetData></worksheet>")
    return path


def ods(path: Path, rows: str) -> Path:
    """Write an OpenDocument spreadsheet."""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    spaces = " ".join(f'xmlns:{name}="{_ODF}:{name}:1.0"' for name in ("office", "table", "text"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), kind)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest xmlns:m="{_ODF}:manifest:1.0">'
            f'<m:file-entry m:full-path="/" m:media-type="{kind}"/></m:manifest>',
        )
        archive.writestr(
            "content.xml",
            f'<office:document-content {spaces} office:version="1.2"><office:body><office:spreadsheet>'
            f'<table:table table:name="pairs">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return path


def ods_row(*texts: str, cells: str = "", row: str = "") -> str:
    """Return a row of .ods, optionally with attributes of its cells and of the row."""
    inside = "".join(
        f'<table:table-cell office:value-type="string" {cells}><text:p>{text}</text:p></table:table-cell>'
        for text in texts
    )
    return f"<table:table-row {row}>{inside}</table:table-row>"
