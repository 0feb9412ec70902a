"""Builds a corpus from a table and a mapping: sentences, labels, scores, ids and the skipped rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

from parapluie_gui.errors import CorpusError, NoPairsError
from parapluie_gui.pairs.annotators import annotators_of, describe_annotators
from parapluie_gui.pairs.column import Column, TextColumn, find_odd_cells, to_column
from parapluie_gui.pairs.corpus import Corpus, MixedColumn, SkippedRow, list_references, name_references
from parapluie_gui.pairs.ids import PairIds, complete_ids, plain_ids
from parapluie_gui.pairs.reading.conventions import find_convention
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.notation import read_notations
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text, as_texts, excerpt
from parapluie_gui.pairs.reading.values import read_labels, read_scores

#: Maximum number of characters of a sentence. A longer one is a book, or a table whose quotation marks do not close,
#: and metrics would not finish on it.
MOST_CHARACTERS = 2_000_000
#: Sentences joined for one check, which is faster than a check of each.
_CHUNK = 1_000


def assemble(
    table: RawTable,
    mapping: ColumnMapping,
    name: str,
    layout: str,
    group: str | None = None,
    positive: Sequence[str] = (),
    *,
    missing: Sequence[str] = (),
    convention: str = "",
) -> Corpus:
    """Build a corpus.

    Args:
        table: The rows.
        mapping: The roles of its columns.
        name: The name of the corpus.
        layout: The name of its layout.
        group: The group of all pairs if no column has groups.
        positive: The values of the label that mean a paraphrase, if the user named them.
        missing: Values of label and human score that count as missing.
        convention: The convention of the labels, if the layout names one.

    Raises:
        CorpusError: A column of the mapping is missing, a sentence has no column, a label or score is invalid, or no
            row holds a pair.
    """
    path, (source, hypothesis, reference) = table.origin.path, _sentences(table, mapping)
    keep, skipped = _split_usable(table, source, hypothesis, reference)
    everything = len(keep) == len(table)
    lines = table.lines if everything else [table.lines[row] for row in keep]

    def pick(values: Sequence[Any]) -> list[Any]:
        return list(values) if everything else [values[row] for row in keep]

    table, notations = read_notations(_repair_table(table), _text_columns(mapping))
    label, human, meaning = None, None, None
    absent = {value.strip().casefold() for value in missing}

    def pick_values(name: str) -> list[Any]:
        cells = pick(table.column(name))
        return [None if as_text(cell).strip().casefold() in absent else cell for cell in cells] if absent else cells

    if mapping.label is not None:
        cells = pick_values(mapping.label)
        if not positive and (meaning := find_convention(cells, pick(source), pick(hypothesis), convention)):
            cells, human = list(meaning.labels), meaning.scores()
        label = read_labels(cells, lines, path, mapping.label, positive)
    if mapping.human is not None:
        human = read_scores(pick_values(mapping.human), lines, path, mapping.human)
    groups = None if mapping.group is None else _texts(pick(table.column(mapping.group)))
    groups = [group] * len(keep) if groups is None and group is not None else groups
    others = _other_columns(table, mapping)
    further = name_references(len(mapping.references))[1:]
    extra = {name: (TextColumn if name in further else to_column)(pick(cells)) for name, cells in others.items()}
    identities = _identities(table, mapping, keep)
    corpus = Corpus(
        name=name,
        id=identities.ids,
        source=pick(source),
        hypothesis=pick(hypothesis),
        reference=None if reference is None else _texts(pick(reference)),
        label=label,
        human=human,
        group=groups,
        extra=extra,
        skipped=skipped,
        mixed=tuple(_mixed_columns(extra, others, table.lines)),
        path=path,
        layout=layout,
        annotators=table.annotators or dict.fromkeys(annotators_of(extra), nan),
    )
    guesses = (
        *table.origin.guesses,
        meaning.description if meaning else "",
        *notations,
        *describe_annotators(corpus, table.repeated),
        *identities.describe(),
    )
    return replace(corpus, guessed=", ".join(filter(None, guesses)))


def _other_columns(table: RawTable, mapping: ColumnMapping) -> dict[str, list[Any]]:
    """Return further references, columns without a role, and those that make up a joined id (file, year)."""
    used = {column for column in mapping.columns if not isinstance(mapping.id, tuple) or column not in mapping.id}
    columns = [_texts(table.column(name)) or [None] * len(table) for name in mapping.references]
    references = dict(list(zip(name_references(len(columns)), columns, strict=True))[1:])
    reserved = {*references, *list_references(table.names)} - {"reference"}
    others = {
        f"{name} (file)" if name in reserved else name: values
        for name, values in zip(table.names, table.columns, strict=True)
        if name not in used
    }
    return {**references, **others}


def _text_columns(mapping: ColumnMapping) -> set[str]:
    """Return the columns that hold texts or ids by their role."""
    numeric = {mapping.label, mapping.human}
    return {column for column in mapping.columns if column not in numeric}


def _sentences(table: RawTable, mapping: ColumnMapping) -> tuple[list[str], list[str], list[str] | None]:
    missing = [column for column in mapping.columns if column not in table.names]
    if missing:
        names = ", ".join(f'"{column}"' for column in table.names[:30])
        raise CorpusError(f'there is no column "{missing[0]}"', f"choose among {names}", table.origin.path)
    if mapping.source is None or mapping.hypothesis is None:
        todo = "choose source and hypothesis"
        raise CorpusError("the column of one of the sentences is not chosen", todo, table.origin.path)
    reference = as_texts(table.column(mapping.references[0])) if mapping.references else None
    return as_texts(table.column(mapping.source)), as_texts(table.column(mapping.hypothesis)), reference


def _split_usable(
    table: RawTable, source: list[str], hypothesis: list[str], reference: list[str] | None
) -> tuple[list[int], tuple[SkippedRow, ...]]:
    """Return the rows that hold a pair, and the other rows with the reason why they do not."""
    too_long = _too_long(source, hypothesis, *([reference] if reference else []))
    unusable = _blank(source) | _blank(hypothesis) | _unprintable(source) | _unprintable(hypothesis) | too_long.keys()
    keep = [row for row in range(len(table)) if row not in unusable] if unusable else list(range(len(table)))
    skipped = [
        SkippedRow(
            table.lines[row],
            too_long.get(row) or _reason(source[row], hypothesis[row]),
            excerpt(column[row] for column in table.columns),
        )
        for row in sorted(unusable)
    ]
    skipped = sorted([*table.skipped, *skipped], key=lambda item: item.line)
    if not keep:
        first = f" ({skipped[0].reason})" if skipped else ""
        todo = "check which columns contain the sentences"
        line = skipped[0].line if skipped else None
        raise NoPairsError(f"no row contains a pair of sentences{first}", todo, table.origin.path, line)
    return keep, tuple(skipped)


def _mixed_columns(
    extra: Mapping[str, Column], cells: Mapping[str, Sequence[object]], lines: Sequence[int]
) -> Iterator[MixedColumn]:
    for name, column in extra.items():
        if isinstance(column, TextColumn) and (mixed := _find_mixed_cells(name, cells[name], lines)) is not None:
            yield mixed


def _find_mixed_cells(name: str, cells: Sequence[object], lines: Sequence[int]) -> MixedColumn | None:
    odd = find_odd_cells(cells)
    return MixedColumn(name, len(odd), lines[odd[0]], excerpt([cells[odd[0]]], 40)) if odd else None


def _identities(table: RawTable, mapping: ColumnMapping, keep: Sequence[int]) -> PairIds:
    """Return the ids of the rows to keep; a row's number where the file has no ids."""
    if mapping.id is None:
        return PairIds([str(row + 1) for row in keep])
    columns = (mapping.id,) if isinstance(mapping.id, str) else mapping.id
    cells = [plain_ids(list(map(str.strip, as_texts(table.column(column))))) for column in columns]
    joined = cells[0] if len(cells) == 1 else ["-".join(filter(None, parts)) for parts in zip(*cells, strict=True)]
    return complete_ids([joined[row] for row in keep], (row + 1 for row in keep))


