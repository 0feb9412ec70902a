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


def table(dice: random.Random) -> list[list[Cell]]:
    """Return a header and rows; half of the tables are valid."""
    odd = dice.random() < 0.5
    names = ["source", "hypothesis", *dice.sample(_NAMES, dice.randrange(4))]
    if odd:
        names = [dice.choice((*_NAMES, *_ODD_NAMES)) for _ in range(dice.randrange(7))]
    rows = [list[Cell](names)] if not odd or dice.random() < 0.8 else []
    for number in range(dice.choice((0, 1, 2, 5, 30))):
        row = [_cell(name, number, dice) for name in names]
        if odd and row and dice.random() < 0.3:
            row[dice.randrange(len(row))] = dice.choice(_ODD_CELLS)
        if odd and dice.random() < 0.1:
            row = row[: dice.randrange(len(row) + 1)] + ["more"] * dice.randrange(3)
        rows.append(row)
    return rows


def _cell(name: str, number: int, dice: random.Random) -> Cell:
    if name in ("label", "Quality", "is_duplicate"):
        return number % 2
    if name in ("human", "id"):
        return number / 4
    return " ".join(dice.choices(_WORDS[: dice.choice((4, len(_WORDS)))], k=dice.randrange(1, 9))) + "."


def write(kind: str, folder: Path, dice: random.Random) -> list[Path]:
    """Write a corpus of a kind ("parallel": two files), and damage it at random."""
    ending = dice.choice(KINDS[:8]) if kind in ("pasted", "preview") else "txt" if kind == "parallel" else kind
    if kind == "pasted":
        ending = dice.choice(("csv", "tsv", "txt", "json", "jsonl"))
    paths = [folder / f"corpus {number}.{ending}" for number in range(2 if kind == "parallel" else 1)]
    for path in paths:
        _write(ending, path, dice)
        if kind == "parallel" and dice.random() < 0.7:
            path.write_text("".join(f"{_cell('', 0, dice)}\n".replace("\t", " ") for _ in range(9)), encoding="utf-8")
        elif dice.random() < 0.6:
            path.write_bytes(harm(path.read_bytes(), dice))
        if dice.random() < 0.05:
            path.rename(path.with_suffix(f".{dice.choice(KINDS[:8])}"))
    return sorted(folder.glob("corpus *"))


def _write(ending: str, path: Path, dice: random.Random) -> None:
    rows = table(dice)
    match ending:
        case "csv" | "tsv" | "txt":
            path.write_bytes(_delimited(rows, "\t" if ending == "tsv" else dice.choice(",;|\t"), dice))
        case "json" | "jsonl":
            path.write_bytes(_json(rows, ending, dice))
        case "parquet":
            _parquet(rows, path, dice)
        case "xlsx":
            _zipped(crafted.xlsx(path, _xlsx_rows(rows, dice)), dice)
        case "ods":
            cells = ([str("" if cell is None else cell) for cell in row] for row in rows)
            _zipped(crafted.ods(path, "".join(crafted.ods_row(*map(_xml, row)) for row in cells)), dice)


def _delimited(rows: list[list[Cell]], delimiter: str, dice: random.Random) -> bytes:
    file = io.StringIO()
    if dice.random() < 0.7:
        end = dice.choice(("\n", "\r\n", "\r"))
        csv.writer(file, delimiter=delimiter, lineterminator=end, escapechar="\\").writerows(rows)
    else:  # as people write corpora by hand
        file.write("\n".join(delimiter.join(map(str, row)) for row in rows))
    return file.getvalue().encode(
        dice.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252")), "replace"
    )


def _json(rows: list[list[Cell]], ending: str, dice: random.Random) -> bytes:
    names = [str(name) for name in rows[0]] if rows else []
    records = [dict(zip(names, row, strict=False)) for row in rows[1:]]
    if dice.random() < 0.1 and records:
        records[-1]["nested"] = json.loads("[" * 50 + "]" * 50)  # type: ignore[assignment]
    ascii_only = dice.random() < 0.5
    if ending == "jsonl":
        return "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in records).encode()
    data = {str(n): record for n, record in enumerate(records)} if dice.random() < 0.3 else records
    return json.dumps(data, ensure_ascii=ascii_only, indent=dice.choice((None, 1))).encode()


def _parquet(rows: list[list[Cell]], path: Path, dice: random.Random) -> None:
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
    pyarrow.parquet.write_table(file, path, compression=dice.choice(("none", "snappy", "zstd")))


def _xlsx_rows(rows: list[list[Cell]], dice: random.Random) -> str:
    """Return the rows' XML, with a few cells at wrong places."""
    text = []
    for at, row in enumerate(rows, 1):
        cells = []
        for number, cell in enumerate(row[:26]):
            place = f"{chr(65 + number)}{at}"
            if dice.random() < 0.003:
                place = dice.choice(("XFD1048576", "ZZZ9", "A0", "A99999999", "a1", "", "AAAA1", "XFD1"))
            number_like = isinstance(cell, (int, float)) and not isinstance(cell, bool)
            cells.append(
                f'<c r="{place}"><v>{cell}</v></c>' if number_like else crafted.cell(place, _xml(str(cell or "")))
            )
        text.append(f'<row r="{at}">{"".join(cells)}</row>')
    return "".join(text)


def _xml(text: str) -> str:
    return "".join(letter if letter.isprintable() and letter not in '<>&"' else f"&#{ord(letter)};" for letter in text)


def _zipped(path: Path, dice: random.Random) -> None:
    """Damage a file inside an archive, since damage to the archive itself nearly always gives the same error."""
    if dice.random() < 0.5:
        return
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = dice.choice(list(parts))
    parts[name] = harm(parts[name], dice)
    with zipfile.ZipFile(path, "w", dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def harm(data: bytes, dice: random.Random) -> bytes:
    """Return bytes with one to three random defects."""
    for _ in range(dice.randrange(1, 4)):
        at, length = dice.randrange(len(data) + 1), dice.choice((1, 1, 4, 30, 200))
        match dice.randrange(7):
            case 0:
                data = data[:at]
            case 1:
                data = data[:at] + data[at + length :]
            case 2:
                data = data[:at] + dice.randbytes(length) + data[at + length :]
            case 3:
                data = data[:at] + data[at : at + length] * dice.choice((2, 50)) + data[at + length :]
            case 4:
                data = (
                    data[:at]
                    + dice.choice((b'"', b"\n", b"\t", b"\0", b"<", b"{", b"\xff", b"999999999", b"'"))
                    + data[at:]
                )
            case 5:
                flipped = bytearray(data)
                for place in dice.choices(range(len(data)), k=length) if data else ():
                    flipped[place] ^= 1 << dice.randrange(8)
                data = bytes(flipped)
            case 6:
                data = data[at:] + data[:at]
    return data
