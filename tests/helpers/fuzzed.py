"""Random corpus files of every kind: valid, odd and damaged."""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from pathlib import Path

import crafted

Cell = str | int | float | bool | None

KINDS = ("csv", "tsv", "txt", "json", "jsonl", "parquet", "xlsx", "ods", "parallel", "pasted", "preview")

_WORDS = (
    "the",
    "cat",
    "Öl",
    "naïve",
    "été",
    "日本",
    "🦊",
    "don't",
    "1,5",
    "2;3",
    "a\tb",
    'say "hi"',
    "=1+1",
    "\u2028",
    "﷽",
)
_NAMES = ("source", "hypothesis", "label", "human", "id", "group", "sentence1", "sentence2", "Quality", "is_duplicate")
_ODD_NAMES = (
    "",
    "a\nb",
    "\x1b[2J",
    "x\r\ny",
    "source",
    "né",
    "a" * 300,
    "\u202e",
    "'",
    '"',
    "0",
    "*",
    "=x",
    "\x00",
    "\u2029",
)
_JUNK = (b'"', b"\n", b"\t", b"\0", b"<", b"{", b"\xff", b"999999999", b"'")
_ODD_CELLS: tuple[Cell, ...] = (
    *("", " ", "\n", "\x00", "\ufeff", '"', "'", "nan", "-", "NA", "1e999", "9" * 400, "-1", "-100", "true", "007"),
    *(None, 0, 1, -1, 2**70, 1.5, float("inf"), True),
)


def table(rng: random.Random) -> list[list[Cell]]:
    """Return a header and rows; half of the tables are valid."""
    odd = rng.random() < 0.5
    names = ["source", "hypothesis", *rng.sample(_NAMES, rng.randrange(4))]
    if odd:
        names = [rng.choice((*_NAMES, *_ODD_NAMES)) for _ in range(rng.randrange(7))]
    rows = [list[Cell](names)] if not odd or rng.random() < 0.8 else []
    for number in range(rng.choice((0, 1, 2, 5, 30))):
        row = [_cell(name, number, rng) for name in names]
        if odd and row and rng.random() < 0.3:
            row[rng.randrange(len(row))] = rng.choice(_ODD_CELLS)
        if odd and rng.random() < 0.1:
            row = row[: rng.randrange(len(row) + 1)] + ["more"] * rng.randrange(3)
        rows.append(row)
    return rows


def _cell(name: str, number: int, rng: random.Random) -> Cell:
    if name in ("label", "Quality", "is_duplicate"):
        return number % 2
    if name in ("human", "id"):
        return number / 4
    return " ".join(rng.choices(_WORDS[: rng.choice((4, len(_WORDS)))], k=rng.randrange(1, 9))) + "."


def write(kind: str, folder: Path, rng: random.Random) -> list[Path]:
    """Write a corpus of a kind ("parallel": two files), and damage it at random."""
    ending = rng.choice(KINDS[:8]) if kind in ("pasted", "preview") else "txt" if kind == "parallel" else kind
    if kind == "pasted":
        ending = rng.choice(("csv", "tsv", "txt", "json", "jsonl"))
    paths = [folder / f"corpus {number}.{ending}" for number in range(2 if kind == "parallel" else 1)]
    for path in paths:
        _write(ending, path, rng)
        if kind == "parallel" and rng.random() < 0.7:
            path.write_text("".join(f"{_cell('', 0, rng)}\n".replace("\t", " ") for _ in range(9)), encoding="utf-8")
        elif rng.random() < 0.6:
            path.write_bytes(harm(path.read_bytes(), rng))
        if rng.random() < 0.05:
            path.rename(path.with_suffix(f".{rng.choice(KINDS[:8])}"))
    return sorted(folder.glob("corpus *"))


def _write(ending: str, path: Path, rng: random.Random) -> None:
    rows = table(rng)
    match ending:
        case "csv" | "tsv" | "txt":
            path.write_bytes(_delimited(rows, "\t" if ending == "tsv" else rng.choice(",;|\t"), rng))
        case "json" | "jsonl":
            path.write_bytes(_json(rows, ending, rng))
        case "parquet":
            _parquet(rows, path, rng)
        case "xlsx":
            _zipped(crafted.xlsx(path, _xlsx_rows(rows, rng)), rng)
        case "ods":
            cells = ([str("" if cell is None else cell) for cell in row] for row in rows)
            _zipped(crafted.ods(path, "".join(crafted.ods_row(*map(_xml, row)) for row in cells)), rng)