def _texts(values: list[object]) -> list[str | None] | None:
    """Return texts with None for blank ones, or None if all are blank."""
    texts = [text if text.strip() else None for text in map(as_text, values)]
    return texts if any(texts) else None


def _reason(source: str, hypothesis: str) -> str:
    if source.strip() and hypothesis.strip():
        return "a sentence contains half a character (a lone surrogate) or a NUL"
    if not source.strip():
        return "no source" if hypothesis.strip() else "neither source nor hypothesis"
    return "no hypothesis"


def _too_long(*columns: list[str]) -> dict[int, str]:
    """Return the rows with a text of more than MOST_CHARACTERS, with the reason for skipping each."""
    return {
        row: f"a sentence has {len(text):,} characters; the limit is {MOST_CHARACTERS:,}"
        for texts in columns
        if max(map(len, texts), default=0) > MOST_CHARACTERS
        for row, text in enumerate(texts)
        if len(text) > MOST_CHARACTERS
    }


def _blank(texts: list[str]) -> set[int]:
    if all(texts) and not any(map(str.isspace, texts)):
        return set()
    return {row for row, text in enumerate(texts) if not text or text.isspace()}


def _unprintable(texts: list[str]) -> set[int]:
    """Return the rows whose text has lone surrogates or NUL, which JSON allows but no program can store or show."""
    rows: set[int] = set()
    for start in range(0, len(texts), _CHUNK):
        part = texts[start : start + _CHUNK]
        if not _storable("".join(part)):
            rows.update(row for row, text in enumerate(part, start) if not _storable(text))
    return rows


def _repair_table(table: RawTable) -> RawTable:
    if table.origin.kind == "delimited":
        return replace(table, columns=[_unwrap_formulas(column) for column in table.columns])
    if not table.origin.kind.startswith("json"):
        return table
    return replace(table, columns=[_repair_column(column) for column in table.columns])


def _unwrap_formulas(values: list[object]) -> list[object]:
    """Return 007 for ="007", by which spreadsheets keep zeros, if all cells of a column are written so."""
    first = next((value for value in values if value), None)
    if not isinstance(first, str) or not first.startswith('="'):
        return values
    texts = list(map(as_text, values))
    plain = plain_ids(texts)
    unwrapped = all(text != plain for text, plain in zip(texts, plain, strict=True) if text)
    return list(plain) if unwrapped else values


def _repair_column(values: list[object]) -> list[object]:
    """Replace lone surrogates by question marks in other columns; sentences with any have already been skipped."""
    if _storable("".join(value for value in values if isinstance(value, str))):
        return values
    return [
        value.encode("utf-8", "replace").decode("utf-8").replace("\0", "?") if isinstance(value, str) else value
        for value in values
    ]


def _storable(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