def _delimited(rows: list[list[Cell]], delimiter: str, rng: random.Random) -> bytes:
    file = io.StringIO()
    if rng.random() < 0.7:
        end = rng.choice(("\n", "\r\n", "\r"))
        csv.writer(file, delimiter=delimiter, lineterminator=end, escapechar="\\").writerows(rows)
    else:  # as people write corpora by hand
        file.write("\n".join(delimiter.join(map(str, row)) for row in rows))
    return file.getvalue().encode(
        rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252")), "replace"
    )


def _json(rows: list[list[Cell]], ending: str, rng: random.Random) -> bytes:
    names = [str(name) for name in rows[0]] if rows else []
    records = [dict(zip(names, row, strict=False)) for row in rows[1:]]
    if rng.random() < 0.1 and records:
        records[-1]["nested"] = json.loads("[" * 50 + "]" * 50)  # type: ignore[assignment]
    ascii_only = rng.random() < 0.5
    if ending == "jsonl":
        return "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in records).encode()
    data = {str(n): record for n, record in enumerate(records)} if rng.random() < 0.3 else records
    return json.dumps(data, ensure_ascii=ascii_only, indent=rng.choice((None, 1))).encode()


def _parquet(rows: list[list[Cell]], path: Path, rng: random.Random) -> None:
    import pyarrow
    import pyarrow.parquet

    width = len(rows[0]) if rows else 0
    body = [[*row[:width], *[None] * (width - len(row))] for row in rows[1:]]
    columns = []
    for number in range(width):
        cells = [row[number] for row in body]
        try:
            columns.append(pyarrow.array(cells))
        except (pyarrow.ArrowException, OverflowError):
            columns.append(pyarrow.array([None if cell is None else str(cell) for cell in cells]))
    names = [str(name) for name in rows[0]] if rows else []
    file = pyarrow.Table.from_arrays(columns, names=names) if columns else pyarrow.table({})
    pyarrow.parquet.write_table(file, path, compression=rng.choice(("none", "snappy", "zstd")))


def _xlsx_rows(rows: list[list[Cell]], rng: random.Random) -> str:
    """Return the rows' XML, with a few cells at wrong places."""
    text = []
    for at, row in enumerate(rows, 1):
        cells = []
        for number, cell in enumerate(row[:26]):
            place = f"{chr(65 + number)}{at}"
            if rng.random() < 0.003:
                place = rng.choice(("XFD1048576", "ZZZ9", "A0", "A99999999", "a1", "", "AAAA1", "XFD1"))
            number_like = isinstance(cell, (int, float)) and not isinstance(cell, bool)
            cells.append(
                f'<c r="{place}"><v>{cell}</v></c>' if number_like else crafted.cell(place, _xml(str(cell or "")))
            )
        text.append(f'<row r="{at}">{"".join(cells)}</row>')
    return "".join(text)


def _xml(text: str) -> str:
    return "".join(letter if letter.isprintable() and letter not in '<>&"' else f"&#{ord(letter)};" for letter in text)


def _zipped(path: Path, rng: random.Random) -> None:
    """Damage a file inside an archive, since damage to the archive itself nearly always gives the same error."""
    if rng.random() < 0.5:
        return
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(parts))
    parts[name] = harm(parts[name], rng)
    with zipfile.ZipFile(path, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def harm(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with one to three random defects."""
    for _ in range(rng.randrange(1, 4)):
        at, length = rng.randrange(len(data) + 1), rng.choice((1, 1, 4, 30, 200))
        match rng.randrange(7):
            case 0:
                data = data[:at]
            case 1:
                data = data[:at] + data[at + length :]
            case 2:
                data = data[:at] + rng.randbytes(length) + data[at + length :]
            case 3:
                data = data[:at] + data[at : at + length] * rng.choice((2, 50)) + data[at + length :]
            case 4:
                data = (
                    data[:at]
                    + rng.choice((b'"', b"\n", b"\t", b"\0", b"<", b"{", b"\xff", b"999999999", b"'"))
                    + data[at:]
                )
            case 5:
                flipped = bytearray(data)
                for place in rng.choices(range(len(data)), k=length) if data else ():
                    flipped[place] ^= 1 << rng.randrange(8)
                data = bytes(flipped)
            case 6:
                data = data[at:] + data[:at]
    return data
